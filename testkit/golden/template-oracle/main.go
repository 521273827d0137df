// The oracle of templates: Go's text/template with Sprig, asked by lines of JSON.
//
// Each line of standard input is a case: {"template": …, "data": …, "missing": "default|zero|error", "sprig": true}.
// Each line of standard output is its answer: {"out": base64} or {"parse": text} or {"error": text, "out": base64}.
// Data is JSON, with numbers as float64; `"@int"` and the like wrap what JSON cannot say (see `typed`).
// `version` as the only argument prints the versions of Go and Sprig; `bench` times bodies of templates (see bench.go).
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

type testCase struct {
	Template string `json:"template"`
	Data     any    `json:"data"`
	Missing  string `json:"missing"`
	Sprig    bool   `json:"sprig"`
}

type answer struct {
	Out   []byte `json:"out"`
	Parse string `json:"parse,omitempty"`
	Error string `json:"error,omitempty"`
}

// typed unwraps {"@int": "3"} and its kin, everywhere in a value.
func typed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 1 {
			for key, inner := range v {
				if text, ok := inner.(string); ok {
					switch key {
					case "@int":
						i, _ := strconv.ParseInt(text, 10, 64)
						return int(i)
					case "@int64":
						i, _ := strconv.ParseInt(text, 10, 64)
						return i
					case "@uint64":
						u, _ := strconv.ParseUint(text, 10, 64)
						return u
					case "@bytes":
						return []byte(text)
					case "@time":
						t, _ := time.Parse(time.RFC3339Nano, text)
						return t.UTC()
					case "@duration":
						d, _ := time.ParseDuration(text)
						return d
					}
				}
				if key == "@strings" {
					list := []string{}
					for _, item := range inner.([]any) {
						list = append(list, item.(string))
					}
					return list
				}
				if key == "@stringmap" {
					m := map[string]string{}
					for k, item := range inner.(map[string]any) {
						m[k] = item.(string)
					}
					return m
				}
			}
		}
		for key, inner := range v {
			v[key] = typed(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = typed(inner)
		}
	}
	return v
}

func functions() template.FuncMap {
	m := sprig.TxtFuncMap()
	delete(m, "env")
	delete(m, "expandenv")
	return m
}

func parse(c testCase) (*template.Template, error) {
	t := template.New("x")
	if c.Sprig {
		t = t.Funcs(functions())
	}
	if c.Missing != "" {
		t = t.Option("missingkey=" + c.Missing)
	}
	return t.Parse(c.Template)
}

func ask(c testCase) answer {
	t, err := parse(c)
	if err != nil {
		return answer{Parse: err.Error()}
	}
	var out bytes.Buffer
	if err := t.Execute(&out, typed(c.Data)); err != nil {
		return answer{Out: out.Bytes(), Error: err.Error()}
	}
	return answer{Out: out.Bytes()}
}

func version() {
	fmt.Printf("%s", runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/Masterminds/sprig/v3" || dep.Path == "github.com/Masterminds/semver/v3" {
				fmt.Printf(" %s %s", dep.Path, dep.Version)
			}
		}
	}
	fmt.Println()
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		version()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "functions" {
		for name := range functions() {
			fmt.Println(name)
		}
		return
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		if len(os.Args) == 2 && os.Args[1] == "bench" {
			benchmark(in.Bytes())
			continue
		}
		var c testCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			panic(err)
		}
		line, err := json.Marshal(ask(c))
		if err != nil {
			panic(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
}
