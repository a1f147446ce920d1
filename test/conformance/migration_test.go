package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// migrations are public APIs, in the versions that migration/go.mod requires, with the flags that they generate their
// clients with.
var migrations = []struct {
	name     string   // a folder
	module   string   // what packages are below
	packages []string // which the clients are for
	flags    []string // of every tool
	client   []string // of client-gen beyond those
	// published are types of k8s.io/api for which client-go has apply configurations. kubegen finds those by itself;
	// applyconfiguration-gen has to be told.
	published []string
}{
	{
		name: "gateway-api", module: "sigs.k8s.io/gateway-api",
		packages: []string{"apis/v1", "apis/v1alpha2", "apis/v1alpha3", "apis/v1beta1", "apisx/v1alpha1"},
	},
	{
		name: "cert-manager", module: "github.com/cert-manager/cert-manager",
		packages:  []string{"pkg/apis/acme/v1", "pkg/apis/certmanager/v1"},
		published: []string{"core/v1.Affinity", "core/v1.LocalObjectReference", "core/v1.SELinuxOptions", "core/v1.SeccompProfile", "core/v1.Sysctl", "core/v1.Toleration"},
	},
	{
		name: "kube-aggregator", module: "k8s.io/kube-aggregator",
		packages: []string{"pkg/apis/apiregistration/v1", "pkg/apis/apiregistration/v1beta1"},
		client:   []string{"--prefers-protobuf"},
	},
	{
		name: "metrics", module: "k8s.io/metrics",
		packages: []string{"pkg/apis/metrics/v1", "pkg/apis/metrics/v1alpha1", "pkg/apis/metrics/v1beta1"},
		client:   []string{"--prefers-protobuf"},
	},
	{
		name: "sample-controller", module: "k8s.io/sample-controller",
		packages: []string{"pkg/apis/samplecontroller/v1alpha1"},
	},
	{
		name: "external-snapshotter", module: "github.com/kubernetes-csi/external-snapshotter/client/v8",
		packages:  []string{"apis/volumegroupsnapshot/v1", "apis/volumegroupsnapshot/v1beta1", "apis/volumegroupsnapshot/v1beta2", "apis/volumesnapshot/v1"},
		published: []string{"core/v1.ObjectReference"},
	},
}

// TestMigration generates clients for public APIs, once with the generators of k8s.io/code-generator and once with
// kubegen, and compares what the two export.
func TestMigration(t *testing.T) {
	bin := t.TempDir() + string(filepath.Separator)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin, "tool"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/kubegen"),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	// Two modules of one name, so that import paths are the same.
	upstream, ours := t.TempDir(), t.TempDir()
	for _, dir := range []string{upstream, ours} {
		for _, file := range []string{"go.mod", "go.sum"} {
			copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
		}
	}
	for _, api := range migrations {
		t.Run(api.name, func(t *testing.T) {
			var packages []string
			for _, path := range api.packages {
				packages = append(packages, api.module+"/"+path)
			}
			pkg := "example.com/migration/" + api.name
			apply := pkg + "/applyconfiguration"
			generate := func(dir, tool string, flags ...string) {
				cmd := exec.Command(bin+tool, flags...)
				cmd.Dir, cmd.Env = dir, goEnv()
				if _, err := output(cmd); err != nil {
					t.Fatal(err)
				}
			}
			at := func(folder string, flags ...string) []string {
				return slices.Concat([]string{"--output-dir", filepath.Join(api.name, folder), "--output-pkg", pkg + "/" + folder}, api.flags, flags)
			}
			var external []string
			for _, published := range api.published {
				pkg, _, _ := strings.Cut(published, ".")
				external = append(external, "--external-applyconfigurations", "k8s.io/api/"+published+":k8s.io/client-go/applyconfigurations/"+pkg)
			}
			generate(upstream, "applyconfiguration-gen", at("applyconfiguration", slices.Concat(external, packages)...)...)
			generate(upstream, "client-gen", at("clientset", append(api.client, "--clientset-name", "versioned",
				"--input-base", "", "--input", strings.Join(packages, ","), "--apply-configuration-package", apply)...)...)
			generate(upstream, "lister-gen", at("listers", packages...)...)
			generate(upstream, "informer-gen", at("informers", append([]string{"--versioned-clientset-package", pkg + "/clientset/versioned",
				"--listers-package", pkg + "/listers"}, packages...)...)...)
			generate(ours, "kubegen", slices.Concat([]string{"--output-dir", api.name, "--output-pkg", pkg}, api.flags, api.client, packages)...)

			want, err := Load(upstream, "./"+api.name+"/...")
			if err != nil {
				t.Fatal("upstream: ", head(err.Error()))
			}
			got, err := Load(ours, "./"+api.name+"/...")
			if err != nil {
				t.Fatal(head(err.Error()))
			}
			report := Compare(want, got)
			fmt.Printf("migration %s: %s\n", api.name, report)
			if differences := report.Differences(); len(differences) > 0 {
				t.Errorf("%d differences\n%s", len(differences), strings.Join(differences, "\n"))
			}
		})
	}
}
