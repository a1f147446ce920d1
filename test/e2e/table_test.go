package e2e

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// testingDoc has the table of which fake has which behaviour.
const testingDoc = "../../docs/reference/testing-behaviours.md"

// columns are the fakes of the table.
var columns = []string{"NewSimpleClientset", "NewClientset", "controller-runtime", fakeapiClientset, fakeapiREST, fakeapiControllerRuntime}

// The columns of fakeapi: with fake clientsets, with the clients of a server, and with those of controller-runtime.
const (
	fakeapiClientset         = "fakeapi"
	fakeapiREST              = "fakeapi, RESTConfig"
	fakeapiControllerRuntime = "fakeapi, controller-runtime"
)

// A table holds which behaviours were seen to be as the server's.
type table struct {
	mu    sync.Mutex
	cells map[[3]string]*cell // of group, behaviour and fake
}

// A cell counts how often a fake has shown the same as the server, and not, and says for what known reason. It also
// counts how often the client of the fake could not send the requests, or could not show the results.
type cell struct {
	same, different, notOffered int
	why                         string
}

func newTable() *table { return &table{cells: map[[3]string]*cell{}} }

// set records whether a fake has shown the same as the server, in one of the ways in which it is measured, and which
// known difference is to blame.
func (m *table) set(group, behaviour, fake string, same bool, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.cell(group, behaviour, fake)
	if same {
		c.same++
		return
	}
	c.different++
	c.why = why
}

// notOffered records that the client of a fake does not show what a server does, not even that of a server.
func (m *table) notOffered(group, behaviour, fake string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cell(group, behaviour, fake).notOffered++
}

func (m *table) cell(group, behaviour, fake string) *cell {
	key := [3]string{group, behaviour, fake}
	if m.cells[key] == nil {
		m.cells[key] = &cell{}
	}
	return m.cells[key]
}

// String returns "yes" if it was always the same, "no" if there was a difference that nothing excuses, and "–" if it
// cannot be told with the client of the fake.
func (c *cell) String() string {
	switch {
	case c.notOffered > 0:
		return "–"
	case c.different == 0:
		return "yes"
	case c.why == "":
		return "no"
	case c.same == 0:
		return "no: " + c.why
	}
	return "yes, but for " + c.why
}

// check compares docs/reference/testing-behaviours.md with what was measured, or updates it. It does nothing if not all
// was measured.
func (m *table) check(t *testing.T) {
	var rows strings.Builder
	total, sums, offered := 0, map[string]int{}, map[string]int{}
	for _, group := range behaviours {
		fmt.Fprintf(&rows, "\n### %s\n\n| a server's behaviour | %s |\n|---|%s\n", group.group, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		for _, b := range group.behaviours {
			total++
			fmt.Fprintf(&rows, "| %s |", b.name)
			for _, fake := range columns {
				cell := m.cells[[3]string{group.group, b.name, fake}]
				if cell == nil || cell.same+cell.different+cell.notOffered < len(kinds) {
					return
				}
				if cell.notOffered == 0 {
					offered[fake]++
				}
				if cell.notOffered+cell.different == 0 {
					sums[fake]++
				}
				fmt.Fprintf(&rows, " %s |", cell)
			}
			rows.WriteString("\n")
		}
	}
	summary := fmt.Sprintf("| of %d behaviours |", total)
	for _, fake := range columns {
		summary += fmt.Sprintf(" %d", sums[fake])
		if offered[fake] < total {
			summary += fmt.Sprintf(" of %d", offered[fake])
		}
		summary += " |"
	}
	t.Log(summary)
	var known strings.Builder
	for _, d := range knownDifferences {
		if d.why != "" {
			fmt.Fprintf(&known, "| %s | %s |\n", d.what, d.why)
		}
	}
	doc, err := os.ReadFile(testingDoc)
	must(t, err)
	header := fmt.Sprintf("| | %s |\n|---|%s\n%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)), summary)
	want := section(t, doc, "behaviours", header+rows.String())
	want = section(t, want, "differences", "| what differs | why |\n|---|---|\n"+known.String())
	if *update {
		must(t, os.WriteFile(testingDoc, want, 0o644))
		return
	}
	if !bytes.Equal(doc, want) {
		t.Error(difference(testingDoc, strings.Split(string(doc), "\n"), "measured", strings.Split(string(want), "\n")))
		t.Error("run go test -run TestBehaviours -update in test/e2e, and read the difference")
	}
}

// section returns a document with another text between the comments that mark a section of that name.
func section(t *testing.T, doc []byte, name, text string) []byte {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	head, rest, found := bytes.Cut(doc, []byte(begin))
	_, tail, ended := bytes.Cut(rest, []byte(end))
	if !found || !ended {
		t.Fatalf("%s has no section %s", testingDoc, name)
	}
	return slices.Concat(head, []byte(begin+"\n"+text+"\n"+end), tail)
}
