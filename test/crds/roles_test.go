package crds_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// placed is a Go file with a place, %s, wherever a comment can be.
const placed = `%s
%s

// Package p is a package.
%s
package p

%s

import (
	%s
	"fmt" %s

	%s

	// Comment.
	%s
	_ "os"
	%s
)

%s

// Comment.
%s
const (
	a = 1 %s

	%s
	// Comment.
	%s
	b = 2
	%s
)

%s

%s
type (
	%s

	%s
	T struct{ A int }

	%s

	// U is a type.
	%s
	U struct {
		%s
		A int %s

		%s

		// Comment.
		%s
		B struct {
			%s
			C int
			%s
		}
		%s
	} %s
	%s
)

%s

%s
type V struct {
	%s
	A int
	%s
} %s

%s

// W is a type.
%s
type W interface {
	%s
	M( %s
		a int, %s
	) error %s
	%s
}

%s
var x, y = 1, func() int {
	%s
	return 2 %s
}() %s

%s

%s
func F() { %s
	%s

	%s
	fmt.Println()
	type (
		%s

		// Comment.
		%s
		T struct {
			%s
		}
	)
	%s
	type U int
	%s
	var z = 1 %s
	_ = z
	%s
} %s

%s

// Comment.
%s
func (v *V) M() {} %s
%s
type X int %s
%s
`

// inPlaces returns a file with comments at random places.
func inPlaces(r *rand.Rand, marker func() string) string {
	args := make([]any, strings.Count(placed, "%s"))
	for i := range args {
		text := ""
		switch r.IntN(12) {
		case 0, 1, 2:
			text = "// " + marker()
		case 3:
			text = "// " + marker() + "\n\n// " + marker()
		case 4:
			text = "// Text.\n//\n//" + marker() + "\n//   " + marker()
		case 5:
			text = "/* " + marker() + " */"
		case 6:
			text = "// Text."
		case 7:
			text = "//* " + marker()
		}
		args[i] = text
	}
	return fmt.Sprintf(placed, args...)
}

// pick returns a random list of words in a random form.
func pick(r *rand.Rand, words ...string) string {
	var list []string
	for range 1 + r.IntN(3) {
		word := words[r.IntN(len(words))]
		if r.IntN(6) == 0 || word == "" {
			word = []string{`"` + word + `"`, "`" + word + "`"}[r.IntN(2)]
		}
		list = append(list, word)
	}
	switch r.IntN(8) {
	case 0:
		return "{" + strings.Join(list, ",") + "}"
	case 1:
		return "{" + strings.Join(list, ", ") + "}"
	case 2:
		return strings.Join(list, "; ")
	}
	return strings.Join(list, ";")
}

// rule returns a random marker of a role of its own.
func rule(r *rand.Rand, name string) string {
	args := []string{"roleName=" + name, "verbs=" + pick(r, "get", "list", "watch", "create", "*", "patch")}
	if r.IntN(4) > 0 {
		args = append(args, "groups="+pick(r, "apps", "batch", "core", "", "*", "example.com"))
	}
	if r.IntN(4) > 0 {
		args = append(args, "resources="+pick(r, "pods", "pods/status", "jobs", "crontabs", "*", "a/*"))
	}
	if r.IntN(6) == 0 {
		args = append(args, "resourceNames="+pick(r, "one", "two", "3", "true", "a b"))
	}
	if r.IntN(6) == 0 {
		args = append(args, "urls="+pick(r, "/metrics", "/healthz", "/*"))
	}
	if r.IntN(5) == 0 {
		args = append(args, "namespace="+[]string{"one", "two"}[r.IntN(2)])
	}
	r.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	prefix := "+kubebuilder:rbac:"
	if r.IntN(10) == 0 {
		prefix += " "
	}
	return prefix + strings.Join(args, ",")
}

// TestRandomRoles compares the roles of random markers at random places with controller-gen's. A role in which the
// latter drops any one of two rules, a different one in each run, is left out.
func TestRandomRoles(t *testing.T) {
	dir := t.TempDir()
	moduletest.Copy(t, dir, "../go.mod", "example.com/random")
	for i := range *seeds {
		seed := *first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 2))
		name := fmt.Sprintf("s%d", seed)
		write(t, filepath.Join(dir, name, "p.go"), []byte(inPlaces(r, func() string { return rule(r, name) })))
	}
	want := documents(reference(t, dir, "rbac:roleName=other", "./...")["role.yaml"])
	got := documents(filesOf(t, dir, "rbac", "--rbac-role-name=other")["role.yaml"])
	var differ []string
	for _, role := range slices.Sorted(maps.Keys(want)) {
		if got[role] != want[role] {
			differ = append(differ, role)
		}
	}
	if len(got) != len(want) || len(want) < *seeds/2 {
		t.Errorf("%d roles, controller-gen writes %d", len(got), len(want))
	}
	unstable := 0
	for range 20 {
		if len(differ) == 0 {
			break
		}
		again := documents(reference(t, dir, "rbac:roleName=other", "./...")["role.yaml"])
		differ = slices.DeleteFunc(differ, func(role string) bool {
			if again[role] != want[role] {
				unstable++
			}
			return again[role] != want[role]
		})
	}
	for _, role := range differ {
		t.Errorf("%s:\n%s\ncontroller-gen:\n%s", role, got[role], want[role])
	}
	if unstable > len(want)/5 {
		t.Errorf("controller-gen writes %d of %d roles differently in each run", unstable, len(want))
	}
	if t.Failed() {
		t.Logf("see %s", keep(t, dir))
	}
	fmt.Printf("crds: %d roles of %d random packages are equal, controller-gen writes %d differently in each run\n", len(want)-unstable, *seeds, unstable)
}

// documents returns the documents of a file by their metadata.
func documents(text string) map[string]string {
	found := map[string]string{}
	for document := range strings.SplitSeq(text, "---\n") {
		if _, metadata, ok := strings.Cut(document, "metadata:\n"); ok {
			metadata, _, _ = strings.Cut(metadata, "rules:")
			found[metadata] = document
		}
	}
	return found
}

// filesOf returns the manifests of one of kubegen's generators by name.
func filesOf(t *testing.T, dir, generator string, flags ...string) map[string]string {
	t.Helper()
	bin, out := moduletest.Build(t, "kubegen"), t.TempDir()
	flag := map[string]string{"rbac": "--with-rbac", "webhook": "--with-webhooks"}[generator]
	cmd := exec.Command(filepath.Join(bin, "kubegen"), append(flags, "--only", generator, flag+"="+out, "./...")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, text)
	}
	found := map[string]string{}
	names, _ := filepath.Glob(filepath.Join(out, "*.yaml"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found
}

// hook returns a random marker of a webhook.
func hook(r *rand.Rand, name string) string {
	one := func(words ...string) string { return words[r.IntN(len(words))] }
	args := []string{
		"name=" + name, "mutating=" + one("true", "false"), "failurePolicy=" + one("fail", "Ignore", "other"), "sideEffects=" + one("None", "noneondryrun"),
		"groups=" + pick(r, "apps", "core", "", "*"), "resources=" + pick(r, "pods", "pods/status", "*", "a/*"), "verbs=" + pick(r, "create", "UPDATE", "*", "other"),
		"versions=" + pick(r, "v1", "v1beta1", "*"), "admissionReviewVersions=" + pick(r, "v1", "v1beta1"), one("path=/a-b", "path=/c", `url="https://a:1/b"`),
	}
	for _, optional := range []string{
		"matchPolicy=" + one("exact", "Equivalent"), fmt.Sprintf("timeoutSeconds=%d", r.IntN(31)), "reinvocationPolicy=" + one("never", "IfNeeded", "other"),
		"serviceName=a", "serviceNamespace=b", "servicePort=8443", "webhookVersions=v1",
	} {
		if r.IntN(3) == 0 {
			args = append(args, optional)
		}
	}
	if r.IntN(2) == 0 {
		args = append(args, "patch=`"+webhookPatch(r, args)+"`")
	}
	r.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	return "+kubebuilder:webhook:" + strings.Join(args, ",")
}

// webhookPatch returns a random patch for a webhook with some arguments.
func webhookPatch(r *rand.Rand, args []string) string {
	some := func(all ...string) string {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return strings.Join(all[:r.IntN(len(all)+1)], ",")
	}
	one := func(all ...string) string { return all[r.IntN(len(all))] }
	list := func(elements ...string) string { return "[" + some(elements...) + "]" }
	selector := func() string {
		return one("null", "{"+some(`"matchLabels":{`+some(`"a":"b"`, `"app.kubernetes.io/name":"true"`, `"c":null`)+`}`, `"matchExpressions":`+list(
			`{"key":"a","operator":"In","values":`+list(`"x"`, `"1"`, `"a b"`)+`}`, `{"key":"b","operator":"Exists","values":null}`, `{"operator":"DoesNotExist"}`))+"}")
	}
	client := one(`"caBundle":"Cg=="`, `"caBundle":""`, `"service":{"port":44.0,"path":null}`, `"service":{"$retainKeys":["name","namespace","port"],"name":"x","port":7}`,
		`"service":{"$patch":"replace","name":"y"}`, `"service":null,"url":"https://b"`, `"$patch":"replace","service":{"name":"z","namespace":"n","path":"/p"}`, "")
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "url=") }) {
		client = one(`"url":"https://c"`, `"$retainKeys":["url"],"url":"https://d"`, `"url":null,"service":{"name":"a","path":"/q","port":1e1}`, `"$retainKeys":["service"],"service":{}`)
	}
	fields := []string{
		`"namespaceSelector":` + selector(), `"objectSelector":` + selector(), `"clientConfig":{` + client + `}`,
		`"timeoutSeconds":` + one("null", "1", "30", "2.0"), `"matchPolicy":` + one("null", `"Exact"`, `"any"`), `"failurePolicy":` + one("null", `"Ignore"`, `""`),
		`"sideEffects":"NoneOnDryRun"`, `"admissionReviewVersions":["v2"]`,
		`"rules":` + one("null", list(`{"apiGroups":["g"],"scope":"Namespaced"}`, `{"operations":["CREATE"],"resources":[],"apiVersions":null}`, "{}")),
		`"matchConditions":` + one("null", list(`{"name":"a","expression":"!('x' in object)"}`, `{"name":"b"}`, `{"name":null,"expression":"1 < 2 && true"}`)),
	}
	if slices.Contains(args, "mutating=true") {
		fields = append(fields, `"reinvocationPolicy":`+one("null", `"Never"`))
	}
	return "{" + some(fields...) + "}"
}

// TestRandomWebhooks compares the webhooks of random markers at random places with controller-gen's.
func TestRandomWebhooks(t *testing.T) {
	dir := t.TempDir()
	moduletest.Copy(t, dir, "../go.mod", "example.com/random")
	for i := range *seeds {
		seed, n := *first+uint64(i), 0
		r := rand.New(rand.NewPCG(seed, 3))
		write(t, filepath.Join(dir, fmt.Sprintf("s%d", seed), "p.go"), []byte(inPlaces(r, func() string {
			n++
			return hook(r, fmt.Sprintf("s%d.n%d.example.com", seed, n))
		})))
	}
	want, got := reference(t, dir, "webhook", "./..."), filesOf(t, dir, "webhook")
	if compare(t, got, want); t.Failed() {
		t.Fatalf("see %s", keep(t, dir))
	}
	fmt.Printf("crds: %d webhooks of %d random packages are equal\n", strings.Count(want["manifests.yaml"], "clientConfig"), *seeds)
}
