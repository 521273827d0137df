module convoy.dev/testkit/golden/oracle

go 1.26

require (
	go.yaml.in/yaml/v2 v2.4.3
	go.yaml.in/yaml/v3 v3.0.4
	gopkg.in/evanphx/json-patch.v4 v4.13.0
	sigs.k8s.io/yaml v1.6.0
)
