package crdtest

import (
	"errors"
	"os/exec"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/release"
)

// A VerdictReport is what [Verdicts] has found.
type VerdictReport struct {
	Findings    []Finding
	Definitions int
	Others      int // other documents
}

// Verdicts returns what API servers of some releases of Kubernetes, such as v1.33, say to the definitions in files and
// directories: a note for each definition, with the releases that accept it, and an error for each rule or other part
// that one of them refuses. Rules are compiled, and their costs estimated. With places, errors of markers are at these.
func Verdicts(definitions, releases []string, places Places) (*VerdictReport, error) {
	all, err := crdvalidation.ReadManifests(definitions...)
	if err != nil {
		return nil, err
	}
	found, err := Each(releases, func() (found []Finding, err error) {
		outdated, _ := Problems(errors.Join(all.Outdated...))
		found = append(found, outdated...)
		for _, d := range all.Definitions {
			line, column := d.Locate("")
			of := Finding{File: d.File, Line: line, Column: column, Symbol: d.Name}
			problems, err := Problems(d.Validate())
			if err != nil {
				return nil, err
			}
			if len(problems) == 0 {
				of.Severity, of.Message = "note", d.Name
				found = append(found, of)
			}
			for _, problem := range problems {
				found = append(found, places.of(d, problem))
			}
			for _, warning := range d.Warnings() {
				of.Severity, of.Message = "warning", warning
				found = append(found, of)
			}
		}
		return found, nil
	})
	return &VerdictReport{found, len(all.Definitions), all.Others}, err
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

// Releases returns the releases of Kubernetes from the one of client-go in the module of the current directory, as
// the go command selects it, to the newest one that is known. Without a module or client-go, that is the only one.
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
