package crd

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/markers"
)

// loss is a difference between a version and the stored one: values are lost, or do not fit the stored version. Without
// a webhook, an API server changes only the apiVersion of an object that it converts.
type loss struct {
	SchemaChange
	of, stored Version
	updates    bool // the version lacks a field of the stored one, which every update in this version removes
}

// losses returns what differs between a version and the stored one.
func (d *Definition) losses(v Version) (all []loss) {
	i := slices.IndexFunc(d.Versions, func(v Version) bool { return v.Storage.Text == "true" })
	if i < 0 || d.Versions[i].Name.Text == v.Name.Text {
		return nil
	}
	stored := d.Versions[i]
	in, _ := v.Schema()
	kept, _ := stored.Schema()
	if in == nil || kept == nil {
		return nil
	}
	for _, change := range SchemaChanges(in, kept) {
		if change.Effect != Defaults && change.Effect != Freezes {
			all = append(all, loss{change, v, stored, false})
		}
	}
	for _, change := range SchemaChanges(kept, in) {
		if l := (loss{change, v, stored, true}); l.drops() {
			all = append(all, l)
		}
	}
	return all
}

// drops reports whether values are lost.
func (l loss) drops() bool { return l.Effect == Drops || l.Effect == Prunes }

// String returns the difference in one line, which begins with the version.
func (l loss) String() string {
	path, stored, what := cmp.Or(l.Path, "the object"), l.stored.Name.Text, ""
	switch {
	case l.updates && l.Effect == Drops:
		what = fmt.Sprintf("updates remove %s, which only %s, the stored version, has", path, stored)
	case l.updates:
		what = fmt.Sprintf("updates remove fields of %s that %s, the stored version, keeps: %s", path, stored, l.What)
	case l.Effect == Drops:
		what = fmt.Sprintf("API servers drop %s, which %s, the stored version, lacks", path, stored)
	case l.Effect == Prunes:
		what = fmt.Sprintf("API servers drop fields of %s that %s, the stored version, lacks: %s", path, stored, l.What)
	case l.Effect == Requires:
		what = fmt.Sprintf("API servers store objects without %s, which %s, the stored version, requires", path, stored)
	case l.Effect == Merges:
		what = fmt.Sprintf("server-side apply merges %s in another way than in %s, the stored version: %s", path, stored, l.What)
	default:
		what = fmt.Sprintf("API servers store values of %s that %s, the stored version, excludes: %s", path, stored, l.What)
	}
	return l.of.Name.Text + ": " + what
}

// place returns the position of the field that one version has.
func (l loss) place(fset *token.FileSet) token.Position {
	in := l.of
	if l.updates {
		in = l.stored
	}
	if l.Old.Line > 0 {
		return token.Position{Filename: in.pos.Filename, Line: l.Old.Line, Column: l.Old.Column}
	}
	return cmp.Or(l.Formerly(fset), in.pos)
}

// warnOfLosses warns about differences between the served versions and the stored one.
func (m *output) warnOfLosses(fset *token.FileSet) {
	for _, v := range m.Versions {
		if v.Served.Text != "true" {
			continue
		}
		for _, l := range m.losses(v) {
			other := l.stored
			if l.updates {
				other = l.of
			}
			d := m.diags.Warnf(l.place(fset), "%s %s", m.Kind.Text, l).WithRelated(cmp.Or(l.Pos(fset), other.pos)).
				Suggest("make the two versions equal in this").Or("convert them in a webhook, which +%s describes", markers.ConversionMarker)
			if l.Effect == Drops { // the others have reasons
				d.Like(fmt.Sprintf("%s %s drops %t", m.Kind.Text, l.of.Name.Text, l.updates))
			}
		}
	}
}

// converts reports whether objects are converted from version to version.
func (d *Definition) converts() bool {
	return d.Conversion.Text == webhook || d.Converted != nil && d.Converted(d.Name())
}

// conversion compares the losses between versions with those before.
func (c *comparisonWithPast) conversion(before *Definition, after *output) {
	if len(after.Versions) < 2 || after.converts() || after.converted {
		return
	}
	goes := before.converts()
	type field struct {
		version, path string
		updates       bool
	}
	known := map[field]bool{}
	for _, was := range before.Versions {
		for _, l := range before.losses(was) {
			if !goes {
				known[field{was.Name.Text, l.Path, l.updates}] = true
				known[field{l.stored.Name.Text, l.Path, true}] = true // if the other version is stored, its clients remove the field
			}
		}
	}
	for _, told := range c.changes {
		known[field{told.version, told.path, true}] = true
	}
	if goes && after.differ() {
		pos := cmp.Or(after.Conversion.Pos, after.Versions[0].origin.pos)
		c.add(pos, cmp.Or(before.Conversion.Pos, before.Kind.Pos), "objects are no longer converted, although the versions differ")
	}
	for _, is := range after.Versions {
		i := slices.IndexFunc(before.Versions, func(v Version) bool { return v.Name.Text == is.Name.Text })
		if i < 0 || before.Versions[i].Storage.Text != "true" && (before.Versions[i].Served.Text != "true" || is.Served.Text != "true") {
			continue // it has no clients and no objects
		}
		for _, l := range after.losses(is) {
			if (goes || l.drops()) && !known[field{is.Name.Text, l.Path, l.updates}] {
				c.add(l.place(c.fset), before.Versions[i].Name.Pos, "%s", l)
			}
		}
	}
}

// differ reports whether the schemas of two versions differ.
func (d *Definition) differ() bool {
	for i, v := range d.Versions {
		for j, other := range d.Versions {
			was, _ := v.Schema()
			is, _ := other.Schema()
			if i != j && was != nil && is != nil && len(SchemaChanges(was, is)) > 0 {
				return true
			}
		}
	}
	return false
}
