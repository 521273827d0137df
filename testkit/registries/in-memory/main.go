// A second registry, by other people than the reference one: go-containerregistry's, in memory, without credentials.
// It logs its requests. `in-memory-registry <address>` serves until it is killed.
package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		version()
		return
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "name an address, as 127.0.0.1:5000")
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], registry.New()))
	os.Exit(1)
}

func version() {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "github.com/google/go-containerregistry" {
			fmt.Println(dependency.Path, dependency.Version)
		}
	}
}
