package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// Seconds of the fastest of several runs, at least three quarters of a second of them.
func fastest(run func() error) (float64, error) {
	best := time.Hour
	for total, rounds := time.Duration(0), 0; total < 700*time.Millisecond || rounds < 3; rounds++ {
		start := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		took := time.Since(start)
		total += took
		best = min(best, took)
	}
	return best.Seconds(), nil
}

// One line of JSON for each file: seconds for each task.
func bench(paths []string) {
	encoder := json.NewEncoder(os.Stdout)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var value any
		tasks := []struct {
			name string
			run  func() error
		}{
			{"helm", func() error { value = nil; return yaml.Unmarshal(text, &value) }},
			{"kustomize", func() error { var v any; return yaml3.Unmarshal(text, &v) }},
			{"emit", func() error { _, err := yaml.Marshal(value); return err }},
			{"json", func() error { _, err := json.Marshal(value); return err }},
		}
		line := map[string]any{"file": path, "bytes": len(text)}
		for _, task := range tasks {
			seconds, err := fastest(task.run)
			if err != nil {
				line[task.name] = err.Error()
				continue
			}
			line[task.name] = seconds
		}
		if err := encoder.Encode(line); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
