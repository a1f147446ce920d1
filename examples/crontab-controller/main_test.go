package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubegen/kubegen/examples/crontab-controller/internal/apiserver"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
)

// patience is the timeout of tests, which may have to build the API server first.
const patience = 20 * time.Minute

// TestSize checks that the controller is as short as the README says.
func TestSize(t *testing.T) {
	files := []string{"main.go"}
	for _, pattern := range []string{"controller/*.go", "cluster/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("got %d files of %s, %v", len(found), pattern, err)
		}
		files = append(files, found...)
	}
	lines := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(content, []byte("\n"))
	}
	t.Logf("%d lines", lines)
	if lines >= 850 {
		t.Errorf("the controller has %d lines; the README says under 850", lines)
	}
}

func TestPrograms(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	server, err := apiserver.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	bin := build(t, "./programs/...")
	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.StableV1().CronTabs("east").Create(ctx, &v1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly"},
		Spec:       v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image:v1"},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string]string{
		"restclient": "east/nightly runs \"0 3 * * *\"\n",
		"dynamic":    "east/nightly runs \"0 3 * * *\"\n",
		"clientset":  "applied example with the default of 1 replicas\nscaled it to 3\n",
		"discovery":  "crontabs/scale (Scale), in a namespace: true, verbs: get patch update\n",
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(ctx, filepath.Join(bin, name), "--kubeconfig", server.Kubeconfig)
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("printed\n%swithout\n%s", out, want)
			}
		})
	}
	for name, want := range map[string]string{
		"informer":  "added nightly",
		"workqueue": "look at east/nightly which is there: true",
	} {
		t.Run(name, func(t *testing.T) {
			interruptAt(t, want, exec.CommandContext(ctx, filepath.Join(bin, name), "--kubeconfig", server.Kubeconfig))
		})
	}
}

// TestDemo checks that the demo shows runs that succeed, and compiles neither the API server nor the clients for
// Kubernetes' own kinds.
func TestDemo(t *testing.T) {
	testDemo(t, "./demo")
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./demo").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, needless := range []string{"k8s.io/apiserver/", "go.etcd.io/", "k8s.io/client-go/kubernetes\n", "k8s.io/client-go/informers\n"} {
		if strings.Contains("\n"+string(deps), "\n"+needless) {
			t.Errorf("the demo imports %s", strings.TrimSpace(needless))
		}
	}
}

// TestDemoServer does the same with a real API server.
func TestDemoServer(t *testing.T) { testDemo(t, "./demo/server") }

// testDemo runs a demo until a run has succeeded, and once more for too short a time. No process and no file may be
// left behind.
func testDemo(t *testing.T, program string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	demo := filepath.Join(build(t, program), filepath.Base(program))
	files := t.TempDir()
	t.Setenv("TMPDIR", files)
	t.Run("Ctrl-C", func(t *testing.T) { interruptAt(t, " is Succeeded", exec.CommandContext(ctx, demo)) })
	t.Run("--for", func(t *testing.T) {
		// Each run takes at least a second, so none succeeds in this time. The processes of the demo share its standard
		// error, so the command ends only when the last of them has ended.
		out, err := exec.CommandContext(ctx, demo, "--for", "500ms").CombinedOutput()
		if failure := new(exec.ExitError); !errors.As(err, &failure) || !strings.HasSuffix(string(out), "demo: no run has succeeded\n") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	left, err := os.ReadDir(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		t.Errorf("%s stayed behind", file.Name())
	}
}

// build builds programs and returns the directory that contains them.
func build(t *testing.T, packages string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", dir+string(filepath.Separator), packages).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// interruptAt runs a command, interrupts it when it has printed want, and checks that it ends without an error.
func interruptAt(t *testing.T, want string, command *exec.Cmd) {
	t.Helper()
	var stderr bytes.Buffer
	command.Stderr = &stderr // Wait returns when no process can write there any more, so it also waits for any process that is left behind.
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	lines := bufio.NewScanner(io.TeeReader(stdout, &printed))
	found := false
	for !found && lines.Scan() {
		found = strings.Contains(lines.Text(), want)
	}
	if err := command.Process.Signal(os.Interrupt); found && err != nil {
		t.Error(err)
	}
	for lines.Scan() {
	}
	if err := command.Wait(); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
	if !found {
		t.Errorf("never printed %q", want)
	}
	if t.Failed() {
		t.Logf("printed\n%s%s", &printed, &stderr)
	}
}
