package conformance

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

var (
	switchSeed     = flag.Uint64("switch", 1, "seed of the packages of TestMigrationRandom")
	switchPackages = flag.Int("packages", 24, "number of packages of TestMigrationRandom")
	switchDir      = flag.String("dir", "", "directory in which TestMigrationRandom works and leaves what it generates; a temporary one by default")
)

// TestMigrationRandom generates code for random packages with the tools of k8s.io/code-generator and with the
// commands that replace them. The exported API must be the same. No package has the name of its directory; fields
// have defined pointers, slices and maps, types of other packages of the input, and types with external apply
// configurations; metadata is embedded in all ways that Go has.
func TestMigrationRandom(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin, "tool"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/..."),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	input := newSwitchInput(rand.New(rand.NewPCG(*switchSeed, 0)), *switchPackages)
	work := cmp.Or(*switchDir, t.TempDir())
	classic, ours := filepath.Join(work, "classic"), filepath.Join(work, "ours")
	for _, dir := range []string{classic, ours} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
		for name, text := range input.files {
			writeText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
		}
	}
	for _, command := range input.commands() {
		for dir, tool := range map[string]string{classic: command[0], ours: ourTools[command[0]]} {
			cmd := exec.Command(bin+tool, command[1:]...)
			cmd.Dir, cmd.Env = dir, goEnv()
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("-switch %d: %s: %v\n%s", *switchSeed, tool, err, head(string(said)))
			}
		}
	}
	want, _ := Load(classic, "./out/...") // some packages do not compile
	got, err := Load(ours, "./out/...")
	if err != nil {
		t.Errorf("-switch %d: %s", *switchSeed, head(err.Error()))
	}
	report := Compare(below(want, "example.com/migration/out/"), below(got, "example.com/migration/out/"))
	if differences := report.Differences(); len(differences) > 0 {
		t.Errorf("-switch %d: %d differences\n%s", *switchSeed, len(differences), strings.Join(differences, "\n"))
	}
	fmt.Printf("random packages: %d packages, %d exported symbols compared\n", *switchPackages, report.Symbols)
	if report.Symbols == 0 {
		t.Error("nothing was compared")
	}
}

// switchInput is a module with random packages of types.
type switchInput struct {
	*rand.Rand
	packages  []*switchPackage
	externals []string // values of --external-applyconfigurations
	files     map[string]string
}

// switchPackage is a package that may be imported by later ones.
type switchPackage struct {
	dir, name string
	structs   []string
	others    []string // defined types that are no structs
}

// path returns the import path.
func (p *switchPackage) path() string { return "example.com/migration/" + p.dir }

func newSwitchInput(r *rand.Rand, packages int) *switchInput {
	in := &switchInput{Rand: r, files: map[string]string{}}
	used := map[string]bool{}
	for i := range packages {
		dir := path.Join("apis", in.pick("a", "batch", "core", "meta", "stable", "zoo")+in.pick("", "", fmt.Sprint(i)), in.pick("v1", "v1beta1", "v2", "v2alpha1", "latest"))
		if used[dir] {
			dir = path.Join("apis", fmt.Sprint("more", i), "v1")
		}
		used[dir] = true
		in.add(dir)
	}
	in.files["beside/beside.go"] = "package others\n\ntype Beside struct {\n\tName string `json:\"name\"`\n}\n"
	in.externals = append(in.externals, "example.com/migration/beside.Beside:example.com/migration/external")
	in.files["external/external.go"] = "package outside\n\ntype BesideApplyConfiguration struct{}\n"
	return in
}

func (in *switchInput) pick(words ...string) string { return words[in.IntN(len(words))] }

func (in *switchInput) chance(percent int) bool { return in.IntN(100) < percent }

// add writes a package.
func (in *switchInput) add(dir string) {
	p := &switchPackage{dir: dir, name: in.pick("api", "kinds", "types", "fake", "scheme", "rest", "metav1", "client", "v3")}
	group := strings.Split(dir, "/")[1] + ".example.com"
	in.files[dir+"/doc.go"] = fmt.Sprintf("// Package %s has types.\n// +groupName=%s\npackage %s\n", p.name, group, p.name)
	var body strings.Builder
	for i := range 2 + in.IntN(4) {
		in.defined(&body, p, fmt.Sprintf("%s%d", in.pick("Spec", "Part", "Element", "Options"), i))
	}
	for i := range 1 + in.IntN(2) {
		in.kind(&body, p, fmt.Sprintf("%s%d", in.pick("CronTab", "Gateway", "Policy", "Box"), i))
	}
	text := body.String()
	imports := ""
	for name, path := range map[string]string{"meta": "k8s.io/apimachinery/pkg/apis/meta/v1", "runtime": "k8s.io/apimachinery/pkg/runtime",
		"schema": "k8s.io/apimachinery/pkg/runtime/schema", "core": "k8s.io/api/core/v1", "others": "example.com/migration/beside"} {
		if strings.Contains(text, name+".") || name == "runtime" || name == "schema" {
			imports += fmt.Sprintf("\t%s %q\n", name, path)
		}
	}
	for i, other := range in.packages {
		if strings.Contains(text, fmt.Sprintf("p%d.", i)) {
			imports += fmt.Sprintf("\tp%d %q\n", i, other.path())
		}
	}
	in.files[dir+"/types.go"] = fmt.Sprintf("package %s\n\nimport (\n%s)\n\nvar SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}\n\n"+
		"func AddToScheme(*runtime.Scheme) error { return nil }\n\nfunc Resource(name string) schema.GroupResource {\n"+
		"\treturn SchemeGroupVersion.WithResource(name).GroupResource()\n}\n\n%s", p.name, imports, group, path.Base(dir), text)
	in.packages = append(in.packages, p)
}

// defined declares a type, which later ones may use.
func (in *switchInput) defined(body *strings.Builder, p *switchPackage, name string) {
	if in.chance(50) {
		fmt.Fprintf(body, "type %s struct {\n", name)
		in.fields(body, p, 1+in.IntN(6))
		body.WriteString("}\n\n")
		p.structs = append(p.structs, name)
		if in.chance(10) {
			external := "external/" + strings.ReplaceAll(p.dir, "/", "-") + "-" + strings.ToLower(name)
			in.externals = append(in.externals, fmt.Sprintf("%s.%s:example.com/migration/%s", p.path(), name, external))
			in.files[external+"/external.go"] = fmt.Sprintf("package outside\n\ntype %sApplyConfiguration struct{}\n", name)
		}
		return
	}
	fmt.Fprintf(body, "type %s %s\n\n", name, in.composite(p))
	p.others = append(p.others, name)
}

// composite returns a type that is no defined type itself.
func (in *switchInput) composite(p *switchPackage) string {
	of := in.typ(p)
	switch in.IntN(7) {
	case 0:
		return "*" + of
	case 1:
		return "[]" + of
	case 2:
		return "[]*" + of
	case 3:
		return "map[string]" + of
	case 4:
		return "map[string]*" + of
	case 5:
		return "[][]" + of
	}
	return of
}

// typ returns a named type.
func (in *switchInput) typ(p *switchPackage) string {
	choose := func(prefix string, of *switchPackage) string {
		if all := append(append([]string{}, of.structs...), of.others...); len(all) > 0 {
			return prefix + all[in.IntN(len(all))]
		}
		return "string"
	}
	switch in.IntN(8) {
	case 0, 1, 2:
		return choose("", p)
	case 3:
		if len(in.packages) > 0 {
			i := in.IntN(len(in.packages))
			return choose(fmt.Sprintf("p%d.", i), in.packages[i])
		}
	case 4:
		return in.pick("meta.Time", "meta.Duration", "meta.Condition", "meta.LabelSelector", "meta.ObjectMeta", "meta.OwnerReference", "runtime.RawExtension")
	case 5:
		return in.pick("core.PodSpec", "core.LocalObjectReference", "core.ResourceList", "core.Protocol", "others.Beside")
	}
	return in.pick("string", "int32", "bool", "byte", "int64")
}

func (in *switchInput) fields(body *strings.Builder, p *switchPackage, n int) {
	for i := range n {
		name := fmt.Sprintf("%s%d", in.pick("Name", "Items", "Ref", "Data"), i)
		tag := fmt.Sprintf(" `json:\"%s%s\"`", strings.ToLower(name), in.pick("", ",omitempty", ",omitempty", ",omitzero"))
		switch {
		case in.chance(5):
			tag = ""
		case in.chance(5):
			tag = " `json:\"-\"`"
		}
		of := in.typ(p)
		if in.chance(50) {
			of = in.composite(p)
		}
		fmt.Fprintf(body, "\t%s %s%s\n", name, of, tag)
	}
	if len(p.structs) > 0 && in.chance(25) {
		fmt.Fprintf(body, "\t%s%s %s\n", in.pick("", "", "*"), p.structs[in.IntN(len(p.structs))], in.pick("`json:\",inline\"`", "`json:\",omitempty\"`", "`json:\"embedded\"`"))
	}
}

// kind declares a kind and its list.
func (in *switchInput) kind(body *strings.Builder, p *switchPackage, name string) {
	metadata := "meta.TypeMeta `json:\",inline\"`\n\tmeta.ObjectMeta `json:\"metadata,omitempty\"`"
	way := in.IntN(10)
	if strings.HasSuffix(name, "0") { // lister-gen and informer-gen refuse packages without such a kind
		way = -1
	}
	switch way {
	case 0:
		fmt.Fprintf(body, "type %sMeta = meta.ObjectMeta\n\n", name)
		metadata = fmt.Sprintf("meta.TypeMeta `json:\",inline\"`\n\t%sMeta `json:\"metadata,omitempty\"`", name)
	case 1:
		fmt.Fprintf(body, "type %sBase struct {\n\t%s\n}\n\n", name, metadata)
		metadata = fmt.Sprintf("%sBase `json:\",inline\"`", name)
	case 2:
		metadata = "*meta.TypeMeta `json:\",inline\"`\n\tmeta.ObjectMeta `json:\"metadata\"`"
	case 3:
		metadata = "meta.TypeMeta `json:\",inline\"`\n\t*meta.ObjectMeta `json:\"metadata,omitempty\"`"
	case 4:
		fmt.Fprintf(body, "type %sBase struct {\n\t%s\n}\n\n", name, metadata)
		metadata = fmt.Sprintf("*%sBase `json:\",inline\"`", name)
	}
	markers := "// +genclient\n"
	for _, marker := range []string{"nonNamespaced", "noStatus", in.pick("onlyVerbs=get,list,watch", "skipVerbs=apply,applyStatus", "skipVerbs=watch"),
		"method=GetScale,verb=get,subresource=scale,result=" + in.pick("k8s.io/api/autoscaling/v1.Scale", name)} {
		if in.chance(20) {
			markers += "// +genclient:" + marker + "\n"
		}
	}
	fmt.Fprintf(body, "%stype %s struct {\n\t%s\n", markers, name, metadata)
	in.fields(body, &switchPackage{structs: p.structs, others: p.others}, 1+in.IntN(4))
	if in.chance(50) {
		fmt.Fprintf(body, "\tStatus %s `json:\"status,omitempty\"`\n", in.typ(p))
	}
	fmt.Fprintf(body, "}\n\ntype %sList struct {\n\tmeta.TypeMeta `json:\",inline\"`\n\tmeta.ListMeta `json:\"metadata,omitempty\"`\n\tItems []%s `json:\"items\"`\n}\n\n", name, name)
	for _, of := range []string{name, name + "List"} {
		fmt.Fprintf(body, "func (in *%s) DeepCopyObject() runtime.Object { return in }\n\n", of)
	}
}

// commands returns the command lines of the classic tools.
func (in *switchInput) commands() [][]string {
	const out = "example.com/migration/out"
	var inputs, paths []string
	for _, p := range in.packages {
		inputs, paths = append(inputs, strings.TrimPrefix(p.dir, "apis/")), append(paths, p.path())
	}
	return [][]string{
		append([]string{"applyconfiguration-gen", "--output-dir", "out/apply", "--output-pkg", out + "/apply", "--external-applyconfigurations", strings.Join(in.externals, ",")}, paths...),
		{"client-gen", "--output-dir", "out/clientset", "--output-pkg", out + "/clientset", "--clientset-name", "versioned", "--input-base", "example.com/migration/apis",
			"--apply-configuration-package", out + "/apply", "--input", strings.Join(inputs, ",")},
		append([]string{"lister-gen", "--output-dir", "out/listers", "--output-pkg", out + "/listers"}, paths...),
		append([]string{"informer-gen", "--output-dir", "out/informers", "--output-pkg", out + "/informers",
			"--versioned-clientset-package", out + "/clientset/versioned", "--listers-package", out + "/listers"}, paths...),
	}
}
