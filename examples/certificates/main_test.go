package main

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	v1 "github.com/kubegen/kubegen/examples/certificates/certmanager/cert-manager/v1"
	"github.com/kubegen/kubegen/examples/certificates/certmanager/clientset/versioned"
	"github.com/kubegen/kubegen/examples/certificates/certmanager/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// TestFake runs the program on an API server in memory, with the rules of the CustomResourceDefinition.
func TestFake(t *testing.T) {
	options, err := crdvalidation.Options(scheme.Scheme, "crds")
	if err != nil {
		t.Fatal(err)
	}
	testKeep(t, fakeapi.New(options...).RESTConfig())
}

// TestServer does the same on a real API server.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds an API server")
	}
	dir := t.TempDir()
	kubeconfig, binary := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "apiserver")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "test", "apiserver")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := exec.Command(binary, "--stdin", "--data-dir", filepath.Join(dir, "data"), "--kubeconfig", kubeconfig, "--crds", "crds")
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := server.Wait(); err != nil {
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
	testKeep(t, config)
}

// testKeep runs the program as cert-manager sees it: it issues a certificate, and somebody changes one.
func testKeep(t *testing.T, config *rest.Config) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	certificates := versioned.NewForConfigOrDie(config).CertManagerV1().Certificates("default")
	invalid := &v1.Certificate{ObjectMeta: metav1.ObjectMeta{Name: "invalid"}, Spec: &v1.CertificateSpec{SecretName: "a", IssuerRef: v1.CertificateSpecIssuerRef{Name: "b"}}}
	if _, err := certificates.Create(ctx, invalid, metav1.CreateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "commonName or dnsNames must be set") {
		t.Fatalf("the rule of the definition is not observed: %v", err)
	}
	out, print := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- keep(ctx, config, "default", "issuer", []string{"*.example.com", "example.org"}, print)
		print.Close()
	}()
	var certificate *v1.Certificate
	for certificate == nil {
		if ctx.Err() != nil {
			t.Fatal("there is no certificate: ", <-ended)
		}
		if found, err := certificates.Get(ctx, "wildcard.example.com", metav1.GetOptions{}); err == nil {
			certificate = found
		} else if !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if policy := certificate.Spec.PrivateKey.RotationPolicy; policy == nil || *policy != v1.CertificateSpecPrivateKeyRotationPolicyAlways {
		t.Errorf("the default of the definition is not set: %v", policy)
	}
	until := metav1.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	certificate.Status = &v1.CertificateStatus{
		NotAfter: &until, Conditions: []v1.CertificateStatusConditions{{Type: "Ready", Status: v1.CertificateStatusConditionsStatusTrue}},
	}
	certificate, err := certificates.UpdateStatus(ctx, certificate, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "wildcard.example.com is ready until 2030-01-02" {
		t.Errorf("printed %q", lines.Text())
	}
	go func() {
		for lines.Scan() { // so that the program does not wait for a reader
		}
	}()
	certificate.Spec.SecretName = "changed"
	if _, err := certificates.Update(ctx, certificate, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for certificate.Spec.SecretName == "changed" {
		if certificate, err = certificates.Get(ctx, "wildcard.example.com", metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
