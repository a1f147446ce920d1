package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/internal/apitest"
	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/test/conformance"
)

// codeGenerator is the module with the tools that kubegen replaces. It has the versions of client-go.
const codeGenerator = "k8s.io/code-generator"

// matrixPath is the module for which code is generated with these tools and with kubegen.
const matrixPath = "example.com/migration"

// classicTools reports the markers that the tools of a version of code-generator read and those of the published one
// before do not, and how the exported API of their output differs from kubegen's, for all verbs and markers, and for
// random types.
func (n *next) classicTools(after *clientVersion) error {
	published, err := goCommand{dir: after.dir}.published(codeGenerator)
	if err != nil {
		return err
	}
	before := baseOf(after.version, published)
	dirs, unavailable, err := goCommand{dir: after.dir}.downloads(codeGenerator+"@"+before, codeGenerator+"@"+after.version)
	if err != nil {
		return err
	}
	fmt.Fprintf(n.stdout, "\n%s %s, after %s\n", codeGenerator, after.version, before)
	for _, name := range slices.Sorted(maps.Keys(unavailable)) {
		fmt.Fprintf(n.stdout, "  %s is not available: %s\n", name, strings.ReplaceAll(unavailable[name], "\n", " "))
	}
	if len(unavailable) > 0 {
		return nil
	}
	was, err := tagsIn(dirs[codeGenerator+"@"+before])
	if err != nil {
		return err
	}
	is, err := tagsIn(dirs[codeGenerator+"@"+after.version])
	if err != nil {
		return err
	}
	for _, tag := range slices.Sorted(maps.Keys(is)) {
		if !was[tag] {
			fmt.Fprintf(n.stdout, "  + marker %s%s\n", tag, map[bool]string{false: ", which kubegen does not know"}[markers.IsKnown(tag)])
		}
	}
	if n.facts {
		return nil
	}
	_ = n.step("output of the classic tools, for all verbs and markers", func() error { return n.compareTools(after) })
	return nil
}

// tagName matches names of constants with names of markers.
var tagName = regexp.MustCompile(`(?i)tag(name)?$`)

// tagsIn returns the names of the markers in the source of tools: constants with such a name, and other strings that
// begin with k8s: or genclient:.
func tagsIn(dir string) (map[string]bool, error) {
	tags := map[string]bool{}
	add := func(lit ast.Expr, isTag bool) {
		basic, ok := lit.(*ast.BasicLit)
		if !ok || basic.Kind != token.STRING {
			return
		}
		text, _ := strconv.Unquote(basic.Value)
		text = strings.TrimSuffix(strings.TrimPrefix(text, "+"), "=")
		switch bare := regexp.MustCompile(`^[A-Za-z][\w-]*$`).MatchString(text); {
		case bare && isTag:
			tags["k8s:"+text] = true
		case regexp.MustCompile(`^(k8s|genclient):[A-Za-z][\w:-]*$`).MatchString(text):
			tags[text] = true
		}
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && slices.Contains([]string{"output_tests", "examples", "testdata"}, entry.Name()) {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ValueSpec:
				for i, value := range node.Values {
					add(value, tagName.MatchString(node.Names[i].Name))
				}
			case *ast.BasicLit:
				add(node, false)
			}
			return true
		})
		return nil
	})
	return tags, err
}

// compareTools runs the tools of a version of code-generator and the commands that replace them, on copies of a module.
func (n *next) compareTools(c *clientVersion) error {
	work := filepath.Join(n.work, c.version+"-tools")
	tools := filepath.Join(work, "bin")
	if err := n.buildTools(c, filepath.Join(work, "tools"), tools); err != nil {
		return err
	}
	input := matrix()
	apis := map[string]api{}
	for name, bin := range map[string]string{"classic": tools, "ours": n.bin} {
		dir := filepath.Join(work, name)
		if err := writeModule(c, dir, input.Files); err != nil {
			return err
		}
		in := goCommand{dir: dir}
		for _, args := range append(conformance.ClassicCommands(input), besideTypes(input.Dirs)...) {
			tool := args[0]
			if bin == n.bin {
				tool = replacements[tool]
			}
			if _, err := in.command(filepath.Join(bin, tool), args[1:]...); err != nil {
				return err
			}
		}
		packages, err := packagesBelow(matrixPath, dir, "out", "apis")
		if err != nil {
			return err
		}
		if apis[name], err = listAPI(packages, asIs); err != nil {
			return err
		}
	}
	var errs []error
	for _, g := range differences(apis["classic"], apis["ours"], nil) {
		if g.sign != "+" { // kubegen may have more
			errs = append(errs, fmt.Errorf("%s %s", g.sign, g))
		}
	}
	fmt.Fprintf(n.stdout, "  %d declarations of the classic tools, %d differences\n", len(apis["classic"]), len(errs))
	return errors.Join(errs...)
}

// buildTools builds the tools of code-generator in a module that requires it.
func (n *next) buildTools(c *clientVersion, dir, bin string) error {
	goMod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s %s\n", scratch, c.mod.Go.Version, codeGenerator, c.version)
	for _, standIn := range c.standIns {
		modulePath, with, _ := strings.Cut(standIn, "=")
		goMod += fmt.Sprintf("\nreplace %s => %s\n", modulePath, strings.Replace(with, "@", " ", 1))
	}
	pin := "package next\n\nimport (\n"
	for tool := range replacements {
		pin += fmt.Sprintf("\t_ %q\n", codeGenerator+"/cmd/"+tool)
	}
	for name, text := range map[string]string{"go.mod": goMod, "pin.go": "//go:build tools\n\n" + pin + ")\n"} {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	in := goCommand{dir: dir}
	if _, err := in.run("mod", "tidy", "-e"); err != nil { // only tests need some of what is missing
		return err
	}
	args := []string{"build", "-o", bin + string(filepath.Separator)}
	for tool := range replacements {
		args = append(args, codeGenerator+"/cmd/"+tool)
	}
	_, err := in.run(args...)
	return err
}

// replacements are the commands that replace the classic tools.
var replacements = func() map[string]string {
	all := maps.Clone(conformance.OurTools)
	for _, name := range []string{"deepcopy", "defaulter"} {
		all[name+"-gen"] = "gen-" + name
	}
	return all
}()

// besideTypes returns the command lines of the tools that write into packages of types.
func besideTypes(dirs []string) (commands [][]string) {
	for _, name := range []string{"deepcopy", "defaulter"} {
		args := []string{name + "-gen", "--output-file", "zz_generated." + name + ".go"}
		for _, dir := range dirs {
			args = append(args, matrixPath+"/"+dir)
		}
		commands = append(commands, args)
	}
	return commands
}

// writeModule writes a module that requires a version of client-go.
func writeModule(c *clientVersion, dir string, files map[string]string) error {
	files = maps.Clone(files)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			return err
		}
		files[name] = strings.Replace(string(text), "module "+scratch, "module "+matrixPath, 1)
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// matrix returns a module with random packages, with a package whose kinds have all selections of verbs, one with a
// kind for each marker of the tools, and a package for each of their markers of packages.
func matrix() *apitest.Module {
	in := apitest.Migration(1, 12)
	add := func(group, marker, kinds string) {
		dir := "apis/" + group + "/v1"
		in.Dirs = append(in.Dirs, dir)
		in.Files[dir+"/doc.go"] = fmt.Sprintf("// +groupName=%s.example.com\n%spackage v1\n", group, marker)
		in.Files[dir+"/types.go"] = "package v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" +
			"\t\"k8s.io/apimachinery/pkg/runtime\"\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n)\n\n" +
			"var SchemeGroupVersion = schema.GroupVersion{Group: \"" + group + ".example.com\", Version: \"v1\"}\n\n" +
			"func AddToScheme(*runtime.Scheme) error { return nil }\n\n" +
			"func Resource(name string) schema.GroupResource { return SchemeGroupVersion.WithResource(name).GroupResource() }\n\n" + kinds
	}
	var selections []string
	for i, v := range model.AllVerbs() {
		for _, w := range model.AllVerbs()[i:] {
			for _, marker := range []string{"onlyVerbs", "skipVerbs"} {
				selections = append(selections, fmt.Sprintf("// +genclient:%s=%s,%s\n", marker, v, w))
			}
		}
	}
	add("verbs", "", kindsWith("Verbs", selections))
	var ofTypes []string
	for _, def := range markers.All {
		if def.Tools&markers.CodeGenerator == 0 || def.Name == "groupName" || strings.HasPrefix(def.Name, model.ConversionMarker) {
			continue
		}
		if def.Effect&markers.Code != 0 && slices.Contains(def.Targets, markers.Type) {
			ofTypes = append(ofTypes, "// "+def.Example()+"\n")
		}
		// For packages that switch off clients or apply configurations, client-gen writes code that does not compile.
		switchesOff := def.Name == model.ClientSwitch || def.Name == model.ApplySwitch
		if slices.Contains(def.Targets, markers.Package) && !switchesOff {
			add(fmt.Sprint("package", len(in.Dirs)), "// "+def.Example()+"\n", kindsWith("Kind", []string{""}))
		}
	}
	add("markers", "", kindsWith("Marked", ofTypes))
	return in
}

// kindsWith returns declarations of kinds with the markers.
func kindsWith(name string, above []string) string {
	var text strings.Builder
	for i, markers := range above {
		fmt.Fprintf(&text, "// +genclient\n%stype %[2]s%[3]d struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n"+
			"\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tStatus string `json:\"status,omitempty\"`\n}\n\n"+
			"type %[2]s%[3]dList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n"+
			"\tItems []%[2]s%[3]d `json:\"items\"`\n}\n\n"+
			"func (in *%[2]s%[3]d) DeepCopyObject() runtime.Object { return in }\n\n"+
			"func (in *%[2]s%[3]dList) DeepCopyObject() runtime.Object { return in }\n\n",
			strings.ReplaceAll(markers, "// +genclient\n", ""), name, i)
	}
	return text.String()
}
