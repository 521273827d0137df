// The oracle of kustomizations: what `kubectl kustomize` is made of, asked by lines of JSON.
//
// Each line of standard input is a case: {"files": {path: text}, "binary": {path: base64}, "directory": path, "flags": […]}.
// Each line of standard output is its answer: {"ok": base64} or {"err": text}. Files are written to a folder of the
// case's own, as the tool reads a disk; the name of that folder is taken out of texts. `version` as the only argument prints the
// versions of Go and of the libraries.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"sigs.k8s.io/kustomize/kustomize/v5/commands/build"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

type testCase struct {
	Files     map[string]string `json:"files"`
	Binary    map[string][]byte `json:"binary"`
	Directory string            `json:"directory"`
	Flags     []string          `json:"flags"`
}

type answer struct {
	Ok  []byte `json:"ok"`
	Err string `json:"err,omitempty"`
}

func write(folder string, c testCase) error {
	put := func(path string, content []byte) error {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o644)
	}
	for path, text := range c.Files {
		if err := put(path, []byte(text)); err != nil {
			return err
		}
	}
	for path, content := range c.Binary {
		if err := put(path, content); err != nil {
			return err
		}
	}
	return nil
}

// run is `kubectl kustomize`, whose command is this one.
func run(directory string, flags []string) (out []byte, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v", problem)
		}
	}()
	var text bytes.Buffer
	command := build.NewCmdBuild(filesys.MakeFsOnDisk(), build.MakeHelp("kubectl", "kustomize"), &text)
	command.SetArgs(append([]string{directory}, flags...))
	command.SetOut(io.Discard)
	command.SetErr(io.Discard)
	command.SilenceUsage, command.SilenceErrors = true, true
	err = command.Execute()
	return text.Bytes(), err
}

// forget makes a case with a description of types of its own begin, and leave, as a process does: the library keeps what it has
// read in globals. Others share it, since reading the built-in description takes longer than most builds.
func forget(c testCase) {
	for _, text := range c.Files {
		if strings.Contains(strings.ToLower(text), "openapi") {
			openapi.ResetOpenAPI()
			return
		}
	}
}

func ask(c testCase) answer {
	forget(c)
	defer forget(c)
	folder, err := os.MkdirTemp("", "kustomize-oracle")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if err := write(folder, c); err != nil {
		return answer{Err: err.Error()}
	}
	out, err := run(filepath.Join(folder, c.Directory), c.Flags)
	if err != nil {
		return answer{Err: strings.ReplaceAll(err.Error(), folder+"/", "")}
	}
	return answer{Ok: out}
}

func version() {
	fmt.Printf("%s", runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if strings.HasPrefix(dep.Path, "sigs.k8s.io/kustomize/") {
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
	log.SetOutput(io.Discard)
	// Deprecated fields are named there; nobody reads it here.
	if silent, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = silent
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
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
		out.Flush()
	}
}
