package crdtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "sigs.k8s.io/yaml"

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
// files, directories, and patterns of [filepath.Glob]. Objects of other kinds are only counted. Templates, patches of
// kustomize, and excerpts with "..." are not judged. It is an error if nothing is there.
func Samples(definitions, samples []string) (*SampleReport, error) {
	all, err := crdvalidation.Definitions(definitions...)
	if err != nil {
		return nil, err
	}
	files, err := sampleFiles(samples)
	if err != nil {
		return nil, err
	}
	s := &sampler{kinds: map[schema.GroupKind]*schemas{}, patches: patches{}}
	for _, definition := range all {
		kind := schema.GroupKind{Group: definition.Spec.Group, Kind: definition.Spec.Names.Kind}
		if s.kinds[kind] == nil {
			if s.kinds[kind], err = newSchemas(definition); err != nil {
				return nil, err
			}
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, document := range documentsIn(file, string(text)) {
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
	for _, pattern := range samples {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %w; name files and directories with samples, such as config/samples", pattern, os.ErrNotExist)
		}
		for _, path := range found {
			err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json", ".md", ".markdown"}, filepath.Ext(file)) {
					files = append(files, file)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// A sampler judges documents.
type sampler struct {
	kinds   map[schema.GroupKind]*schemas
	patches patches
	SampleReport
}

// judge judges a document, or says why it is none.
func (s *sampler) judge(d document) {
	root := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(d.text), root); err != nil {
		switch {
		case strings.Contains(d.text, "{{"):
			s.skip(d, d.line, "a template of Helm")
		case strings.Contains(d.text, "{%"):
			s.skip(d, d.line, "a template with {%...%}")
		case d.isExcerpt():
			s.skip(d, d.line, `an excerpt with "..."`)
		case s.isMentioned(d.text):
			s.malformed(d, err)
		default:
			s.Others++
		}
		return
	}
	if len(root.Content) > 0 {
		s.object(d, root.Content[0])
	}
}

// object judges an object, or those in a list.
func (s *sampler) object(d document, node *yaml.Node) {
	kind, ok := kindOf(node)
	if items := child(node, "items"); kind.Kind == "List" && kind.Group == "" && items != nil {
		for _, item := range items.Content {
			s.object(d, place.Resolved(item))
		}
		return
	}
	on := s.kinds[kind.GroupKind()]
	switch {
	case hasNode(node, isTemplate), strings.Contains(d.text, "{{") && d.isInChart():
		s.skip(d, node.Line, "a template of Helm")
	case !ok || on == nil:
		s.Others++
	case hasNode(node, isLeftOut):
		s.skip(d, node.Line, `an excerpt with "..."`)
	case hasNode(node, isVariable):
		s.skip(d, node.Line, "a template with variables in ${}")
	case s.patches.has(d.file), hasNode(node, isDirective):
		s.skip(d, node.Line, "a patch of kustomize")
	default:
		s.Judged++
		s.Findings = append(s.Findings, d.judge(node, kind, on)...)
	}
}

func (s *sampler) skip(d document, line int, what string) {
	s.Skipped = append(s.Skipped, Finding{Severity: "note", File: d.file, Line: line, Message: "not judged: " + what})
}

// malformed notes that a document is no YAML.
func (s *sampler) malformed(d document, err error) {
	line, message := d.line, strings.TrimPrefix(err.Error(), "yaml: ")
	if found := lineOf.FindStringSubmatch(err.Error()); found != nil {
		_, _ = fmt.Sscan(found[1], &line)
		message = lineOf.ReplaceAllString(err.Error(), "")
	}
	s.Findings = append(s.Findings, Finding{Severity: "error", File: d.file, Line: line, Message: "this is no YAML: " + oneLine(message)})
}

// isMentioned reports whether a text that is no YAML has an apiVersion of a group of the definitions.
func (s *sampler) isMentioned(text string) bool {
	for line := range strings.Lines(text) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "apiVersion:"); ok {
			group, _, _ := strings.Cut(strings.Trim(strings.TrimSpace(version), `"'`), "/")
			if slices.ContainsFunc(slices.Collect(maps.Keys(s.kinds)), func(kind schema.GroupKind) bool { return kind.Group == group }) {
				return true
			}
		}
	}
	return false
}

// kindOf returns the kind of an object.
func kindOf(node *yaml.Node) (kind schema.GroupVersionKind, ok bool) {
	version, name := child(node, "apiVersion"), child(node, "kind")
	if version == nil || name == nil {
		return kind, false
	}
	return schema.FromAPIVersionAndKind(version.Value, name.Value), true
}

// hasNode reports whether a node or one in it is such a node.
func hasNode(node *yaml.Node, is func(*yaml.Node) bool) bool {
	return is(node) || slices.ContainsFunc(node.Content, func(inner *yaml.Node) bool { return hasNode(inner, is) })
}

// isTemplate reports whether a node is an action of Helm without quotes, which YAML takes for a map in a map.
func isTemplate(node *yaml.Node) bool {
	return node.Kind == yaml.MappingNode && len(node.Content) > 0 && node.Content[0].Kind == yaml.MappingNode
}

// isVariable reports whether a node is a value without quotes that envsubst and clusterctl replace.
func isVariable(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Style == 0 && strings.Contains(node.Value, "${")
}

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
var leftOut = regexp.MustCompile(`^\s*(?:#\s*|-\s+)*[\[<(]?\s*(?:\.\.\.|…)\s*[\])>]?\s*$`)

// isDirective reports whether a node has a key of strategic merge patches.
func isDirective(node *yaml.Node) bool {
	return child(node, "$patch") != nil || child(node, "$retainKeys") != nil
}

// judge judges an object of a kind of a definition.
func (d document) judge(node *yaml.Node, kind schema.GroupVersionKind, on *schemas) []Finding {
	finding := func(at *yaml.Node, message string) Finding {
		return Finding{Severity: "error", File: d.file, Line: at.Line, Column: at.Column + d.spaces, Symbol: kind.Kind, Message: oneLine(message)}
	}
	text, err := yaml.Marshal(node)
	var data []byte
	if err == nil {
		data, err = utilyaml.YAMLToJSONStrict(text)
	}
	o := &unstructured.Unstructured{}
	if err == nil {
		err = o.UnmarshalJSON(data)
	}
	if err != nil {
		if found := repeated(node); found != nil {
			return []Finding{finding(found, fmt.Sprintf("the key %q is there twice", found.Value))}
		}
		return []Finding{finding(node, err.Error())}
	}
	if on.definition.Spec.Scope == apiextensionsv1.ClusterScoped {
		o.SetNamespace("") // as servers do
	}
	rules, err := on.of(o)
	if err != nil {
		key, _ := place.Find(node, "apiVersion")
		return []Finding{finding(key, fmt.Sprintf("no matches for kind %q in version %q; %s serves %s", kind.Kind, kind.GroupVersion(),
			on.definition.Name, strings.Join(served(on), ", ")))}
	}
	var found []Finding
	unknown, err := unknownFields(rules, o)
	if err != nil {
		key, _ := place.Find(node, "metadata")
		return []Finding{finding(key, err.Error())}
	}
	for _, path := range unknown {
		key, _ := place.Find(node, path)
		found = append(found, finding(key, fmt.Sprintf("unknown field %q", path)))
	}
	_, refusal, err := on.create(o, false)
	var of *refused
	switch {
	case err != nil:
		return append(found, finding(node, err.Error()))
	case errors.As(refusal, &of):
		for _, one := range of.errs {
			if ofWhole(one) > 0 && one.BadValue == nil {
				continue // it says that rules were not checked because of the other errors
			}
			key, _ := place.Find(node, strings.ReplaceAll(joined(stepsOf(one)), ".[", "["))
			found = append(found, finding(key, short(one)))
		}
	case refusal != nil:
		found = append(found, finding(node, refusal.Error()))
	}
	return found
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

// repeated returns the second of two equal keys of a map, or nil.
func repeated(node *yaml.Node) *yaml.Node {
	seen := map[string]bool{}
	for i, inner := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[inner.Value] {
				return inner
			}
			seen[inner.Value] = true
		} else if found := repeated(inner); found != nil {
			return found
		}
	}
	return nil
}

// patches has the files that kustomizations name as patches, by directory with a kustomization.
type patches map[string][]string

// has reports whether a kustomization in the directory of a file, or above it, names the file as a patch.
func (p patches) has(file string) bool {
	abs, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		if _, known := p[dir]; !known {
			p[dir] = patchesOf(dir)
		}
		if slices.Contains(p[dir], abs) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// patchesOf returns the files that the kustomization in a directory names as patches.
func patchesOf(dir string) (files []string) {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		root := &yaml.Node{}
		if err != nil || yaml.NewDecoder(bytes.NewReader(text)).Decode(root) != nil || len(root.Content) == 0 {
			continue
		}
		for _, key := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
			list := child(root.Content[0], key)
			for i := 0; list != nil && i < len(list.Content); i++ {
				at := list.Content[i]
				if inner := child(at, "path"); inner != nil {
					at = inner
				}
				if at.Kind == yaml.ScalarNode {
					files = append(files, filepath.Join(dir, filepath.FromSlash(at.Value)))
				}
			}
		}
	}
	return files
}
