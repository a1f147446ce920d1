package applyconfiguration

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// omissions collects diagnostics about fields that apply configurations omit.
type omissions struct {
	diags  diag.List
	r      model.Reader
	policy model.Policy
	unseen map[string]bool // missing packages of types embedded in kinds
	levels map[*model.StructType]int
}

// reportOmitted reports the fields of structs of the input that apply configurations omit or cannot represent. In
// structs, a struct declared as another one must come after that one, so that their common fields are reported once.
func reportOmitted(structs []*model.StructType, r model.Reader, policy model.Policy) diag.List {
	o := &omissions{r: r, policy: policy, unseen: map[string]bool{}, levels: map[*model.StructType]int{}}
	seen := map[*model.Field]bool{}
	for _, s := range structs {
		for _, f := range s.Fields {
			switch {
			case s.Package == nil:
			case cannotBeSet(f):
				if !encodesItself(s) && !seen[f] {
					o.reportUnexported(s, f)
				}
			case f.InJSON():
				o.reportType(s, f)
			case f.Untagged() && !f.Embedded && token.IsExported(f.Name) && !s.Methods.JSON && !seen[f]:
				o.diags.Warnf(f.Pos, "field %s of %s %s: the apply configuration omits it", f.Name, s.Name, model.NoJSONTag(f.Tag)).
					Suggest("add one, or `json:\"-\"` if the field is not part of the API").Once(model.Untagged(f.Pos))
			}
			if cannotBeSet(f) || f.Untagged() { // a map of all fields would be large
				seen[f] = true
			}
		}
		if s.Package != nil && o.levelsOf(s) == model.MaxEmbedded+1 {
			o.diags.Errorf(
				s.Pos, "type %s embeds structs more than %d levels deep: its apply configuration would have methods for the fields of all of them",
				s.Name, model.MaxEmbedded,
			).Suggest("give the field of one of them a name, or generate no apply configurations")
		}
	}
	return o.diags
}

// reportUntracked reports the fields of kinds without an apply configuration that fake.NewClientset cannot handle.
func reportUntracked(r model.Reader, applied []*model.StructType, others []model.TypeRef) (diags diag.List) {
	for _, s := range r.Structs(others...) {
		if s.Package == nil || slices.Contains(applied, s) {
			continue
		}
		for _, f := range s.Fields {
			if what, instead := untracked(s, f); what != "" {
				diags.Warnf(f.Pos, "field %s of %s %s, which fake.NewClientset cannot handle", f.Name, s.Name, what).
					Suggest("%s", instead).Like("field that " + what)
			}
		}
	}
	return diags
}

// untracked returns the reason why fake.NewClientset cannot handle a field of a kind without an apply configuration,
// and advice, or "".
func untracked(s *model.StructType, f *model.Field) (what, instead string) {
	switch {
	case cannotBeSet(f):
		if !encodesItself(s) && f.Tag.Get("json") != "-" {
			return "is unexported", "export it, and tag it `json:\"-\"` if it is not part of the API"
		}
	case f.InJSON() && f.Type.Unwritable() == nil:
		if bad, use := notApplicable(f); bad != "" {
			return "contains " + bad, "use " + use
		}
	}
	return "", ""
}

// encodesItself reports whether a struct has methods that determine its JSON form.
func encodesItself(s *model.StructType) bool {
	methods := methodSet(&model.Type{Kind: model.Struct, Struct: s})
	return methods.JSON || methods.Text
}

// levelsOf returns the depth of embedding in a struct: 0 if it embeds none. A struct that embeds itself is counted
// once.
func (o *omissions) levelsOf(s *model.StructType) int {
	levels, seen := o.levels[s]
	if seen {
		return levels
	}
	o.levels[s] = 0
	for _, f := range s.Fields {
		if inner := f.Type.Deref().Struct; f.Embedded && inner != nil {
			levels = max(levels, o.levelsOf(inner)+1)
		}
	}
	o.levels[s] = levels
	return levels
}

// reportUnexported reports an unexported field. If it is not part of the JSON form, Extract functions ignore it.
func (o *omissions) reportUnexported(s *model.StructType, f *model.Field) {
	if f.Tag.Get("json") == "-" {
		o.diags.Warnf(f.Pos, "field %s of %s is unexported, which Apply of fake.NewClientset cannot handle", f.Name, s.Name).
			Suggest("export it; the tag may stay").Like("unexported field outside JSON")
		return
	}
	o.diags.Warnf(f.Pos, "field %s of %s is unexported, which Extract functions and fake.NewClientset cannot handle", f.Name, s.Name).
		Suggest("export it, and tag it `json:\"-\"` if it is not part of the API").Like("unexported field")
}

// reportType reports a field whose type generated code cannot name, or server-side apply cannot handle.
func (o *omissions) reportType(s *model.StructType, f *model.Field) {
	switch bad := f.Type.Unwritable(); {
	case bad == nil:
		if what, instead := notApplicable(f); what != "" {
			o.diags.Warnf(f.Pos, "field %s of %s contains %s, which Extract functions and fake.NewClientset cannot handle", f.Name, s.Name, what).
				Suggest("use %s", instead).Like("field that contains " + what)
		}
	case bad.Kind == model.Func:
		o.diags.Warnf(
			f.Pos, "field %s of %s is a func or channel, which JSON cannot represent: the apply configuration omits it", f.Name, s.Name,
		).Suggest("tag it `json:\"-\"`")
	case bad.Name.Name == "":
		o.diags.Warnf(f.Pos, "the type of field %s of %s cannot be written in generated code: the apply configuration omits it", f.Name, s.Name).
			Suggest("declare a named type for it")
	case bad.Name.Path == "":
		o.diags.Warnf(
			f.Pos, "field %s of %s: no import is known to declare the type %s, so the apply configuration omits it", f.Name, s.Name, bad.Name.Name,
		).Suggest("import its package under a name").Once(bad.Mistake)
	case f.Embedded && s.Resource != nil:
		if len(o.unseen) == 0 { // one hint is enough
			why, commands := o.r.WhyMissing(bad.Name.Path)
			d := o.diags.Errorf(f.Pos, "cannot read %s, which kind %s embeds: %s", bad.Name.Path, s.Name, why).Once(bad.Name.Missing())
			if commands == "" {
				d.Suggest("correct the import path, or run go mod tidy; or generate no apply configurations")
			} else {
				d.Run("%s, then run the command again; or generate no apply configurations", commands)
			}
		}
		o.unseen[bad.Name.Path] = true
	case o.unseen[bad.Name.Path]:
	default:
		o.reportUnknown(s, f, bad.Name)
	}
}

// maxInlined is the greatest depth of embedded structs whose fields structured-merge-diff distinguishes. At greater
// depths, it appends the indexes of several fields to one slice (TypeReflectEntryOf in
// sigs.k8s.io/structured-merge-diff/v6 and v7).
const maxInlined = 2

// nests reports whether more than maxInlined structs are embedded in each other, beginning with s.
func nests(s *model.StructType) bool {
	level, seen := []*model.StructType{s}, map[*model.StructType]bool{s: true}
	for range maxInlined {
		var next []*model.StructType
		for _, outer := range level {
			for _, f := range outer.JSONFields() {
				if inner := f.Type.Deref().Struct; f.Inline() && inner != nil && !seen[inner] {
					seen[inner] = true
					next = append(next, inner)
				}
			}
		}
		level = next
	}
	return slices.ContainsFunc(level, func(inner *model.StructType) bool { return len(inner.JSONFields()) > 0 })
}

// notApplicable returns the part of a field that server-side apply cannot handle, and an alternative, or "". The type
// of the field has a name.
func notApplicable(f *model.Field) (what, instead string) {
	if inner := f.Type.Deref().Struct; f.Inline() && inner != nil && nests(inner) {
		return "embedded structs that embed others", "fields with names"
	}
	if what, instead = unappliable(f.Type); what == "" && f.Quoted() {
		return "a value that the JSON option string encodes as a string", "a string"
	}
	return what, instead
}

// reportUnknown reports a field with a type that its package does not declare, or whose package cannot be read. The
// latter is an error in packages of other modules, which compile, unless the classic tools would omit the field.
func (o *omissions) reportUnknown(s *model.StructType, f *model.Field, t model.TypeRef) {
	why, commands := o.r.WhyMissing(t.Path)
	if why == "" {
		o.diags.Warnf(f.Pos, "field %s of %s: there is no type %s in %s, so the apply configuration omits it", f.Name, s.Name, t.Name, t.Path).
			Suggest("declare it, or correct the field").Once(t.Missing())
		return
	}
	if s.Package.Foreign && !o.policy.NoAdvice {
		o.diags.Errorf(f.Pos, "field %s of %s: cannot read %s, so the apply configuration would omit it: %s", f.Name, s.Name, t.Path, why).
			CausedBy(why).Once(t.Missing()).Run("%s", cmp.Or(commands, "go get "+t.Path)).Or("generate no apply configurations")
		return
	}
	d := o.diags.Warnf(
		f.Pos, "field %s of %s: cannot read %s, so the apply configuration omits it", f.Name, s.Name, t.Path,
	).CausedBy(why).Once(t.Missing())
	if commands != "" {
		why += "; run " + commands
	}
	d.Suggest("%s", why)
}
