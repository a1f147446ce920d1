package e2e

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	webhook "github.com/kubegen/kubegen/test/e2e/conversion"
)

// A Site is a kind of three versions with renamed, moved and retyped fields. The hub is v1.
var siteVersions = []string{"v1alpha1", "v1beta1", "v1"}

func siteVersion(version string) schema.GroupVersion {
	return schema.GroupVersion{Group: "web.example.com", Version: version}
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type siteV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Template struct {
			Image string     `json:"image,omitempty"`
			Env   []variable `json:"env,omitempty"`
		} `json:"template,omitempty"`
		Scale struct {
			Replicas *int64 `json:"replicas,omitempty"`
		} `json:"scale,omitempty"`
		Endpoint *siteEndpoint `json:"endpoint,omitempty"`
		Paused   bool          `json:"paused,omitempty"`
		Comment  string        `json:"comment,omitempty"` // lost in other versions
	} `json:"spec,omitempty"`
	Status struct {
		State string `json:"state,omitempty"`
		Ready int64  `json:"ready,omitempty"`
	} `json:"status,omitempty"`
}

type siteEndpoint struct {
	Host string `json:"host,omitempty"`
	Port int64  `json:"port,omitempty"`
}

type siteV1beta1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Container struct {
			Image string `json:"image,omitempty"`
		} `json:"container,omitempty"`
		Env      []variable    `json:"env,omitempty"`
		Replicas *int64        `json:"replicas,omitempty"`
		Endpoint *siteEndpoint `json:"endpoint,omitempty"`
		Paused   bool          `json:"paused,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		State string `json:"state,omitempty"`
		Ready int64  `json:"ready,omitempty"`
	} `json:"status,omitempty"`
}

// siteV1alpha1 has an annotation for paused.
type siteV1alpha1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Image    string            `json:"image,omitempty"`
		Env      map[string]string `json:"env,omitempty"`
		Replicas *int64            `json:"replicas,omitempty"`
		Address  *string           `json:"address,omitempty"` // HOST:PORT
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
		Ready int64  `json:"ready,omitempty"`
	} `json:"status,omitempty"`
}

const pausedAnnotation = "web.example.com/paused"

func (s *siteV1) DeepCopyObject() runtime.Object       { return copied(s) }
func (s *siteV1beta1) DeepCopyObject() runtime.Object  { return copied(s) }
func (s *siteV1alpha1) DeepCopyObject() runtime.Object { return copied(s) }

func copied[T any](in *T) *T {
	out := new(T)
	utilruntime.Must(json.Unmarshal([]byte(compact(in)), out))
	return out
}

func fromAlpha(in *siteV1alpha1, out *siteV1) error {
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Spec.Template.Image, out.Spec.Scale.Replicas = in.Spec.Image, in.Spec.Replicas
	for _, name := range slices.Sorted(maps.Keys(in.Spec.Env)) {
		out.Spec.Template.Env = append(out.Spec.Template.Env, variable{name, in.Spec.Env[name]})
	}
	if in.Spec.Address != nil {
		host, port, err := net.SplitHostPort(*in.Spec.Address)
		if err != nil {
			return fmt.Errorf("spec.address: %w", err)
		}
		number, err := strconv.ParseInt(port, 10, 64)
		if err != nil {
			return fmt.Errorf("spec.address: %w", err)
		}
		out.Spec.Endpoint = &siteEndpoint{host, number}
	}
	out.Spec.Paused = out.Annotations[pausedAnnotation] == "true"
	delete(out.Annotations, pausedAnnotation)
	out.Status.State, out.Status.Ready = in.Status.Phase, in.Status.Ready
	return nil
}

func toAlpha(in *siteV1, out *siteV1alpha1) error {
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Spec.Image, out.Spec.Replicas = in.Spec.Template.Image, in.Spec.Scale.Replicas
	for _, v := range in.Spec.Template.Env {
		if out.Spec.Env == nil {
			out.Spec.Env = map[string]string{}
		}
		out.Spec.Env[v.Name] = v.Value
	}
	if e := in.Spec.Endpoint; e != nil {
		address := net.JoinHostPort(e.Host, strconv.FormatInt(e.Port, 10))
		out.Spec.Address = &address
	}
	delete(out.Annotations, pausedAnnotation)
	if in.Spec.Paused {
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, pausedAnnotation, "true")
	}
	out.Status.Phase, out.Status.Ready = in.Status.State, in.Status.Ready
	return nil
}

func fromBeta(in *siteV1beta1, out *siteV1) error {
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Spec.Template.Image, out.Spec.Template.Env = in.Spec.Container.Image, in.Spec.Env
	out.Spec.Scale.Replicas, out.Spec.Endpoint, out.Spec.Paused = in.Spec.Replicas, in.Spec.Endpoint, in.Spec.Paused
	out.Status.State, out.Status.Ready = in.Status.State, in.Status.Ready
	return nil
}

func toBeta(in *siteV1, out *siteV1beta1) error {
	out.ObjectMeta = *in.ObjectMeta.DeepCopy()
	out.Spec.Container.Image, out.Spec.Env = in.Spec.Template.Image, in.Spec.Template.Env
	out.Spec.Replicas, out.Spec.Endpoint, out.Spec.Paused = in.Spec.Scale.Replicas, in.Spec.Endpoint, in.Spec.Paused
	out.Status.State, out.Status.Ready = in.Status.State, in.Status.Ready
	return nil
}

// siteScheme returns a scheme with the types of all versions and the functions that convert them.
func siteScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for version, obj := range map[string]runtime.Object{"v1alpha1": &siteV1alpha1{}, "v1beta1": &siteV1beta1{}, "v1": &siteV1{}} {
		scheme.AddKnownTypeWithName(siteVersion(version).WithKind("Site"), obj)
		scheme.AddKnownTypeWithName(siteVersion(version).WithKind("SiteList"), obj) // clients of this suite decode no lists
	}
	addConversion(scheme, fromAlpha)
	addConversion(scheme, toAlpha)
	addConversion(scheme, fromBeta)
	addConversion(scheme, toBeta)
	return scheme
}

func addConversion[In, Out any](scheme *runtime.Scheme, f func(in *In, out *Out) error) {
	utilruntime.Must(scheme.AddConversionFunc((*In)(nil), (*Out)(nil), func(in, out any, _ conversion.Scope) error {
		return f(in.(*In), out.(*Out))
	}))
}

// siteDefinition returns the definition of Site. Its webhook has a certificate for its address.
func siteDefinition(stored string, server *httptest.Server) string {
	const (
		env      = `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}, value: {type: string}}}}`
		endpoint = `{type: object, properties: {host: {type: string}, port: {type: integer, format: int64}}}`
		replicas = `{type: integer, format: int64, minimum: 0, default: 1}`
	)
	schemas := map[string]string{
		"v1alpha1": `spec: {type: object, properties: {image: {type: string}, env: {type: object, additionalProperties: {type: string}}, replicas: ` + replicas + `, address: {type: string}}}, status: {type: object, properties: {phase: {type: string}, ready: {type: integer, format: int64}}}`,
		"v1beta1":  `spec: {type: object, properties: {container: {type: object, properties: {image: {type: string, maxLength: 8}}}, env: ` + env + `, replicas: ` + replicas + `, endpoint: ` + endpoint + `, paused: {type: boolean}}}, status: {type: object, properties: {state: {type: string}, ready: {type: integer, format: int64}}}`,
		"v1":       `spec: {type: object, properties: {template: {type: object, properties: {image: {type: string}, env: ` + env + `}}, scale: {type: object, default: {}, properties: {replicas: ` + replicas + `}}, endpoint: ` + endpoint + `, paused: {type: boolean}, comment: {type: string}}}, status: {type: object, properties: {state: {type: string}, ready: {type: integer, format: int64}}}`,
	}
	images := map[string]string{"v1alpha1": ".spec.image", "v1beta1": ".spec.container.image", "v1": ".spec.template.image"}
	scales := map[string]string{"v1alpha1": ".spec.replicas", "v1beta1": ".spec.replicas", "v1": ".spec.scale.replicas"}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	text := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.web.example.com}
spec:
  group: web.example.com
  scope: Namespaced
  names: {plural: sites, singular: site, kind: Site, listKind: SiteList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: "%s/convert", caBundle: %s}
  versions:
`, server.URL, base64.StdEncoding.EncodeToString(certificate))
	for _, version := range siteVersions {
		text += fmt.Sprintf(`  - name: %s
    served: true
    storage: %t
    schema: {openAPIV3Schema: {type: object, properties: {%s}}}
    subresources: {status: {}, scale: {specReplicasPath: %s, statusReplicasPath: .status.ready}}
    selectableFields: [{jsonPath: %s}]
`, version, version == stored, schemas[version], scales[version], images[version])
	}
	return text
}

// newSites returns clients of an API server and of APIs of fakeapi that serve Sites. Their handler also converts the
// objects of the server. stored is the version of stored objects.
func newSites(t *testing.T, stored string, handler http.Handler) (server dynamic.Interface, fakes map[string]dynamic.Interface) {
	t.Helper()
	hook := httptest.NewTLSServer(handler)
	t.Cleanup(hook.Close)
	dir := withoutRules(t)
	file := filepath.Join(dir, "sites.yaml")
	must(t, os.WriteFile(file, []byte(siteDefinition(stored, hook)), 0o600))
	config, err := startServer(t, newServer(t.TempDir(), dir)).config()
	must(t, err)
	connect := func(config *rest.Config) dynamic.Interface {
		config.WarningHandler = rest.NoWarnings{}
		client, err := dynamic.NewForConfig(config)
		must(t, err)
		return client
	}
	options, err := crdvalidation.Options(siteScheme(), file)
	must(t, err)
	return connect(config), map[string]dynamic.Interface{
		"functions": connect(fakeapi.New(options...).RESTConfig()),
		"handler":   connect(fakeapi.New(append(options, fakeapi.WithConversion(handler))...).RESTConfig()),
	}
}

// siteHandler is the handler of the webhook.
func siteHandler() http.Handler { return webhook.Handler(siteScheme(), siteVersion("v1")) }
