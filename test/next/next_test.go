package main

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/model"
)

func TestCandidates(t *testing.T) {
	published := strings.Fields("v0.35.9 v0.35.10 v0.36.0-rc.0 v0.36.0 v0.36.1 v0.37.0-alpha.1 v0.37.0-beta.0 v0.37.0-rc.0 v0.37.0-rc.1 v0.37.0 v0.37.2 v0.38.0-beta.0")
	for _, test := range []struct {
		known    string
		perMinor bool
		last     string
		want     string
	}{
		{"v0.35.10 v0.36.1", true, "v0.37.0-rc.1", "v0.37.0-alpha.1 v0.37.0-beta.0 v0.37.0-rc.0 v0.37.0-rc.1"},
		{"v0.35.9 v0.36.0 v0.37.2 v0.38.0-beta.0", true, "", "v0.35.10 v0.36.1"},
		{"v0.35.9 v0.36.0 v0.37.2 v0.38.0-beta.0", false, "", ""},
		{"v0.35.10 v0.36.1 v0.37.0-beta.0", true, "", "v0.37.0-rc.0 v0.37.0-rc.1 v0.37.0 v0.37.2 v0.38.0-beta.0"},
		{"", true, "", ""},
	} {
		got := candidates(strings.Fields(test.known), published, test.perMinor, test.last)
		if strings.Join(got, " ") != test.want {
			t.Errorf("known %s: got %s, want %s", test.known, got, test.want)
		}
	}
	commits := []string{"v0.0.0-20260721132016-d427ff9ee9ad", "v0.0.0-20260929181212-2cfbdf149b9a"}
	if got := candidates(commits[:1], commits[1:], false, ""); len(got) != 1 {
		t.Errorf("got %s, want the later commit", got)
	}
	if got := candidates(commits[1:], commits[:1], false, ""); len(got) != 0 {
		t.Errorf("got %s, want no earlier commit", got)
	}
}

func TestBaseOf(t *testing.T) {
	earlier := strings.Fields("v0.36.6 v0.37.2 v0.38.0-alpha.0")
	for candidate, want := range map[string]string{"v0.37.3": "v0.37.2", "v0.38.0-beta.0": "v0.38.0-alpha.0", "v0.38.0": "v0.38.0-alpha.0", "v0.35.1": ""} {
		if got := baseOf(candidate, earlier); got != want {
			t.Errorf("%s: got %s, want %s", candidate, got, want)
		}
	}
}

// TestKnown reads the versions that the repository knows, and those that it knew up to a release.
func TestKnown(t *testing.T) {
	testMod := filepath.Join(moduletest.Root, "test", "go.mod")
	for release := model.OldestRelease; release <= model.PreviewRelease; release++ {
		v, err := known(moduletest.Releases, testMod, release)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(v[clientGo]); got != int(release-model.OldestRelease)+1 {
			t.Errorf("%s: %d versions of client-go: %s", release, got, v[clientGo])
		}
		if got := semver.MajorMinor(v.newest(clientGo)); got != release.String() || v.newest(machinery) != v.newest(clientGo) {
			t.Errorf("%s: the newest are %s and %s", release, v.newest(clientGo), v.newest(machinery))
		}
		n := next{known: v}
		for _, modulePath := range n.modules() {
			if major := modulePath == n.modules()[4]; (v.newest(modulePath) == "") != major {
				t.Errorf("%s: the newest %s is %q", release, modulePath, v.newest(modulePath))
			}
		}
	}
	if _, err := known(moduletest.Releases, testMod, model.OldestRelease-1); err == nil {
		t.Error("there is no error for a release that is too old")
	}
}

const before = `package v1

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
)

type DeploymentInterface interface {
	Create(ctx context.Context, deployment *appsv1.Deployment) error
}

type PolicyInterface interface {
	Create(ctx context.Context, policy *appsv1.Policy) (err error)
}

type DeploymentApplyConfiguration struct {
	Name *string ` + "`json:\"name\"`" + `
	note string
}

type PolicyApplyConfiguration struct{ rest.Interface }

func New(c rest.Interface) *AppsV1Client { return nil }

func (c *AppsV1Client) Deployments() DeploymentInterface { return nil }

func (c *AppsV1Client) Policies() PolicyInterface { return nil }

type AppsV1Client struct{}

type Old interface{ Get() }
`

func listing(t *testing.T, text string) api {
	t.Helper()
	a := api{}
	if err := a.add("k8s.io/client-go/kubernetes/typed/apps/v1", []byte(text), asIs); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDifferences(t *testing.T) {
	was := listing(t, before)
	if got := differences(was, listing(t, strings.NewReplacer(
		`appsv1 "k8s.io/api/apps/v1"`, `v1 "k8s.io/api/apps/v1"`, "appsv1.", "v1.", "ctx context", "_ context", "(err error)", "error", "note", "remark",
	).Replace(before)), kindsOf(was)); len(got) > 0 {
		t.Errorf("names of imports, parameters and unexported fields count: %s", got)
	}
	is := listing(t, strings.NewReplacer(
		"Create(ctx", "DeleteWithResult(ctx context.Context) (int, error)\n\tCreate(ctx",
		"func New(c rest.Interface)", "func New(c rest.Interface, n int)",
		"type Old interface{ Get() }", "type Young struct{ Age int }",
		"s() DeploymentInterface {", "s() (DeploymentInterface, error) {", "s() PolicyInterface {", "s() (PolicyInterface, error) {",
	).Replace(before))
	var got []string
	for _, g := range differences(was, is, kindsOf(is)) {
		got = append(got, g.sign+" "+g.String())
	}
	want := []string{
		"+ kubernetes/typed/GROUP/VERSION.KINDInterface.DeleteWithResult func(context.Context) (int, error) (2, such as kubernetes/typed/apps/v1.DeploymentInterface.DeleteWithResult)",
		"+ kubernetes/typed/GROUP/VERSION.Young type struct",
		"- kubernetes/typed/GROUP/VERSION.Old type interface",
		"~ kubernetes/typed/GROUP/VERSION.GROUPVERSIONClient.KIND func() (KINDInterface, error), was func() KINDInterface (2, such as kubernetes/typed/apps/v1.AppsV1Client.Deployments)",
		"~ kubernetes/typed/GROUP/VERSION.New func(rest.Interface, int) *GROUPVERSIONClient, was func(rest.Interface) *GROUPVERSIONClient",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestUsed lists the declarations that generated code refers to, with their members, and no others of their packages.
func TestUsed(t *testing.T) {
	root, generated := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(root, "rest", "rest.go"):         "package rest\n\ntype Config struct{ Host string }\n\ntype Other struct{ Host string }\n\nfunc New() {}\n\nfunc (c *Config) Copy() {}\n",
		filepath.Join(root, "other", "other.go"):       "package other\n\nfunc New() {}\n",
		filepath.Join(root, "apis", "v1", "v1.go"):     "package v1\n\ntype Kind struct{}\n",
		filepath.Join(generated, "typed", "a_test.go"): "package typed\n\nimport \"k8s.io/client-go/other\"\n\nvar _ = other.New\n",
		filepath.Join(generated, "typed", "client.go"): "package typed\n\nimport (\n\tr \"k8s.io/client-go/rest\"\n\t\"k8s.io/client-go/pkg/apis/v1\"\n)\n\nvar Default *r.Config\n\nvar Kind v1.Kind\n",
	} {
		if err := writeFile(name, text); err != nil {
			t.Fatal(err)
		}
	}
	c := &clientVersion{dirs: map[string]string{clientGo: root}}
	used, err := usedBy(map[string]string{clientGo + "/typed": filepath.Join(generated, "typed")}, c.dirs)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := c.listUsed(used)
	want := api{
		"k8s.io/client-go/rest": "package", "k8s.io/client-go/rest.Config": "type struct",
		"k8s.io/client-go/rest.Config.Copy": "func()", "k8s.io/client-go/rest.Config.Host": "string",
	}
	if err != nil || !maps.Equal(listed, want) {
		t.Errorf("got %v, %v", listed, err)
	}
}

func TestAbstract(t *testing.T) {
	kinds := kindsOf(api{"x.PolicyApplyConfiguration": "type struct", "x.EventApplyConfiguration": "type struct", "x.Job.WithApplyConfiguration": "func()",
		"x.JobApplyConfiguration": "type struct"})
	for text, want := range map[string]string{
		"k8s.io/client-go/informers/apps/v1.Interface.Policies func()":                                          "k8s.io/client-go/informers/GROUP/VERSION.Interface.KIND func()",
		"k8s.io/client-go/informers/core/v1.EventHandler k8s.io/client-go/tools/cache.ResourceEventHandler":     "k8s.io/client-go/informers/GROUP/VERSION.KINDHandler k8s.io/client-go/tools/cache.ResourceEventHandler",
		"k8s.io/client-go/informers/batch/v1beta1.NewJobInformerWithOptions func(k8s.io/api/batch/v1beta1.Job)": "k8s.io/client-go/informers/GROUP/VERSION.NewKINDInformerWithOptions func(k8s.io/api/GROUP/VERSION.KIND)",
		"k8s.io/client-go/tools/cache.Event type":                                                               "k8s.io/client-go/tools/cache.Event type",
	} {
		if got := abstract(text, kinds); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestWithRelease(t *testing.T) {
	const text = "const (\n\tNewestRelease Release = 1\n\t// Next.\n\tPreviewRelease Release = 2\n)\n"
	next := (model.PreviewRelease + 1).String()
	for version, want := range map[string]string{
		model.NewestRelease.String() + ".9":       text,
		model.PreviewRelease.String() + ".0-rc.1": text,
		model.PreviewRelease.String() + ".0":      strings.Replace(text, "= 1", "= "+strings.TrimPrefix(model.PreviewRelease.String(), "v0."), 1),
		next + ".0-alpha.1":                       strings.Replace(text, "= 2", "= "+strings.TrimPrefix(next, "v0."), 1),
	} {
		if got := withRelease(text, version); got != want {
			t.Errorf("%s: got\n%s", version, got)
		}
	}
}

// TestUsage checks that mistakes in the command line end with 2, before anything is looked for.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-from x":              `"x" is not a version of client-go`,
		"-to 37":               `-to: "37" is not a version`,
		"-known k8s.io/api":    "write it as MODULE@VERSION",
		"-known k8s.io/api@37": "write it as MODULE@VERSION",
		"more":                 `unexpected argument "more"`,
		"-faster":              "flag provided but not defined: -faster",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(args), &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, want %q in\n%s%s", args, code, want, stdout.String(), stderr.String())
		}
	}
}
