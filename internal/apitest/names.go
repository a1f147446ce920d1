package apitest

import (
	"fmt"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// words are what names are made of: what Go, the generated code, and the packages that it imports call something.
var words = strings.Fields(`
	break case chan const continue default defer else fallthrough for func go goto if import interface map package range return
	select struct switch type var
	any append bool byte cap clear close comparable complex copy delete error false float64 imag int int32 iota len make max min
	new nil panic print real recover rune string true uint8 init main
	apply cache clienttesting context corev1 discovery fake fakediscovery flowcontrol fmt gentype http json labels listers
	managedfields meta metav1 reflect rest runtime schema scheme serializer sort strings sync time typed typedv4 typedv7 types utilruntime
	versioned wait watch v1 internal internalinterfaces testing errors
	a adapter action b body c checkers client codecs config cs ctx current data defaultInformer defaultResync dst empty entries err
	example f factory fieldManager g group h httpClient i indexer indexers informer informers irregular items k kind kinds lock
	list listFunc listOpts localSchemeBuilder name namespace newFunc none obj object objType ok options opts param patchOpts period
	pt r resource result resyncPeriod ret running s selector spec src started status stopCh subresource subresources t timeout
	tracker transform tweak tweakListOptions v value values version watchFunc x
	getClient getName getNamespace invokes restClient scale objectMeta typeMeta listMeta kindOf apiVersion deepCopy
	start shutdown waitForCacheSync informerFor forResource informerName startWithContext waitForCacheSyncWithContext
	cronTab foo bar item node policy mesh endpoints status ärger übung`)

// suffixes are the parts of generated names, apart from the name of a kind.
var suffixes = strings.Fields(`
	List Interface Expansion Getter Client Lister ListerExpansion NamespaceLister NamespaceListerExpansion Informer
	TypedInformer IndexInformer HandlerFuncs DetailedHandlerFuncs FilteringHandler Indexers ApplyConfiguration Status Spec s
	V1 From Name InformerWithOptions TypedInformerAdapter`)

var prefixes = strings.Fields(`New Fake Typed NewTyped Deleted Extract With Get NewFiltered ToTyped To Is`)

// nameAPI is an API whose names are usual, and little else.
type nameAPI struct {
	source
	files map[string]string
	kinds map[string][]string // by import path
	names map[string]string   // in package clauses, by import path
}

// Names returns the files of the API of a seed, by path. It compiles, and its kinds are objects, but nothing else is
// usual about it: above all, names clash with names in generated code.
func Names(seed uint64, module string) map[string]string {
	api := &nameAPI{source: newSource(seed, 0), files: map[string]string{}, kinds: map[string][]string{}, names: map[string]string{}}
	shared := module + "/" + api.oneOf("shared", "errors", "fmt", "v1", "go-shared", "metav1")
	if api.chance(40) {
		p := api.newPackage(shared, "shared")
		p.structs(1+api.IntN(3), false)
		p.write("")
	} else {
		shared = ""
	}
	for _, group := range api.pick(words, 1+api.IntN(3)) {
		group = strings.ToLower(ascii(group))
		if token.IsKeyword(group) || group == "internal" || group == "main" || group == "init" { // no names of directories that one can import
			group += "s"
		}
		domain := api.oneOf(".example.com", ".example.com", ".k8s.io", "")
		goName := ""
		if api.chance(10) {
			goName = "// +groupGoName=" + title(group) + api.oneOf("", "X", "_", "V1") + "\n"
		}
		var before *namePackage
		versions := api.pick([]string{"v1", "v1beta1", "v2", "v1alpha1"}, 1+api.IntN(4)/3)
		dirs := slices.Repeat([]string{group}, len(versions))
		if api.chance(15) { // two packages with the same group and version, the second of which refers to the first
			versions, dirs = append(versions, versions[0]), append(dirs, group+"more")
		}
		for i, version := range versions {
			p := api.newPackage(module+"/apis/"+dirs[i]+"/"+version, version)
			p.shared, p.before = shared, before
			if dirs[i] != group { // it has kinds of its own
				for _, kinds := range api.kinds {
					for _, kind := range kinds {
						p.taken[kind], p.taken[kind+"List"] = true, true
					}
				}
			}
			p.kindsOf()
			comment := "// +groupName=" + group + domain + "\n" + goName
			for _, generator := range []string{"client", "lister", "informer", "applyconfiguration"} {
				if api.chance(2) {
					comment += "// +k8s:" + generator + "-gen=false\n"
				}
			}
			p.write(comment)
			before = p
		}
	}
	return api.files
}

// pick returns n different words.
func (r *nameAPI) pick(from []string, n int) []string {
	var picked []string
	for _, i := range r.Perm(len(from)) {
		if len(picked) < n && !slices.Contains(picked, from[i]) {
			picked = append(picked, from[i])
		}
	}
	return picked
}

func title(word string) string {
	runes := []rune(word)
	return strings.ToUpper(string(runes[:1])) + string(runes[1:])
}

func untitle(name string) string {
	runes := []rune(name)
	return strings.ToLower(string(runes[:1])) + string(runes[1:])
}

func ascii(word string) string {
	return strings.NewReplacer("ä", "ae", "ü", "ue").Replace(word)
}

// namePackage is a package of API types.
type namePackage struct {
	*nameAPI
	source     // of the package alone
	path, name string
	shared     string       // a package of structs; "" for none
	before     *namePackage // another version of the group
	taken      map[string]bool
	parts      []string // structs that may be fields
	imports    map[string]string
}

func (r *nameAPI) newPackage(path, name string) *namePackage {
	if r.chance(70) { // most directories have not the name of their package
		if other := strings.ToLower(ascii(r.oneOf(words...))); token.IsIdentifier(other) && other != "main" && other != "init" {
			name = other
		}
	}
	r.names[path] = name
	p := &namePackage{nameAPI: r, source: source{Rand: r.Rand}, path: path, name: name, imports: map[string]string{}}
	p.taken = map[string]bool{"AddToScheme": true, "SchemeGroupVersion": true, "GroupVersion": true, "GroupName": true, "Box": true,
		"Pair": true, "Mode": true, "Modes": true, "Alias": true, "Own": true,
		"Text": true, "Texts": true, "Dict": true, "PartPointer": true, "Base": true, "BaseOf": true, "Meta": true}
	return p
}

// newName returns an exported name that the package does not have yet.
func (p *namePackage) newName(near []string) string {
	for {
		name := title(p.oneOf(words...))
		if len(near) > 0 && p.chance(40) {
			name = p.oneOf(near...)
		}
		switch p.IntN(4) {
		case 0:
			name += p.oneOf(suffixes...)
		case 1:
			if p.chance(40) {
				name = p.oneOf(prefixes...) + name
			}
		}
		if !p.taken[name] && token.IsExported(name) {
			p.taken[name] = true
			return name
		}
	}
}

// use returns a qualifier for a package.
func (p *namePackage) use(qualifier, path string) string {
	p.imports[path] = qualifier
	return qualifier
}

// kindsOf declares kinds, and the structs that they consist of.
func (p *namePackage) kindsOf() {
	var names []string
	for range 1 + p.IntN(4) {
		var name string
		for {
			name = p.newName(names)
			if !strings.HasSuffix(name, "List") && !p.taken[name+"List"] {
				break
			}
		}
		p.taken[name+"List"] = true
		names = append(names, name)
	}
	if p.before != nil && p.chance(50) && !p.taken[p.kinds[p.before.path][0]] && !p.taken[p.kinds[p.before.path][0]+"List"] {
		names = append(names, p.kinds[p.before.path][0])
		p.taken[names[len(names)-1]], p.taken[names[len(names)-1]+"List"] = true, true
	}
	p.kinds[p.path] = names
	p.structs(p.IntN(4), true)
	registers := p.chance(70)
	if registers {
		p.printf("func AddToScheme(*%s.Scheme) error { return nil }\n", p.use("runtime", "k8s.io/apimachinery/pkg/runtime"))
	}
	if registers && p.chance(40) {
		p.printf("\nvar SchemeGroupVersion = %s.GroupVersion{Group: GroupName, Version: %q}\n", p.use("schema",
			"k8s.io/apimachinery/pkg/runtime/schema"), path.Base(p.path))
	}
	if p.chance(12) {
		p.predeclared()
	}
	metav1 := p.use("metav1", "k8s.io/apimachinery/pkg/apis/meta/v1")
	for _, name := range names {
		p.markers(name)
		p.printf("type %s struct {\n%s", name, p.metadata(metav1))
		p.fields(name, 0, objectMethods)
		p.printf("}\n")
		p.printf("\n// +kubebuilder:object:root=true\ntype %sList struct {\n\t%s.TypeMeta %s\n"+
			"\t%[2]s.ListMeta `json:\"metadata,omitempty\"`\n\tItems []%[4]s%[1]s `json:\"items\"`\n}\n",
			name, metav1, inline, p.oneOf("", "", "", "*"))
	}
}

// metadata returns the fields that give a kind its metadata, in one of the ways that Go has.
func (p *namePackage) metadata(metav1 string) string {
	typeMeta := "\t" + metav1 + ".TypeMeta " + inline + "\n"
	direct := typeMeta + "\t" + metav1 + ".ObjectMeta `json:\"metadata,omitempty\"`\n"
	switch p.IntN(20) {
	case 0, 1:
		return "\tBase " + inline + "\n"
	case 2, 3:
		return "\tBaseOf[" + p.oneOf("string", "Mode") + "] " + inline + "\n"
	case 4, 5:
		return typeMeta + "\tMeta `json:\"metadata,omitempty\"`\n"
	case 6, 7:
		if p.shared != "" {
			return "\t" + p.use("shared", p.shared) + ".Base " + inline + "\n"
		}
	case 8:
		if p.chance(20) {
			return p.oneOf("\t*Base "+inline+"\n", typeMeta+"\t*"+metav1+".ObjectMeta `json:\"metadata,omitempty\"`\n",
				typeMeta+"\tObjectMeta "+metav1+".ObjectMeta `json:\"metadata,omitempty\"`\n",
				"\tBase `json:\"base\"`\n")
		}
	}
	return direct
}

// objectMethods are what the metadata of kinds has: fields of those names would hide it.
var objectMethods = strings.Fields(`
	TypeMeta ObjectMeta Meta Base BaseOf GetObjectKind GetObjectMeta DeepCopyObject GroupVersionKind SetGroupVersionKind GetName SetName
	GetNamespace SetNamespace GetLabels SetLabels Name Namespace Labels UID`)

// verbs of clients, in the order of model.AllVerbs.
var verbs = strings.Fields("create update updateStatus delete deleteCollection get list watch patch apply applyStatus")

// markers writes the comment of a kind.
func (p *namePackage) markers(kind string) {
	p.printf("\n// %s is a kind.\n//\n// +genclient\n// +kubebuilder:object:root=true\n", kind)
	if p.chance(30) {
		p.printf("// +kubegen:helpers\n")
	}
	has := map[string]bool{}
	for _, verb := range verbs {
		has[verb] = true
	}
	switch p.IntN(12) {
	case 0:
		p.printf("// +genclient:noVerbs\n")
		clear(has)
	case 1:
		p.printf("// +genclient:readonly\n")
		has = map[string]bool{"get": true, "list": true, "watch": true}
	case 2, 3:
		only := p.pick(verbs, 1+p.IntN(4))
		p.printf("// +genclient:onlyVerbs=%s\n", strings.Join(only, ","))
		clear(has)
		for _, verb := range only {
			has[verb] = true
		}
	case 4, 5, 6:
		skip := p.pick(verbs, 1+p.IntN(4))
		p.printf("// +genclient:skipVerbs=%s\n", strings.Join(skip, ","))
		for _, verb := range skip {
			delete(has, verb)
		}
	}
	if p.chance(20) {
		p.printf("// +genclient:nonNamespaced\n")
	} else if p.chance(20) {
		p.printf("// +kubebuilder:resource:scope=%s,path=%s\n", p.oneOf("Cluster", "Namespaced"), p.resourceName(kind))
	}
	if p.chance(10) {
		p.printf("// +genclient:noStatus\n")
	}
	if p.chance(10) {
		p.printf("// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas\n")
	}
	if p.chance(20) {
		p.printf("// +kubegen:index:path=%s,name=By%s\n", p.oneOf(".metadata.labels['a/b']", ".metadata.finalizers",
			".metadata.ownerReferences[?(@.controller==true)].uid", "\".metadata.ownerReferences[*]['kind','name']\""), title(p.oneOf(words...)))
	}
	used := map[string]bool{}
	for range p.IntN(3) * p.IntN(3) {
		p.method(kind, has, used)
	}
}

func (p *namePackage) resourceName(kind string) string {
	return strings.ToLower(ascii(strings.ToLower(strings.ReplaceAll(kind, "_", "")))) + "x"
}

// method writes a marker for one more method.
func (p *namePackage) method(kind string, has, used map[string]bool) {
	name := p.oneOf(title(p.oneOf(words...)), "Get"+kind, "Apply"+kind, title(p.oneOf(verbs...)),
		p.oneOf(prefixes...)+title(p.oneOf(words...)))
	lower := untitle(name)
	if !token.IsExported(name) || used[name] || has[lower] || slices.Contains(verbs, lower) || slices.Contains(reservedNames, name) {
		return
	}
	used[name] = true
	verb := p.oneOf("create", "update", "get", "list", "patch", "apply", "apply")
	p.printf("// +genclient:method=%s,verb=%s", name, verb)
	if p.chance(50) {
		p.printf(",subresource=%s", p.oneOf("scale", "status", "name", "from", "a/b", "eviction"))
	}
	object := func() string {
		switch p.IntN(4) {
		case 0:
			if verb != "list" {
				return "k8s.io/api/autoscaling/v1.Scale"
			}
		case 1:
			if p.before != nil {
				return p.before.path + "." + p.oneOf(p.kinds[p.before.path]...)
			}
		case 2:
			return "k8s.io/api/core/v1.Pod"
		}
		return p.oneOf(p.kinds[p.path]...)
	}
	if (verb == "create" || verb == "update" || verb == "apply") && p.chance(50) {
		p.printf(",input=%s", object())
	}
	if p.chance(50) {
		p.printf(",result=%s", object())
	}
	p.printf("\n")
}

// reservedNames are names that clients cannot give away.
var reservedNames = []string{"GetClient", "GetNamespace", "Fake", "Invokes", "InvokesWatch", "Kind", "Namespace", "Resource"}

// structs declares structs that may be types of fields. Each holds those that come after it by value.
func (p *namePackage) structs(n int, generics bool) {
	for range n {
		p.parts = append(p.parts, p.newName(append(p.kinds[p.path], p.parts...)))
	}
	for i, name := range p.parts {
		p.printf("\n// %s is a part.\ntype %[1]s struct {\n", name)
		p.fields(name, i+1, nil)
		p.printf("}\n")
	}
	p.printf("\ntype Mode string\n\ntype Modes []Mode\n\ntype Own struct{ A, B string }\n\n" +
		"func (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\n")
	p.printf("type Text *string\n\ntype Texts []Text\n\ntype Dict map[string]Mode\n\n")
	metav1 := p.use("metav1", "k8s.io/apimachinery/pkg/apis/meta/v1")
	p.printf("type Base struct {\n\t%s.TypeMeta %s\n\t%[1]s.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n"+
		"type Meta = %[1]s.ObjectMeta\n\n", metav1, inline)
	p.printf("type BaseOf[T any] struct {\n\t%s.TypeMeta %s\n\t%[1]s.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n", metav1, inline)
	if len(p.parts) > 0 {
		p.printf("type PartPointer *%s\n\n", p.parts[0])
	} else {
		p.printf("type PartPointer *Own\n\n")
	}
	p.printf("type Box[T any] struct {\n\tValue T `json:\"value\"`\n\tValues []T `json:\"values\"`\n}\n\ntype Pair[A, B any] struct {\n" +
		"\tFirst A `json:\"first\"`\n\tSecond map[string]B `json:\"second\"`\n}\n\n")
	if len(p.parts) > 0 {
		p.printf("type Alias = %s\n\n", p.oneOf(p.parts...))
	}
	p.printf(hidden)
}

// hidden are types that other packages cannot name. Most refer to themselves.
const hidden = `
type ring struct {
	rung ` + inline + `
	Next  *ring            ` + "`json:\"next\"`" + `
	Rungs map[string][]rung ` + "`json:\"rungs,omitempty\"`" + `
}

type rung struct {
	*peg ` + "`json:\"peg\"`" + `
	Back  *ring ` + "`json:\"back\"`" + `
	Sides []rung ` + "`json:\"sides\"`" + `
}

type peg struct {
	Name string ` + "`json:\"name\"`" + `
	Rope rope ` + "`json:\"rope\"`" + `
}

type rope map[string][]rope

type twine []string
`

// fields writes the fields of a struct that may hold the parts from a number on.
func (p *namePackage) fields(owner string, from int, avoid []string) {
	taken := map[string]bool{owner: true}
	json := map[string]bool{"metadata": avoid != nil}
	for _, name := range avoid {
		taken[name] = true
	}
	if avoid != nil && p.chance(60) {
		p.printf("\tStatus %s `json:\"status,omitempty\"`\n", p.typ(from, 0))
		taken["Status"], json["status"] = true, true
	}
	for range p.IntN(5) {
		if p.chance(15) && len(p.parts) > 0 {
			part, star := p.oneOf(p.parts...), "*" // a pointer may lead back
			if slices.Index(p.parts, part) >= from {
				star = p.oneOf("", "*")
			}
			if !taken[part] || part == owner && !taken["*"] {
				taken[part], taken["*"] = true, taken["*"] || part == owner
				p.printf("\t%s%s %s\n", star, part, p.oneOf(inline, inline, "`json:\"embedded"+part+"\"`"))
			}
			continue
		}
		name := title(p.oneOf(words...))
		switch p.IntN(8) {
		case 0:
			name = p.oneOf(prefixes...) + name
		case 1:
			name += p.oneOf(suffixes...)
		case 2:
			name = p.oneOf("IsApplyConfiguration", "GetName", "GetNamespace", "WithName", "Kind", "APIVersion", "TypeMeta", "Name", "Namespace")
		}
		tag := untitle(name)
		if taken[name] || json[tag] || !token.IsExported(name) {
			continue
		}
		taken[name], json[tag] = true, true
		typ := p.typ(from, 0)
		indexed := indexable.MatchString(typ) && p.chance(15)
		if indexed {
			p.printf("\t// +kubegen:index%s\n", p.oneOf("", ":name=By"+owner+name, ":name=By"+title(p.oneOf(words...))))
		}
		switch option := p.oneOf("", ",omitempty", ",omitzero"); {
		case !indexed && p.chance(5):
			tag = "-"
		case p.chance(5):
			tag += ",string"
			fallthrough
		default:
			tag += option
		}
		p.printf("\t%s %s `json:\"%s\"`\n", name, typ, tag)
	}
}

// indexable matches the types of fields that can be indexed.
var indexable = regexp.MustCompile(`^(\*|\[2?\]|map\[\w+\])*(string|bool|int32|int64|Modes?|shared\.Modes?|corev1\.Protocol)$`)

// typ returns the type of a field.
func (p *namePackage) typ(from, depth int) string {
	if depth > 2 {
		return p.oneOf("string", "int32", "bool", "Mode")
	}
	switch p.IntN(14) {
	case 0:
		return "*" + p.typ(0, depth+1)
	case 1:
		return "[]" + p.typ(0, depth+1)
	case 2:
		return "map[" + p.oneOf("string", "Mode") + "]" + p.typ(0, depth+1)
	case 3:
		return "Box[" + p.typ(len(p.parts), depth+1) + "]"
	case 4:
		return "Pair[string, " + p.typ(len(p.parts), depth+1) + "]"
	case 5, 6:
		if len(p.parts) > from {
			return p.oneOf(p.parts[from:]...)
		}
	case 7:
		if len(p.parts) > 0 {
			return p.oneOf("*", "[]", "[]*", "map[string]") + p.oneOf(append(p.parts, "Alias")...)
		}
	case 8:
		return p.use("metav1", "k8s.io/apimachinery/pkg/apis/meta/v1") + p.oneOf(".Time", ".LabelSelector", ".Condition", ".Duration",
			".ObjectMeta", ".OwnerReference")
	case 9:
		return p.use("corev1", "k8s.io/api/core/v1") + p.oneOf(".EnvVar", ".PodTemplateSpec", ".ResourceList", ".ObjectReference", ".Protocol")
	case 10:
		if p.shared != "" {
			return p.use("shared", p.shared) + p.oneOf(".Mode", ".Modes", ".Own", ".Box[string]")
		}
	case 11:
		return p.oneOf("Text", "Texts", "Dict", "PartPointer", "[]PartPointer", "map[string]PartPointer", "*Text", "Modes", "Own", "any",
			"map[string][]ring", "[][]rung", "[2]ring", "ring", "*rung", "[]*ring", "map[string]peg", "rope", "twine",
			"struct{ Inner string `json:\"inner\"` }", "[2]string", "runtime.RawExtension", "[]byte", "float64")
	}
	return p.oneOf("string", "int32", "bool", "Mode", "int64")
}

// write makes the package's file.
func (p *namePackage) write(comment string) {
	body := p.text.String()
	if strings.Contains(body, "runtime.") {
		p.use("runtime", "k8s.io/apimachinery/pkg/runtime")
	}
	var text strings.Builder
	text.WriteString(comment + "package " + p.name + "\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(p.imports)) {
		qualifier := p.imports[path]
		if name := p.names[path]; name == qualifier {
			qualifier = ""
		}
		fmt.Fprintf(&text, "\t%s %q\n", qualifier, path)
	}
	text.WriteString(")\n\n")
	if _, group, ok := strings.Cut(comment, "+groupName="); ok {
		group, _, _ = strings.Cut(group, "\n")
		fmt.Fprintf(&text, "const GroupName = %q\n\n", group)
	}
	text.WriteString(body)
	p.files[strings.TrimPrefix(p.path, "example.com/api/")+"/types.go"] = text.String()
}
