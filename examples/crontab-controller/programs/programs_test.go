// Package programs_test runs the programs of this folder against a server.
package programs_test

import (
	"bufio"
	"bytes"
	"context"
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

func TestPrograms(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute) // to build the server, perhaps
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
	bin := t.TempDir()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
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
			command := exec.CommandContext(ctx, filepath.Join(bin, name), "--kubeconfig", server.Kubeconfig)
			command.Stderr = os.Stderr
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stdout)
			found := false
			for !found && lines.Scan() {
				found = strings.Contains(lines.Text(), want)
			}
			if !found {
				t.Errorf("never printed %q", want)
			}
			if err := command.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
			for lines.Scan() {
			}
			if err := command.Wait(); err != nil {
				t.Errorf("after an interrupt: %v", err)
			}
		})
	}
}
