package render

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/model"
)

// Output is one kind of file of a family. Paths and scope of the files follow from the path of the template.
type Output struct {
	// Template is the file's template, a path in templates.FS or among the user's templates.
	Template string
	// Doc is the package comment, for the one file of a package that carries it. {gv} stands for the group and version,
	// {package} for the name of the package.
	Doc string
	// Of reports whether a kind has the file, for an output of kinds; nil means that all have it.
	Of func(*model.Resource) bool
	// Without is the advice for omitting the file, for a kind whose name it makes collide; "" if it cannot be omitted.
	Without string
}

// Scope is what a file is rendered for.
type Scope int

// The scopes.
const (
	PerAPI Scope = iota
	PerGroup
	PerVersion
	PerKind
	PerStruct
	PerPackage
)

// layout is the path and scope of the files of a template, below the root of its family. The words "group", "version",
// "kind" and "struct", as directories or between underscores in the file's name, are placeholders. The directory
// "package" alone stands for that of a package of types.
type layout struct {
	scope     Scope
	dirs      []string
	nameWords []string
}

// layoutOf derives the layout from a template's path; problem says why the path is invalid.
func layoutOf(template string) (l layout, problem string) {
	_, rel, _ := strings.Cut(strings.TrimSuffix(template, ".go.tmpl"), "/")
	dir, base := path.Split(rel)
	if dir != "" {
		l.dirs = strings.Split(strings.TrimSuffix(dir, "/"), "/")
	}
	l.nameWords = strings.Split(base, "_")
	has := func(word string) bool { return slices.Contains(l.dirs, word) || slices.Contains(l.nameWords, word) }
	switch {
	case slices.Equal(l.dirs, []string{"package"}):
		l.scope = PerPackage
		return l, ""
	case has("struct"):
		l.scope = PerStruct
	case has("kind"):
		l.scope = PerKind
	case has("version"):
		l.scope = PerVersion
	case has("group"):
		l.scope = PerGroup
	}
	switch {
	case l.scope > PerVersion && !(slices.Contains(l.dirs, "group") && slices.Contains(l.dirs, "version")):
		problem = "a file for each kind or struct belongs in the directory of its group and version"
	case l.scope == PerVersion && !has("group"):
		problem = "a file for each version belongs in the directory of its group"
	}
	return l, problem
}

// Depth returns how many directories below the root of its family the output's files are.
func (o Output) Depth() int {
	l, _ := layoutOf(o.Template)
	return len(l.dirs)
}

// Top returns the first directory of the output's files below the root of its family, "" if there is none. perGroup is
// set if it is named after the group.
func (o Output) Top() (dir string, perGroup bool) {
	l, _ := layoutOf(o.Template)
	if len(l.dirs) == 0 {
		return "", false
	}
	return l.dirs[0], l.dirs[0] == "group"
}

// expand returns the directory and the name of a file.
func (l layout) expand(root Root, f *file) (dir, name string) {
	if l.scope == PerPackage {
		return f.pkg.Path, strings.Join(l.nameWords, "_") + ".go"
	}
	kind := ""
	switch {
	case f.of != nil:
		kind = f.of.BuilderName()
	case f.resource != nil:
		kind = f.resource.Kind
	}
	words := slices.Clone(l.nameWords)
	for i, word := range words {
		switch word {
		case "group":
			words[i] = f.group.Dir
		case "version":
			words[i] = f.version.Dir()
		case "kind", "struct":
			words[i] = strings.ToLower(kind)
		}
	}
	return expandDirs(l.dirs, root, f.group, f.version, kind), strings.Join(words, "_") + ".go"
}

// expandDirs replaces the words in directories.
func expandDirs(dirs []string, root Root, g *model.Group, v *model.Version, kind string) string {
	dirs = slices.Clone(dirs)
	for i, dir := range dirs {
		switch dir {
		case "group":
			dirs[i] = g.Dir
			if !root.KeepsCase {
				dirs[i] = strings.ToLower(g.Dir)
			}
		case "version":
			dirs[i] = v.Dir()
		case "kind", "struct":
			dirs[i] = strings.ToLower(kind)
		}
	}
	return path.Join(dirs...)
}
