package gotypes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/loadtest"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// readType reads the type T of package x/v1, and all types that it consists of.
func readType(t *testing.T, files map[string]string) ([]*model.StructType, diag.List) {
	t.Helper()
	l := loadtest.Read(t, files, "x.example.com/v1")
	src := l.Input[0]
	r := NewReader(l, model.Policy{})
	r.Packages[src] = &model.Package{Path: src.Path}
	return r.Structs(model.TypeRef{Path: "x.example.com/v1", Name: "T"}), append(l.Mistakes(), r.Refused()...)
}

// spelled formats a type in one line: a named type followed by "=" and its underlying type, a struct preceded by
// "struct", and an unknown type preceded by "?".
func spelled(t *model.Type) string {
	name := t.Name.Name
	if t.Name.Path != "" && t.Name.Path != "x.example.com/v1" {
		name = t.Name.Path + "." + name
	}
	for i, arg := range t.Args {
		name += []string{"[", ","}[min(i, 1)] + spelled(arg)
	}
	if len(t.Args) > 0 {
		name += "]"
	}
	switch t.Kind {
	case model.Slice:
		return "[]" + spelled(t.Elem)
	case model.Array:
		return "[" + t.Len + "]" + spelled(t.Elem)
	case model.Map:
		return "map[" + spelled(t.Key) + "]" + spelled(t.Elem)
	case model.Pointer:
		return "*" + spelled(t.Elem)
	case model.Interface:
		return strings.TrimSpace("interface " + name)
	case model.Func:
		return strings.TrimSpace("func " + name)
	case model.Named:
		return name + "=" + spelled(t.Elem)
	case model.Unknown:
		return "?" + name
	case model.Struct:
		if name != "" {
			return "struct " + name
		}
		return "struct{" + fieldList(t.Fields) + "}"
	}
	return name
}

// fieldList formats fields as `Name:json type`. "!" follows the name of an embedded field, "!!" one whose fields are
// inlined in JSON.
func fieldList(fields []*model.Field) string {
	var list []string
	for _, f := range fields {
		if !f.InJSON() {
			continue
		}
		name := f.Name
		if f.Embedded {
			name += "!"
		}
		if f.Inline() {
			name += "!"
		}
		list = append(list, name+":"+f.JSON()+" "+spelled(f.Type))
	}
	return strings.Join(list, "; ")
}

// TestReadTypes reads the archives of testdata/types: in each, "types.go" declares the type T, and "want" lists T and
// the structs that it consists of, in the order of discovery, each with its fields as of fieldList. Other packages
// that they refer to are in testdata/packages.txtar.
func TestReadTypes(t *testing.T) {
	packages, err := txtar.ParseFile("testdata/packages.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob("testdata/types/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 2 || archive.Files[0].Name != "types.go" || archive.Files[1].Name != "want" {
				t.Fatal("the archive must have types.go and want")
			}
			files := map[string]string{"x.example.com/v1/types.go": string(archive.Files[0].Data)}
			for _, f := range packages.Files {
				files[f.Name] = string(f.Data)
			}
			structs, _ := readType(t, files)
			var got strings.Builder
			for _, s := range structs {
				got.WriteString("type " + s.Name + "\n")
				for _, f := range s.JSONFields() {
					got.WriteString("\t" + fieldList([]*model.Field{f}) + "\n")
				}
			}
			if want := string(archive.Files[1].Data); got.String() != want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

// TestReadAllFields checks all properties of all fields, and that the types of fields outside JSON are not followed.
func TestReadAllFields(t *testing.T) {
	structs, diags := readType(t, map[string]string{"x.example.com/v1/types.go": `package v1

import "gone.example.com/gone"

type T struct {
	// A is seen.
	// +listType=set
	A []string ` + "`json:\"a,omitempty\" protobuf:\"bytes,1\"`" + `
	b, C U ` + "`yaml:\"b\"`" + `
	gone.D
	// E is not seen.
	// +optional
	E map[string]*gone.Type ` + "`json:\"-\"`" + `
	*u
}

type U struct{ F int ` + "`json:\"f\"`" + ` }

type u U
`})
	var got []string
	for _, f := range structs[0].Fields {
		text := fmt.Sprintf("%s %s `%s` %q %v", f.Name, spelled(f.Type), f.Tag, f.Doc, f.Markers)
		if f.Embedded {
			text = "embedded " + text
		}
		if f.InJSON() {
			text += " in JSON"
		}
		got = append(got, text)
	}
	want := []string{
		"A []string `json:\"a,omitempty\" protobuf:\"bytes,1\"` [\"A is seen.\"] [{listType set  <nil> map[] x.example.com/v1/types.go:7:5}] in JSON",
		"b struct U `yaml:\"b\"` [] []",
		"C struct U `yaml:\"b\"` [] []",
		"embedded D ?gone.example.com/gone.D `` [] []",
		"E map[string]*?gone.example.com/gone.Type `json:\"-\"` [\"E is not seen.\"] [{optional   <nil> map[] x.example.com/v1/types.go:12:5}]",
		"embedded u *struct u `` [] [] in JSON",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range structs {
		if s.Name == "U" && len(s.Fields) == 0 || s.Name != "T" && s.Name != "U" && s.Name != "u" {
			t.Errorf("leads to %s with %d fields", s.Name, len(s.Fields))
		}
	}
	if len(diags) > 0 {
		t.Error(diags)
	}
}
