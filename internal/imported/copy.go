package imported

import (
	"context"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/imported/importer"
	"github.com/kubegen/kubegen/internal/imported/typecopy"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Copy returns the types with copies of the Go types that the plan imports. With offline, it downloads nothing: if the
// module cache lacks the module of the types, it takes the copies on disk, provided that they were not edited.
func (t *Types) Copy(ctx context.Context, disk *output.Disk, offline bool) (copied *Types, diags diag.List) {
	copied = t.clone()
	return copied, copied.copy(ctx, disk, offline)
}

func (t *Types) copy(ctx context.Context, disk *output.Disk, offline bool) (diags diag.List) {
	snapshot, err := disk.Read(t.plan.Import.Dir, gofile.ToolMark{Line: importer.Mark})
	if err != nil {
		diags.AddError(err)
		return diags
	}
	earlier := copiesIn(snapshot)
	env, remove, err := t.environment(ctx, earlier, offline)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil && offline && len(earlier) > 0 {
		return t.takeEarlier(earlier)
	}
	if err != nil {
		diags.AddError(err)
		return diags
	}
	defer remove()
	l := load.NewLoader(ctx, load.Config{Env: env, Marker: t.loading.Marker})
	options := t.copying
	for _, g := range t.copies {
		options.Patterns = append(options.Patterns, g.Pattern)
	}
	result := typecopy.Copy(l, options)
	if ctx.Err() != nil {
		return nil
	}
	if t.copies[0].Version == "" && result.Diags.HasErrors() && len(l.Input) == 0 {
		if offline && len(earlier) > 0 {
			return t.takeEarlier(earlier)
		}
		for _, d := range result.Diags {
			if d.Hint == "" {
				d.Suggest("to copy from a module without requiring it, add a version, as in %s@latest", t.copies[0].Pattern)
			}
		}
		return result.Diags
	}
	for _, pkg := range result.Packages {
		t.addCopy(pkg.Package, &diags)
	}
	t.Left = result.Left
	if t.Methods = result.Methods; len(t.Methods) > 0 && !offline {
		diags.Notef(token.Position{}, "copied methods run in your program, with what they call: %s", inWords(t.Methods))
	}
	return append(diags, result.Diags...)
}

// inWords returns methods by their names, with the first types that have them, on a line.
func inWords(methods []typecopy.Left) string {
	names, types := map[string][]string{}, map[string][]string{}
	for _, m := range methods {
		typ, name, _ := strings.Cut(m.Name, ".")
		names[typ] = append(names[typ], name)
	}
	for _, typ := range slices.Sorted(maps.Keys(names)) {
		of := strings.Join(slices.Compact(names[typ]), ", ")
		types[of] = append(types[of], typ)
	}
	var parts []string
	for _, of := range slices.Sorted(maps.Keys(types)) {
		all := types[of]
		if n := len(all) - 3; n > 1 {
			all = append(all[:3:3], diag.Count(n, "other type"))
		}
		parts = append(parts, of+" of "+strings.Join(all, ", "))
	}
	return strings.Join(parts, "; ")
}

// addCopy adds a package of copies.
func (t *Types) addCopy(pkg *importer.Package, diags *diag.List) {
	for _, other := range t.Packages {
		if other.Dir == pkg.Dir {
			diags.Errorf(token.Position{}, "the types of two imports would be in one directory, %s", pkg.Dir).
				Suggest("choose another one with %s, or import them into different directories", diag.Setting("group-dirs"))
			return
		}
	}
	t.Packages = append(t.Packages, pkg)
}

// environment returns an environment where the packages to copy are found: the one of the plan, or one with a temporary
// module that requires them.
func (t *Types) environment(
	ctx context.Context, earlier map[string]*earlierCopy, offline bool,
) (env load.Environment, remove func(), err error) {
	var queries []string
	for _, g := range t.copies {
		if g.Version == "" {
			return t.plan.Environment, func() {}, nil
		}
		if offline && !strings.HasPrefix(g.Version, "v") {
			g.Version = recorded(earlier, g)
		}
		queries = append(queries, g.String())
	}
	return typecopy.Scratch(ctx, t.plan.Environment, queries, offline)
}

// recorded returns the version of the module of some packages in earlier copies, or the wanted one.
func recorded(earlier map[string]*earlierCopy, g plan.GoPackages) string {
	for _, dir := range slices.Sorted(maps.Keys(earlier)) {
		module, version, _ := strings.Cut(earlier[dir].from, "@")
		if version != "" && (g.Pattern == module || strings.HasPrefix(g.Pattern, module+"/")) {
			return version
		}
	}
	return g.Version
}

// earlierCopy is a package of copies on disk.
type earlierCopy struct {
	from   string // MODULE@VERSION
	files  map[string][]byte
	edited []string // files whose text does not have the recorded checksum
}

// copiesIn returns the packages of copies in a directory, by slash-separated directory.
func copiesIn(snapshot *output.Snapshot) map[string]*earlierCopy {
	found := map[string]*earlierCopy{}
	for rel := range snapshot.Generated() {
		text := snapshot.Content(rel)
		from, intact, ok := typecopy.Unseal(text)
		if !ok || strings.Count(rel, "/") != 2 {
			continue
		}
		c := found[path.Dir(rel)]
		if c == nil {
			c = &earlierCopy{files: map[string][]byte{}}
			found[path.Dir(rel)] = c
		}
		c.from, _, _ = strings.Cut(from, " ")
		c.files[path.Base(rel)] = text
		if !intact {
			c.edited = append(c.edited, rel)
		}
	}
	return found
}

// takeEarlier imports the copies on disk. It reports edited ones, and that the original was not compared.
func (t *Types) takeEarlier(earlier map[string]*earlierCopy) (diags diag.List) {
	var modules []string
	for _, dir := range slices.Sorted(maps.Keys(earlier)) {
		c := earlier[dir]
		if !slices.Contains(modules, c.from) {
			modules = append(modules, c.from)
		}
		slices.Sort(c.edited)
		for _, rel := range c.edited {
			diags.Errorf(token.Position{Filename: filepath.Join(t.plan.Import.Dir, filepath.FromSlash(rel)), Line: 1}, "this copy was edited").
				Suggest("restore it, or copy it again; functions and methods of your own belong in other files")
		}
		pkg := &importer.Package{
			Path: path.Join(t.plan.Import.Path, dir), Dir: dir, Group: importer.GroupOf(c.files["doc.go"]), Files: map[string][]byte{},
			Licences: map[string][]byte{},
			At: func(file string, line int) token.Position {
				return token.Position{Filename: filepath.Join(t.plan.Import.Dir, filepath.FromSlash(dir), file), Line: line}
			},
		}
		for name, text := range c.files {
			if path.Ext(name) == ".go" {
				pkg.Files[name] = text
			} else {
				pkg.Licences[name] = text
			}
		}
		pkg.Name = gofile.PackageName(c.files["doc.go"])
		if strings.Contains(string(c.files["doc.go"]), "\n// +groupName=") {
			pkg.Version = path.Base(dir)
		}
		t.addCopy(pkg, &diags)
	}
	for _, g := range t.copies {
		if at := recorded(earlier, g); strings.HasPrefix(g.Version, "v") && at != g.Version {
			diags.Errorf(token.Position{}, "%s was copied from version %s", g, at).Suggest("copy it again")
		}
	}
	slices.Sort(modules)
	diags.Notef(
		token.Position{}, "copies were compared only with their checksums, not with %s, which cannot be read without a download",
		strings.Join(modules, ", "),
	)
	return diags
}
