package cli

import (
	"flag"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// intruders are texts that would end a comment or literal in Go, or mean something there.
var intruders = []string{
	"x\n\nfunc init() { panic(0) }\n\n// y", "x\r\nimport \"os\"\r\n", "x\rfunc init() {}", "x\vy\fz", "x\u0085+genclient", "x\u2028func init() {}\u2029", "*/ func init() {} /*", "+genclient",
	" \t+kubebuilder:validation:Optional", "x\n+k8s:deepcopy-gen=false\n* +genclient", "//go:build ignore", "x\n//go:generate rm -rf .", "go:embed x", "//line a.go:1", "x /*line a.go:1*/",
	"#cgo LDFLAGS: -lx", "//export F", "+build ignore", "x\u202ey\u2066z", "x\x1b[31m", "`+os.Exit(0)+`", "\"+os.Exit(0)+\"", "\\", "'", "x` y:\"z\"", "\u01c3", "%s%!", "{{.X}}",
	"x,scope=Cluster", "x;y", "{x}", "x=y", "func", "x.y/z", "../x", "x()", "x) panic(0) (",
}

// ordinary are texts of the kinds that lead to different declarations.
var ordinary = []string{"word", "two words", "a-b", "a.b", "a/b", "a.b/c", "A", "1", "", "a b/c d", "é", "func", "x", "x.y/z", "x-y", "x y"} // subresources are sorted, and there is one named status

// sources are APIs with a text at one place each. Where both forms are possible, the text is as it is, and quoted.
var sources = map[string]func(text string) string{}

// types is an API in which %[1]s to %[5]s are above the package clause, above the kind, above a field, a tag and
// declarations.
const typesWithTexts = `%[1]s
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

%[5]s

// +genclient
%[2]s
type CronTab struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `

	Spec Spec ` + "`json:\"spec\"`" + `
	Status Spec ` + "`json:\"status\"`" + `
}

type Spec struct {
%[3]s
	Image string %[4]s
	N int32 ` + "`json:\"n\"`" + `
	List []Element ` + "`json:\"list\"`" + `
	Labels map[string]string ` + "`json:\"labels\"`" + `
}

type Element struct {
	Name string ` + "`json:\"name\"`" + `
}

type CronTabList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata\"`" + `
	Items []CronTab ` + "`json:\"items\"`" + `
}
`

const groupVersion = "var SchemeGroupVersion = schema.GroupVersion{Group: \"stable.example.com\", Version: \"v1\"}"

func init() {
	api := func(pkg, kind, field, tag, decls string) string {
		if tag == "" {
			tag = "`json:\"image\"`"
		}
		if decls == "" {
			decls = groupVersion
		}
		return fmt.Sprintf(typesWithTexts, pkg, kind, field, tag, decls)
	}
	add := func(name string, source func(text string) string) { sources[name] = source }
	for name, place := range map[string]func(text string) string{
		"package": func(text string) string { return api(text, "", "", "", "") },
		"kind":    func(text string) string { return api("// +groupName=stable.example.com", text, "", "", "") },
		"field":   func(text string) string { return api("// +groupName=stable.example.com", "", text, "", "") },
	} {
		add(name+", comment", func(text string) string { return place("// " + text) })
		add(name+", block", func(text string) string { return place("/* " + text + " */") })
		add(name+", comment without a space", func(text string) string { return place("//" + text) })
		for _, marker := range map[string][]string{
			"package": {"groupName=%s", "versionName=%s", "groupGoName=%s", "kubebuilder:resource:%s", "k8s:openapi-model-package=%s", "kubegen:schema=%s"},
			"kind": {
				"resourceName=%s", "genclient:method=Do,verb=get,subresource=%s", "genclient:method=Do,verb=update,subresource=x,input=%s", "genclient:method=%s,verb=get", "genclient:onlyVerbs=%s",
				"kubebuilder:resource:path=%s", "kubebuilder:resource:singular=%s", "kubebuilder:resource:shortName=%s", "kubebuilder:resource:categories=%s", "kubebuilder:resource:scope=%s",
				"kubebuilder:subresource:scale:specpath=%s,statuspath=.status.n", "kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n,selectorpath=%s", "kubebuilder:selectablefield:JSONPath=%s",
				"kubebuilder:printcolumn:name=%s,type=string,JSONPath=.spec.image", "kubegen:index=%s", "kubegen:index:path=%s", "kubegen:index:path=.spec.list[name=%s].name", "k8s:deepcopy-gen:interfaces=%s",
				"kubegen:schema=%s", "kubebuilder:metadata:annotations=%s", "%s",
			},
			"field": {"listMapKey=%s", "listType=%s", "default=%s", "kubebuilder:validation:Enum=%s", "kubebuilder:validation:Pattern=%s", "kubebuilder:title=%s", "kubegen:index=%s", "kubegen:index:name=%s", "structType=%s"},
		}[name] {
			add(name+", +"+marker, func(text string) string { return place("// +" + fmt.Sprintf(marker, text)) })
			add(name+", quoted, +"+marker, func(text string) string { return place("// +" + fmt.Sprintf(marker, strconv.Quote(text))) })
		}
	}
	add("tag", func(text string) string { return api("", "", "", "`json:\""+text+"\"`", "") })
	add("tag, options", func(text string) string { return api("", "", "", "`json:\"image,"+text+"\"`", "") })
	add("tag, quoted", func(text string) string { return api("", "", "", strconv.Quote("json:"+strconv.Quote(text)), "") })
	add("group", func(text string) string {
		return api("", "", "", "", "var SchemeGroupVersion = schema.GroupVersion{Group: "+strconv.Quote(text)+", Version: \"v1\"}")
	})
	add("version", func(text string) string {
		return api("", "", "", "", "var SchemeGroupVersion = schema.GroupVersion{Group: \"stable.example.com\", Version: "+strconv.Quote(text)+"}")
	})
	add("group, constant", func(text string) string {
		return api("", "", "", "", "const GroupName = "+strconv.Quote(text)+"\n\nvar SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: \"v1\"}")
	})
	add("import", func(text string) string {
		return strings.Replace(api("", "", "", "", ""), "\"k8s.io/apimachinery/pkg/runtime/schema\"", "\"k8s.io/apimachinery/pkg/runtime/schema\"\n\tx "+strconv.Quote(text), 1) + "\ntype Other struct {\n\tX x.T `json:\"x\"`\n}\n"
	})
	add("name", func(text string) string {
		return strings.ReplaceAll(api("// +groupName=stable.example.com", "", "", "", ""), "Image", "Image"+text)
	})
	add("kind's name", func(text string) string {
		return strings.ReplaceAll(api("// +groupName=stable.example.com", "", "", "", ""), "CronTab", "CronTab"+text)
	})
	add("length", func(text string) string {
		return api("// +groupName=stable.example.com", "", "\tA ["+text+"]string `json:\"a\"`", "", "")
	})
}

// structureOf returns what files declare and import: their syntax without names and the values of literals, and the
// names of markers. A file that is no Go, and a comment that is a directive or in which a character cannot be seen, is
// an error.
func structureOf(files map[string][]byte) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := goparser.ParseFile(token.NewFileSet(), name, files[name], goparser.ParseComments|goparser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		b.WriteString("\nfile")
		b.WriteString(fmt.Sprintf(" %d imports", len(f.Imports)))
		for _, spec := range f.Imports {
			if path := spec.Path.Value; !strings.Contains(path, ".") { // of the standard library
				b.WriteString(" " + path)
			}
		}
		for _, d := range f.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case nil, *ast.CommentGroup:
					return false
				case *ast.BasicLit:
					b.WriteString(" " + n.Kind.String())
				case *ast.Ident:
				default:
					b.WriteString(fmt.Sprintf(" %T", n)[len(" *ast."):])
				}
				return true
			})
		}
		marked := map[string]bool{}
		for _, group := range f.Comments {
			for _, c := range group.List {
				plain := c.Text == "//" || strings.HasPrefix(c.Text, "// ") || strings.HasPrefix(c.Text, "//\t")
				if !plain && c.Text != "//go:build !ignore_autogenerated" || strings.Contains(c.Text, "/*line ") {
					return "", fmt.Errorf("%s has the directive %q", name, c.Text)
				}
				if strings.ContainsFunc(c.Text, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
					return "", fmt.Errorf("%s has the comment %q", name, c.Text)
				}
				if line := strings.TrimLeft(c.Text, "/* \t"); strings.HasPrefix(line, "+") {
					marked[line] = true
				}
			}
		}
		fmt.Fprint(&b, " ", slices.Sorted(maps.Keys(marked)))
	}
	return b.String(), nil
}

// structure returns the structure of what is generated for a source; ok is false if it is refused, at a place.
func (l *lab) structure(t *testing.T, text string) (structure string, ok bool) {
	t.Helper()
	dir := t.TempDir()
	const name = "apis/stable/v1/types.go"
	writeFile(t, filepath.Join(dir, name), []byte(text))
	files := map[string][]byte{labModule + "/" + name: []byte(text)}
	diags, err := l.generate(dir, files)
	if err != nil {
		t.Errorf("%v\n%s", err, text)
		return "", false
	}
	if diags.HasErrors() {
		if err := checkMessages(diags, regexp.MustCompile("")); err != nil && !strings.Contains(err.Error(), "nothing to generate") {
			t.Errorf("%v\n%s", err, text)
		}
		return "", false
	}
	delete(files, labModule+"/"+name)
	if structure, err = structureOf(files); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	return structure, err == nil
}

var textsFlag = flag.Bool("texts", false, "TestHostileSources puts each text at each place, not only at every fourth")

// TestHostileSources puts texts that would become code at places of Go types from which texts are taken. Either an
// error has a place, or what is generated declares and imports what it does for an ordinary text, has the same markers
// and no directives.
func TestHostileSources(t *testing.T) {
	l := newLab(t)
	refused, runs, every := 0, 0, 4
	switch {
	case testing.Short():
		every = 36
	case *textsFlag:
		every = 1
	}
	for i, name := range slices.Sorted(maps.Keys(sources)) {
		source := sources[name]
		possible := map[string]bool{}
		others := slices.Clone(ordinary)
		known := func(structure string) bool {
			for !possible[structure] && len(others) > 0 {
				if structure, ok := l.structure(t, source(others[0])); ok {
					possible[structure] = true
				}
				others = others[1:]
			}
			return possible[structure]
		}
		for n, text := range intruders {
			if (i+n)%every > 0 || !isOneText(name, text) {
				continue
			}
			runs++
			structure, ok := l.structure(t, source(text))
			if !ok {
				refused++
			} else if !known(structure) {
				t.Errorf("%s, %q: it has no structure of an ordinary text:\n%s", name, text, source(text))
			}
		}
	}
	t.Logf("%d places, %d texts, %d refused", len(sources), runs, refused)
}

// isOneText reports whether a text is only a text at a place. In a comment, a line break or marker of the author is
// meant, and so are the quotes that end a tag.
func isOneText(name, text string) bool {
	quoted := strings.Contains(name, "quoted") || strings.HasPrefix(name, "group") || name == "version" || name == "import"
	switch {
	case quoted:
		return true
	case name == "tag", name == "tag, options":
		return !strings.ContainsAny(text, "`\"\\\n")
	case strings.Contains(name, "block"):
		return !strings.Contains(text, "*/") && !strings.Contains(text, "+")
	case strings.Contains(name, "without a space"):
		return !strings.ContainsAny(text, "\n+") && !strings.HasPrefix(text, "line") && !strings.HasPrefix(text, "go:")
	case strings.Contains(name, "comment"):
		return !strings.ContainsAny(text, "\n") && !strings.HasPrefix(strings.TrimSpace(text), "+")
	case strings.Contains(name, "+%s"):
		return false
	case strings.Contains(name, "name"), name == "length":
		return !strings.ContainsAny(text, "\n\r`\"'*/(){};#") && !strings.Contains(text, "\u2028")
	}
	return !strings.ContainsAny(text, "\n\r,;=") // which separate arguments
}
