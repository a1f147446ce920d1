// Package chart holds the figures of a bench run, draws the charts in the README and in docs, and writes their texts.
package chart

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Data holds the figures of runs and describes their origin.
type Data struct {
	Origin
	CodeGenerator string  `json:"codeGenerator"` // version of k8s.io/code-generator
	API           string  `json:"api"`           // version of k8s.io/api
	Cases         []Case  `json:"cases"`
	Caches        *Caches `json:"caches,omitempty"`
}

// Origin describes where figures are from.
type Origin struct {
	Go    string `json:"go"`  // such as "go1.26.8 linux/amd64"
	CPU   string `json:"cpu"` // model
	Cores int    `json:"cores"`
	Runs  int    `json:"runs"` // number of runs of each side or form
}

func (o Origin) machine() string {
	return fmt.Sprintf("%s, %d cores of %s", o.Go, o.Cores, o.CPU)
}

// Case holds the figures of one case.
type Case struct {
	Name    string  `json:"name"` // name of the flag -case, with " verify" appended for the time to verify
	Kubegen Figures `json:"kubegen"`
	Classic Figures `json:"classic"` // tools of k8s.io/code-generator
}

// Figures holds the figures of one side.
type Figures struct {
	Wall Figure `json:"wall"` // seconds
	CPU  Figure `json:"cpu"`  // seconds
	Peak Figure `json:"peak"` // megabytes
}

// Figure is the median of the runs, with the minimum and maximum.
type Figure struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// labels lists the cases that the chart can show, in order.
var labels = []struct{ name, label string }{
	{"crontab", "CronTab example"},
	{"k8s-api", "k8s.io/api"},
	{"k8s-api verify", "k8s.io/api, verify"},
	{"all", "k8s.io/api, with DeepCopy"},
}

// bar is a pair of bars in the chart.
type bar struct {
	label            string
	kubegen, classic float64 // seconds
}

func (d *Data) bars() ([]bar, error) {
	var bars []bar
	for _, shown := range labels {
		i := slices.IndexFunc(d.Cases, func(c Case) bool { return c.Name == shown.name })
		if i >= 0 {
			bars = append(bars, bar{shown.label, d.Cases[i].Kubegen.Wall.Median, d.Cases[i].Classic.Wall.Median})
		}
	}
	if bars == nil {
		return nil, errors.New("a case of the chart has no figures")
	}
	return bars, nil
}

func (b bar) ratio() string { return fmt.Sprintf("%.0f×", b.classic/b.kubegen) }

func seconds(s float64) string { return fmt.Sprintf("%.3g s", s) }

// summary describes the chart in words.
func (d *Data) summary(bars []bar) string {
	var parts []string
	for _, b := range bars {
		parts = append(parts, fmt.Sprintf("%s %s and %s", b.label, seconds(b.kubegen), seconds(b.classic)))
	}
	return "Time to generate with kubegen and code-generator: " + strings.Join(parts, "; ") + "."
}

// source describes the origin of the figures.
func (d *Data) source() string {
	return fmt.Sprintf("Medians of %d runs: code-generator %s, k8s.io/api %s, %s.", d.Runs, d.CodeGenerator, d.API, d.machine())
}

// markdown returns the text between begin and end in the README.
func (d *Data) markdown() (string, error) {
	bars, err := d.bars()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("![%s](docs/bench.svg)\n\n%s `make bench BENCH=-chart` measures again.\n", d.summary(bars), d.source()), nil
}

// Dimensions of the chart, in pixels.
const (
	width, top, pitch = 720, 38, 46
	barX, barWidth    = 190, 400
	barHeight         = 15
)

// svg returns the chart, which is readable on light and dark pages.
func (d *Data) svg() (string, error) {
	bars, err := d.bars()
	if err != nil {
		return "", err
	}
	longest := 0.0
	for _, b := range bars {
		longest = max(longest, b.classic, b.kubegen)
	}
	var s strings.Builder
	open(&s, top+pitch*len(bars)+4, "Time to generate code", d.summary(bars)+" "+d.source())
	fmt.Fprintf(&s, `<rect class="kubegen" x="%d" y="9" width="12" height="12"/><text x="%d" y="20">kubegen</text>
<rect class="classic" x="%d" y="9" width="12" height="12"/><text x="%d" y="20">code-generator %s</text>
`, barX, barX+18, barX+100, barX+118, html.EscapeString(d.CodeGenerator))
	for i, b := range bars {
		y := top + i*pitch
		fmt.Fprintf(&s, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", barX-10, y+barHeight+5, html.EscapeString(b.label))
		for j, side := range []struct {
			class string
			took  float64
		}{{"kubegen", b.kubegen}, {"classic", b.classic}} {
			at, long := y+j*(barHeight+2), max(1, barWidth*side.took/longest)
			fmt.Fprintf(&s, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/><text x="%.1f" y="%d">%s</text>`+"\n",
				side.class, barX, at, long, barHeight, barX+long+6, at+12, seconds(side.took))
		}
		fmt.Fprintf(&s, `<text class="ratio" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", width-8, y+barHeight+5, b.ratio())
	}
	s.WriteString("</svg>\n")
	return s.String(), nil
}

// open begins a chart with a title and a description.
func open(s *strings.Builder, height int, title, description string) {
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`role="img" aria-labelledby="title desc">
<title id="title">%s</title>
<desc id="desc">%s</desc>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.kubegen { fill: #0969da }
.classic { fill: #8c959f }
.ratio { font-weight: bold }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.kubegen { fill: #58a6ff }
.classic { fill: #6e7681 }
}
</style>
`, width, height, title, html.EscapeString(description))
}

// Read reads the data in the directory docs of a repository.
func Read(repository string) (*Data, error) {
	text, err := os.ReadFile(filepath.Join(repository, dataFile))
	if err != nil {
		return nil, err
	}
	d := &Data{}
	return d, json.Unmarshal(text, d)
}

const dataFile = "docs/bench.json"

// Write writes the data and the charts into the directory docs of a repository, and the texts into its pages. Without
// cases, or without caches, it keeps their earlier figures.
func (d *Data) Write(repository string) error {
	if old, err := Read(repository); err == nil && len(d.Cases) == 0 {
		d.Origin, d.CodeGenerator, d.API, d.Cases = old.Origin, old.CodeGenerator, old.API, old.Cases
	}
	if old, err := Read(repository); err == nil && d.Caches == nil {
		d.Caches = old.Caches
	}
	files, err := d.files(repository)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err = errors.Join(err, os.WriteFile(filepath.Join(repository, name), []byte(files[name]), 0o644))
	}
	return err
}

// files returns the contents of the files to write, by name.
func (d *Data) files(repository string) (map[string]string, error) {
	data, err1 := json.MarshalIndent(d, "", "\t")
	svg, err2 := d.svg()
	markdown, err3 := d.markdown()
	readme, err4 := insert(repository, "README.md", "bench", markdown)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	files := map[string]string{dataFile: string(data) + "\n", "docs/bench.svg": svg, "README.md": readme}
	if d.Caches == nil {
		return files, nil
	}
	files["docs/caches.svg"] = d.Caches.svg()
	files["docs/informers.md"], err1 = insert(repository, "docs/informers.md", "caches", d.Caches.markdown())
	return files, err1
}

// insert returns the contents of a page with a text between the comments of a name.
func insert(repository, page, name, text string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	contents, err := os.ReadFile(filepath.Join(repository, page))
	if err != nil {
		return "", err
	}
	before, rest, ok := strings.Cut(string(contents), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("%s has no %s ... %s", page, strings.TrimSpace(begin), end)
	}
	return before + begin + text + end + after, nil
}
