package crds_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	apiserver "github.com/kubegen/kubegen/test/apiserver/binary"
)

// TestServer sends manifests of random packages to a real API server: it must establish what kubegen accepts, with a
// structural schema, and refuse what kubegen refuses.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds an API server")
	}
	const most = 40 // of each sort
	client := definitionsOf(t, startServer(t))
	accepted, refused := 0, 0
	for _, v := range randomVerdicts(t, 600) {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(v.manifest, definition); err != nil {
			t.Errorf("seed %d: %v", v.seed, err)
			continue
		}
		ok := len(v.checked) == 0
		if ok && accepted >= most || !ok && refused >= most || excused(v.server, onlyThere) != "" {
			continue
		}
		_, err := client.Create(t.Context(), definition, metav1.CreateOptions{})
		switch {
		case ok && err != nil && aboutCEL(err.Error()):
		case ok && err != nil:
			t.Errorf("seed %d: kubegen accepts what the server refuses: %v", v.seed, err)
		case !ok && err == nil:
			t.Errorf("seed %d: kubegen refuses what the server accepts:\n%s", v.seed, strings.Join(v.checked, "\n"))
		case !ok && !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err):
			t.Errorf("seed %d: %v", v.seed, err)
		case !ok:
			refused++
		default:
			accepted++
			if err := established(t, client, definition.Name); err != nil {
				t.Errorf("seed %d: %v", v.seed, err)
			}
		}
	}
	t.Logf("%d established, %d refused", accepted, refused)
	if accepted < most || refused < most {
		t.Errorf("fewer than %d of a sort", most)
	}
}

type definitions interface {
	Create(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition, options metav1.CreateOptions) (*apiextensionsv1.CustomResourceDefinition, error)
	Get(ctx context.Context, name string, options metav1.GetOptions) (*apiextensionsv1.CustomResourceDefinition, error)
}

// established waits until a server serves the kind of a definition, and returns why it does not.
func established(t *testing.T, client definitions, name string) error {
	t.Helper()
	var last []apiextensionsv1.CustomResourceDefinitionCondition
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		found, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = found.Status.Conditions
		for _, c := range last {
			if c.Type == apiextensionsv1.NonStructuralSchema && c.Status == apiextensionsv1.ConditionTrue {
				return false, fmt.Errorf("the schema is not structural: %s", c.Message)
			}
		}
		for _, c := range last {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("%s is not established: %w (%v)", name, err, last)
	}
	return nil
}

// definitionsOf returns the client for CustomResourceDefinitions.
func definitionsOf(t *testing.T, config *rest.Config) definitions {
	t.Helper()
	client, err := clientset.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client.ApiextensionsV1().CustomResourceDefinitions()
}

// startServer starts the API server of test/apiserver until the end of the test.
func startServer(t *testing.T) *rest.Config {
	t.Helper()
	dir := t.TempDir()
	binary, err := apiserver.Build()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	cmd := exec.Command(binary, "--stdin", "--data-dir", filepath.Join(dir, "data"), "--kubeconfig", kubeconfig)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !strings.HasPrefix(line, "ready ") {
		t.Fatalf("the API server printed %q: %v", line, err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}
