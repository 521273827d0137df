package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"helm.sh/helm/v4/pkg/strvals"
)

// question is a chart and what `helm template` is given with it: a line of standard input.
type question struct {
	// Files are the chart's, in the order in which a folder is walked.
	Files [][2]string `json:"files"`
	// Values are values files, Sets the options with their texts.
	Values []string    `json:"values"`
	Sets   [][2]string `json:"sets"`
}

// reply is what `helm template rel CHART -n ns` prints: a line of standard output.
type reply struct {
	Text  string `json:"text"`
	Error string `json:"error,omitempty"`
}

// answerAll answers each line in a process that lives on, in place of one `helm template` each.
func answerAll() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		// An empty line asks for the answers so far.
		if len(in.Bytes()) == 0 {
			if err := out.Flush(); err != nil {
				fail(err)
			}
			continue
		}
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			fail(err)
		}
		var r reply
		text, err := q.answer()
		if err != nil {
			r.Error = err.Error()
		} else {
			r.Text = text
		}
		if err := json.NewEncoder(out).Encode(r); err != nil {
			fail(err)
		}
	}
}

// given merges files first, then the options of each kind, as the command does.
func (q *question) given() (map[string]any, error) {
	base := map[string]any{}
	for _, text := range q.Values {
		layer, err := loader.LoadValues(strings.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("failed to parse %s: %w", "values", err)
		}
		base = loader.MergeMaps(base, layer)
	}
	kinds := []struct {
		name string
		set  func(string) error
	}{
		{"--set-json", func(text string) error { return q.setJSON(text, base) }},
		{"--set", func(text string) error { return strvals.ParseInto(text, base) }},
		{"--set-string", func(text string) error { return strvals.ParseIntoString(text, base) }},
		{"--set-file", func(text string) error { return strvals.ParseIntoFile(text, base, readFile) }},
		{"--set-literal", func(text string) error { return strvals.ParseLiteralInto(text, base) }},
	}
	for _, kind := range kinds {
		for _, set := range q.Sets {
			if set[0] != kind.name {
				continue
			}
			if kind.name == "--set-json" && strings.HasPrefix(strings.TrimSpace(set[1]), "{") {
				layer := map[string]any{}
				if err := json.Unmarshal([]byte(strings.TrimSpace(set[1])), &layer); err != nil {
					return nil, fmt.Errorf("failed parsing --set-json data JSON: %s", set[1])
				}
				base = loader.MergeMaps(base, layer)
				continue
			}
			if err := kind.set(set[1]); err != nil {
				if kind.name == "--set-json" {
					return nil, fmt.Errorf("failed parsing --set-json data %s", set[1])
				}
				return nil, fmt.Errorf("failed parsing %s data: %w", kind.name, err)
			}
		}
	}
	return base, nil
}

func (q *question) setJSON(text string, base map[string]any) error {
	return strvals.ParseJSON(text, base)
}

// readFile is all the files that `--set-file` finds.
func readFile(name []rune) (any, error) {
	if string(name) == "file.txt" {
		return "a, b\nc: {d}\n", nil
	}
	return nil, fmt.Errorf("open %s: no such file or directory", string(name))
}

func (q *question) answer() (text string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			text, err = "", fmt.Errorf("panic: %v", cause)
		}
	}()
	given, err := q.given()
	if err != nil {
		return "", err
	}
	files := make([]*archive.BufferedFile, 0, len(q.Files))
	for _, file := range q.Files {
		files = append(files, &archive.BufferedFile{Name: file[0], Data: []byte(file[1])})
	}
	chart, err := loader.LoadFiles(files)
	if err != nil {
		return "", err
	}
	if chart.Metadata.Type == "library" {
		return "", errors.New("library charts are not installable")
	}
	if err := chartutil.ProcessDependencies(chart, given); err != nil {
		return "", fmt.Errorf("chart dependencies processing failed: %w", err)
	}
	options := common.ReleaseOptions{Name: "rel", Namespace: "ns", Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(chart, given, options, common.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	texts, err := engine.Engine{}.Render(chart, values)
	if err != nil {
		return "", err
	}
	for name := range texts {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(texts, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(texts, nil, releaseutil.InstallOrder)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, manifest := range manifests {
		fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", manifest.Name, manifest.Content)
	}
	text = strings.TrimSpace(out.String()) + "\n"
	for _, hook := range hooks {
		text += fmt.Sprintf("---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return text, nil
}
