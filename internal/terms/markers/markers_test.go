package markers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// comments parses the comments of a file and returns them.
func comments(t testing.TB, text string) (*token.FileSet, []*ast.CommentGroup) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "types.go", text+"\npackage p\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file.Comments
}

// printed returns the diagnostics as text, one on each line.
func printed(errs diag.List) string {
	var b strings.Builder
	_ = errs.Write(&b, diag.Style{})
	return b.String()
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		target     Target
		want       string // name=value@line:column of each marker
		errs       string
	}{
		{"line comments", "// +genclient\n// prose\n//+genclient:noStatus\n//\t +resourceName = tabs ", Type,
			"genclient=@1:4 genclient:noStatus=@3:3 resourceName=tabs@4:5", ""},
		{"block comments", "/* +genclient */\n/*\n * +genclient:noVerbs\n\t+genclient:readonly\n*/", Type,
			"genclient=@1:4 genclient:noVerbs=@3:4 genclient:readonly=@4:2", ""},
		{"values hold anything", "// +genclient:method=Scale,verb=get,subresource=scale", Type,
			"genclient:method=Scale,verb=get,subresource=scale@1:4", ""},
		{"quotes", "// +groupName=\"a.example.com\"\n// +versionName=`v1`", Package, "groupName=a.example.com@1:4 versionName=v1@2:4", ""},
		{"empty value", "// +groupName=", Package, "groupName=@1:4", ""},
		{"empty arguments", "// +groupName()=a.example.com", Package, "groupName=a.example.com@1:4", ""},
		{"not at the start of a line", "// see +genclient", Type, "", ""},
		{"another tool's", "// +kubebuilder:printcolumn:name=Age,type=date\n// +kubebuilder:Resource:x=y\n// +optional\n// +k8s:protobuf-gen=package\n// +", Type, "", ""},
		{"the other target's", "// +genclient\n// +groupName=x", Package, "groupName=x@2:4", ""},
		{"switches of packages, above a type", "// +k8s:client-gen=false", Type, "", ""},
		{"groupName above a type", "// +groupName=x", Type, "",
			"types.go:1:4: warning: +groupName belongs in the package comment, not above a type: it has no effect (move it to the package comment, in doc.go, or delete it)\n"},
		{"arguments", "// +kubebuilder:resource:scope=Cluster\n// +kubebuilder:resource", Type, "kubebuilder:resource=@1:4 kubebuilder:resource=@2:4", ""},
		{"a colon before the value", "// +kubebuilder:object:root:=true\n// +kubebuilder:storageversion:=\n// +kubebuilder:resource: scope=Cluster", Type,
			"kubebuilder:object:root=true@1:4 kubebuilder:storageversion=@2:4 kubebuilder:resource=@3:4", ""},
		{"no colon before the arguments", "// +kubebuilder:resource=scope=Cluster", Type, "",
			"types.go:1:4: error: +kubebuilder:resource has = before its arguments (write a colon, as in +kubebuilder:resource:path=geese,scope=Cluster,singular=goose,shortName=g;gs,categories=all)\n"},
		{"controller-gen passes over it", "// +kubebuilder:subresource:status please", Type, "",
			"types.go:1:4: warning: unexpected \"please\" after +kubebuilder:subresource:status: the marker has no effect (put the marker on a line of its own)\n"},
		{"unknown", "/*\n  +genclient:nostatus\n*/", Type, "",
			"types.go:2:3: error: unknown marker +genclient:nostatus (did you mean +genclient:noStatus?)\n"},
		{"after the marker", "// +genclient noVerbs", Type, "",
			"types.go:1:4: error: unexpected \"noVerbs\" after +genclient (put the marker on a line of its own)\n"},
		{"not a Boolean", "// +k8s:lister-gen=no", Package, "",
			"types.go:1:4: error: the value of +k8s:lister-gen must be true or false, not \"no\" (false: no listers for the types of this package)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fset, groups := comments(t, test.text)
			var got []string
			found, errs := Read(fset, test.target, Strict, groups...)
			for _, m := range found {
				got = append(got, fmt.Sprintf("%s=%s@%d:%d", m.Name, m.Text, m.Pos.Line, m.Pos.Column))
			}
			if list := strings.Join(got, " "); list != test.want {
				t.Errorf("got  %s\nwant %s", list, test.want)
			}
			if text := printed(errs); text != test.errs {
				t.Errorf("errors\ngot  %s\nwant %s", text, test.errs)
			}
		})
	}
}

func TestDefinitions(t *testing.T) {
	seen := map[string]bool{}
	for _, def := range All {
		if seen[def.Name] {
			t.Errorf("+%s is defined twice", def.Name)
		}
		seen[def.Name] = true
	}
	for _, def := range Listed() {
		if def.Help == "" {
			t.Errorf("+%s has no help", def.Name)
		}
		fset, groups := comments(t, "// "+def.Example())
		for _, target := range def.Targets {
			if found, errs := Read(fset, target, Strict, groups...); def.Effect&Code != 0 && (def.Effect&Applied == 0 || target != Package) && len(found) != 1 || len(errs) > 0 {
				t.Errorf("the example of +%s is not understood: %v %v", def.Name, found, errs)
			}
			if found, errs := ReadManifest(Lines(fset, groups...), target, &Gates{On: map[string]bool{"Foo": true}, Foreign: true}); def.Effect&Manifests != 0 && len(found) != 1 || len(errs) > 0 {
				t.Errorf("the example of +%s is not understood for manifests: %v %v", def.Name, found, errs)
			}
		}
	}
}

func TestParseVerbs(t *testing.T) {
	for _, test := range []struct{ value, want, errs string }{
		{"get", "get", ""},
		{"list, get ,watch", "get, list, watch", ""},
		{"applyStatus,updateStatus,deleteCollection", "updateStatus, deleteCollection, applyStatus", ""},
		{"get,get", "get", ""},
		{"get,,list", "get, list", "+genclient:onlyVerbs=get,,list has an extra comma (remove it)"},
		{"get,lists", "get", `unknown verb "lists" in +genclient:onlyVerbs (did you mean list?)`},
		{"Get", "", `unknown verb "Get" in +genclient:onlyVerbs (did you mean get?)`},
	} {
		t.Run(test.value, func(t *testing.T) {
			var errs diag.List
			got := ParseVerbs(model.Marker{Name: "genclient:onlyVerbs", Text: test.value}, Strict, &errs)
			if list := Join(got.List()); list != test.want {
				t.Errorf("got %s, want %s", list, test.want)
			}
			if text := strings.TrimSuffix(strings.TrimPrefix(printed(errs), "error: "), "\n"); text != test.errs {
				t.Errorf("errors\ngot  %s\nwant %s", text, test.errs)
			}
		})
	}
}

func TestParseMethod(t *testing.T) {
	for value, want := range map[string]MethodSpec{
		"Scale,verb=get": {Name: "Scale", Verb: model.VerbGet},
		" Scale , verb = update , subresource = /scale/ , input = Scale , result = a/b.C ": {
			Name: "Scale", Verb: model.VerbUpdate, Subresource: "scale", Input: "Scale", Result: "a/b.C"},
		"Nested,verb=create,subresource=a/b-c": {Name: "Nested", Verb: model.VerbCreate, Subresource: "a/b-c"},
	} {
		got, errs := ParseMethod(model.Marker{Name: "genclient:method", Text: value}, Strict)
		if got != want || len(errs) > 0 {
			t.Errorf("%s:\ngot  %+v %v\nwant %+v", value, got, errs, want)
		}
	}
	for value, want := range map[string]int{ // the number of errors; the golden archives have their texts
		"":                                  2,
		"Scale":                             1,
		"verb=get":                          1,
		"scale,verb=gett":                   2,
		"Scale,verb=":                       1,
		"Scale,verb=delete,x=y":             2,
		"Scale,verb=get,input=X":            1,
		"Scale,verb=get,verb=get":           1,
		"Scale,verb=get,subresource=/":      1,
		"Scale,verb=get,subresource=a%2fb,": 2,
		"Scale,verb=get,subresource=,result=,foo": 3,
	} {
		if _, errs := ParseMethod(model.Marker{Name: "genclient:method", Text: value}, Strict); !errs.HasErrors() || len(errs) != want {
			t.Errorf("%q: %d errors instead of %d:\n%s", value, len(errs), want, printed(errs))
		}
	}
}

func TestMeansGenclient(t *testing.T) {
	yes := []string{"+genclient", "+genclient:noStatus", "+genclient=true", "+genclient noVerbs", "+GENCLIENT", "+genclinet", "+ genclient", "+gen-client", "+genclientset"}
	no := []string{"+", "+genreconciler", "+genset", "+client", "+k8s:client-gen=false", "+kubebuilder:object:root=true", "+optional", "+enum"}
	for _, line := range slices.Concat(yes, no) {
		if got, want := MeansGenclient(line), slices.Contains(yes, line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
