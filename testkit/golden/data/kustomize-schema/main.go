// Writes the compact tables that core/kustomize carries: merge keys of lists by type, and which types have a
// namespace, as the API description embedded in kyaml (Kubernetes 1.21.2) has them.
//
//	go run . > ../../../../core/kustomize/tables/schema.txt
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// short gives every definition a number: most of a definition's name is its package.
type table struct {
	definitions spec.Definitions
	wanted      map[string]bool
}

func name(ref spec.Ref) string {
	return strings.TrimPrefix(ref.String(), "#/definitions/")
}

// target is the definition behind a property, directly, as element or as value, and how it stands there.
func target(s *spec.Schema) (string, string) {
	switch {
	case s.Ref.String() != "":
		return name(s.Ref), "."
	case s.Items != nil && s.Items.Schema != nil && s.Items.Schema.Ref.String() != "":
		return name(s.Items.Schema.Ref), "[]"
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && s.AdditionalProperties.Schema.Ref.String() != "":
		return name(s.AdditionalProperties.Schema.Ref), "{}"
	}
	return "", ""
}

func strategy(s *spec.Schema) string {
	ps, _ := s.Extensions["x-kubernetes-patch-strategy"].(string)
	merges := false
	for _, p := range strings.Split(ps, ",") {
		merges = merges || p == "merge"
	}
	if !merges {
		return ""
	}
	if list, ok := s.Extensions["x-kubernetes-list-map-keys"].([]interface{}); ok {
		var keys []string
		for _, key := range list {
			keys = append(keys, key.(string))
		}
		return "merge=" + strings.Join(keys, ",")
	}
	key, _ := s.Extensions["x-kubernetes-patch-merge-key"].(string)
	return "merge=" + key
}

// reaches says whether a list that merges lies below the definition.
func (t *table) reaches(definition string, seen map[string]bool) bool {
	if known, ok := t.wanted[definition]; ok {
		return known
	}
	if seen[definition] {
		return false
	}
	seen[definition] = true
	found := false
	for _, property := range t.definitions[definition].Properties {
		next, _ := target(&property)
		if strategy(&property) != "" || next != "" && t.reaches(next, seen) {
			found = true
		}
	}
	if found {
		t.wanted[definition] = true
	}
	return found
}

func main() {
	t := &table{definitions: openapi.Schema().Definitions, wanted: map[string]bool{}}
	var names []string
	for definition := range t.definitions {
		if !strings.HasPrefix(definition, "io.k8s.") {
			continue
		}
		if t.reaches(definition, map[string]bool{}) {
			names = append(names, definition)
		}
	}
	sort.Strings(names)
	number := map[string]int{}
	for i, definition := range names {
		number[definition] = i
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "# Made by testkit/golden/data/kustomize-schema from kyaml v0.21.1 (Kubernetes 1.21.2).")
	fmt.Fprintln(out, "# D group/version/Kind…; then its fields: name, where the number after . [] {} is a definition, merge=keys")
	for i, definition := range names {
		schema := t.definitions[definition]
		fmt.Fprintf(out, "D%d", i)
		if types, ok := schema.Extensions["x-kubernetes-group-version-kind"].([]interface{}); ok {
			for _, one := range types {
				m := one.(map[string]interface{})
				version := m["version"].(string)
				if group, _ := m["group"].(string); group != "" {
					version = group + "/" + version
				}
				fmt.Fprintf(out, " %s/%s", version, m["kind"])
			}
		}
		fmt.Fprintln(out)
		var fields []string
		for field := range schema.Properties {
			fields = append(fields, field)
		}
		sort.Strings(fields)
		for _, field := range fields {
			property := schema.Properties[field]
			next, how := target(&property)
			_, known := number[next]
			merge := strategy(&property)
			if !known && merge == "" {
				continue
			}
			fmt.Fprintf(out, "%s", field)
			if known {
				fmt.Fprintf(out, " %s%d", how, number[next])
			}
			if merge != "" {
				fmt.Fprintf(out, " %s", merge)
			}
			fmt.Fprintln(out)
		}
	}
}
