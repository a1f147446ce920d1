//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubescheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubegen/kubegen/examples/crontab-controller/internal/apiserver"
	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
)

// TestDeployment builds the controller as the Dockerfile does, and runs it as the manifests say: as two replicas, with
// only the permissions of the roles. They must need all of these permissions and no others, pass their probes, never
// update an object that they know to be outdated, hand over at SIGTERM, and end without an error.
func TestDeployment(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	manifests := readManifests(t, "deploy/crontab-controller.yaml", "config/rbac/role.yaml")
	binary := buildAsDockerfile(t, ctx, "v1.2.3")
	server, err := apiserver.Start(ctx, "testdata/events.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	gate := newGate(t, config, manifests, "crontab-controller/v1.2.3")

	first := startPod(t, ctx, binary, gate, manifests.deployment, "KUBE_FEATURE_WatchListClient=false") // This replica lists before it watches.
	first.await(t, ctx, "successfully acquired lease")
	second := startPod(t, ctx, binary, gate, manifests.deployment)
	for _, pod := range []*pod{first, second} {
		pod.probe(t, ctx)
	}

	// Each run replaces the previous one. The missing class causes an event.
	if _, err := client.StableV1().CronTabClasses().Create(ctx, &v1.CronTabClass{
		ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: v1.CronTabClassSpec{DefaultImage: "image:v1", ConcurrencyPolicy: v1.ReplaceConcurrent},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	crontabs := client.StableV1().CronTabs("east")
	for name, class := range map[string]string{"often": "one", "never": "missing"} {
		if _, err := crontabs.Create(ctx, &v1.CronTab{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.CronTabSpec{CronSpec: "* * * * * *", ClassName: class},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	progress := func() {
		since := metav1.Now()
		eventually(t, ctx, "another run is made", func() bool {
			crontab, err := crontabs.Get(ctx, "often", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			last := crontab.Status.LastScheduleTime
			return last != nil && last.Sub(since.Time) > 2*time.Second
		})
	}
	progress()
	never, err := crontabs.Get(ctx, "never", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.StableV1().CronRuns("east").Create(ctx, &v1.CronRun{ // has never reconciled without a change, and causes the same event again
		ObjectMeta: metav1.ObjectMeta{Name: "never", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(never, v1.SchemeGroupVersion.WithKind("CronTab"))}},
		Spec:       v1.CronRunSpec{Image: "image:v1", ScheduledTime: metav1.Now()},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	progress()
	first.terminate(t)
	second.await(t, ctx, "successfully acquired lease")
	progress()
	if err := crontabs.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, ctx, "the CronTabs are gone", func() bool {
		list, err := crontabs.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Items) == 0
	})
	second.terminate(t)
	gate.close()
	for _, permission := range slices.Sorted(maps.Keys(gate.permissions)) {
		// The server checks this permission when a run is created, but only with an admission plugin that is not on by
		// default.
		if !gate.permissions[permission] && permission != "update stable.example.com/crontabs/finalizers" {
			t.Errorf("the roles allow what the controller does not do: %s", permission)
		}
	}
}

// TestAddressInUse checks that the controller reports an error and a nonzero exit code if it cannot serve its port.
func TestAddressInUse(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	busy := httptest.NewServer(http.NotFoundHandler())
	defer busy.Close()
	binary := buildAsDockerfile(t, ctx, "v1.2.3")
	command := exec.CommandContext(ctx, binary, "--kubeconfig", writeKubeconfig(t, busy.URL, "default"),
		"--metrics-bind-address", strings.TrimPrefix(busy.URL, "http://"))
	out, err := command.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 || !bytes.Contains(out, []byte("address already in use")) {
		t.Errorf("%v\n%s", err, out)
	}
}

type manifests struct {
	deployment  *appsv1.Deployment
	clusterRole *rbacv1.ClusterRole
	role        *rbacv1.Role
}

// readManifests decodes the manifests, rejects unknown fields, and checks the references between them.
func readManifests(t *testing.T, files ...string) manifests {
	t.Helper()
	decoder := serializer.NewCodecFactory(kubescheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var m manifests
	var account *corev1.ServiceAccount
	var namespace *corev1.Namespace
	var clusterBinding *rbacv1.ClusterRoleBinding
	var binding *rbacv1.RoleBinding
	var content []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content = append(append(content, text...), "---\n"...)
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%q: %v\n%s", files, err, document)
		}
		switch object := object.(type) {
		case *corev1.Namespace:
			namespace = object
		case *corev1.ServiceAccount:
			account = object
		case *rbacv1.ClusterRole:
			m.clusterRole = object
		case *rbacv1.ClusterRoleBinding:
			clusterBinding = object
		case *rbacv1.Role:
			m.role = object
		case *rbacv1.RoleBinding:
			binding = object
		case *appsv1.Deployment:
			m.deployment = object
		default:
			t.Errorf("%q have a %T, which nothing is known of", files, object)
		}
	}
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: account.Namespace}
	for _, subjects := range [][]rbacv1.Subject{clusterBinding.Subjects, binding.Subjects} {
		if !slices.Equal(subjects, []rbacv1.Subject{subject}) {
			t.Errorf("a role is bound to %v, want %v", subjects, subject)
		}
	}
	for got, want := range map[rbacv1.RoleRef]rbacv1.RoleRef{
		clusterBinding.RoleRef: {APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: m.clusterRole.Name},
		binding.RoleRef:        {APIGroup: rbacv1.GroupName, Kind: "Role", Name: m.role.Name},
	} {
		if got != want {
			t.Errorf("a binding is to %v, want %v", got, want)
		}
	}
	pod := m.deployment.Spec.Template
	if pod.Spec.ServiceAccountName != account.Name {
		t.Errorf("pods run as %q, want %q", pod.Spec.ServiceAccountName, account.Name)
	}
	if selector := m.deployment.Spec.Selector.MatchLabels; !maps.Equal(selector, pod.Labels) {
		t.Errorf("the selector is %v, the labels of pods are %v", selector, pod.Labels)
	}
	for _, object := range []metav1.Object{account, m.role, binding, m.deployment} {
		if object.GetNamespace() != namespace.Name {
			t.Errorf("%s is in namespace %q, want %q", object.GetName(), object.GetNamespace(), namespace.Name)
		}
	}
	return m
}

// buildAsDockerfile runs the "go build" command of the Dockerfile and returns the program. It builds for this platform,
// and with cgo if that is the default, so that not everything is compiled again.
func buildAsDockerfile(t *testing.T, ctx context.Context, version string) string {
	t.Helper()
	dockerfile, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	const target = "/crontab-controller"
	build := regexp.MustCompile(`(?m)^RUN (go build .*) -o ` + target + ` \.$`).FindSubmatch(dockerfile)
	if build == nil || !regexp.MustCompile(`(?m)^ENV CGO_ENABLED=0 `).Match(dockerfile) || !regexp.MustCompile(`(?m)^COPY --from=build `+target+" "+target+`$`).Match(dockerfile) ||
		!regexp.MustCompile(`(?m)^USER [1-9][0-9]*:[1-9][0-9]*$`).Match(dockerfile) {
		t.Fatalf("the Dockerfile does not build %s statically, copy it, and run it as another user than root:\n%s", target, dockerfile)
	}
	file := filepath.Join(t.TempDir(), "crontab-controller")
	command := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("%s -o '%s' .", build[1], file))
	command.Env = append(os.Environ(), "VERSION="+version)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return file
}

// gate is a proxy in front of the API server that allows only requests that the roles permit.
type gate struct {
	kubeconfig string
	close      func()

	mu          sync.Mutex
	permissions map[string]bool // "verb group/resource" -> whether it was needed
}

func newGate(t *testing.T, config *rest.Config, manifests manifests, userAgent string) *gate {
	t.Helper()
	g := &gate{permissions: map[string]bool{}}
	type grant struct{ namespace, name string } // "" for all
	grants := map[string][]grant{}
	add := func(namespace string, rules []rbacv1.PolicyRule) {
		for _, rule := range rules {
			if len(rule.ResourceNames) == 0 {
				rule.ResourceNames = []string{""}
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						permission := verb + " " + group + "/" + resource
						g.permissions[permission] = false
						for _, name := range rule.ResourceNames {
							grants[permission] = append(grants[permission], grant{namespace, name})
						}
					}
				}
			}
		}
	}
	add("", manifests.clusterRole.Rules)
	add(manifests.role.Namespace, manifests.role.Rules)

	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }, // the pod has ended
		ModifyResponse: func(response *http.Response) error {
			if response.StatusCode == http.StatusConflict && response.Request.Method == http.MethodPut && strings.Contains(response.Request.URL.Path, "/crontabs/") {
				t.Errorf("a conflict: %s", response.Request.URL.Path)
			}
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.UserAgent(); got != userAgent {
			t.Errorf("user agent %q, want %q", got, userAgent)
		}
		permission, namespace, name, ok := attributes(r)
		if ok && !slices.ContainsFunc(grants[permission], func(g grant) bool {
			return (g.namespace == "" || g.namespace == namespace) && (g.name == "" || g.name == name)
		}) {
			t.Errorf("no role allows: %s (namespace %q, name %q)", permission, namespace, name)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if ok {
			g.mu.Lock()
			g.permissions[permission] = true
			g.mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	g.close = sync.OnceFunc(func() {
		front.CloseClientConnections()
		front.Close()
	})
	t.Cleanup(g.close)
	g.kubeconfig = writeKubeconfig(t, front.URL, manifests.deployment.Namespace)
	return g
}

// attributes returns the permission that an API server requires for a request. ok is false for discovery, which
// everybody may use.
func attributes(r *http.Request) (permission, namespace, name string, ok bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // apis, group, version, [namespaces, namespace,] resource, name, subresource
	if len(parts) < 4 {
		return "", "", "", false
	}
	group, parts := parts[1], parts[3:]
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	resource := parts[0]
	if len(parts) > 1 {
		name = parts[1]
	}
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	verb := map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete", http.MethodGet: "get"}[r.Method]
	switch watch := r.URL.Query().Get("watch"); {
	case verb == "get" && (watch == "true" || watch == "1"):
		verb = "watch"
	case verb == "get" && name == "":
		verb = "list"
	case verb == "delete" && name == "":
		verb = "deletecollection"
	}
	return verb + " " + group + "/" + resource, namespace, name, true
}

func writeKubeconfig(t *testing.T, url, namespace string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: url}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", Namespace: namespace}
	config.CurrentContext = "test"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// pod is a process that runs like the container of a Deployment.
type pod struct {
	container corev1.Container
	process   *exec.Cmd

	mu  sync.Mutex
	log bytes.Buffer
}

func (p *pod) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(line)
}

func (p *pod) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func startPod(t *testing.T, ctx context.Context, binary string, gate *gate, deployment *appsv1.Deployment, env ...string) *pod {
	t.Helper()
	p := &pod{container: deployment.Spec.Template.Spec.Containers[0]}
	p.process = exec.CommandContext(ctx, binary, p.container.Args...)
	p.process.Args = append(p.process.Args, "--kubeconfig", gate.kubeconfig, "--metrics-bind-address", "127.0.0.1:0") // The last one counts.
	p.process.Env = append(os.Environ(), env...)
	p.process.Stdout, p.process.Stderr = p, p
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.process.Process.Kill() // if the test succeeds, terminate has already waited for it
		if t.Failed() {
			t.Logf("log of a pod:\n%s", p.logged())
		}
	})
	return p
}

func (p *pod) await(t *testing.T, ctx context.Context, line string) {
	t.Helper()
	eventually(t, ctx, fmt.Sprintf("a pod has logged %q", line), func() bool {
		return strings.Contains(strings.ToLower(p.logged()), line)
	})
}

// probe waits until the pod passes the probes of its container.
func (p *pod) probe(t *testing.T, ctx context.Context) {
	t.Helper()
	address := regexp.MustCompile(`"Serving metrics" address="(.*?)"`)
	eventually(t, ctx, "a pod serves", func() bool { return address.MatchString(p.logged()) })
	port := p.container.Ports[0]
	if !slices.Contains(p.container.Args, fmt.Sprintf("--metrics-bind-address=:%d", port.ContainerPort)) {
		t.Errorf("the container has port %d and arguments %q", port.ContainerPort, p.container.Args)
	}
	for _, probe := range []*corev1.Probe{p.container.LivenessProbe, p.container.ReadinessProbe} {
		if probe.HTTPGet.Port.String() != port.Name {
			t.Errorf("a probe is for port %s, want %s", probe.HTTPGet.Port.String(), port.Name)
		}
		url := "http://" + address.FindStringSubmatch(p.logged())[1] + probe.HTTPGet.Path
		eventually(t, ctx, url, func() bool {
			response, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			return response.Body.Close() == nil && response.StatusCode == http.StatusOK
		})
	}
}

func (p *pod) terminate(t *testing.T) {
	t.Helper()
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := p.process.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

func eventually(t *testing.T, ctx context.Context, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("it does not come to be that %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
