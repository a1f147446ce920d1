package conformance

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// migrations are packages of public APIs, in the versions that migration/go.mod requires. One clientset has them all:
// the classic tools take longer to load what the APIs depend on than for anything else.
var migrations = []string{
	"github.com/cert-manager/cert-manager/pkg/apis/acme/v1",
	"github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1",
	"github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumegroupsnapshot/v1",
	"github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumegroupsnapshot/v1beta1",
	"github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumegroupsnapshot/v1beta2",
	"github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1",
	"github.com/openkruise/kruise-api/apps/v1alpha1",
	"github.com/openkruise/kruise-api/apps/v1beta1",
	"github.com/openkruise/kruise-api/policy/v1alpha1",
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1",
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1",
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1",
	"github.com/vmware-tanzu/velero/pkg/apis/velero/v1",
	"github.com/vmware-tanzu/velero/pkg/apis/velero/v2alpha1",
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1",
	"k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1",
	"k8s.io/metrics/pkg/apis/metrics/v1",
	"k8s.io/metrics/pkg/apis/metrics/v1alpha1",
	"k8s.io/metrics/pkg/apis/metrics/v1beta1",
	"k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1",
	"sigs.k8s.io/gateway-api/apis/v1",
	"sigs.k8s.io/gateway-api/apis/v1alpha2",
	"sigs.k8s.io/gateway-api/apis/v1alpha3",
	"sigs.k8s.io/gateway-api/apis/v1beta1",
	"sigs.k8s.io/gateway-api/apisx/v1alpha1",
}

// TestMigration generates clients for public APIs with the tools of k8s.io/code-generator, and then with kubegen
// --classic, which must report no changes for callers, and whose output must compile.
func TestMigration(t *testing.T) {
	bin, dir := t.TempDir(), workDir(t)
	for _, build := range []*exec.Cmd{
		goCommand("migration", "build", "-o", bin+string(filepath.Separator), "tool"),
		goCommand(filepath.Join("..", ".."), "build", "-o", bin, "./cmd/kubegen"),
	} {
		if _, err := output(build); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(dir, file), filepath.Join("migration", file))
	}
	const pkg = "example.com/migration/client"
	run := func(tool string, args ...string) (stderr string) {
		t.Helper()
		var buf bytes.Buffer
		cmd := exec.Command(filepath.Join(bin, tool), args...)
		cmd.Dir, cmd.Env, cmd.Stderr = dir, goEnv(), &buf
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", tool, err, head(buf.String()))
		}
		return buf.String()
	}
	at := func(dir string, args ...string) []string {
		return append([]string{"--output-dir", filepath.Join("client", dir), "--output-pkg", pkg + "/" + dir}, args...)
	}
	run("applyconfiguration-gen", at("applyconfiguration", migrations...)...)
	run("client-gen", at("clientset", "--clientset-name", "versioned", "--input-base", "",
		"--input", strings.Join(migrations, ","), "--apply-configuration-package", pkg+"/applyconfiguration")...)
	run("lister-gen", at("listers", migrations...)...)
	run("informer-gen", append(at("informers", "--versioned-clientset-package", pkg+"/clientset/versioned", "--listers-package", pkg+"/listers"), migrations...)...)

	kubegen := func(flags ...string) string {
		return run("kubegen", slices.Concat([]string{"--output-dir", "client", "--output-pkg", pkg}, flags, migrations)...)
	}
	const notice = "exported API: "
	// Without changes here, the check with --classic would prove nothing.
	if stderr := kubegen("--dry-run"); !strings.Contains(stderr, notice) || !strings.Contains(stderr, "--classic may keep them") {
		t.Errorf("without --classic there is no warning of what changes for callers:\n%s", head(stderr))
	}
	if _, changes, found := strings.Cut(kubegen("--classic"), notice); found {
		t.Errorf("with --classic callers notice %s", changes)
	}
	if _, err := output(goCommand(dir, "build", "./client/...")); err != nil {
		t.Error(err)
	}
}
