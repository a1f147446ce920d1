// Command crdtest tests the schemas of CustomResourceDefinitions with objects in files, for projects without Go tests.
//
//	crdtest -crds config/crd/bases tests/schemas
//
// With -init, it writes a first suite for each served version of all definitions, or of the named ones:
//
//	crdtest -crds config/crd/bases -init tests/schemas [DEFINITION...]
//
// With -list, it names the lines of markers in Go types instead of those in manifests:
//
//	kubegen list --long --format json --with-crds config/crd/bases ./api/... > list.json
//	crdtest -crds config/crd/bases -coverage -list list.json tests/schemas
//
// Package crdtest describes the files. The exit code is 1 if a test fails, and 2 after an error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation/crdtest"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("crdtest", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: crdtest -crds MANIFESTS[,...] [-update] [-coverage [-list FILE]] SUITES...\n"+
			"       crdtest -crds MANIFESTS[,...] [-list FILE] -init DIRECTORY [DEFINITION...]")
		flags.PrintDefaults()
	}
	crds := flags.String("crds", "", "files or directories with CustomResourceDefinitions, separated by commas")
	update := flags.Bool("update", false, "make failing tests expect what they got")
	coverage := flags.Bool("coverage", false, "list the constraints that no object violates")
	first := flags.String("init", "", "write a first suite for each served version to this directory, or for those of the named definitions")
	list := flags.String("list", "", "name the lines of markers, from this `file` with the output of kubegen list --long --format json")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if mistake := misused(flags, *crds, *first, *update, *coverage, *list); mistake != "" {
		fmt.Fprintf(stderr, "crdtest: %s (see crdtest -h)\n", mistake)
		return 2
	}
	places, err := placesIn(*list)
	if err != nil {
		fmt.Fprintln(stderr, "crdtest:", err)
		return 2
	}
	if *first != "" {
		files, untested, err := crdtest.Init(strings.Split(*crds, ","), *first, flags.Args()...)
		if err != nil {
			fmt.Fprintln(stderr, "crdtest:", err)
			return 2
		}
		for _, file := range files {
			fmt.Fprintln(stdout, "wrote "+file)
		}
		for _, c := range untested {
			fmt.Fprintf(stdout, "%s: no object is found that violates it\n", places.Locate(c))
		}
		return 0
	}
	report, err := crdtest.Check(strings.Split(*crds, ","), flags.Args())
	if err == nil && *update {
		var files []string
		files, err = report.Update()
		for _, file := range files {
			fmt.Fprintln(stdout, "wrote "+file)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "crdtest:", err)
		return 2
	}
	failed := 0
	for _, result := range report.Results {
		if result.Err != nil && !*update {
			failed++
			fmt.Fprintln(stdout, result)
		}
	}
	if *coverage {
		for _, c := range report.Untested {
			fmt.Fprintf(stdout, "%s: no object violates it\n", places.Locate(c))
		}
	}
	fmt.Fprintf(stderr, "crdtest: %d tests, %d failed\n", len(report.Results), failed)
	if failed > 0 {
		return 1
	}
	return 0
}

// misused returns what is wrong with the flags and arguments, or "".
func misused(flags *flag.FlagSet, crds, first string, update, coverage bool, list string) string {
	switch {
	case crds == "":
		return "name the files or directories with CustomResourceDefinitions with -crds, such as -crds config/crd/bases"
	case flags.NArg() == 0 && first == "":
		return "name the files or directories with suites, or write first ones with -init DIRECTORY"
	case first != "" && (update || coverage):
		return "-init writes suites and runs none; leave out -update and -coverage"
	case list != "" && first == "" && !coverage:
		return "-list has an effect only with -coverage or -init"
	}
	return ""
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
