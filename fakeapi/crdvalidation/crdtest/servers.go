package crdtest

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/release"
)

// Verdicts returns what API servers of some releases of Kubernetes, such as v1.33, say to the definitions in files and
// directories: a note for each definition, with the releases that accept it, and an error for each rule or other part
// that one of them refuses. Rules are compiled, and their costs estimated. With places, errors of markers are at these.
func Verdicts(definitions, releases []string, places Places) ([]Finding, error) {
	all, err := crdvalidation.Definitions(definitions...)
	if err != nil {
		return nil, err
	}
	return Each(releases, func() (found []Finding, err error) {
		for _, d := range all {
			errs := d.Validate()
			if errs == nil {
				line, column := d.Locate("")
				found = append(found, Finding{Severity: "note", File: d.File, Line: line, Column: column, Symbol: d.Name, Message: d.Name})
			}
			problems, err := verdict(d, errs, places)
			if err != nil {
				return nil, err
			}
			found = append(found, problems...)
			for _, warning := range d.Warnings() {
				line, column := d.Locate("")
				found = append(found, Finding{Severity: "warning", File: d.File, Line: line, Column: column, Symbol: d.Name, Message: warning})
			}
		}
		return found, nil
	})
}

// verdict returns the errors of a definition as findings.
func verdict(d *crdvalidation.Definition, errs error, places Places) (found []Finding, err error) {
	if errs == nil {
		return nil, nil
	}
	for _, one := range errs.(interface{ Unwrap() []error }).Unwrap() {
		var at *crdvalidation.Error
		if !errors.As(one, &at) {
			return nil, one
		}
		_, message, _ := strings.Cut(at.Error(), fmt.Sprintf("%s:%d:%d: ", at.File, at.Line, at.Column))
		f := Finding{
			Severity: "error", File: at.File, Line: at.Line, Column: at.Column, Symbol: d.Name, Message: withoutExcerpt(message),
			subject: at.Err.Field, sort: string(at.Err.Type),
		}
		found = append(found, places.of(d, at.Err.Field, f))
	}
	return found, nil
}

// selfType matches the name of the type of self, which a server makes up, and which differs in each message.
var selfType = regexp.MustCompile(`\bselfType\d+`)

// withoutExcerpt returns a message of a server in one line, without the excerpt of the expression that CEL adds.
func withoutExcerpt(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		if !strings.HasPrefix(line, " | ") {
			lines = append(lines, line)
		}
	}
	return selfType.ReplaceAllString(oneLine(strings.Join(lines, " ")), "self")
}

// Releases returns the releases of Kubernetes from that of client-go in the module of the current directory, as the go
// command selects it, to the newest one that is known. Without a module or client-go, that is the only one.
func Releases() []string {
	newest := release.Newest()
	oldest := newest
	const format = "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}"
	out, err := exec.Command("go", "list", "-m", "-e", "-f", format, "k8s.io/client-go", "k8s.io/apimachinery").Output()
	if err != nil {
		return []string{crdvalidation.NewestRelease()}
	}
	for line := range strings.Lines(string(out)) {
		if v, err := version.ParseSemantic(strings.TrimSpace(line)); err == nil && v.Major() == 0 && v.Minor() > 0 {
			oldest = version.MajorMinor(newest.Major(), v.Minor())
			break
		}
	}
	if first := version.MustParseMajorMinor(crdvalidation.OldestRelease); oldest.LessThan(first) {
		oldest = first
	}
	var releases []string
	for v := oldest; v.LessThan(newest); v = v.AddMinor(1) {
		releases = append(releases, release.Name(v))
	}
	return append(releases, crdvalidation.NewestRelease())
}
