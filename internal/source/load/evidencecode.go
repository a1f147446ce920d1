package load

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
	"github.com/kubegen/kubegen/internal/text/parallel"
)

// Code describes the features of client-go that generated code shows.
type Code struct {
	shows, lacks map[int]bool // by the index of a feature; both if files differ
	ours         bool         // some of it is from kubegen, perhaps with --backport
}

// CodeOf reads the texts of generated files.
func CodeOf(files [][]byte) *Code {
	all := &Code{shows: map[int]bool{}, lacks: map[int]bool{}}
	for _, c := range parallel.Map(files, codeIn) {
		maps.Copy(all.shows, c.shows)
		maps.Copy(all.lacks, c.lacks)
		all.ours = all.ours || c.ours
	}
	older := map[model.Release]bool{} // releases of whose features the code lacks one, whatever its markers
	for i := range all.lacks {
		f := model.Features()[i]
		older[f.Release] = older[f.Release] || !f.Omittable
	}
	maps.DeleteFunc(all.lacks, func(i int, _ bool) bool { return !older[model.Features()[i].Release] })
	return all
}

// codeIn reads one file.
func codeIn(text []byte) *Code {
	c := &Code{shows: map[int]bool{}, lacks: map[int]bool{}, ours: strings.HasPrefix(gofile.MarkOf(text), gofile.ByKubegen)}
	f := &file{text: text}
	for i, feature := range model.Features() {
		for _, trace := range feature.Traces {
			if !slices.ContainsFunc(trace.At, f.shows) {
				continue
			}
			if f.shows(trace.Shows) {
				c.shows[i] = true
			} else {
				c.lacks[i] = true
			}
		}
	}
	return c
}

// Lacks returns the features that client-go has and some of the code lacks. again is the code generated for this
// client-go, or nil: features that it lacks as well are left out, because templates of the user omit them.
func (c *Code) Lacks(client model.Client, again *Code) []model.Feature {
	return c.features(func(i int, f model.Feature) bool {
		return c.lacks[i] && f.In(client) && !(again != nil && again.lacks[i])
	})
}

// Exceeds returns the features that the code has and client-go lacks. Features that again has as well, or that
// --backport may have added, are left out.
func (c *Code) Exceeds(client model.Client, again *Code) []model.Feature {
	return c.features(func(i int, f model.Feature) bool {
		return c.shows[i] && !f.In(client) && !c.backported(f) && !(again != nil && again.shows[i])
	})
}

func (c *Code) features(is func(int, model.Feature) bool) (found []model.Feature) {
	for i, f := range model.Features() {
		if is(i, f) {
			found = append(found, f)
		}
	}
	return found
}

func (c *Code) backported(f model.Feature) bool {
	return c.ours && f.Capability != "" && f.Capability.Expressible()
}

// Span is a range of releases of client-go for which the generated code would be the same.
type Span struct{ Oldest, Newest model.Release }

// Releases returns the releases for which the code may have been generated. If files differ, it returns the oldest
// releases.
func (c *Code) Releases() Span {
	s := Span{0, model.PreviewRelease}
	if c.ours {
		s.Oldest = model.OldestRelease
	}
	for i, f := range model.Features() {
		if c.lacks[i] {
			s.Newest = min(s.Newest, f.Release-1)
		}
		if c.shows[i] && !c.backported(f) {
			s.Oldest = max(s.Oldest, f.Release)
		}
	}
	s.Oldest = min(s.Oldest, s.Newest)
	return s
}

// String returns "v0.35", "v0.33 or v0.34", "v0.34 to v0.36" or "v0.30 or older".
func (s Span) String() string {
	switch s.Newest - s.Oldest {
	case 0:
		return s.Newest.String()
	case 1:
		return fmt.Sprintf("%s or %s", s.Oldest, s.Newest)
	}
	if s.Oldest == 0 {
		return s.Newest.String() + " or older"
	}
	return fmt.Sprintf("%s to %s", s.Oldest, s.Newest)
}

// Added joins the Adds of features: "a, b and c". It is "" if callers notice nothing.
func Added(features []model.Feature) string {
	var names []string
	for _, f := range features {
		if f.Adds != "" {
			names = append(names, f.Adds)
		}
	}
	return diag.Joined(names, "and")
}
