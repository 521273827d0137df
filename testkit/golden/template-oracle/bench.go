package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"syscall"
	"text/template"
	"time"

	"sigs.k8s.io/yaml"
)

// One body of templates to be timed: `Name` is executed, the others are there to be included.
type benchCase struct {
	Templates map[string]string `json:"templates"`
	Name      string            `json:"name"`
	Data      any               `json:"data"`
}

// Nanoseconds of CPU of one execution, and of one parsing and execution as Helm does at each render.
type benchAnswer struct {
	Out     []byte  `json:"out"`
	Execute float64 `json:"execute"`
	Whole   float64 `json:"whole"`
}

// CPU of all threads of this process: the collector of garbage counts too.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func perRun(run func()) float64 {
	run()
	times := 0
	start := cpu()
	for cpu()-start < 400*time.Millisecond {
		for range 10 {
			run()
		}
		times += 10
	}
	return float64((cpu() - start).Nanoseconds()) / float64(times)
}

// The functions that charts have on top of Sprig's, as far as bodies need them.
func chartFunctions(t *template.Template) template.FuncMap {
	m := functions()
	maps.Copy(m, template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := t.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(v any) string {
			text, err := yaml.Marshal(v)
			if err != nil {
				return ""
			}
			return strings.TrimSuffix(string(text), "\n")
		},
		"tpl": func(source string, data any) (string, error) { return evaluate(t, source, data) },
	})
	return m
}

// A text as a template of its own, which sees the others.
func evaluate(t *template.Template, source string, data any) (string, error) {
	clone, err := t.Clone()
	if err != nil {
		return "", err
	}
	clone.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := clone.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"tpl": func(source string, data any) (string, error) { return evaluate(clone, source, data) },
	})
	inner, err := clone.New(t.Name()).Parse(source)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := inner.Execute(&text, data); err != nil {
		return "", err
	}
	return strings.ReplaceAll(text.String(), "<no value>", ""), nil
}

func parseAll(c benchCase) *template.Template {
	t := template.New("gotpl").Option("missingkey=zero")
	t.Funcs(chartFunctions(t))
	for name, source := range c.Templates {
		if _, err := t.New(name).Parse(source); err != nil {
			panic(err)
		}
	}
	return t
}

func benchmark(line []byte) {
	var c benchCase
	if err := json.Unmarshal(line, &c); err != nil {
		panic(err)
	}
	data := typed(c.Data)
	var out bytes.Buffer
	execute := func(t *template.Template) {
		out.Reset()
		if err := t.ExecuteTemplate(&out, c.Name, data); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	t := parseAll(c)
	answer := benchAnswer{
		Execute: perRun(func() { execute(t) }),
		Whole:   perRun(func() { execute(parseAll(c)) }),
	}
	answer.Out = bytes.Clone(out.Bytes())
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", text)
}
