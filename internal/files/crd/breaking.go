package crd

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// Change is an incompatible difference between an old and a new manifest: stored objects or requests of clients become
// invalid, lose values or have another effect.
type Change struct {
	Name     string         // name of the CustomResourceDefinition
	Set      string         // name of the set of feature gates, or ""
	What     string         // one line, which begins with the version and path if there are any
	Pos      token.Position // in the Go types, or in the new manifest; zero if the kind is removed
	Formerly token.Position // in the old manifest

	version, path string // where a schema has changed
}

// Title returns the name of the CustomResourceDefinition, and of the set of feature gates if there is one.
func (c Change) Title() string {
	if c.Set == "" {
		return c.Name
	}
	return c.Name + " (" + c.Set + ")"
}

// Diagnostic adds the change to a list.
func (c Change) Diagnostic(severity diag.Severity, diags *diag.List) {
	diags.Add(severity, c.Pos, "CustomResourceDefinition %s: %s", c.Title(), c.What).WithRelated(c.Formerly).Symbol = c.Name
}

// ManifestsOf returns manifests that were read, for comparison with past ones. None is skipped.
func ManifestsOf(definitions, past []*Definition) Manifests {
	m := Manifests{fset: token.NewFileSet()}
	for _, d := range slices.Concat(definitions, past) {
		m.Groups = append(m.Groups, d.Group.Text)
	}
	for _, d := range definitions {
		now := *d
		now.Versions = slices.Clone(d.Versions)
		for i := range now.Versions {
			now.Versions[i].origin.pos = now.Versions[i].Name.Pos
		}
		m.Files = append(m.Files, File{output: &output{Definition: now}})
	}
	return m
}

// Breaking returns the changes since past manifests, ordered by name. It skips past manifests of other groups than
// m.Groups, and of a kind that another one in the file of the run defines, such as a variant without rules. It returns
// the errors in the schemas of the others.
func (m Manifests) Breaking(past []*Definition) (changes []Change, diags diag.List) {
	changes = m.since(past, comparisonWithPast{diags: &diags})
	return changes, diags
}

// Removed is like Breaking, but returns only removed kinds, and versions that are removed or no longer served.
func (m Manifests) Removed(past []*Definition) []Change {
	return m.since(past, comparisonWithPast{onlyRemoved: true})
}

func (m Manifests) since(past []*Definition, how comparisonWithPast) []Change {
	var changes []Change
	files := map[string]bool{}
	for _, before := range past {
		files[filepath.Base(before.Group.Pos.Filename)] = true
	}
	for _, before := range past {
		ofRun := fileName(before.Group.Text, before.Plural.Text)
		if !slices.Contains(m.Groups, before.Group.Text) || files[ofRun] && filepath.Base(before.Group.Pos.Filename) != ofRun {
			continue
		}
		c := how
		c.fset, c.name = m.fset, before.Name()
		i := slices.IndexFunc(m.Files, func(f File) bool { return f.Group.Text == before.Group.Text && f.Plural.Text == before.Plural.Text })
		if i < 0 {
			c.add(token.Position{}, before.Group.Pos, "removed")
		} else {
			c.definition(before, m.Files[i].output)
		}
		changes = append(changes, c.changes...)
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Name, b.Name) })
	return changes
}

type comparisonWithPast struct {
	onlyRemoved bool
	fset        *token.FileSet
	name        string
	diags       *diag.List
	changes     []Change
}

func (c *comparisonWithPast) add(pos, formerly token.Position, format string, args ...any) {
	c.changes = append(c.changes, Change{Name: c.name, What: fmt.Sprintf(format, args...), Pos: pos, Formerly: formerly})
}

func (c *comparisonWithPast) definition(before *Definition, after *output) {
	now := after.Kind.Pos
	if len(after.Versions) > 0 {
		now = after.Versions[0].origin.pos
	}
	for _, field := range []struct {
		what    string
		was, is Value
	}{
		{"the scope", before.Scope, after.Scope}, {"the kind", before.Kind, after.Kind}, {"the kind of lists", before.ListKind, after.ListKind},
	} {
		if field.was.Text != "" && field.was.Text != field.is.Text && !c.onlyRemoved {
			c.add(now, field.was.Pos, "%s was %s, is %s", field.what, field.was.Text, field.is.Text)
		}
	}
	for _, was := range before.Versions {
		i := slices.IndexFunc(after.Versions, func(v Version) bool { return v.Name.Text == was.Name.Text })
		served, stored := was.Served.Text == "true", was.Storage.Text == "true"
		switch {
		case i < 0 && stored: // API servers refuse the manifest while status.storedVersions lists the version
			c.add(
				now, was.Name.Pos, "%s: removed, although objects are stored in it: store another version, migrate the objects with "+
					"{apiVersion: storagemigration.k8s.io/v1, kind: StorageVersionMigration, metadata: {name: %s}, "+
					"spec: {resource: {group: %s, resource: %s}}}, and remove it from status.storedVersions first",
				was.Name.Text, before.Name(), before.Group.Text, before.Plural.Text,
			)
		case i < 0 && served:
			c.add(now, was.Name.Pos, "%s: removed", was.Name.Text)
		case i >= 0 && served && after.Versions[i].Served.Text == "false":
			c.add(after.Versions[i].origin.pos, was.Name.Pos, "%s: no longer served", was.Name.Text)
		case i >= 0 && (served || stored) && !c.onlyRemoved:
			c.version(was, after.Versions[i])
		}
	}
	if c.onlyRemoved {
		return
	}
	if before.Preserved.Text == "true" && after.Preserved.Text != "true" && (after.preserve == nil || !*after.preserve) {
		c.add(now, before.Preserved.Pos, "fields that the schemas lack are no longer kept")
	}
	c.conversion(before, after)
}

func (c *comparisonWithPast) version(was, is Version) {
	now := is.origin.pos
	of := func(pos token.Position) token.Position { return cmp.Or(pos, was.Name.Pos) }
	switch {
	case was.Status.Pos.IsValid() && !is.Status.Pos.IsValid():
		c.add(now, was.Status.Pos, "%s: the status subresource is removed", is.Name.Text)
	case !was.Status.Pos.IsValid() && is.Status.Pos.IsValid():
		c.add(now, was.Name.Pos, "%s: the status became a subresource, so requests for the object no longer write it", is.Name.Text)
	}
	switch {
	case was.Scale == nil:
	case is.Scale == nil:
		c.add(now, was.Scale.Pos, "%s: the scale subresource is removed", is.Name.Text)
	default:
		for _, path := range []struct {
			what    string
			was, is Value
		}{
			{"desired replicas", was.Scale.SpecReplicas, is.Scale.SpecReplicas}, {"replicas", was.Scale.StatusReplicas, is.Scale.StatusReplicas},
			{"selector", was.Scale.Selector, is.Scale.Selector},
		} {
			if path.was.Text != "" && path.was.Text != path.is.Text {
				c.add(
					now, of(path.was.Pos), "%s: the %s path of the scale subresource was %s, is %s", is.Name.Text, path.what, path.was.Text,
					cmp.Or(path.is.Text, "none"),
				)
			}
		}
	}
	for _, field := range was.SelectableFields {
		if !slices.Contains(Texts(is.SelectableFields), field.Text) {
			c.add(now, field.Pos, "%s %s: no longer selectable", is.Name.Text, field.Text)
		}
	}
	before, mistakes := was.Schema()
	*c.diags = append(*c.diags, mistakes...)
	after, _ := is.Schema()
	if before == nil || after == nil {
		return // servers refuse a version without a schema
	}
	for _, n := range SchemaChanges(before, after) {
		at := n.Pos(c.fset)
		if n.New != nil && n.New.Line > 0 {
			at = token.Position{Filename: now.Filename, Line: n.New.Line, Column: n.New.Column}
		}
		at = cmp.Or(at, now)
		formerly := was.Name.Pos
		formerly.Line, formerly.Column = n.Old.Line, n.Old.Column
		path := n.Path
		if path != "" {
			path = " " + path
		}
		c.add(at, formerly, "%s%s: %s", is.Name.Text, path, n.What)
		c.changes[len(c.changes)-1].version, c.changes[len(c.changes)-1].path = is.Name.Text, n.Path
	}
}
