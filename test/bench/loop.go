//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// A workflow is how a project of kubebuilder generates, and what its tests use as a server.
type workflow struct {
	name     string
	generate func(bin string) [][]string
	client   string   // statements that declare c, a client.Client, and err
	imports  []string // for these
	fields   bool     // whether the server sets defaults and validates
}

var workflows = []workflow{
	{
		name: "kubegen, fakeapi",
		generate: func(bin string) [][]string {
			return [][]string{{
				filepath.Join(bin, "kubegen"), "--only", "deepcopy,crd,rbac,webhook", "--rbac-role-name", "manager-role",
				"--boilerplate", "hack/boilerplate.go.txt", "--year", "2026", "./...",
			}}
		},
		client: `options, err := crdvalidation.Options(scheme, "../../config/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(fakeapi.New(options...).RESTConfig(), client.Options{Scheme: scheme})`,
		imports: []string{fakeAPI, fakeAPI + "/crdvalidation"}, fields: true,
	},
	{
		name: "controller-gen, fake client", generate: controllerGen,
		client:  "c, err := fake.NewClientBuilder().WithScheme(scheme).Build(), error(nil)",
		imports: []string{controllerRuntime + "/pkg/client/fake"},
	},
	{
		name: "controller-gen, envtest", generate: controllerGen,
		client: `environment := envtest.Environment{CRDDirectoryPaths: []string{"../../config/crd/bases"}}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer environment.Stop()
	c, err := client.New(config, client.Options{Scheme: scheme})`,
		imports: []string{controllerRuntime + "/pkg/envtest"}, fields: true,
	},
}

// controllerGen returns the commands of "make generate manifests".
func controllerGen(bin string) [][]string {
	tool := filepath.Join(bin, "controller-gen")
	return [][]string{
		{tool, "object:headerFile=hack/boilerplate.go.txt,year=2026", "paths=./..."},
		{tool, "rbac:roleName=manager-role", "crd", "webhook", "paths=./...", "output:crd:artifacts:config=config/crd/bases"},
	}
}

// loop measures a change of a type in a project of kubebuilder with three kinds. Each of the workflows generates, and
// runs a test of a controller that depends on the change. Without the servers of envtest, its workflow is left out.
func loop(n int, temp string) error {
	restore, err := withoutWorkspace()
	if err != nil {
		return err
	}
	defer restore()
	flows := workflows
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		flows = flows[:len(flows)-1]
	}
	c := &costs{}
	scaffold := filepath.Join(temp, "scaffold")
	if err := scaffoldProject(scaffold); err != nil {
		return err
	}
	project := func(side int) string { return filepath.Join(temp, fmt.Sprint("project", side)) }
	for side, flow := range flows {
		c.sides = append(c.sides, flow.name)
		if err := errors.Join(os.CopyFS(project(side), os.DirFS(scaffold)), requireFakeAPI(project(side))); err != nil {
			return err
		}
	}
	for run := range n + 1 {
		for side, flow := range flows {
			if err := flow.edit(project(side), run); err != nil {
				return err
			}
			generate, err := spend(project(side), flow.generate(filepath.Join(temp, "bin")))
			if err != nil {
				return err
			}
			test, err := spend(project(side), [][]string{{"go", "test", "./internal/controller"}})
			if err != nil {
				return err
			}
			if run == 0 { // compiles the other packages
				continue
			}
			c.add("generate: CPU s", side, generate.cpu.Seconds())
			c.add("test: CPU s", side, test.cpu.Seconds())
			c.add("both: CPU s", side, (generate.cpu + test.cpu).Seconds())
			c.add("both: wall s", side, (generate.wall + test.wall).Seconds())
		}
	}
	for side := range flows[:len(flows)-1] {
		if err := sameManifests(project(len(flows)-1), project(side), []string{
			"config/crd/bases/batch.example.com_crontabs.yaml", "config/rbac/role.yaml",
		}); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	c.header(table)
	c.print(table, "loop")
	return table.Flush()
}

// scaffoldProject writes a project with kubebuilder, without its tests.
func scaffoldProject(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	lines := []string{"init --domain example.com --repo example.com/project --skip-go-version-check"}
	for _, kind := range []string{"CronTab", "Site", "Backup"} {
		lines = append(lines, "create api --group batch --version v1 --resource --controller --make=false --kind "+kind)
	}
	for _, line := range lines {
		if _, err := output("go", append([]string{"run", "-C", dir, moduletest.Kubebuilder}, strings.Fields(line)...)...); err != nil {
			return err
		}
	}
	tests, err := filepath.Glob(filepath.Join(dir, "internal/controller/*_test.go"))
	for _, name := range tests {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// requireFakeAPI adds fakeapi and crdvalidation of this repository to the go.mod of a project.
func requireFakeAPI(dir string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	_, err = output("go", "mod", "edit",
		"-require="+fakeAPI+"@v0.0.0", "-replace="+fakeAPI+"="+filepath.Join(root, "fakeapi"),
		"-require="+fakeAPI+"/crdvalidation@v0.0.0", "-replace="+fakeAPI+"/crdvalidation="+filepath.Join(root, "fakeapi/crdvalidation"),
		filepath.Join(dir, "go.mod"))
	return err
}

// edit gives the spec of CronTab another field and another default, and writes a test for it.
func (w workflow) edit(project string, run int) error {
	const begin, end = "\t// foo is an example field", "`json:\"foo,omitempty\"`\n"
	name := filepath.Join(project, "api/v1/crontab_types.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, found2 := strings.Cut(rest, end)
	if !found || !found2 {
		return fmt.Errorf("%s: no field Foo", name)
	}
	imports := ""
	for _, path := range append([]string{"sigs.k8s.io/controller-runtime/pkg/client"}, w.imports...) {
		imports += fmt.Sprintf("\t%q\n", path)
	}
	return errors.Join(
		os.WriteFile(name, []byte(before+begin+fmt.Sprintf(fieldsOfSpec, run, run+1)+end+after), 0o644),
		os.WriteFile(filepath.Join(project, "internal/controller/loop_test.go"),
			fmt.Appendf(nil, reconcileTest, imports, w.client, w.fields, run+1), 0o644),
	)
}

// fieldsOfSpec replace the example of kubebuilder, between its first and last words.
const fieldsOfSpec = `
	// +optional
	Field%[1]d string ` + "`json:\"field%[1]d,omitempty\"`" + `
	// image is what runs.
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string ` + "`json:\"image\"`" + `
	// replicas is the number of containers.
	// +kubebuilder:validation:Maximum=100
	// +kubebuilder:default=%[2]d
	// +optional
	Replicas *int32 ` + "`json:\"replicas,omitempty\"`" + `
	// +optional
	Foo *string `

const reconcileTest = `package controller

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"

%s
	batchv1 "example.com/project/api/v1"
)

func TestReconcile(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	%s
	if err != nil {
		t.Fatal(err)
	}
	object := &batchv1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one"}, Spec: batchv1.CronTabSpec{Image: "backup:v1"},
	}
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(object)
	if _, err := (&CronTabReconciler{Client: c, Scheme: scheme}).Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), key, object); err != nil {
		t.Fatal(err)
	}
	const fields = %t
	if got := object.Spec.Replicas; (got != nil && *got == %d) != fields {
		t.Errorf("%%v replicas", got)
	}
	object = &batchv1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "none"}}
	if err := c.Create(t.Context(), object); apierrors.IsInvalid(err) != fields {
		t.Errorf("no image: %%v", err)
	}
}
`
