package render

import (
	"path"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// Scope is the part of the API that a file is rendered for.
type Scope int

// Scopes.
const (
	PerAPI Scope = iota
	PerGroup
	PerVersion
	PerKind
	PerStruct
	PerPackage
)

// layout describes the paths and scope of the files of a template, relative to the root of its generator. The words
// "group", "version", "kind" and "struct" are placeholders if they are names of directories, or occur between
// underscores in the file name. A single directory "package" stands for the directory of a package of types.
type layout struct {
	scope     Scope
	dirs      []string
	nameWords []string
}

// layoutOf derives the layout from the path of a template. problem describes why the path is invalid.
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

// placeholders are the directory names in a layout that stand for other names.
var placeholders = []string{"group", "version", "kind", "struct"}

// matches reports whether files with the layout can be in a slash-separated directory.
func (l layout) matches(dir string) bool {
	var dirs []string
	if dir != "." {
		dirs = strings.Split(dir, "/")
	}
	return slices.EqualFunc(l.dirs, dirs, func(want, is string) bool { return want == is || slices.Contains(placeholders, want) })
}

// names reports whether a file with the layout may have a base name. safeName may have appended to it.
func (l layout) names(base string) bool {
	base = strings.TrimSuffix(base, ".go")
	bare, _, _ := strings.Cut(base, "_generated")
	return slices.ContainsFunc([]string{base, bare}, func(name string) bool {
		return slices.EqualFunc(l.nameWords, strings.Split(name, "_"), func(want, is string) bool {
			return want == is || slices.Contains(placeholders, want)
		})
	})
}

// expand returns the directory and the name of a file.
func (l layout) expand(root plan.Root, f *file) (dir, name string) {
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
	name = strings.Join(expanded(l.nameWords, plan.Root{KeepsCase: true}, f.group, f.version, kind), "_") + ".go"
	return path.Join(expanded(l.dirs, root, f.group, f.version, kind)...), name
}

// expanded replaces the placeholders among names of directories, or among the words of a file name.
func expanded(words []string, root plan.Root, g *model.Group, v *model.Version, kind string) []string {
	words = slices.Clone(words)
	for i, word := range words {
		switch word {
		case "group":
			words[i] = g.Dir
			if !root.KeepsCase {
				words[i] = strings.ToLower(g.Dir)
			}
		case "version":
			words[i] = v.Dir()
		case "kind", "struct":
			words[i] = strings.ToLower(kind)
		}
	}
	return words
}
