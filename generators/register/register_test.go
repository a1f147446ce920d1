package register

import (
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/files/render"
	"github.com/kubegen/kubegen/internal/terms/model"
)

// TestRegistration checks texts that the file for a package has and lacks.
func TestRegistration(t *testing.T) {
	const handWritten = "var GroupName, SchemeGroupVersion, GroupVersion, Install int\nfunc Kind() {}\nfunc Resource() {}\n"
	for _, test := range []struct {
		name, handWritten string
		of                model.Registration
		has, lacks        []string
	}{
		{name: "names", has: []string{
			`GroupName = "a.\"b"`, `SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}`,
			`GroupVersion = metav1.GroupVersion{Group: GroupName, Version: "v1"}`, "Install = ", "func Kind(", "func Resource(",
		}},
		{name: "hand-written names", handWritten: handWritten,
			has: []string{"AddToScheme = "}, lacks: []string{"GroupName = ", "GroupVersion = ", "Install = ", "func Kind(", "func Resource("}},
		{name: "types", of: model.Registration{Types: []string{"Foo", "FooList"}},
			has: []string{"AddKnownTypes(SchemeGroupVersion,\n\t\t&Foo{},\n\t\t&FooList{},\n\t)"}, lacks: []string{"AddKnownTypeWithName"}},
		{name: "no types", has: []string{"metav1.AddToGroupVersion("}, lacks: []string{"AddKnownType"}},
		{name: "another name", of: model.Registration{Named: []model.Registered{{Kind: "Bar", Type: "Foo"}}},
			has: []string{`AddKnownTypeWithName(SchemeGroupVersion.WithKind("Bar"), &Foo{})`}, lacks: []string{"AddKnownTypes("}},
		{name: "functions", has: []string{"= runtime.SchemeBuilder{addKnownTypes}"}, lacks: []string{"Register("}},
		{name: "objects", of: model.Registration{Objects: true},
			has: []string{"\tGroupVersion = SchemeGroupVersion\n", "func (b *objectSchemeBuilder) Register(", "= &objectSchemeBuilder{"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.of.Group, test.of.Version = `a."b`, "v1"
			pkg := &model.Package{Path: "example.com/v1", Name: "v1", Registration: &test.of}
			files, diags := render.Files(Generator{}, &model.API{Packages: []*model.Package{pkg}}, &render.Options{
				HandWritten: func(string) map[string][]byte {
					return map[string][]byte{"a.go": []byte("package v1\n" + test.handWritten)}
				},
			})
			if len(diags) > 0 || len(files) != 1 {
				t.Fatalf("%d files, %v", len(files), diags)
			}
			text := string(files[0].Content)
			for _, part := range test.has {
				if !strings.Contains(text, part) {
					t.Errorf("lacks %s\n%s", part, text)
				}
			}
			for _, part := range test.lacks {
				if strings.Contains(text, part) {
					t.Errorf("has %s\n%s", part, text)
				}
			}
		})
	}
}
