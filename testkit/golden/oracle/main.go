// Answers, for one case a line, what the Go libraries below Helm and Kustomize make of a text.
//
// A question is {"op": …, "text": base64}; the answer is {"ok": text} or {"err": message}. With the argument
// "bench" it reads the files named after it and prints how long the libraries take.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	yaml2 "go.yaml.in/yaml/v2"
	yaml3 "go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"
)

type question struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

type answer struct {
	Ok  *string `json:"ok,omitempty"`
	Err *string `json:"err,omitempty"`
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "bench" {
		bench(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "version" {
		version()
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(reply(line)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		if in.Buffered() == 0 {
			out.Flush()
		}
		if err != nil {
			out.Flush()
			return
		}
	}
}

// One line that names Go and the libraries.
func version() {
	parts := []string{runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if strings.Contains(module.Path, "yaml") || strings.Contains(module.Path, "json-patch") {
				parts = append(parts, module.Path+" "+module.Version)
			}
		}
	}
	fmt.Println(strings.Join(parts, ", "))
}

func reply(line []byte) answer {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return failed(err)
	}
	text, err := base64.StdEncoding.DecodeString(q.Text)
	if err != nil {
		return failed(err)
	}
	result, err := protect(q.Op, text)
	if err != nil {
		return failed(err)
	}
	ok := string(result)
	return answer{Ok: &ok}
}

func failed(err error) answer {
	message := err.Error()
	return answer{Err: &message}
}

// The libraries panic on some inputs; that is an error to their callers' users as well.
func protect(op string, text []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	ask, known := operations[op]
	if !known {
		return nil, fmt.Errorf("unknown operation %q", op)
	}
	return ask(text)
}

var operations = map[string]func([]byte) ([]byte, error){
	// Objects: integers stay.
	"helm": yaml.YAMLToJSON,
	// Objects, a key twice refused.
	"helm-strict": yaml.YAMLToJSONStrict,
	// Values and fromYaml: all numbers are floats.
	"helm-values": func(text []byte) ([]byte, error) {
		var value any
		if err := yaml.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		return json.Marshal(value)
	},
	"helm-documents":      helmDocuments,
	"kustomize":           kustomize,
	"kustomize-built":     kustomizeBuilt,
	"kustomize-documents": kustomizeDocuments,
	// Canonical JSON in, toYaml out.
	"emit": yaml.JSONToYAML,
	// Any JSON in, canonical JSON out, integers kept.
	"json": func(text []byte) ([]byte, error) {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		if _, err := decoder.Token(); err != io.EOF {
			return nil, errors.New("trailing text")
		}
		exact, err := numbers(value)
		if err != nil {
			return nil, err
		}
		return json.Marshal(exact)
	},
	// {"document": …, "patch": …} to the patched document.
	"json-patch": func(text []byte) ([]byte, error) {
		return patched(text, func(document, patch []byte) ([]byte, error) {
			operations, err := jsonpatch.DecodePatch(patch)
			if err != nil {
				return nil, err
			}
			return operations.Apply(document)
		})
	},
	"merge-patch": func(text []byte) ([]byte, error) { return patched(text, jsonpatch.MergePatch) },
	// fromJson.
	"json-any": func(text []byte) ([]byte, error) {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		return json.Marshal(value)
	},
}

func patched(text []byte, apply func(document, patch []byte) ([]byte, error)) ([]byte, error) {
	var question struct{ Document, Patch json.RawMessage }
	if err := json.Unmarshal(text, &question); err != nil {
		return nil, err
	}
	return apply(question.Document, question.Patch)
}

func numbers(value any) (any, error) {
	switch v := value.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i, nil
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u, nil
		}
		return v.Float64()
	case []any:
		for i := range v {
			item, err := numbers(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case map[string]any:
		for key := range v {
			item, err := numbers(v[key])
			if err != nil {
				return nil, err
			}
			v[key] = item
		}
	}
	return value, nil
}

// The documents of a stream, each through sigs.k8s.io/yaml's conversion.
func helmDocuments(text []byte) ([]byte, error) {
	decoder := yaml2.NewDecoder(bytes.NewReader(text))
	documents := []any{}
	for {
		var value any
		err := decoder.Decode(&value)
		if err == io.EOF {
			return json.Marshal(documents)
		}
		if err != nil {
			return nil, err
		}
		document, err := convert(value)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
}

// What sigs.k8s.io/yaml does to make JSON's maps of YAML's; it does not export this.
func convert(value any) (any, error) {
	switch v := value.(type) {
	case []any:
		for i := range v {
			item, err := convert(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case map[any]any:
		out := map[string]any{}
		for key, item := range v {
			var name string
			switch k := key.(type) {
			case string:
				name = k
			case int:
				name = strconv.Itoa(k)
			case bool:
				name = strconv.FormatBool(k)
			case float64:
				name = strconv.FormatFloat(k, 'g', -1, 32)
				switch name {
				case "+Inf":
					name = ".inf"
				case "-Inf":
					name = "-.inf"
				case "NaN":
					name = ".nan"
				}
			default:
				return nil, fmt.Errorf("unsupported map key of type: %T", key)
			}
			converted, err := convert(item)
			if err != nil {
				return nil, err
			}
			out[name] = converted
		}
		return out, nil
	}
	return value, nil
}

// As kyaml's RNode.MarshalJSON, without the detour through text: a root mapping has text as keys.
func kustomize(text []byte) ([]byte, error) {
	var node yaml3.Node
	if err := yaml3.Unmarshal(text, &node); err != nil {
		return nil, err
	}
	value, err := resource(text, &node)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// With the detour: kyaml writes the tree as text and reads that, which changes some values.
func kustomizeBuilt(text []byte) ([]byte, error) {
	var node yaml3.Node
	if err := yaml3.Unmarshal(text, &node); err != nil {
		return nil, err
	}
	var written bytes.Buffer
	encoder := yaml3.NewEncoder(&written)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&node); err != nil {
		return nil, err
	}
	value, err := resource(written.Bytes(), &node)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func resource(text []byte, node *yaml3.Node) (any, error) {
	if len(node.Content) == 1 && node.Content[0].Kind == yaml3.MappingNode {
		value := map[string]any{}
		return value, yaml3.Unmarshal(text, &value)
	}
	var value any
	err := yaml3.Unmarshal(text, &value)
	return value, err
}

var separator = regexp.MustCompile(`\n---.*\n`)

// As kyaml's ByteReader: split first, then the first document of each piece.
func kustomizeDocuments(text []byte) ([]byte, error) {
	s := strings.ReplaceAll(string(text), "\r\n", "\n")
	documents := []any{}
	add := func(piece string) error {
		var node yaml3.Node
		err := yaml3.NewDecoder(strings.NewReader(piece)).Decode(&node)
		if err == io.EOF {
			documents = append(documents, nil)
			return nil
		}
		if err != nil {
			return err
		}
		value, err := resource([]byte(piece), &node)
		if err != nil {
			return err
		}
		documents = append(documents, value)
		return nil
	}
	previous := 0
	for _, place := range separator.FindAllStringIndex(s, -1) {
		behind := strings.TrimSpace(s[place[0]+4 : place[1]])
		if len(behind) > 0 && behind[0] != '#' {
			return nil, fmt.Errorf("invalid document separator: %s", strings.TrimSpace(s[place[0]:place[1]]))
		}
		if err := add(s[previous:place[0]] + "\n"); err != nil {
			return nil, err
		}
		previous = place[1]
	}
	if err := add(s[previous:]); err != nil {
		return nil, err
	}
	return json.Marshal(documents)
}
