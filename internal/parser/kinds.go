package parser

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	metav1api "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/markers"
	"github.com/kubegen/kubegen/internal/model"
)

// kind is a type that may get a client.
type kind struct {
	file     *file
	spec     *ast.TypeSpec
	pos      token.Position
	marked   bool // +genclient
	markers  []markers.Marker
	fields   fields
	crd      *markers.Marker // +kubebuilder:resource
	resource *model.Resource // nil while not read, or where it could not be
	methods  []methodTypes
}

// methodTypes are the types of a method as written, to be resolved when all packages are known.
type methodTypes struct {
	index         int // in resource.Methods
	pos           token.Position
	input, result string
}

// findKinds returns the package's types that carry a +genclient marker, and those that --included-types-overrides may
// name, ordered as in the files.
func (p *parser) findKinds(src *source) []*kind {
	var found []*kind
	var misplaced diag.List
	var aliases map[string][]alias
	if p.cfg.Classic {
		aliases = p.aliases(src)
	}
	for _, f := range src.files {
		if f.ast == nil || f.err != nil || !f.mayHoldKinds() && len(p.cfg.IncludedTypes) == 0 {
			continue
		}
		comments := p.commentsByEnd(f)
		attached := map[*ast.CommentGroup]bool{}
		for _, d := range f.ast.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				above := comments.above(p.fset, f, spec.Pos())
				if t, ok := spec.(*ast.TypeSpec); ok && p.cfg.Classic {
					above = p.throughAliases(src, aliases, comments, f, t)
				}
				if gen.Tok != token.TYPE {
					p.reportMisplaced(&misplaced, above, func() (string, bool) { return "not on a " + gen.Tok.String(), false }, attached)
					continue
				}
				for _, group := range above {
					attached[group] = true
				}
				if k := p.findKind(src, f, spec.(*ast.TypeSpec), above); k != nil {
					found = append(found, k)
				}
			}
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				p.reportMisplaced(&misplaced, comments.above(p.fset, f, fn.Name.Pos()), func() (string, bool) { return "not on a func", false }, attached)
			}
		}
		for _, group := range f.ast.Comments {
			if !attached[group] {
				p.reportMisplaced(&misplaced, []*ast.CommentGroup{group}, func() (string, bool) { return f.follows(p.fset, group) }, attached)
			}
		}
	}
	if len(found) > 0 || src.imports("k8s.io/apimachinery/pkg/apis/meta/v1") { // elsewhere it is talk about markers
		p.List = append(p.List, misplaced...)
	}
	return found
}

// mayHoldKinds reports whether the file has +genclient, or types above which it may be misspelt.
func (f *file) mayHoldKinds() bool {
	return bytes.Contains(f.text, genclient) || bytes.Contains(f.text, []byte("ObjectMeta"))
}

// findKind reads the markers of one type. It returns nil for types that are none of our business.
func (p *parser) findKind(src *source, f *file, spec *ast.TypeSpec, above []*ast.CommentGroup) *kind {
	relevant := len(p.cfg.IncludedTypes) > 0
	for _, line := range markers.Lines(p.fset, above...) {
		relevant = relevant || markers.MeansGenclient(line.Text)
	}
	if !relevant {
		return nil
	}
	k := &kind{file: f, spec: spec, pos: p.fset.Position(spec.Name.Pos())}
	k.markers = markers.Read(p.fset, markers.Type, p.mode(), &p.List, above...)
	k.marked = slices.ContainsFunc(k.markers, func(m markers.Marker) bool { return m.Name == "genclient" })
	if !k.marked && len(p.cfg.IncludedTypes) == 0 {
		for _, m := range k.markers {
			if strings.HasPrefix(m.Name, "genclient:") {
				p.Warnf(m.Pos, "+%s has no effect: type %s is not marked +genclient", m.Name, spec.Name.Name).
					Suggest("add +genclient above it, or remove this marker")
				break
			}
		}
		return nil
	}
	if other, ok := spec.Type.(*ast.SelectorExpr); ok { // type CronTab v1.CronTab
		p.imported(f, f.importPath(baseName(other.X)))
	}
	k.fields = p.fieldsOf(src, f, spec)
	return k
}

// include applies --included-types-overrides: for the group/versions that it names it decides alone.
func (p *parser) include(u *unit) []*kind {
	var wanted []string
	ok := false
	names := []string{u.group, u.dir}
	if p.cfg.Classic {
		names = names[:1]
	}
	for _, name := range names {
		key := name + "/" + u.version
		if !ok {
			wanted, ok = p.cfg.IncludedTypes[key]
		}
		p.groupVersions[key] = true
	}
	if !ok {
		return slices.DeleteFunc(u.kinds, func(k *kind) bool { return !k.marked })
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(u.kinds, func(k *kind) bool { return k.spec.Name.Name == name }) {
			d := p.mistakef(u.pkg.Pos, "that has no effect", "--included-types-overrides names %s, but package %s has no such type", name, u.src.path)
			if nearest, ok := markers.Nearest(name, slices.Sorted(maps.Keys(u.src.decls))); ok {
				d.Suggest("did you mean %s?", nearest)
			} else {
				d.Suggest("correct one or the other")
			}
		}
	}
	return slices.DeleteFunc(u.kinds, func(k *kind) bool { return !slices.Contains(wanted, k.spec.Name.Name) })
}

// reportUnusedIncludes complains of group/versions of --included-types-overrides that no package has.
func (p *parser) reportUnusedIncludes() {
	known := slices.Sorted(maps.Keys(p.groupVersions))
	for _, key := range slices.Sorted(maps.Keys(p.cfg.IncludedTypes)) {
		if p.groupVersions[key] || len(known) == 0 {
			continue
		}
		d := p.mistakef(token.Position{}, "that has no effect", "--included-types-overrides names %s, but no package has that group and version", key)
		if nearest, ok := markers.Nearest(key, known); ok {
			d.Suggest("did you mean %s?", nearest)
		} else {
			d.Suggest("correct the flag, or name more packages")
		}
	}
}

// reportMisplaced complains of +genclient markers that stand above something else than a type: of those that are likely
// meant for a type as a mistake, of others because they have no effect.
func (p *parser) reportMisplaced(diags *diag.List, groups []*ast.CommentGroup, where func() (why string, meant bool), reported map[*ast.CommentGroup]bool) {
	for _, group := range groups {
		for _, line := range markers.Lines(p.fset, group) {
			if !strings.HasPrefix(line.Text, "+genclient") || reported[group] {
				continue
			}
			reported[group] = true
			why, meant := where()
			d := diags.Warnf(line.Pos, "%s belongs above a type, %s: it has no effect", line.Text, why)
			if !meant {
				d.Suggest("delete it")
				continue
			}
			if !p.cfg.Classic {
				d.Severity = diag.Error
			}
			d.Suggest("move it into the comment directly above the type, or above that comment with one blank line between")
		}
	}
}

// follows says why a comment is not one above a type, and whether it is likely meant for one.
func (f *file) follows(fset *token.FileSet, group *ast.CommentGroup) (why string, meant bool) {
	if group.End() < f.ast.Package {
		return "not into the package comment", false
	}
	for _, d := range f.ast.Decls {
		gen, isGen := d.(*ast.GenDecl)
		switch {
		case d.End() <= group.Pos():
			if fset.Position(d.End()).Line == fset.Position(group.Pos()).Line {
				return "not behind one", true
			}
		case d.Pos() < group.Pos() && isGen && gen.Tok == token.TYPE && gen.Lparen.IsValid():
			for _, spec := range gen.Specs {
				if spec.Pos() > group.End() {
					return "and is too far above " + spec.(*ast.TypeSpec).Name.Name, true
				}
				if spec.End() > group.Pos() {
					return "not inside one", false
				}
			}
		case d.Pos() < group.Pos():
			return "not inside a declaration", false
		case isGen && gen.Tok == token.TYPE && gen.Lparen.IsValid():
			return "not above a list of types", true
		case isGen && gen.Tok == token.TYPE && len(gen.Specs) == 1:
			return "and is too far above " + gen.Specs[0].(*ast.TypeSpec).Name.Name, true
		default:
			return "but no type follows", false
		}
	}
	return "but nothing follows", false
}

// commentsByEnd indexes the comments of a file by the line on which they end.
type commentsByEnd struct {
	byLine  map[int]*ast.CommentGroup
	classic bool // it is enough that a comment ends two lines above, whatever stands between
}

func (p *parser) commentsByEnd(f *file) commentsByEnd {
	index := commentsByEnd{byLine: map[int]*ast.CommentGroup{}, classic: p.cfg.Classic}
	for _, group := range f.ast.Comments {
		index.byLine[p.fset.Position(group.End()).Line] = group
	}
	return index
}

// above returns the comment directly above a declaration and the one above that, a blank line between, the farther
// first.
func (c commentsByEnd) above(fset *token.FileSet, f *file, pos token.Pos) []*ast.CommentGroup {
	var groups []*ast.CommentGroup
	near, far := c.nearAndFar(fset, f, pos)
	for _, group := range []*ast.CommentGroup{far, near} {
		if group != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// nearAndFar returns the two comments apart, nil where there is none.
func (c commentsByEnd) nearAndFar(fset *token.FileSet, f *file, pos token.Pos) (near, far *ast.CommentGroup) {
	line := fset.Position(pos).Line
	if near = c.byLine[line-1]; near != nil {
		line = fset.Position(near.Pos()).Line
	}
	if far = c.byLine[line-2]; far != nil && (c.classic || f.isBlank(fset, line-1)) {
		return near, far
	}
	return near, nil
}

// alias is a declaration "type Name = Target", and the comments above it.
type alias struct {
	name      string
	near, far *ast.CommentGroup
}

// aliases returns the aliases of a package for types of its own, by the type, ordered by name. The classic generators take
// the comments above an alias for those of its type where that has none.
func (p *parser) aliases(src *source) map[string][]alias {
	found := map[string][]alias{}
	for _, f := range src.files {
		if f.ast == nil || f.err != nil {
			continue
		}
		comments := p.commentsByEnd(f)
		for _, d := range f.ast.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				t := spec.(*ast.TypeSpec)
				if target, ok := t.Type.(*ast.Ident); ok && t.Assign.IsValid() {
					near, far := comments.nearAndFar(p.fset, f, t.Pos())
					found[target.Name] = append(found[target.Name], alias{t.Name.Name, near, far})
				}
			}
		}
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b alias) int { return strings.Compare(a.name, b.name) })
	}
	return found
}

// throughAliases returns the comments that count for a type, those above its aliases among them; for an alias itself
// those that count for nothing are reported.
func (p *parser) throughAliases(src *source, aliases map[string][]alias, comments commentsByEnd, f *file, t *ast.TypeSpec) []*ast.CommentGroup {
	near, far := comments.nearAndFar(p.fset, f, t.Pos())
	if t.Assign.IsValid() {
		if line := genclientIn(p.fset, near, far); line.Text != "" {
			p.reportAlias(src, aliases, f, t, line, near, far)
		}
		return nil
	}
	for _, a := range aliases[t.Name.Name] {
		if near == nil {
			near = a.near
		}
		if far == nil {
			far = a.far
		}
	}
	return slices.DeleteFunc([]*ast.CommentGroup{far, near}, func(group *ast.CommentGroup) bool { return group == nil })
}

// reportAlias says what becomes of +genclient above an alias.
func (p *parser) reportAlias(src *source, aliases map[string][]alias, f *file, t *ast.TypeSpec, line markers.Line, near, far *ast.CommentGroup) {
	d := p.Warnf(line.Pos, "%s stands above the alias %s: it has no effect", line.Text, t.Name.Name)
	d.Suggest("mark the type that it stands for")
	target, ok := t.Type.(*ast.Ident)
	if !ok {
		return
	}
	decl, ok := p.lookup(src, target.Name)
	if !ok || decl.typ == nil || decl.typ.Assign.IsValid() {
		return
	}
	index := p.commentsByEnd(decl.file)
	for _, group := range p.throughAliases(src, aliases, index, decl.file, decl.typ) {
		if group == near && near != nil || group == far && far != nil {
			d.Message = fmt.Sprintf("%s stands above the alias %s: it counts for %s", line.Text, t.Name.Name, target.Name)
			d.Suggest("move it above %s", target.Name)
		}
	}
}

// genclientIn returns the first +genclient line of the comments.
func genclientIn(fset *token.FileSet, groups ...*ast.CommentGroup) markers.Line {
	for _, line := range markers.Lines(fset, groups...) {
		if strings.HasPrefix(line.Text, "+genclient") {
			return line
		}
	}
	return markers.Line{}
}

// isBlank reports whether a line of the file has nothing but space.
func (f *file) isBlank(fset *token.FileSet, line int) bool {
	at := fset.File(f.ast.FileStart)
	start := at.Offset(at.LineStart(line))
	rest, _, _ := bytes.Cut(f.text[start:], []byte("\n"))
	return len(bytes.TrimSpace(rest)) == 0
}

// reportUntagged complains of kinds that would count as unversioned, for want of a tag, although their package is of a
// version or other kinds and fields of theirs have tags.
func (p *parser) reportUntagged(u *unit, found []markers.Marker) {
	declared := p.declaredGroupVersion(u.src).version
	_, _, named := p.single(found, "versionName")
	versioned := named || declared != nil && *declared != model.InternalVersion && *declared != "" ||
		declared == nil && kubeVersion.MatchString(path.Base(u.src.path))
	for _, k := range u.kinds {
		tagged := slices.ContainsFunc(k.fields.list, func(f field) bool { return strings.Contains(f.tag, "json:") })
		meta, ok := k.fields.byName("ObjectMeta")
		if !ok || strings.Contains(meta.tag, "json") || !versioned && !tagged {
			continue
		}
		d := p.Warnf(p.fset.Position(meta.typ.Pos()), "ObjectMeta of kind %s has no JSON tag, as in unversioned types, although other fields have", k.spec.Name.Name)
		if versioned {
			d.Severity = diag.Error
			d.Message = fmt.Sprintf("ObjectMeta of kind %s has no JSON tag, as in unversioned types, although the package is of a version", k.spec.Name.Name)
		}
		d.Suggest("write metav1.ObjectMeta `json:%q`", objectMeta.json)
	}
}

// isInternal reports whether the kinds are the unversioned form of a group: their metadata has no JSON tag.
func isInternal(kinds []*kind) bool {
	for _, k := range kinds {
		if meta, ok := k.fields.byName("ObjectMeta"); ok {
			return !strings.Contains(meta.tag, "json")
		}
	}
	return false
}

// readKind checks one kind and turns it into a resource.
func (p *parser) readKind(u *unit, k *kind) {
	name := k.spec.Name.Name
	switch {
	case !token.IsExported(name):
		p.Errorf(k.pos, "type %s is marked +genclient but is not exported", name).Suggest("start its name with a capital letter")
		return
	case k.spec.Assign.IsValid():
		p.Errorf(k.pos, "%s is marked +genclient but is an alias", name).Suggest("mark the type that it stands for")
		return
	case k.spec.TypeParams != nil:
		p.Errorf(k.pos, "%s is marked +genclient but is generic", name).Suggest("mark a plain struct type")
		return
	case !k.fields.isStruct:
		p.Errorf(k.pos, "%s is marked +genclient but is not a struct", name).Suggest("API kinds are structs with TypeMeta and ObjectMeta")
		return
	}
	if items, isList := k.fields.byName("Items"); isList {
		if meta, found := k.fields.byName("ListMeta"); found && meta.embedded {
			d := p.Errorf(k.pos, "%s is marked +genclient but is a list", name)
			if element, _, _ := p.elementOf(u.src, items.typ); element != "" {
				d.Suggest("mark %s", element)
			}
			return
		}
	}
	ok := p.embeds(k.pos, k.fields, "kind "+name, typeMeta, objectMeta)
	if u.version != "" {
		p.reportTags(k.fields, "kind "+name, typeMeta, objectMeta)
	}
	ok = p.promotes(k.fields, name) && ok
	r := &model.Resource{
		Package: u.pkg, Pos: k.pos, Kind: name, Plural: p.pluralOf(name), List: model.List{Name: name + "List"},
	}
	if !token.IsIdentifier(r.Plural) {
		p.Errorf(k.pos, "the plural %q of %s is not a Go name", r.Plural, name).Suggest("correct --plural-exceptions")
		ok = false
	}
	p.readResource(k)
	p.readServed(k, r)
	p.readScope(k, r)
	ok = p.readName(k, r) && ok
	p.readVerbs(k, r)
	if p.cfg.Clients && !u.pkg.Off(model.ClientSwitch) && !r.NoVerbs && r.Verbs.Has(model.VerbList) {
		ok = p.readList(u, k, r) && ok
	}
	p.readMethods(k, r)
	p.readScale(k, r)
	if ok {
		k.resource = r
	}
}

// meta is a struct of metav1 that API types embed, and its usual JSON tag.
type meta struct{ name, json string }

var (
	typeMeta   = meta{"TypeMeta", ",inline"}
	objectMeta = meta{"ObjectMeta", "metadata,omitempty"}
	listMeta   = meta{"ListMeta", "metadata,omitempty"}
)

// embeds checks that a type embeds what makes it an API type.
func (p *parser) embeds(pos token.Position, in fields, what string, wanted ...meta) bool {
	if in.opaque {
		return true
	}
	var missing, lines []string
	ok := true
	for _, m := range wanted {
		switch f, found := in.byName(m.name); {
		case !found:
			missing = append(missing, "metav1."+m.name)
			lines = append(lines, fmt.Sprintf("metav1.%s `json:%q`", m.name, m.json))
		case !f.embedded:
			p.Errorf(p.fset.Position(f.typ.Pos()), "%s of %s is not embedded", m.name, what).Suggest("leave out the name of the field")
			ok = false
		}
	}
	if len(missing) > 0 {
		p.Errorf(pos, "%s does not embed %s", what, strings.Join(missing, " and ")).Suggest("add %s", strings.Join(lines, " and "))
	}
	return ok && len(missing) == 0
}

// promotes checks that a kind has the methods of its metadata, which makes it an object: a field of the same name hides one.
func (p *parser) promotes(in fields, name string) bool {
	for method := range reflect.TypeFor[metav1api.Object]().Methods() {
		f, found := in.byName(method.Name)
		if found && f.depth <= 1 && (p.cfg.Clients || p.cfg.Types) {
			p.Errorf(p.fset.Position(f.typ.Pos()), "the field %s hides the method of that name, without which kind %s is no object for clients", f.name, name).
				Suggest("rename the field; its JSON tag can stay")
			return false
		}
	}
	return true
}

// reportTags warns of metadata that is not where it is in JSON objects of the API
// (https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#types-kinds).
func (p *parser) reportTags(in fields, what string, wanted ...meta) {
	for _, m := range wanted {
		f, found := in.byName(m.name)
		if !found || !f.embedded || !f.typ.Pos().IsValid() {
			continue
		}
		text, _ := strconv.Unquote(f.tag)
		tag, tagged := reflect.StructTag(text).Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		wantedName, _, _ := strings.Cut(m.json, ",")
		if pos := p.fset.Position(f.typ.Pos()); !tagged {
			p.Warnf(pos, "%s of %s has no JSON tag", m.name, what).Suggest("write metav1.%s `json:%q`", m.name, m.json)
		} else if name != wantedName {
			p.Warnf(pos, "%s of %s is tagged json:%q, where API servers have json:%q", m.name, what, tag, m.json).
				Suggest("write metav1.%s `json:%q`", m.name, m.json)
		}
	}
}

// readVerbs works out what the client can do. Markers add up: several skipVerbs lines skip all that they name, and
// what is skipped goes from what onlyVerbs and readonly leave.
//
// For the classic generators only the first marker of a name counts, and what is to stay stays although it is skipped.
func (p *parser) readVerbs(k *kind, r *model.Resource) {
	var only, skipped model.Verbs
	var onlyPos token.Position
	limited := false
	seen := map[string]token.Position{}
	for _, m := range k.markers {
		switch m.Name {
		case "genclient:readonly", "genclient:onlyVerbs", "genclient:skipVerbs", "genclient:noVerbs":
			r.VerbsFrom = append(r.VerbsFrom, marked(m))
		}
		if first, again := seen[m.Name]; again && p.cfg.Classic && (m.Name == "genclient:onlyVerbs" || m.Name == "genclient:skipVerbs") {
			p.Warnf(m.Pos, "only the first +%s of %s counts", m.Name, r.Kind).SaidAt(first).Suggest("name all verbs there")
			continue
		}
		seen[m.Name] = m.Pos
		switch m.Name {
		case "genclient:readonly":
			only |= model.NewVerbs(model.VerbGet, model.VerbList, model.VerbWatch)
			onlyPos, limited = m.Pos, true
		case "genclient:onlyVerbs":
			only |= m.ParseVerbs(p.mode(), &p.List)
			onlyPos, limited = m.Pos, true
		case "genclient:skipVerbs":
			skipped |= m.ParseVerbs(p.mode(), &p.List)
		case "genclient:noVerbs":
			r.NoVerbs = true
		}
	}
	if both := (only & skipped).List(); len(both) > 0 {
		p.mistakef(onlyPos, "what is skipped does not count beside what is asked for", "%s both skips and asks for %s", r.Kind, markers.Join(both)).
			Suggest("keep each in one of +genclient:skipVerbs and the verbs that are to stay")
	}
	if limited && p.cfg.Classic {
		skipped = 0
	}
	if r.NoVerbs && only|skipped != 0 {
		p.Warnf(k.pos, "+genclient:noVerbs on %s leaves nothing for its other verb markers to choose from", r.Kind).
			Suggest("remove one or the other")
	}
	r.Verbs = model.NewVerbs(model.AllVerbs()...)
	if only != 0 || limited && p.cfg.Classic {
		r.Verbs = only
	}
	r.Verbs = r.Verbs.Without(skipped.List()...)

	status := p.readStatus(k, r)
	if r.HasStatus {
		return
	}
	for _, verb := range []model.Verb{model.VerbUpdateStatus, model.VerbApplyStatus} {
		if only.Has(verb) {
			p.Warnf(onlyPos, "no %s for %s, although asked for: the type %s", verb, r.Kind, status)
		}
	}
	r.Verbs = r.Verbs.Without(model.VerbUpdateStatus, model.VerbApplyStatus)
}

// readList checks the list type of a kind.
func (p *parser) readList(u *unit, k *kind, r *model.Resource) bool {
	d, found := p.lookup(u.src, r.List.Name)
	if !found && u.src.broken() {
		return true
	}
	if !found || d.typ == nil {
		p.Errorf(k.pos, "kind %s has no list type %s", r.Kind, r.List.Name).
			Suggest("declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s, or write +genclient:skipVerbs=list,watch,deleteCollection", r.Kind)
		return false
	}
	pos := p.fset.Position(d.typ.Name.Pos())
	list := p.fieldsOf(u.src, d.file, d.typ)
	items, hasItems := list.byName("Items")
	switch {
	case list.opaque:
		return true
	case !list.isStruct:
		p.Errorf(pos, "list type %s is not a struct", r.List.Name).Suggest("declare it with metav1.TypeMeta, metav1.ListMeta and Items []%s", r.Kind)
		return false
	case !hasItems:
		p.Errorf(pos, "list type %s has no Items", r.List.Name).Suggest("add Items []%s `json:\"items\"`", r.Kind)
		return false
	case !p.embeds(pos, list, "list type "+r.List.Name, typeMeta, listMeta):
		return false
	case u.version != "":
		p.reportTags(list, "list type "+r.List.Name, typeMeta, listMeta)
	}
	element, pointers, known := p.elementOf(u.src, items.typ)
	if known && element != r.Kind {
		what := "no slice"
		if element != "" {
			what = "a list of " + element + ", not of " + r.Kind
		}
		p.Errorf(p.fset.Position(items.typ.Pos()), "Items of %s is %s", r.List.Name, what).Suggest("write Items []%s", r.Kind)
		return false
	}
	r.List.Pointers = pointers
	return true
}

// reservedMethods are names that a client method would take away from what the clients embed.
var reservedMethods = []string{"GetClient", "GetNamespace", "Fake", "Invokes", "InvokesWatch", "Kind", "Namespace", "Resource"}

// readMethods reads the +genclient:method markers.
func (p *parser) readMethods(k *kind, r *model.Resource) {
	seen := map[string]token.Position{}
	for _, m := range k.markers {
		if m.Name != "genclient:method" {
			continue
		}
		spec, ok := m.ParseMethod(p.mode(), &p.List)
		if !ok {
			continue
		}
		usual := model.Verb(strings.ToLower(spec.Name[:1]) + spec.Name[1:])
		first, twice := seen[spec.Name]
		switch {
		case twice:
			p.Errorf(m.Pos, "method %s of %s is declared twice", spec.Name, r.Kind).SaidAt(first).Suggest("rename one of them")
			continue
		case !r.NoVerbs && r.Verbs.Has(usual):
			p.Errorf(m.Pos, "method %s of %s is one that every client has", spec.Name, r.Kind).
				Suggest("rename it, or write +genclient:skipVerbs=%s", usual)
			continue
		case slices.Contains(reservedMethods, spec.Name):
			p.Errorf(m.Pos, "method %s of %s has a name that the client itself needs", spec.Name, r.Kind).Suggest("rename it")
			continue
		}
		seen[spec.Name] = m.Pos
		self := model.TypeRef{Path: r.Package.Path, Name: r.Kind}
		k.methods = append(k.methods, methodTypes{index: len(r.Methods), pos: m.Pos, input: spec.Input, result: spec.Result})
		r.Methods = append(r.Methods, model.Method{
			Pos: m.Pos, From: marked(m), Name: spec.Name, Verb: spec.Verb, Subresource: spec.Subresource, Input: self, Result: self,
		})
	}
}

// resolveMethodTypes finds the input and result types of all methods, those of other packages with one look.
func (p *parser) resolveMethodTypes(ctx context.Context, units []*unit) {
	var missing []string
	each := func(visit func(u *unit, k *kind, m methodTypes)) {
		for _, u := range units {
			for _, k := range u.kinds {
				for _, m := range k.methods {
					visit(u, k, m)
				}
			}
		}
	}
	each(func(u *unit, _ *kind, m methodTypes) {
		for _, ref := range []string{m.input, m.result} {
			importPath := typeRef(u, ref).Path
			if _, ok := p.sources[importPath]; !ok && module.CheckImportPath(importPath) == nil && !slices.Contains(missing, importPath) {
				missing = append(missing, importPath)
			}
		}
	})
	if len(missing) > 0 {
		p.preload(ctx, missing...)
	}
	each(func(u *unit, k *kind, m methodTypes) {
		if k.resource == nil {
			return
		}
		method := &k.resource.Methods[m.index]
		if m.input != "" {
			method.Input = p.resolveType(u, k, m, "input", m.input, "")
		}
		suffix := ""
		if method.Verb == model.VerbList {
			suffix = "List"
		}
		if m.result != "" {
			method.Result = p.resolveType(u, k, m, "result", m.result, suffix)
		}
	})
	for _, u := range units {
		for _, k := range u.kinds {
			if k.resource != nil {
				p.findSchemes(k.resource)
			}
		}
	}
}

// typeRef reads "Scale" or "k8s.io/api/autoscaling/v1.Scale".
func typeRef(u *unit, ref string) model.TypeRef {
	t := model.ParseTypeRef(ref)
	if !strings.Contains(ref, ".") {
		t.Path = u.src.path
	}
	return t
}

// requireObject complains of a type that is none of what clients send or receive: those are objects, with a name where the
// request has none.
func (p *parser) requireObject(src *source, d decl, method model.Method, pos token.Position, marker string) {
	in := p.fieldsOf(src, d.file, d.typ)
	if in.opaque {
		return
	}
	name := d.typ.Name.Name
	if method.Verb == model.VerbApply && strings.HasPrefix(marker, "input=") {
		if _, found := in.byName("ObjectMeta"); !found && method.Subresource == "" {
			p.Errorf(pos, "%s: %s has no metav1.ObjectMeta, and so no name to send the request to", marker, name).Suggest("embed that, or add subresource=")
		}
		return
	}
	if _, found := in.byName("TypeMeta"); found || src.hasMethod(name, "GetObjectKind") {
		return
	}
	p.Errorf(pos, "%s: %s is no object, which is what clients send and receive", marker, name).
		Suggest("embed metav1.TypeMeta in it, and give it DeepCopyObject, as deepcopy-gen does")
}

// hasMethod reports whether the text of any file of the package has a method of a type.
func (s *source) hasMethod(typ, method string) bool {
	declaration := regexp.MustCompile(`(?m)^func \([^)]*\b` + regexp.QuoteMeta(typ) + `\) ` + method + `\(`)
	return slices.ContainsFunc(s.files, func(f *file) bool { return declaration.Match(f.text) })
}

func (p *parser) resolveType(u *unit, k *kind, m methodTypes, key, ref, suffix string) model.TypeRef {
	t := typeRef(u, ref)
	name := t.Name + suffix
	src := p.sources[t.Path]
	if src == nil || !token.IsIdentifier(name) {
		why := p.missing[t.Path]
		switch {
		case why == "":
			why = "this names no type"
		case strings.Contains(why, "missing go.sum entry"): // as in new modules, where only generated code will import it
			p.Warnf(m.pos, "%s=%s is taken on trust: go.sum does not have its module yet", key, ref).
				Suggest("run go mod tidy when the code is generated")
			return t
		}
		d := p.Errorf(m.pos, "%s=%s: %s", key, ref, why)
		before, after, _ := cutLast(ref, "/")
		switch full := k.file.importPath(t.Path); {
		case full != "":
			d.Suggest("did you mean %s.%s?", full, t.Name)
		case src == nil && token.IsIdentifier(after) && p.sources[before] != nil:
			d.Suggest("did you mean %s.%s?", before, after)
		case strings.Contains(why, "no required module provides"):
			d.Suggest("or correct the marker")
		default:
			d.Suggest("write TYPE for a type of this package, or PATH.TYPE with the import path of a package that this module requires")
		}
		return t
	}
	if d, ok := p.lookup(src, name); src.broken() && !ok || ok && d.typ != nil && token.IsExported(name) {
		if ok {
			p.requireObject(src, d, k.resource.Methods[m.index], m.pos, key+"="+ref)
		}
		return t
	}
	d := p.Errorf(m.pos, "%s=%s: package %s has no exported type %s", key, ref, t.Path, name)
	var names []string
	for name, d := range src.decls {
		if d.typ != nil && token.IsExported(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	nearest, near := markers.Nearest(name, names)
	switch {
	case suffix != "" && strings.HasSuffix(t.Name, suffix):
		d.Suggest("write %s=%s: verb=list adds %s", key, strings.TrimSuffix(ref, suffix), suffix)
	case near:
		d.Suggest("did you mean %s?", nearest)
	default:
		d.Suggest("declare it, or correct the marker")
	}
	return t
}
