package conformance

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v2"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// SchemaReport says how one schema of server-side apply differs from another as data: the order and spelling of the
// text do not matter.
type SchemaReport struct {
	Types, Fields int      // of the old schema
	Differences   []string // one for each type, field, or other part of a type, in order
}

// String is the report in one line.
func (r SchemaReport) String() string {
	return fmt.Sprintf("%d types with %d fields compared: %d differ", r.Types, r.Fields, len(r.Differences))
}

// EmbeddedSchema returns the schema that generated apply configurations carry: the one long string in their package
// "internal", whose directory is below dir.
func EmbeddedSchema(dir string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "internal", "internal.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if value, err := strconv.Unquote(lit.Value); err == nil && len(value) > len(text) {
				text = value
			}
		}
		return true
	})
	return text, nil
}

// CompareSchemas compares two schemas type by type, and type definitions field by field. An error says that one of
// them is none, or refers to a type that it has not got. The new one may have more types with any fields: kubegen
// adds those of kinds that are not applied, so that fake clientsets store their objects.
func CompareSchemas(before, after string) (SchemaReport, error) {
	oldTypes, err := schemaTypes(before)
	if err != nil {
		return SchemaReport{}, fmt.Errorf("old schema: %w", err)
	}
	newTypes, err := schemaTypes(after)
	if err != nil {
		return SchemaReport{}, fmt.Errorf("new schema: %w", err)
	}
	report := SchemaReport{Types: len(oldTypes)}
	both := maps.Clone(oldTypes)
	maps.Copy(both, newTypes)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		was, inOld := oldTypes[name]
		is, inNew := newTypes[name]
		if !inOld && isDeduced(is) {
			continue
		}
		if inOld != inNew {
			report.Differences = append(report.Differences, fmt.Sprintf("%s: in old: %t, in new: %t", name, inOld, inNew))
			continue
		}
		oldFields, newFields := takeFields(&was), takeFields(&is)
		report.Fields += len(oldFields)
		if !reflect.DeepEqual(was, is) {
			report.Differences = append(report.Differences, fmt.Sprintf("%s: was %s, is %s", name, inYAML(was), inYAML(is)))
		}
		fields := maps.Clone(oldFields)
		maps.Copy(fields, newFields)
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			was, is := oldFields[field], newFields[field]
			if reflect.DeepEqual(was, is) {
				continue
			}
			part, difference := "field ", fmt.Sprintf("%s: was %s, is %s", field, inYAML(was), inYAML(is))
			if was.Default, is.Default = nil, nil; reflect.DeepEqual(was, is) {
				part = "default of field "
			}
			report.Differences = append(report.Differences, name+", "+part+difference)
		}
	}
	return report, nil
}

// isDeduced reports whether objects of a type have any fields.
func isDeduced(a schema.Atom) bool {
	return a.Scalar == nil && a.List == nil && a.Map != nil && len(a.Map.Fields) == 0 && a.Map.ElementType.NamedType != nil &&
		*a.Map.ElementType.NamedType == "__untyped_deduced_"
}

// schemaTypes reads a schema and returns its types by name.
func schemaTypes(text string) (map[string]schema.Atom, error) {
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		return nil, err
	}
	types := map[string]schema.Atom{}
	for _, t := range p.Schema.Types {
		types[t.Name] = t.Atom
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(types)) {
		for _, ref := range references(types[name]) {
			if _, ok := types[ref]; !ok {
				errs = append(errs, fmt.Errorf("%s refers to %s, which there is not", name, ref))
			}
		}
	}
	return types, errors.Join(errs...)
}

// references returns the names of the types that a type refers to.
func references(a schema.Atom) []string {
	var refs []schema.TypeRef
	if a.List != nil {
		refs = append(refs, a.List.ElementType)
	}
	if a.Map != nil {
		refs = append(refs, a.Map.ElementType)
		for _, f := range a.Map.Fields {
			refs = append(refs, f.Type)
		}
	}
	var names []string
	for _, ref := range refs {
		if ref.NamedType != nil {
			names = append(names, *ref.NamedType)
		}
		names = append(names, references(ref.Inlined)...)
	}
	return names
}

// takeFields takes the fields out of a type, so that the rest can be compared apart from them.
func takeFields(a *schema.Atom) map[string]schema.StructField {
	fields := map[string]schema.StructField{}
	if a.Map == nil {
		return fields
	}
	for _, f := range a.Map.Fields {
		fields[f.Name] = f
	}
	a.Map = &schema.Map{Unions: a.Map.Unions, ElementType: a.Map.ElementType, ElementRelationship: a.Map.ElementRelationship}
	return fields
}

func inYAML(part any) string {
	text, err := yaml.Marshal(part)
	if err != nil {
		return err.Error()
	}
	return strconv.Quote(string(text))
}
