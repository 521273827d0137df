// Writes the tables that core/kustomize carries, from the libraries inside of kustomize 5.8.1 (kubectl 1.36.3):
//
//   - schema.txt: merge keys of lists by type, as the API description embedded in kyaml (Kubernetes 1.21.2) has them;
//   - cluster.txt: which types have a namespace, as kyaml knows before it reads that description;
//   - fields.txt: the fields that transformers work on unless a configuration says otherwise.
//
// Beside itself it writes kustomization.txt, the fields of a kustomization, which all must have recorded cases.
//
// The tables that are committed are what this writes:
//
//	go run . ../../../../core/kustomize/tables && git diff --exit-code ../../../../core/kustomize/tables
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"sort"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// made is the first line of a table, up to the version of the module that it is from.
func made(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "sigs.k8s.io/kustomize/"+module {
			return "# Made by testkit/golden/data/kustomize-schema from " + module + " " + dependency.Version
		}
	}
	log.Fatalf("%s is no dependency", module)
	return ""
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name the folder of the tables")
	}
	tables := os.Args[1]
	for name, write := range map[string]func(io.Writer){
		filepath.Join(tables, "schema.txt"):  writeSchema,
		filepath.Join(tables, "cluster.txt"): writeScopes,
		filepath.Join(tables, "fields.txt"):  writeFields,
		"kustomization.txt":                  writeKustomization,
	} {
		var out bytes.Buffer
		write(&out)
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// table gives every definition a number: most of a definition's name is its package.
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

func writeSchema(out io.Writer) {
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
	fmt.Fprintln(out, made("kyaml")+" (Kubernetes 1.21.2).")
	fmt.Fprintln(out, "# D name group/version/Kind…; then its fields: name, where the number after . [] {} is a definition, merge=keys")
	for i, definition := range names {
		schema := t.definitions[definition]
		fmt.Fprintf(out, "D%d %s", i, definition)
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
