package crdtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/place"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/release"
)

// A Finding is a message about a line of a suite, a definition or a sample. Its form in JSON is the one of
// kubegen's diagnostics.
type Finding struct {
	Severity string `json:"severity"` // error, warning or note
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column,omitempty"` // 0 if it is of the whole line
	Message  string `json:"message"`
	Symbol   string `json:"symbol,omitempty"` // the test or the definition
	// Refused and Accepted are the releases of Kubernetes that were asked for, such as v1.33, whose servers
	// say this, and those that say nothing about the same field. A note is about what servers accept.
	Refused  []string `json:"refused,omitempty"`
	Accepted []string `json:"accepted,omitempty"`

	subject, sort string // the field that the finding is about, and the sort of error, or "" if it is about a line
	needs         string // the definition without which a test does not run, or ""
}

// at returns what a finding is about.
func (f Finding) at() string {
	return fmt.Sprintf("%s:%d:%d:%s:%s", f.File, f.Line, f.Column, f.Severity, f.subject)
}

// String returns the place and the message, and if releases were asked for, which they are.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:", f.File, f.Line)
	if f.Column > 0 {
		fmt.Fprintf(&b, "%d:", f.Column)
	}
	if f.Severity == "warning" {
		b.WriteString(" warning:")
	}
	b.WriteString(" " + f.Message)
	var releases []string
	if len(f.Refused) > 0 {
		word := "refused by "
		if f.Severity == "warning" {
			word = "said by "
		}
		releases = append(releases, word+ranges(f.Refused))
	}
	if len(f.Accepted) > 0 && f.Severity != "warning" {
		releases = append(releases, "accepted by "+ranges(f.Accepted))
	}
	if len(releases) > 0 {
		b.WriteString(" (" + strings.Join(releases, ", ") + ")")
	}
	return b.String()
}

// JSON returns the finding in one line.
func (f Finding) JSON() string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(f) // cannot fail for strings and numbers
	return strings.TrimSuffix(b.String(), "\n")
}

// Problems returns the errors with a place, such as those of [crdvalidation.Validate] and [Check], as findings, and
// the others joined.
func Problems(err error) (found []Finding, others error) {
	var server *crdvalidation.Error
	var at *place.Error
	switch joined, ok := err.(interface{ Unwrap() []error }); {
	case ok:
		var errs []error
		for _, one := range joined.Unwrap() {
			more, other := Problems(one)
			found, errs = append(found, more...), append(errs, other)
		}
		return found, errors.Join(errs...)
	case errors.As(err, &server):
		_, message, _ := strings.Cut(server.Error(), fmt.Sprintf("%s:%d:%d: ", server.File, server.Line, server.Column))
		return []Finding{{
			Severity: "error", File: server.File, Line: server.Line, Column: server.Column, Symbol: server.Definition,
			Message: withoutExcerpt(message), subject: server.Err.Field, sort: string(server.Err.Type),
		}}, nil
	case errors.As(err, &at):
		return []Finding{{Severity: "error", File: at.File, Line: at.Line, Column: at.Column, Message: oneLine(at.Err.Error())}}, nil
	}
	return nil, err
}

// Findings returns the tests that have failed.
func (r *Report) Findings() (found []Finding) {
	for _, result := range r.Results {
		if result.Err != nil {
			found = append(found, Finding{
				Severity: "error", File: result.File, Line: result.Line, Symbol: result.Name, needs: result.definition,
				Message: withoutExcerpt(fmt.Sprintf("%s: %v", result.Name, result.Err)),
			})
		}
	}
	return found
}

// Each returns what find finds with the code of servers of each of some releases, in the order of files and lines. What
// several releases say is one finding, with the message of the newest. See [crdvalidation.Emulate].
func Each(releases []string, find func() ([]Finding, error)) (all []Finding, err error) {
	releases, err = sorted(releases)
	if err != nil {
		return nil, err
	}
	same := map[string]int{}
	said := map[string][]string{}     // the releases that say something, by what it is about
	refusing := map[string][]string{} // the releases that refuse a definition
	for _, release := range slices.Backward(releases) {
		err := crdvalidation.Emulate(release, func() error {
			found, err := find()
			seen := map[string]int{}
			for _, f := range found {
				key := f.at() + ":" + f.Message
				if f.subject != "" && !f.isCost() { // a rule that is not compiled has other errors in each release
					key = fmt.Sprint(f.at(), ":", f.sort, ":", seen[f.at()+f.sort])
					seen[f.at()+f.sort]++
				}
				i, known := same[key]
				if !known {
					i, same[key] = len(all), len(all)
					all = append(all, f)
				}
				all[i].Refused = append(all[i].Refused, release)
				if f.subject != "" {
					refusing[f.Symbol] = append(refusing[f.Symbol], release)
				}
				for _, about := range f.about() {
					said[about] = append(said[about], release)
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for i, f := range all {
		all[i].Refused, all[i].Accepted = nil, nil
		for _, release := range releases {
			says := slices.Contains(f.Refused, release)
			silent := !slices.ContainsFunc(f.about(), func(about string) bool { return slices.Contains(said[about], release) }) &&
				!slices.Contains(refusing[f.needs], release)
			switch isNote := f.Severity == "note"; {
			case says != isNote:
				all[i].Refused = append(all[i].Refused, release)
			case isNote || silent:
				all[i].Accepted = append(all[i].Accepted, release)
			}
		}
	}
	sortFindings(all)
	return all, nil
}

// isCost reports whether a finding can be about the costs of rules.
func (f Finding) isCost() bool { return f.sort == string(field.ErrorTypeForbidden) }

// about returns what a finding is about. Costs of a rule are about all rules of the definition, too: servers name only
// some of the rules that together cost too much.
func (f Finding) about() []string {
	if f.isCost() {
		return []string{f.at(), f.File + ":" + f.Symbol + ":" + f.sort}
	}
	return []string{f.at()}
}

// sortFindings sorts findings by place.
func sortFindings(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message),
		)
	})
}

// sorted returns releases in their order, without duplicates.
func sorted(releases []string) ([]string, error) {
	var all []*version.Version
	for _, name := range releases {
		v, err := release.Parse(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, errors.New("no releases of Kubernetes")
	}
	slices.SortFunc(all, func(a, b *version.Version) int {
		return cmp.Or(cmp.Compare(a.Major(), b.Major()), cmp.Compare(a.Minor(), b.Minor()))
	})
	var names []string
	for _, v := range all {
		names = append(names, release.Name(v))
	}
	return slices.Compact(names), nil
}

// minor returns the minor version of a release.
func minor(release string) int {
	_, text, _ := strings.Cut(release, ".")
	n, _ := strconv.Atoi(text) // from sorted
	return n
}

// ranges returns sorted releases in words, such as "v1.31, v1.33 to v1.37", without releases that nobody asked for.
func ranges(releases []string) string {
	var parts []string
	for i := 0; i < len(releases); {
		j := i
		for j+1 < len(releases) && minor(releases[j+1]) == minor(releases[j])+1 {
			j++
		}
		if j-i < 2 {
			j = i
			parts = append(parts, releases[i])
		} else {
			parts = append(parts, releases[i]+" to "+releases[j])
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
