// Command crdtest tests the schemas of CustomResourceDefinitions with objects in files, for projects without Go tests.
//
//	crdtest -crds config/crd/bases tests/schemas
//
// With -init, it writes a first suite for each served version of all definitions, or of the named ones:
//
//	crdtest -crds config/crd/bases -init tests/schemas [DEFINITION...]
//
// With -samples, it judges the objects in YAML files and Markdown as "kubectl apply --validate=strict" does:
//
//	crdtest -crds config/crd/bases -samples config/samples,docs/*.md
//
// Without suites and samples, it says which releases of API servers accept the definitions and their rules, from that
// of client-go in go.mod to the newest known, or those that -server names:
//
//	crdtest -crds config/crd/bases -server v1.33,v1.37
//
// With -list, it names the lines of markers in Go types instead of those in manifests:
//
//	kubegen list --long --format json --with-crds config/crd/bases ./api/... > list.json
//	crdtest -crds config/crd/bases -coverage -list list.json tests/schemas
//
// Package crdtest describes the files. The exit code is 1 if a test fails, a sample is wrong, or a server refuses a
// definition, and 2 after an error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/klog/v2"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

func main() {
	klog.LogToStderr(false) // of feature gates that differ between servers
	klog.SetOutput(io.Discard)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// A command is what the arguments ask for.
type command struct {
	crds, samples, servers []string
	suites                 []string // or definitions, with first
	first, list, format    string
	update, coverage       bool

	stdout, stderr io.Writer
	failed         bool // some finding is an error
}

func run(args []string, stdout, stderr io.Writer) int {
	c := &command{stdout: stdout, stderr: stderr}
	if err := c.parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	places, err := placesIn(c.list)
	switch {
	case err != nil:
	case c.first != "":
		err = c.init(places)
	case len(c.suites) == 0 && len(c.samples) == 0:
		err = c.judgeDefinitions(places)
	default:
		if len(c.suites) > 0 {
			err = c.test(places)
		}
		if err == nil && len(c.samples) > 0 {
			err = c.judgeSamples()
		}
	}
	found, err := crdtest.Problems(err)
	c.print(found)
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(stderr, "crdtest:", strings.TrimSuffix(line, "\n"))
		}
		return 2
	}
	if c.failed {
		return 1
	}
	return 0
}

// parse reads the arguments, and prints mistakes in them.
func (c *command) parse(args []string) error {
	flags := flag.NewFlagSet("crdtest", flag.ContinueOnError)
	flags.SetOutput(c.stderr)
	flags.Usage = func() {
		fmt.Fprintln(c.stderr, "usage: crdtest -crds MANIFESTS[,...] [-server RELEASE[,...]] [-list FILE]\n"+
			"       crdtest -crds MANIFESTS[,...] [-server RELEASE[,...]] [-samples FILES[,...]] [-update] [-coverage [-list FILE]] SUITES...\n"+
			"       crdtest -crds MANIFESTS[,...] [-list FILE] -init DIRECTORY [DEFINITION...]")
		flags.PrintDefaults()
	}
	names := func(to *[]string) func(string) error {
		return func(text string) error {
			more := strings.Split(text, ",")
			if slices.Contains(more, "") {
				return errors.New("a name is empty")
			}
			*to = append(*to, more...)
			return nil
		}
	}
	const repeated = ", separated by commas or in several -"
	flags.Func("crds", "files or directories with CustomResourceDefinitions"+repeated+"crds", names(&c.crds))
	flags.Func("samples", "judge the objects in files, directories or patterns of YAML, JSON and Markdown"+repeated+"samples",
		names(&c.samples))
	flags.Func("server", "judge as API servers of these releases, such as v1.33"+repeated+"server", names(&c.servers))
	flags.BoolVar(&c.update, "update", false, "make failing tests expect what they got")
	flags.BoolVar(&c.coverage, "coverage", false, "list the constraints that no object violates")
	flags.StringVar(&c.first, "init", "", "write a first suite for each served version of all or the named definitions to this directory")
	flags.StringVar(&c.list, "list", "", "name the lines of markers, from this `file` with the output of kubegen list --long --format json")
	flags.StringVar(&c.format, "format", "text", "text, or json for one JSON object on each line")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c.suites = flags.Args()
	if mistake := c.misused(); mistake != "" {
		fmt.Fprintf(c.stderr, "crdtest: %s (see crdtest -h)\n", mistake)
		return errors.New(mistake)
	}
	return nil
}

// misused returns the mistake in the flags and arguments, or "".
func (c *command) misused() string {
	judges := len(c.suites) == 0 && len(c.samples) == 0 // the definitions
	switch {
	case len(c.crds) == 0:
		return "name the files or directories with CustomResourceDefinitions with -crds, such as -crds config/crd/bases"
	case c.first != "" && (c.update || c.coverage || len(c.samples) > 0 || len(c.servers) > 0):
		return "-init writes suites and runs none; leave out -update, -coverage, -samples and -server"
	case len(c.suites) == 0 && (c.update || c.coverage):
		return "name the files or directories with suites, or write first ones with -init DIRECTORY"
	case c.update && len(c.servers) > 0:
		return "-update makes tests expect what the newest server says; leave out -server"
	case c.list != "" && c.first == "" && !c.coverage && !judges:
		return "-list has an effect only with -coverage, -init, or without suites and samples"
	case c.format != "text" && c.format != "json":
		return "the formats are text and json"
	}
	return ""
}

// print prints findings.
func (c *command) print(found []crdtest.Finding) {
	for _, f := range found {
		c.failed = c.failed || f.Severity == "error"
		if c.format == "json" {
			fmt.Fprintln(c.stdout, f.JSON())
		} else {
			fmt.Fprintln(c.stdout, f)
		}
	}
}

// init writes first suites.
func (c *command) init(places crdtest.Places) error {
	files, untested, err := crdtest.Init(c.crds, c.first, c.suites...)
	if err != nil {
		return err
	}
	c.wrote(files)
	for _, constraint := range untested {
		c.print([]crdtest.Finding{places.Locate(constraint).Finding("no object is found that violates it")})
	}
	return nil
}

func (c *command) wrote(files []string) {
	out := c.stdout
	if c.format == "json" {
		out = c.stderr
	}
	for _, file := range files {
		fmt.Fprintln(out, "wrote "+file)
	}
}

// test runs suites.
func (c *command) test(places crdtest.Places) error {
	var newest *crdtest.Report
	tests, failed := map[string]bool{}, map[string]bool{} // of all releases
	refused := 0
	found, err := c.each(func() ([]crdtest.Finding, error) {
		report, err := crdtest.Check(c.crds, c.suites)
		if report == nil {
			return nil, err
		}
		found, err := crdtest.Problems(err) // with refused definitions
		if newest == nil {
			newest = report
		}
		for _, r := range report.Results {
			key := fmt.Sprint(r.File, r.Line, r.Suite, r.Name)
			tests[key], failed[key] = true, failed[key] || r.Err != nil
		}
		refused += len(found)
		return append(found, report.Findings()...), err
	})
	if err == nil && c.update && refused == 0 {
		var files []string
		files, err = newest.Update()
		c.wrote(files)
		found = nil
	}
	if err != nil {
		return err
	}
	c.print(found)
	if c.coverage {
		for _, constraint := range newest.Untested {
			c.print([]crdtest.Finding{places.Locate(constraint).Finding("no object violates it")})
		}
	}
	maps.DeleteFunc(failed, func(_ string, is bool) bool { return !is })
	fmt.Fprintf(c.stderr, "crdtest: %d tests, %d failed%s\n", len(tests), len(failed), c.of())
	return nil
}

// of returns the releases in words.
func (c *command) of() string {
	if len(c.servers) < 2 {
		return ""
	}
	return " with any of the servers " + strings.Join(c.servers, ", ")
}

// judgeSamples judges samples.
func (c *command) judgeSamples() error {
	var report *crdtest.SampleReport // which differs only in its findings
	found, err := c.each(func() (found []crdtest.Finding, err error) {
		if report, err = crdtest.Samples(c.crds, c.samples); err != nil {
			return nil, err
		}
		return report.Findings, nil
	})
	if err != nil {
		return err
	}
	c.print(append(found, report.Skipped...))
	fmt.Fprintf(c.stderr, "crdtest: %d samples, %d errors%s; not judged: %d, and %d objects of other kinds\n", report.Judged, len(found),
		c.of(), len(report.Skipped), report.Others)
	return nil
}

// each returns the findings for each server named, or for the newest one.
func (c *command) each(find func() ([]crdtest.Finding, error)) ([]crdtest.Finding, error) {
	if len(c.servers) == 0 {
		return find()
	}
	return crdtest.Each(c.servers, find)
}

// judgeDefinitions says which servers accept the definitions.
func (c *command) judgeDefinitions(places crdtest.Places) error {
	servers := c.servers
	if len(servers) == 0 {
		servers = crdtest.Releases()
	}
	report, err := crdtest.Verdicts(c.crds, servers, places)
	if err != nil {
		return err
	}
	c.print(report.Findings)
	errs := 0
	for _, f := range report.Findings {
		if f.Severity == "error" {
			errs++
		}
	}
	fmt.Fprintf(c.stderr, "crdtest: %d definitions, servers of %s, %d errors; %d other documents\n", report.Definitions,
		strings.Join(servers, ", "), errs, report.Others)
	return nil
}

// placesIn reads the places of markers from a file, or returns none without a file.
func placesIn(list string) (crdtest.Places, error) {
	if list == "" {
		return nil, nil
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	places, err := crdtest.ReadPlaces(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	return places, nil
}
