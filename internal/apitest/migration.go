package apitest

import (
	"fmt"
	"path"
	"strings"
)

// Module is a module with random packages of types.
type Module struct {
	Files     map[string]string
	Externals []string // values of --external-applyconfigurations
	Dirs      []string // of the packages

	source   // whose text is that of the package which is written
	packages []*modulePackage
}

// modulePackage is a package that may be imported by later ones.
type modulePackage struct {
	dir, name string
	structs   []string
	others    []string // defined types that are no structs
}

// path returns the import path.
func (p *modulePackage) path() string { return "example.com/migration/" + p.dir }

// Migration returns a module with so many packages. No package has the name of its directory; fields have defined
// pointers, slices and maps, types of other packages of the module, and types with external apply configurations;
// metadata is embedded in all ways that Go has. No package declares a predeclared name, such as len, since the code of
// upstream's generators does not compile there.
func Migration(seed uint64, packages int) *Module {
	in := &Module{source: newSource(seed, 0), Files: map[string]string{}}
	used := map[string]bool{}
	for i := range packages {
		dir := path.Join("apis", in.oneOf("a", "batch", "core", "meta", "stable", "zoo")+in.oneOf("", "", fmt.Sprint(i)), in.oneOf("v1",
			"v1beta1", "v2", "v2alpha1", "latest"))
		if used[dir] {
			dir = path.Join("apis", fmt.Sprint("more", i), "v1")
		}
		used[dir] = true
		in.add(dir)
	}
	in.Files["beside/beside.go"] = "package others\n\ntype Beside struct {\n\tName string `json:\"name\"`\n}\n"
	in.Externals = append(in.Externals, "example.com/migration/beside.Beside:example.com/migration/external")
	in.Files["external/external.go"] = "package outside\n\ntype BesideApplyConfiguration struct{}\n"
	return in
}

// add writes a package.
func (in *Module) add(dir string) {
	p := &modulePackage{dir: dir, name: in.oneOf("api", "kinds", "types", "fake", "scheme", "rest", "metav1", "client", "v3")}
	group := strings.Split(dir, "/")[1] + ".example.com"
	in.Files[dir+"/doc.go"] = fmt.Sprintf("// Package %s has types.\n// +groupName=%s\npackage %s\n", p.name, group, p.name)
	in.text.Reset()
	for i := range 2 + in.IntN(4) {
		in.defined(p, fmt.Sprintf("%s%d", in.oneOf("Spec", "Part", "Element", "Options"), i))
	}
	for i := range 1 + in.IntN(2) {
		in.kind(p, fmt.Sprintf("%s%d", in.oneOf("CronTab", "Gateway", "Policy", "Box"), i))
	}
	text := in.text.String()
	imports := ""
	for _, used := range append([][2]string{{"others", "example.com/migration/beside"}}, known...) {
		name := strings.TrimSuffix(used[0], "v1") // no package has the name of its directory
		if strings.Contains(text, name+".") || name == "runtime" || name == "schema" {
			imports += fmt.Sprintf("\t%s %q\n", name, used[1])
		}
	}
	for i, other := range in.packages {
		if strings.Contains(text, fmt.Sprintf("p%d.", i)) {
			imports += fmt.Sprintf("\tp%d %q\n", i, other.path())
		}
	}
	in.Files[dir+"/types.go"] = fmt.Sprintf("package %s\n\nimport (\n%s)\n\n"+
		"var SchemeGroupVersion = schema.GroupVersion{Group: %q, Version: %q}\n\n"+
		"func AddToScheme(*runtime.Scheme) error { return nil }\n\nfunc Resource(name string) schema.GroupResource {\n"+
		"\treturn SchemeGroupVersion.WithResource(name).GroupResource()\n}\n\n%s", p.name, imports, group, path.Base(dir), text)
	in.packages, in.Dirs = append(in.packages, p), append(in.Dirs, dir)
}

// defined declares a type, which later ones may use.
func (in *Module) defined(p *modulePackage, name string) {
	if in.chance(50) {
		in.printf("type %s struct {\n", name)
		in.fields(p, 1+in.IntN(6))
		in.printf("}\n\n")
		p.structs = append(p.structs, name)
		if in.chance(10) {
			external := "external/" + strings.ReplaceAll(p.dir, "/", "-") + "-" + strings.ToLower(name)
			in.Externals = append(in.Externals, fmt.Sprintf("%s.%s:example.com/migration/%s", p.path(), name, external))
			in.Files[external+"/external.go"] = fmt.Sprintf("package outside\n\ntype %sApplyConfiguration struct{}\n", name)
		}
		return
	}
	in.printf("type %s %s\n\n", name, in.composite(p))
	p.others = append(p.others, name)
}

// composite returns a type that is no defined type itself.
func (in *Module) composite(p *modulePackage) string {
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
func (in *Module) typ(p *modulePackage) string {
	choose := func(prefix string, of *modulePackage) string {
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
		return in.oneOf("meta.Time", "meta.Duration", "meta.Condition", "meta.LabelSelector", "meta.ObjectMeta", "meta.OwnerReference",
			"runtime.RawExtension")
	case 5:
		return in.oneOf("core.PodSpec", "core.LocalObjectReference", "core.ResourceList", "core.Protocol", "others.Beside")
	}
	return in.oneOf("string", "int32", "bool", "byte", "int64")
}

func (in *Module) fields(p *modulePackage, n int) {
	for i := range n {
		name := fmt.Sprintf("%s%d", in.oneOf("Name", "Items", "Ref", "Data"), i)
		tag := fmt.Sprintf(" `json:\"%s%s\"`", strings.ToLower(name), in.oneOf("", ",omitempty", ",omitempty", ",omitzero"))
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
		in.printf("\t%s %s%s\n", name, of, tag)
	}
	if len(p.structs) > 0 && in.chance(25) {
		in.printf("\t%s%s %s\n", in.oneOf("", "", "*"), p.structs[in.IntN(len(p.structs))], in.oneOf("`json:\",inline\"`",
			"`json:\",omitempty\"`", "`json:\"embedded\"`"))
	}
}

// kind declares a kind and its list.
func (in *Module) kind(p *modulePackage, name string) {
	metadata := "meta.TypeMeta `json:\",inline\"`\n\tmeta.ObjectMeta `json:\"metadata,omitempty\"`"
	way := in.IntN(10)
	if strings.HasSuffix(name, "0") { // lister-gen and informer-gen refuse packages without such a kind
		way = -1
	}
	switch way {
	case 0:
		in.printf("type %sMeta = meta.ObjectMeta\n\n", name)
		metadata = fmt.Sprintf("meta.TypeMeta `json:\",inline\"`\n\t%sMeta `json:\"metadata,omitempty\"`", name)
	case 1:
		in.printf("type %sBase struct {\n\t%s\n}\n\n", name, metadata)
		metadata = fmt.Sprintf("%sBase `json:\",inline\"`", name)
	case 2:
		metadata = "*meta.TypeMeta `json:\",inline\"`\n\tmeta.ObjectMeta `json:\"metadata\"`"
	case 3:
		metadata = "meta.TypeMeta `json:\",inline\"`\n\t*meta.ObjectMeta `json:\"metadata,omitempty\"`"
	case 4:
		in.printf("type %sBase struct {\n\t%s\n}\n\n", name, metadata)
		metadata = fmt.Sprintf("*%sBase `json:\",inline\"`", name)
	}
	markers := "// +genclient\n"
	for _, marker := range []string{"nonNamespaced", "noStatus", in.oneOf("onlyVerbs=get,list,watch", "skipVerbs=apply,applyStatus",
		"skipVerbs=watch"),
		"method=GetScale,verb=get,subresource=scale,result=" + in.oneOf("k8s.io/api/autoscaling/v1.Scale", name)} {
		if in.chance(20) {
			markers += "// +genclient:" + marker + "\n"
		}
	}
	in.printf("%stype %s struct {\n\t%s\n", markers, name, metadata)
	in.fields(p, 1+in.IntN(4))
	if in.chance(50) {
		in.printf("\tStatus %s `json:\"status,omitempty\"`\n", in.typ(p))
	}
	in.printf("}\n\ntype %sList struct {\n\tmeta.TypeMeta `json:\",inline\"`\n\tmeta.ListMeta `json:\"metadata,omitempty\"`\n"+
		"\tItems []%s `json:\"items\"`\n}\n\n", name, name)
	for _, of := range []string{name, name + "List"} {
		in.printf("func (in *%s) DeepCopyObject() runtime.Object { return in }\n\n", of)
	}
}
