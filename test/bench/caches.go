//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/kubegen/kubegen/test/bench/chart"
)

// measureCaches prints the memory of caches with Pods in each form, and the time to fill them. Each run is a process of
// its own, and the forms take turns.
func measureCaches(origin chart.Origin, temp string) (*chart.Caches, error) {
	command := filepath.Join(temp, "bin", "cache")
	if _, err := output("go", "build", "-o", command, "./cache"); err != nil {
		return nil, err
	}
	clientGo, err := output("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/client-go")
	if err != nil {
		return nil, err
	}
	runs := map[chart.Form][]chart.Filled{}
	for range origin.Runs {
		for _, form := range chart.Forms() {
			text, err := output(command, string(form))
			var filled chart.Filled
			if err == nil {
				err = json.Unmarshal([]byte(text), &filled)
			}
			if err != nil {
				return nil, err
			}
			runs[form] = append(runs[form], filled)
		}
	}
	first := runs[chart.Full][0]
	caches := &chart.Caches{Origin: origin, ClientGo: strings.TrimSpace(clientGo), Pods: first.Pods, Size: first.Size, Managed: first.Managed}
	fmt.Printf("\nCaches with %d Pods of %d bytes as JSON, %d of them managedFields:\n", first.Pods, first.Size, first.Managed)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "form\theap MB\tkB per Pod\tsync s\t")
	for _, form := range chart.Forms() {
		heap := rounded(runs[form], func(f chart.Filled) float64 { return f.Heap })
		sync := rounded(runs[form], func(f chart.Filled) float64 { return f.Sync })
		caches.Caches = append(caches.Caches, chart.Cache{Form: form, Heap: heap, Sync: sync})
		fmt.Fprintf(table, "%s\t%s\t%.1f\t%s\t\n", form, figure(heap), heap.Median*1e3/float64(first.Pods), figure(sync))
	}
	return caches, table.Flush()
}
