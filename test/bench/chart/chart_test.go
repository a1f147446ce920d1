package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "make the chart and the text of the README anew from the data")

const repository = "../../.."

// TestFiles checks that the chart and the README agree with the data; -update rewrites them. Without data there must be
// neither.
func TestFiles(t *testing.T) {
	data, err := Read(repository)
	if errors.Is(err, fs.ErrNotExist) {
		page, err := os.ReadFile(filepath.Join(repository, "README.md"))
		if _, chart := os.Stat(filepath.Join(repository, "docs/bench.svg")); err != nil || chart == nil || !strings.Contains(string(page), "<!-- bench -->\n<!-- /bench -->") {
			t.Errorf("there is a chart, or a text in the README, but no %s: %v", dataFile, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := data.Write(repository); err != nil {
			t.Fatal(err)
		}
	}
	files, err := data.files(repository)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(repository, name)); err != nil || string(got) != want {
			t.Errorf("%s does not show the data of %s (go test ./chart -update corrects it): %v", name, dataFile, err)
		}
	}
}

// TestSVG checks that the chart is an XML document, and that its description has the values of the bars.
func TestSVG(t *testing.T) {
	d := &Data{CodeGenerator: "v0.37.2", Origin: Origin{CPU: "A & B <C>", Cores: 4, Runs: 5}}
	for _, shown := range labels {
		d.Cases = append(d.Cases, Case{shown.name, Figures{Wall: Figure{Median: 0.5}}, Figures{Wall: Figure{Median: 17.25}}})
	}
	svg, err := d.svg()
	if err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, svg)
		}
	}
	for _, want := range []string{"k8s.io/api 0.5 s and 17.2 s;", "4 cores of A &amp; B &lt;C&gt;.", ">34×<", `class="classic" x="190" y="55" width="400.0"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	c := &Caches{Origin: d.Origin, Pods: 12045, Size: 7418, Managed: 2808}
	for i, form := range Forms() {
		c.Caches = append(c.Caches, Cache{form, Figure{Median: 100 / float64(i+1)}, Figure{Median: 2.5}})
	}
	for _, want := range []string{" 12,045 Pods, and time to fill it: all fields 100 MB in 2.5 s; without", "7.4 kB as JSON, 2.8 kB", `width="200.0"`, ">50 MB in 2.5 s<"} {
		if svg := c.svg(); !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	d.Cases = nil
	if _, err := d.svg(); err == nil {
		t.Error("a chart without bars")
	}
}
