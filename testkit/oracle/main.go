// helm-oracle renders a chart again and again with the Helm SDK in one process, and says what a render costs.
//
//	helm-oracle [-f values.yaml]... [-n renders] [-once] CHART
//	helm-oracle answer
//	helm-oracle version
//
// A render is what `helm template` does once the chart is in memory: dependencies are settled, values coalesced and
// checked, templates executed, manifests sorted. The answer is one line of JSON: processor time of all threads and
// peak memory, as the kernel counts them, so that the garbage collector's work is in it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

type files []string

func (f *files) String() string     { return strings.Join(*f, ",") }
func (f *files) Set(s string) error { *f = append(*f, s); return nil }

type answer struct {
	Renders int     `json:"renders"`
	Millis  float64 `json:"cpu_ms"`
	Least   float64 `json:"least_ms"`
	PeakKiB int64   `json:"peak_kib"`
	Bytes   int     `json:"bytes"`
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		version()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "answer" {
		answerAll()
		return
	}
	var values files
	flag.Var(&values, "f", "values file")
	renders := flag.Int("n", 20, "renders that are counted")
	once := flag.Bool("once", false, "settle the dependencies before the first render only")
	flag.Parse()
	if flag.NArg() != 1 || *renders < 1 {
		fail(errors.New("usage: helm-oracle [-f values.yaml]... [-n renders] [-once] CHART"))
	}
	result, err := measure(flag.Arg(0), values, *renders, *once)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "helm-oracle:", err)
	os.Exit(1)
}

func version() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fail(errors.New("built without modules"))
	}
	fmt.Println(info.GoVersion)
	for _, module := range info.Deps {
		if module.Path == "helm.sh/helm/v4" {
			fmt.Println(module.Path, module.Version)
		}
	}
}

func measure(path string, names []string, renders int, once bool) (answer, error) {
	given := map[string]any{}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return answer{}, err
		}
		layer, err := loader.LoadValues(file)
		file.Close()
		if err != nil {
			return answer{}, err
		}
		given = loader.MergeMaps(given, layer)
	}
	loaded, err := loader.Load(path)
	if err != nil {
		return answer{}, err
	}
	if once {
		if err := chartutil.ProcessDependencies(loaded, given); err != nil {
			return answer{}, err
		}
	}
	// The first render is not counted: whatever is made once is made in it.
	bytes, err := render(loaded, given, !once)
	if err != nil {
		return answer{}, err
	}
	before := processorTime()
	least := time.Hour
	for range renders {
		start := time.Now()
		if _, err := render(loaded, given, !once); err != nil {
			return answer{}, err
		}
		least = min(least, time.Since(start))
	}
	spent := processorTime() - before
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return answer{}, err
	}
	millis := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return answer{
		Renders: renders,
		Millis:  millis(spent) / float64(renders),
		Least:   millis(least),
		PeakKiB: usage.Maxrss,
		Bytes:   bytes,
	}, nil
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// render answers how many bytes the manifests have.
func render(chart *chart.Chart, given map[string]any, settle bool) (int, error) {
	if settle {
		if err := chartutil.ProcessDependencies(chart, given); err != nil {
			return 0, err
		}
	}
	options := common.ReleaseOptions{Name: "release-name", Namespace: "default", Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(chart, given, options, common.DefaultCapabilities)
	if err != nil {
		return 0, err
	}
	texts, err := engine.Engine{}.Render(chart, values)
	if err != nil {
		return 0, err
	}
	for name := range texts {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(texts, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(texts, nil, releaseutil.InstallOrder)
	if err != nil {
		return 0, err
	}
	var text strings.Builder
	for _, manifest := range manifests {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", manifest.Name, manifest.Content)
	}
	for _, hook := range hooks {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return text.Len(), nil
}
