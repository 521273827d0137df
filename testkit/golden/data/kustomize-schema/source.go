package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"
)

// parse reads the Go files of a package of kustomize: what the tables need is not exported.
func parse(module, folder string) []*ast.File {
	where, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kustomize/"+module).Output()
	if err != nil {
		log.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(where)), folder, "*.go"))
	if err != nil || len(names) == 0 {
		log.Fatalf("%s has no package %s", module, folder)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// values are the expressions that constants and variables of a package begin with.
func values(files []*ast.File) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, file := range files {
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, one := range group.Specs {
				value, ok := one.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, name := range value.Names {
					if i < len(value.Values) {
						all[name.Name] = value.Values[i]
					}
				}
			}
		}
	}
	return all
}

// text is a string that is made of constants.
func text(all map[string]ast.Expr, expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		literal, err := strconv.Unquote(e.Value)
		if err != nil {
			log.Fatal(err)
		}
		return literal
	case *ast.Ident:
		return text(all, all[e.Name])
	case *ast.BinaryExpr:
		return text(all, e.X) + text(all, e.Y)
	}
	log.Fatalf("no text: %T", expression)
	return ""
}

// field is a field of some types.
type field struct {
	Group, Version, Kind, Path string
	Create                     bool
}

// reference is a type, and the fields that hold names of objects of it.
type reference struct {
	Group, Version, Kind string
	FieldSpecs           []field
}

func or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func writeField(out io.Writer, f field) {
	fmt.Fprintf(out, "%s %s %s %s", or(f.Group), or(f.Version), or(f.Kind), f.Path)
	if f.Create {
		fmt.Fprint(out, " create")
	}
	fmt.Fprintln(out)
}

func writeFields(out io.Writer) {
	fmt.Fprintln(out, made("api")+".")
	fmt.Fprintln(out, "# The fields that transformers work on: group version kind path [create]; `-` is any.")
	all := values(parse("api", "internal/konfig/builtinpluginconsts"))
	for _, name := range []string{
		"namePrefix", "nameSuffix", "commonLabel", "templateLabel", "commonAnnotation", "namespace", "varReference",
		"nameReference", "images", "replicas",
	} {
		source := text(all, all[name+"FieldSpecs"])
		if name == "nameReference" {
			var config map[string][]reference
			if err := yaml.UnmarshalStrict([]byte(source), &config); err != nil {
				log.Fatal(err)
			}
			for _, one := range config[name] {
				fmt.Fprintf(out, "= %s %s %s %s\n", name, or(one.Group), or(one.Version), or(one.Kind))
				for _, f := range one.FieldSpecs {
					writeField(out, f)
				}
			}
			continue
		}
		var config map[string][]field
		if err := yaml.UnmarshalStrict([]byte(source), &config); err != nil {
			log.Fatal(err)
		}
		for key, fields := range config {
			fmt.Fprintln(out, "=", key)
			for _, f := range fields {
				writeField(out, f)
			}
		}
	}
}

// writeScopes writes the types without a namespace, then those with one.
func writeScopes(out io.Writer) {
	scopes := values(parse("kyaml", "openapi"))["precomputedIsNamespaceScoped"].(*ast.CompositeLit)
	var types [2][]string
	for _, element := range scopes.Elts {
		entry := element.(*ast.KeyValueExpr)
		parts := map[string]string{}
		for _, part := range entry.Key.(*ast.CompositeLit).Elts {
			pair := part.(*ast.KeyValueExpr)
			parts[pair.Key.(*ast.Ident).Name] = text(nil, pair.Value)
		}
		namespaced := 0
		if entry.Value.(*ast.Ident).Name == "true" {
			namespaced = 1
		}
		types[namespaced] = append(types[namespaced], parts["APIVersion"]+" "+parts["Kind"])
	}
	fmt.Fprintln(out, made("kyaml")+".")
	fmt.Fprintln(out, "# Types without a namespace, then types with one: apiVersion kind.")
	for i, some := range types {
		if i == 1 {
			fmt.Fprintln(out, "= namespaced")
		}
		sort.Strings(some)
		for _, one := range some {
			fmt.Fprintln(out, one)
		}
	}
}

// writeKustomization writes the names of a kustomization's fields.
func writeKustomization(out io.Writer) {
	fmt.Fprintln(out, made("api")+".")
	var names []string
	all := reflect.TypeOf(types.Kustomization{})
	for i := range all.NumField() {
		if name, _, _ := strings.Cut(all.Field(i).Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintln(out, name)
	}
}
