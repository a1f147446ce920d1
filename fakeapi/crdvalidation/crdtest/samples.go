package crdtest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation/internal/place"
)

// SampleReport is what [Samples] has found.
type SampleReport struct {
	Findings []Finding
	Judged   int       // objects of kinds of the definitions
	Others   int       // objects of other kinds
	Skipped  []Finding // notes about what is no whole object: templates, patches and excerpts
}

// Samples judges the objects of the kinds of definitions in YAML and JSON files, and in such blocks of Markdown files,
// as "kubectl apply --validate=strict" does: unknown fields, wrong values and broken rules are errors. samples are
// files, directories, and patterns of [fs.Glob]. Objects of other kinds are only counted, unless the kind is one of the
// definitions, misspelled. Templates, patches of kustomize, and excerpts with "..." are not judged. It is an error if
// nothing is there.
func Samples(definitions, samples []string) (*SampleReport, error) {
	all, err := crdvalidation.Definitions(definitions...)
	if err != nil {
		return nil, err
	}
	files, err := sampleFiles(samples)
	if err != nil {
		return nil, err
	}
	s := &sampler{kinds: map[schema.GroupKind]*schemas{}, patches: place.Patches{}}
	for _, definition := range all {
		kind := schema.GroupKind{Group: definition.Spec.Group, Kind: definition.Spec.Names.Kind}
		if other := s.kinds[kind]; other == nil {
			if s.kinds[kind], err = newSchemas(definition); err != nil {
				return nil, err
			}
		} else if !reflect.DeepEqual(other.definition.Spec, definition.Spec) {
			s.twice = append(s.twice, definition)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, document := range place.Documents(file, string(text)) {
			s.judge(document)
		}
	}
	if s.Judged+len(s.Findings)+len(s.Skipped) == 0 {
		return nil, fmt.Errorf("no sample in %s is of a kind of the definitions (files there: %d, objects of other kinds: %d)",
			strings.Join(samples, ", "), len(files), s.Others)
	}
	sortFindings(s.Findings)
	return &s.SampleReport, nil
}

// sampleFiles returns the files with samples in files, directories and patterns.
func sampleFiles(samples []string) (files []string, err error) {
	extensions := []string{".yaml", ".yml", ".json", ".jsonl", ".md", ".markdown"}
	for _, sample := range samples {
		paths, err := matches(sample)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sample, err)
		}
		for _, path := range paths {
			found, err := place.Files(path, extensions...)
			if err != nil {
				return nil, err
			}
			if path != sample { // of a pattern
				found = slices.DeleteFunc(found, func(file string) bool { return !slices.Contains(extensions, filepath.Ext(file)) })
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// matches returns the existing files for a pattern. Its beginning may be a directory whose name looks like a pattern.
func matches(pattern string) ([]string, error) {
	dir, rest := pattern, ""
	for {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir, rest = parent, path.Join(filepath.Base(dir), rest)
	}
	if rest == "" {
		return []string{pattern}, nil
	}
	names, err := fs.Glob(os.DirFS(dir), rest)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%w; name files and directories with samples, such as config/samples", os.ErrNotExist)
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names, err
}

// A sampler judges documents.
type sampler struct {
	kinds   map[schema.GroupKind]*schemas
	twice   []*crdvalidation.Definition // that differ from others of their kind
	patches place.Patches
	SampleReport
}

// judge judges a document, or says why it is none.
func (s *sampler) judge(d place.Document) {
	objects, err := d.Objects()
	ofGroup := func(version string) bool { return len(s.namesIn(schema.FromAPIVersionAndKind(version, "").Group)) > 0 }
	var at *place.Error
	switch {
	case !errors.As(err, &at):
	case strings.Contains(d.Text, "{{"):
		s.skip(d, d.Line, "a template of Helm")
	case strings.Contains(d.Text, "{%"):
		s.skip(d, d.Line, "a template with {%...%}")
	case slices.ContainsFunc(strings.Split(d.Text, "\n"), leftOut.MatchString):
		s.skip(d, d.Line, `an excerpt with "..."`)
	case d.Has("apiVersion", ofGroup):
		found, _ := Problems(at)
		s.Findings = append(s.Findings, found...)
	default:
		s.Others++
	}
	for _, o := range objects {
		s.object(o)
	}
}

// object judges an object.
func (s *sampler) object(o place.Object) {
	on := s.kinds[o.Kind.GroupKind()]
	nearest := ""
	if on == nil {
		nearest = s.nearest(o.Kind.GroupKind())
	}
	switch {
	case hasNode(o.Node, isTemplate), strings.Contains(o.Text, "{{") && isInChart(o.File):
		s.skip(o.Document, o.Node.Line, "a template of Helm")
	case on == nil && nearest == "":
		s.Others++
	case hasNode(o.Node, isLeftOut), endsEarly.MatchString(o.Text):
		s.skip(o.Document, o.Node.Line, `an excerpt with "..."`)
	case hasNode(o.Node, isVariable):
		s.skip(o.Document, o.Node.Line, "a template with variables such as ${NAME} or <name>")
	case s.patches.Has(o.File), hasNode(o.Node, isDirective):
		s.skip(o.Document, o.Node.Line, "a patch of kustomize")
	case on == nil:
		key, _ := place.Find(o.Node, "kind")
		s.find(o, key, fmt.Sprintf("no matches for kind %q in group %q (did you mean %s?)", o.Kind.Kind, o.Kind.Group, nearest))
	default:
		s.Judged++
		for _, other := range s.twice {
			if other.Spec.Group == o.Kind.Group && other.Spec.Names.Kind == o.Kind.Kind {
				s.find(o, o.Node, fmt.Sprintf("%s is defined differently in %s and %s; name one of them", other.Name, on.definition.File, other.File))
				return
			}
		}
		s.compare(o, on)
	}
}

// namesIn returns the definitions of a group.
func (s *sampler) namesIn(group string) (all []*crdvalidation.Definition) {
	for kind, on := range s.kinds {
		if kind.Group == group {
			all = append(all, on.definition)
		}
	}
	slices.SortFunc(all, func(a, b *crdvalidation.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// nearest returns the kind of a definition that a kind of its group seems to misspell, or "". Groups have kinds that
// differ in a capital, a digit or the last letter, and definitions that are elsewhere; these are no slips.
func (s *sampler) nearest(kind schema.GroupKind) string {
	for _, d := range s.namesIn(kind.Group) {
		names := d.Spec.Names
		for _, name := range append([]string{names.Kind, names.Plural, names.Singular}, names.ShortNames...) {
			if strings.EqualFold(kind.Kind, name) {
				return names.Kind
			}
		}
		if isSlip(kind.Kind, names.Kind) {
			return names.Kind
		}
	}
	return ""
}

// isSlip reports whether two names differ in one small letter that is wrong, missing, additional or swapped with the
// next, but not the last one of the longer name.
func isSlip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	i, j := 0, 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	for j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	longer, shorter := a[i:len(a)-j], b[i:len(b)-j]
	swapped := len(longer) == 2 && len(shorter) == 2 && longer[0] == shorter[1] && longer[1] == shorter[0]
	one := len(longer) == 1 && len(shorter) <= 1 && j > 0
	return (one || swapped) && strings.Trim(longer+shorter, "abcdefghijklmnopqrstuvwxyz") == ""
}

// find adds an error at a node of an object.
func (s *sampler) find(o place.Object, at *yaml.Node, message string) {
	s.Findings = append(s.Findings, Finding{
		Severity: "error", File: o.File, Line: at.Line, Column: at.Column, Symbol: o.Kind.Kind, Message: oneLine(message),
	})
}

func (s *sampler) skip(d place.Document, line int, what string) {
	s.Skipped = append(s.Skipped, Finding{Severity: "note", File: d.File, Line: line, Message: "not judged: " + what})
}

// isInChart reports whether a file is among the templates of a chart.
func isInChart(file string) bool {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "templates" {
			_, err := os.Stat(filepath.Join(filepath.Dir(dir), "Chart.yaml"))
			return err == nil
		}
	}
	return false
}

// hasNode reports whether a node or one in it is such a node.
func hasNode(node *yaml.Node, is func(*yaml.Node) bool) bool {
	return is(node) || slices.ContainsFunc(node.Content, func(inner *yaml.Node) bool { return hasNode(inner, is) })
}

// isTemplate reports whether a node is an action of Helm without quotes, which YAML takes for a map in a map.
func isTemplate(node *yaml.Node) bool {
	return node.Kind == yaml.MappingNode && len(node.Content) > 0 && node.Content[0].Kind == yaml.MappingNode
}

// isVariable reports whether a node is a value without quotes that envsubst, clusterctl or readers replace.
func isVariable(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Style == 0 && variable.MatchString(node.Value)
}

// variable matches variables such as ${NAME} and <name>.
var variable = regexp.MustCompile(`\$\{|<[A-Za-z][A-Za-z0-9 _-]*>`)

// isLeftOut reports whether a node has "..." for something that is left out.
func isLeftOut(node *yaml.Node) bool {
	if node.Kind == yaml.ScalarNode && leftOut.MatchString(node.Value) && node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		return true
	}
	return slices.ContainsFunc([]string{node.HeadComment, node.LineComment, node.FootComment}, func(comment string) bool {
		return slices.ContainsFunc(strings.Split(comment, "\n"), leftOut.MatchString)
	})
}

// leftOut matches a value, comment or line that says that something is left out.
var leftOut = regexp.MustCompile(`^\s*(?:#\s*|-\s+)*[\[<(]?\s*(?:\.\.\.|…)\s*[\])>]?\s*$|^\s*#\s*(?:\.\.\.|…)`)

// endsEarly matches "..." before other text, which ends a document for YAML.
var endsEarly = regexp.MustCompile(`(?m)^\.\.\.\s*\S`)

// isDirective reports whether a node has a key of strategic merge patches.
func isDirective(node *yaml.Node) bool {
	return child(node, "$patch") != nil || child(node, "$retainKeys") != nil
}

// compare judges an object of the kind of a definition.
func (s *sampler) compare(o place.Object, on *schemas) {
	for _, at := range o.Repeated() {
		s.find(o, &yaml.Node{Line: at.Line, Column: at.Column}, at.Err.Error())
	}
	object, err := objectOf(o, on)
	if err != nil {
		s.find(o, o.Node, err.Error())
		return
	}
	rules, err := on.of(object)
	if err != nil {
		key, _ := place.Find(o.Node, "apiVersion")
		s.find(o, key, fmt.Sprintf("no matches for kind %q in version %q; %s serves %s", o.Kind.Kind, o.Kind.GroupVersion(),
			on.definition.Name, strings.Join(served(on), ", ")))
		return
	}
	unknown, err := unknownFields(rules, object)
	if err != nil {
		at := o.Mistyped(err, "metadata")
		s.find(o, &yaml.Node{Line: at.Line, Column: at.Column}, at.Err.Error())
		return
	}
	for _, path := range unknown {
		key, _ := place.Find(o.Node, path)
		s.find(o, key, fmt.Sprintf("unknown field %q", path))
	}
	_, refusal, err := on.create(object, false)
	var of *refused
	switch {
	case err != nil:
		s.find(o, o.Node, err.Error())
	case errors.As(refusal, &of):
		for _, one := range of.errs {
			if ofWhole(one) > 0 && one.BadValue == nil {
				continue // it says that rules were not checked because of the other errors
			}
			key, _ := place.Find(o.Node, strings.ReplaceAll(joined(stepsOf(one)), ".[", "["))
			s.find(o, key, short(one))
		}
	case refusal != nil:
		s.find(o, o.Node, refusal.Error())
	}
}

// objectOf returns an object of the kind of a definition, without a namespace if it can have none, as servers do.
func objectOf(o place.Object, on *schemas) (*unstructured.Unstructured, error) {
	data, err := o.JSON()
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, &object.Object); err != nil {
		return nil, err
	}
	if object.Object["metadata"] == nil {
		delete(object.Object, "metadata")
	}
	object.SetGroupVersionKind(o.Kind) // which may be the list's
	if on.definition.Spec.Scope == apiextensionsv1.ClusterScoped {
		object.SetNamespace("")
	}
	return object, nil
}

// short returns an error without a value that would fill the line.
func short(err *field.Error) string {
	if ofWhole(err) > 0 {
		return err.Detail // which begins with the path
	}
	const most = 100
	if len(fmt.Sprint(err.BadValue)) <= most {
		return err.Error()
	}
	short := *err
	short.BadValue = field.OmitValueType{}
	return short.Error()
}

// served returns the versions that a definition serves.
func served(on *schemas) (versions []string) {
	for _, v := range on.definition.Spec.Versions {
		if v.Served {
			versions = append(versions, v.Name)
		}
	}
	return versions
}

// unknownFields returns the paths of the fields of an object that are in no schema. It is an error if a field of its
// metadata is malformed.
func unknownFields(rules fakeapi.Rules, o *unstructured.Unstructured) (paths []string, err error) {
	if decoding, ok := rules.(interface {
		Decode(object map[string]any) (unknown []string, err error)
	}); ok {
		paths, _ = decoding.Decode(runtime.DeepCopyJSON(o.Object)) // create returns the error
	}
	_, _, more, err := objectmeta.GetObjectMetaWithOptions(o.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	return append(paths, more...), err
}
