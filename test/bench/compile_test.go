//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"text/tabwriter"
)

func TestCompiled(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := `compile 0.005 9000000 
compile 9.000 90000000 k8s.io/client-go/rest
link 9.000 90000000 example.com/bench/programs/fakeclientset.test
compile 9.000 90000000 example.com/bench/programs/fakeclientset
vet 9.000 90000000 example.com/bench/listers/core/v1
compile 0.500 20000000 example.com/bench/listers/core/v1
compile 1.000 30000000 example.com/bench/clientset/versioned
compile 0.250 20000000 example.com/bench/clientset/versioned/typed/core/v1
compile 2.000 20000000 example.com/bench/clientset/versioned/fake
compile 4.000 20000000 example.com/bench/clientset/versioned/typed/core/v1/fake
compile 8.000 20000000 example.com/bench/clientset/versioned/internal/fakes
`
	if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	parts, peak, err := compiled(log)
	want := map[string]float64{"listers": 0.5, "clients": 1.25, "fakes": 14}
	if err != nil || !maps.Equal(parts, want) || peak != 30e6 {
		t.Errorf("%v, %g, %v, want %v", parts, peak, err, want)
	}
}

func TestCosts(t *testing.T) {
	c := costs{sides: []string{"a", "b"}}
	for _, figures := range [][2]float64{{1, 2}, {30, 10}, {4, 5}} {
		for side, value := range figures {
			c.add("CPU s", side, value)
		}
	}
	c.add("lines", 0, 12345)
	c.add("lines", 1, 24690)
	c.add("of one", 0, 0.25)
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	c.header(table)
	c.print(table, "name")
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = `case  measure  a           b           a / b  
name  CPU s    4 (1 - 30)  5 (2 - 10)  0.80   
      lines    12345       24690       0.50   
      of one   0.25        -           -      
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
}

// TestLinked checks that a program with a client, which extracts nothing, is linked without the schema.
func TestLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it links a program")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	const clientset = "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	if err := writeFile(source, fmt.Sprintf(clientProgram, clientset, inputs[0].calls)); err != nil {
		t.Fatal(err)
	}
	if _, err := output("go", "build", "-C", inputs[0].dir, "-o", binary, source); err != nil {
		t.Fatal(err)
	}
	linked, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"crontabs": true, "cannot read the schema": false, "namedType: com.github.kubegen": false} {
		if bytes.Contains(linked, []byte(text)) != want {
			t.Errorf("%q is in the program: %t", text, !want)
		}
	}
}
