package run

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// PrintSummary writes a table with a line for each kind, below its group and version. A table of the objects in
// manifests follows if there are any.
func (l *Listing) PrintSummary(w io.Writer) {
	var rows strings.Builder
	table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tRESOURCE\tSCOPE\tVERBS\tSUBRESOURCES")
	for _, r := range l.Resources {
		fmt.Fprintln(table, strings.Join([]string{"  " + r.Kind, r.Resource, r.Scope, r.verbsInShort(), strings.Join(r.Subresources, ",")}, "\t"))
	}
	_ = table.Flush()
	for _, release := range l.ClientGo {
		fmt.Fprintln(w, release)
	}
	version := ""
	for i, row := range strings.Split(strings.TrimSuffix(rows.String(), "\n"), "\n") {
		if i > 0 && l.Resources[i-1].apiVersion() != version {
			version = l.Resources[i-1].apiVersion()
			fmt.Fprintln(w, version)
		}
		fmt.Fprintln(w, strings.TrimRight(row, " "))
	}
	if len(l.Manifests) == 0 {
		return
	}
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table)
	printRow(table, "FILE", "KIND", "NAME")
	for _, m := range l.Manifests {
		for _, object := range m.Objects {
			printRow(table, m.File, object.Kind, object.qualified())
		}
	}
	_ = table.Flush()
}

// qualified returns the name of the object with its namespace.
func (o Object) qualified() string { return strings.TrimPrefix(o.Namespace+"/"+o.Name, "/") }

// apiVersion returns the group and version in the form of the field apiVersion of objects.
func (r Resource) apiVersion() string {
	return strings.TrimPrefix(r.Group+"/"+cmp.Or(r.Version, "__internal"), "/")
}

// verbsInShort summarizes the verbs in one word.
func (r Resource) verbsInShort() string {
	switch verbs := strings.Join(r.Verbs, ","); {
	case r.allVerbs && verbs != "":
		return "all"
	case verbs == "":
		return "none"
	case verbs == "get,list,watch":
		return "readonly"
	}
	return "some"
}

// PrintTables writes the listing as tables in the style of kubectl: the resources, the sources of their facts, the
// packages, and the objects in manifests with their markers.
func (l *Listing) PrintTables(w io.Writer) {
	for _, release := range l.ClientGo {
		fmt.Fprintf(w, "%s\n\n", release)
	}
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	row := func(cells ...string) { printRow(table, cells...) }
	row("GROUP", "VERSION", "KIND", "RESOURCE", "SCOPE", "VERBS", "SUBRESOURCES")
	for _, r := range l.Resources {
		row(r.Group, r.Version, r.Kind, r.Resource, r.Scope, r.verbs(), strings.Join(r.Subresources, ","))
	}
	_ = table.Flush()
	fmt.Fprintln(w)
	row("KIND", "FACT", "VALUE", "FROM")
	for _, r := range l.Resources {
		for _, fact := range r.facts() {
			row(r.qualified(), fact.name, fact.value, fact.from)
		}
	}
	_ = table.Flush()
	fmt.Fprintln(w)
	row("GENERATOR", "PACKAGE")
	for _, pkg := range l.Packages {
		row(pkg.Generator, pkg.Path)
	}
	if len(l.Manifests) > 0 {
		_ = table.Flush()
		fmt.Fprintln(w)
		row("FILE", "KIND", "NAME", "FROM")
	}
	for _, m := range l.Manifests {
		for _, object := range m.Objects {
			for _, source := range object.From {
				row(m.File, object.Kind, object.qualified(), source.String())
			}
		}
	}
	if len(l.Edits) > 0 {
		_ = table.Flush()
		fmt.Fprintln(w)
		row("DEFINITION", "VERSION", "SCHEMA", "EDITED")
	}
	for _, edit := range l.Edits {
		row(edit.Definition, edit.Version, cmp.Or(edit.Pointer, "/"), edit.From.Position)
	}
	_ = table.Flush()
}

// printRow writes a row of a table.
func printRow(table io.Writer, cells ...string) {
	for i, cell := range cells {
		cells[i] = cmp.Or(cell, "<none>")
	}
	fmt.Fprintln(table, strings.Join(cells, "\t"))
}

// PrintKinds writes all facts about each kind.
func (l *Listing) PrintKinds(w io.Writer) {
	for i, r := range l.Resources {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, r.qualified())
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		printRow(table, "  FACT", "VALUE", "FROM")
		for _, fact := range r.facts() {
			printRow(table, "  "+fact.name, fact.value, fact.from)
		}
		for _, fact := range [][2]string{
			{"singular", r.Singular}, {"short names", strings.Join(r.ShortNames, ",")}, {"categories", strings.Join(r.Categories, ",")},
			{"storage", strconv.FormatBool(r.Storage)}, {"package", r.Package},
		} {
			printRow(table, "  "+fact[0], fact[1])
		}
		for _, pkg := range r.Generates {
			printRow(table, "  "+pkg.Generator, pkg.Path)
		}
		_ = table.Flush()
	}
}

// fact is a fact about a kind and one of its sources, for a table.
type fact struct{ name, value, from string }

// facts returns the facts about the kind that have sources, once for each source.
func (r Resource) facts() (all []fact) {
	for _, f := range []fact{
		{name: "group", value: r.Group}, {name: "version", value: r.Version}, {name: "kind", value: r.Kind},
		{name: "resource", value: r.Resource},
		{name: "scope", value: r.Scope}, {name: "verbs", value: r.verbs()}, {name: "subresources", value: strings.Join(r.Subresources, ",")},
		{name: "helpers", value: strconv.FormatBool(r.Helpers)},
	} {
		for _, source := range r.From[f.name] {
			f.from = source.String()
			all = append(all, f)
		}
	}
	for _, index := range r.Indexes {
		all = append(all, fact{"index", index.Name + " " + cmp.Or(index.Path, index.Func), index.From.String()})
	}
	return all
}

// qualified returns the kind with its version and group.
func (r Resource) qualified() string {
	return strings.TrimRight(strings.Join([]string{r.Kind, r.Version, r.Group}, "."), ".")
}

// verbs returns the verbs, or "all".
func (r Resource) verbs() string {
	if r.allVerbs {
		return "all"
	}
	return strings.Join(r.Verbs, ",")
}

// String returns the source for a table, without its value, which has its own column.
func (s Source) String() string {
	name, _, _ := strings.Cut(s.Text, "=")
	switch {
	case s.Position != "" && s.Kind == "declaration":
		return "declaration at " + s.Position
	case s.Position != "":
		return name + " at " + s.Position
	case s.Kind == "path":
		return "path " + name
	case s.Kind == "flag", s.Kind == "module":
		return name
	}
	return s.Kind
}
