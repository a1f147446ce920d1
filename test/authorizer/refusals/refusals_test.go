// Package refusals compares kubegen's warnings about roles and webhooks with the validation of Kubernetes' API server.
package refusals

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	admissionvalidation "k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	"k8s.io/kubernetes/pkg/apis/rbac"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	rbacvalidation "k8s.io/kubernetes/pkg/apis/rbac/validation"
	"sigs.k8s.io/yaml"
)

var (
	seed  = flag.Uint64("seed", 0, "of the first marker of each kind")
	count = flag.Int("count", 1000, "number of random markers of each kind")
)

// TestRefusals generates a configuration of random webhooks and random roles, and expects a warning about exactly those
// markers for which the API server refuses the object.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	kubegen := filepath.Join(dir, "kubegen")
	build := exec.Command("go", "build", "-o", kubegen, "./cmd/kubegen")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write(t, dir, "go.mod", "module example.com/random\n\ngo 1.24\n")
	webhooks, rules := &strings.Builder{}, &strings.Builder{}
	webhooks.WriteString("package webhooks\n\n")
	rules.WriteString("package rules\n\n")
	for i := range *count {
		r := &source{rand.New(rand.NewPCG(*seed+uint64(i), 0))}
		fmt.Fprintln(webhooks, r.webhook(i))
		fmt.Fprintln(rules, r.rule(i))
	}
	write(t, dir, "webhooks/webhooks.go", webhooks.String())
	write(t, dir, "rules/rules.go", rules.String())

	run := exec.Command(kubegen, "--only", "rbac,webhook", "--with-rbac", "--with-webhooks", "--format", "json", "./...")
	run.Dir = dir
	stderr := &bytes.Buffer{}
	run.Stderr = stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	warned := map[string]map[int]string{"refused-webhook": {}, "refused-rule": {}}  // messages by the index of the marker
	doubted := map[string]map[int]string{"refused-webhook": {}, "refused-rule": {}} // other warnings about arguments without a value, in place of these
	for decoder := json.NewDecoder(stderr); decoder.More(); {
		var d struct {
			File, Check, Message string
			Line                 int
		}
		if err := decoder.Decode(&d); err != nil {
			t.Fatal(err)
		}
		of := warned[d.Check]
		if d.Check == "" && strings.HasSuffix(d.Message, " has no value") {
			of = doubted[map[string]string{"webhooks": "refused-webhook", "rules": "refused-rule"}[filepath.Dir(d.File)]]
		}
		if of != nil {
			of[d.Line-3] += d.Message + "\n"
		}
	}
	refused := map[string]map[int]string{"refused-webhook": {}, "refused-rule": {}}
	for _, text := range objects(t, filepath.Join(dir, "config/webhook/manifests.yaml")) {
		for i, reason := range refusedWebhooks(t, text) {
			refused["refused-webhook"][i] = reason
		}
	}
	for _, text := range objects(t, filepath.Join(dir, "config/rbac/role.yaml")) {
		if i, reason := refusedRole(t, text); reason != "" {
			refused["refused-rule"][i] = reason
		}
	}
	lines := map[string][]string{"refused-webhook": strings.Split(webhooks.String(), "\n"), "refused-rule": strings.Split(rules.String(), "\n")}
	for check := range refused {
		for i := range *count {
			if got, want := warned[check][i], refused[check][i]; (got == "") != (want == "") && (want == "" || doubted[check][i] == "") {
				t.Errorf("%s\n%s: %q\nserver: %q", lines[check][i+2], check, got, want)
			}
		}
		t.Logf("%s: the server refuses %d of %d", check, len(refused[check]), *count)
		if n := len(refused[check]); n < *count/10 || n > *count*9/10 {
			t.Errorf("%s: the server refuses %d of %d", check, n, *count)
		}
	}
}

// refusedWebhooks returns the reasons for which the server refuses webhooks of a configuration, by the index in their
// names.
func refusedWebhooks(t *testing.T, text []byte) map[int]string {
	t.Helper()
	found := map[int]string{}
	add := func(name string, reason error) {
		if reason != nil {
			i, _ := strconv.Atoi(strings.TrimLeft(strings.SplitN(name, "-", 2)[0], "wW"))
			found[i] = reason.Error()
		}
	}
	var mutating admissionv1.MutatingWebhookConfiguration
	var validating admissionv1.ValidatingWebhookConfiguration
	if bytes.Contains(text, []byte("kind: Mutating")) {
		unmarshal(t, text, &mutating)
		for _, hook := range mutating.Webhooks {
			one := mutating.DeepCopy()
			one.Webhooks = []admissionv1.MutatingWebhook{hook}
			internal := &admissionregistration.MutatingWebhookConfiguration{}
			convert(t, one, internal)
			add(hook.Name, admissionvalidation.ValidateMutatingWebhookConfiguration(internal).ToAggregate())
		}
		return found
	}
	unmarshal(t, text, &validating)
	for _, hook := range validating.Webhooks {
		one := validating.DeepCopy()
		one.Webhooks = []admissionv1.ValidatingWebhook{hook}
		internal := &admissionregistration.ValidatingWebhookConfiguration{}
		convert(t, one, internal)
		add(hook.Name, admissionvalidation.ValidateValidatingWebhookConfiguration(internal).ToAggregate())
	}
	return found
}

// refusedRole returns the index in the name of a role, and the reason for which the server refuses it.
func refusedRole(t *testing.T, text []byte) (int, string) {
	t.Helper()
	var name string
	var reason error
	if bytes.Contains(text, []byte("kind: ClusterRole\n")) {
		role, internal := &rbacv1.ClusterRole{}, &rbac.ClusterRole{}
		unmarshal(t, text, role)
		convert(t, role, internal)
		name, reason = role.Name, rbacvalidation.ValidateClusterRole(internal, rbacvalidation.ClusterRoleValidationOptions{}).ToAggregate()
	} else {
		role, internal := &rbacv1.Role{}, &rbac.Role{}
		unmarshal(t, text, role)
		convert(t, role, internal)
		name, reason = role.Name, rbacvalidation.ValidateRole(internal).ToAggregate()
	}
	i, err := strconv.Atoi(strings.TrimPrefix(name, "r"))
	if err != nil {
		t.Fatal(err)
	}
	if reason == nil {
		return i, ""
	}
	return i, reason.Error()
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// convert sets the internal type to an object with the server's defaults.
func convert(t *testing.T, object, internal any) {
	t.Helper()
	switch o := object.(type) {
	case *admissionv1.MutatingWebhookConfiguration:
		legacyscheme.Scheme.Default(o)
	case *admissionv1.ValidatingWebhookConfiguration:
		legacyscheme.Scheme.Default(o)
	}
	if err := legacyscheme.Scheme.Convert(object, internal, nil); err != nil {
		t.Fatal(err)
	}
}

// objects returns the objects in a file.
func objects(t *testing.T, file string) (found [][]byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		object, err := reader.Read()
		if err != nil {
			return found
		}
		if len(bytes.TrimSpace(object)) > 0 {
			found = append(found, object)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// source makes random markers, most of whose values are valid.
type source struct{ *rand.Rand }

func (r *source) oneIn(n int) bool { return r.IntN(n) == 0 }

// one returns the first value most of the time, and otherwise any.
func (r *source) one(values ...string) string {
	if !r.oneIn(6) {
		return values[0]
	}
	return values[r.IntN(len(values))]
}

// list returns a list of values with semicolons between them. It is seldom empty.
func (r *source) list(values ...string) string {
	if r.oneIn(40) {
		return ""
	}
	list := []string{r.one(values...)}
	for r.oneIn(4) {
		list = append(list, values[r.IntN(len(values))])
	}
	return strings.Join(list, ";")
}

func (r *source) webhook(i int) string {
	client := "path=" + r.one("/mutate-a", "/", "a", "/a/b/", "/a//b", "//", "/A", "/a_b", "/a.b/c-d", "/-a", "`/a?b`", "`/a b`")
	switch {
	case r.oneIn(6):
		client = "url=`" + r.one("https://a.b/c", "http://a/b", "https://", "https://u@a/b", "https://a/b?c", "https://a/b#c", "a/b", "https://a:99", "https://%zz") + "`"
	case r.oneIn(6):
		client += ",servicePort=" + r.one("443", "0", "65535", "65536", "-1")
	}
	name := r.one("w%d-a.b.c", "w%d-a.b", "w%d-a", "W%d-a.b.c", "w%d-a_.b.c", "w%d-a..c", "w%d-a.b.c.", "w%d-a.b.c.d")
	marker := fmt.Sprintf("// +kubebuilder:webhook:%s,mutating=%v,failurePolicy=%s,sideEffects=None,groups=%s,resources=%s,verbs=%s,versions=%s,name=%s,admissionReviewVersions=%s",
		client, r.oneIn(2), r.one("fail", "Ignore", "IGNORE", "maybe", `""`),
		r.list("a.io", `""`, "core", "*", "b"), r.list("crontabs", "crontabs/status", "*", "*/*", "crontabs/*", "*/status", "pods", `""`, "a/b/c"),
		r.list("create", "UPDATE", "*", "delete", "connect", "get", `""`), r.list("v1", "v2", "*", `""`),
		fmt.Sprintf(name, i), r.one("v1", "v1beta1", "v1;v1", "v2", "v2;v1", "V1;v1", "v1beta1;v1", `"";v1`))
	if r.oneIn(4) {
		marker += ",matchPolicy=" + r.one("exact", "Equivalent")
	}
	if r.oneIn(4) {
		marker += ",timeoutSeconds=" + r.one("1", "30")
	}
	return marker
}

func (r *source) rule(i int) string {
	marker := fmt.Sprintf("// +kubebuilder:rbac:roleName=r%d,verbs=%s", i, r.list("get", "list", "*", `""`))
	for _, part := range []struct {
		n    int // the part is left out once in this many times
		text string
	}{
		{7, ",groups=" + r.list("a.io", `""`, "*", "core")}, {7, ",resources=" + r.list("crontabs", "*", "crontabs/status")},
	} {
		if !r.oneIn(part.n) {
			marker += part.text
		}
	}
	if r.oneIn(7) {
		marker += ",resourceNames=" + r.list("a", "b")
	}
	if r.oneIn(5) {
		marker += ",urls=" + r.list("/healthz", "/metrics", "*", "healthz")
	}
	if r.oneIn(3) {
		marker += ",namespace=east"
	}
	return marker
}
