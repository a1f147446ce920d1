package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"

	"github.com/kubegen/kubegen/crdinstall"
)

var (
	migratedObjects = flag.Int("migrated", 900, "number of objects of TestMigrationKilled")

	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// A widgetVersion is a version of the kind Widget, with text fields in the spec.
type widgetVersion struct {
	name           string
	served, stored bool
	fields         []string
}

// widgetsIn returns the manifest of a definition of Widgets in a group.
func widgetsIn(group string, versions ...widgetVersion) map[string]any {
	var list []any
	for _, v := range versions {
		properties := map[string]any{}
		for _, field := range v.fields {
			properties[field] = map[string]any{"type": "string"}
		}
		list = append(list, map[string]any{
			"name": v.name, "served": v.served, "storage": v.stored, "schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": properties}},
			}},
		})
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "widgets." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced", "names": map[string]any{"plural": "widgets", "kind": "Widget"}, "versions": list,
		},
	}
}

// manifests returns files with definitions.
func manifests(definitions ...map[string]any) fstest.MapFS {
	files := fstest.MapFS{"kustomization.yaml": {Data: []byte("kind: Kustomization\n")}}
	for i, d := range definitions {
		text, err := json.Marshal(d)
		if err != nil {
			panic(err)
		}
		files[fmt.Sprintf("%d.yaml", i)] = &fstest.MapFile{Data: text}
	}
	return files
}

// An installing is a test of definitions in a group of its own.
type installing struct {
	t      *testing.T
	ctx    context.Context
	config *rest.Config
	client dynamic.Interface
	group  string
}

func newInstalling(t *testing.T, s *server) *installing {
	t.Helper()
	config, err := s.config()
	must(t, err)
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	return &installing{t, limit(t), config, client, namespace(t) + ".example.com"}
}

// wrap makes a function answer the requests of installations.
func (i *installing) wrap(answer func(r *http.Request, next http.RoundTripper) (*http.Response, error)) {
	i.config = rest.CopyConfig(i.config)
	i.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) { return answer(r, next) })
	})
}

// install installs the definition with some versions, and returns the result. A dry run before must have the same one.
func (i *installing) install(versions []widgetVersion, options ...crdinstall.Option) crdinstall.Result {
	i.t.Helper()
	install := func(options ...crdinstall.Option) crdinstall.Result {
		i.t.Helper()
		results, err := crdinstall.Install(i.ctx, i.config, manifests(widgetsIn(i.group, versions...)), options...)
		must(i.t, err)
		if len(results) != 1 || results[0].Name != "widgets."+i.group {
			i.t.Fatalf("the results are %v", results)
		}
		return results[0]
	}
	dry := install(append(slices.Clip(options), crdinstall.DryRun())...)
	result := install(options...)
	if fmt.Sprint(dry.Action, dry.Changes) != fmt.Sprint(result.Action, result.Changes) {
		i.t.Errorf("a dry run has changes\n%v\nand not\n%v", dry.Changes, result.Changes)
	}
	return result
}

// expect compares what install returns.
func (i *installing) expect(want crdinstall.Action, versions []widgetVersion, options ...crdinstall.Option) crdinstall.Result {
	i.t.Helper()
	result := i.install(versions, options...)
	if result.Action != want {
		i.t.Errorf("the definition is %s, want %s: %+v", result.Action, want, result)
	}
	return result
}

// refused returns the error of an installation that must fail.
func (i *installing) refused(want string, versions []widgetVersion, options ...crdinstall.Option) {
	i.t.Helper()
	_, err := crdinstall.Install(i.ctx, i.config, manifests(widgetsIn(i.group, versions...)), options...)
	if err == nil || !strings.Contains(err.Error(), "widgets."+i.group+": ") || !strings.Contains(err.Error(), want) {
		i.t.Errorf("the error is %v, want %s", err, want)
	}
}

// definition returns the definition on the server.
func (i *installing) definition() *unstructured.Unstructured {
	i.t.Helper()
	d, err := i.client.Resource(definitions).Get(i.ctx, "widgets."+i.group, metav1.GetOptions{})
	must(i.t, err)
	return d
}

// delete deletes the definition, and returns once it is gone.
func (i *installing) delete() {
	must(i.t, i.client.Resource(definitions).Delete(i.ctx, "widgets."+i.group, metav1.DeleteOptions{}))
	eventually(i.ctx, i.t, "the definition is gone", func() bool {
		_, err := i.client.Resource(definitions).Get(i.ctx, "widgets."+i.group, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// patch changes the definition as another owner.
func (i *installing) patch(patch string, subresources ...string) {
	i.t.Helper()
	options := metav1.PatchOptions{FieldManager: "other"}
	_, err := i.client.Resource(definitions).Patch(i.ctx, "widgets."+i.group, types.MergePatchType, []byte(patch), options, subresources...)
	must(i.t, err)
}

// at returns the value at a path of the definition on the server.
func (i *installing) at(path ...string) any {
	i.t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(i.definition().Object, path...)
	must(i.t, err)
	return value
}

// objects is the client of Widgets in a version.
func (i *installing) objects(version string) dynamic.ResourceInterface {
	return i.client.Resource(schema.GroupVersionResource{Group: i.group, Version: version, Resource: "widgets"}).Namespace("default")
}

// create creates a Widget. A server may not know of a definition yet that it has accepted.
func (i *installing) create(version, name string) {
	i.t.Helper()
	_, err := i.objects(version).Create(i.ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": i.group + "/" + version, "kind": "Widget", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"a": "of " + name},
	}}, metav1.CreateOptions{})
	must(i.t, err)
}

// The releases of an API.
var (
	first  = []widgetVersion{{"v1alpha1", true, true, []string{"a"}}}
	second = []widgetVersion{{"v1alpha1", true, false, []string{"a"}}, {"v1beta1", true, true, []string{"a"}}}
	third  = []widgetVersion{{"v1alpha1", true, false, []string{"a"}}, {"v1beta1", true, false, []string{"a"}}, {"v1", true, true, []string{"a"}}}
	fourth = []widgetVersion{{"v1", true, true, []string{"a"}}}
)

// authority returns a new certificate as in a caBundle.
func authority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "ca"}, key)
	must(t, err)
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: certificate.Raw}))
}

// webhookOf gives a definition a webhook for conversion, with a certificate unless it is "".
func webhookOf(service, bundle string) crdinstall.Option {
	return crdinstall.Edit(withWebhook(service, bundle))
}

func withWebhook(service, bundle string) func(d *unstructured.Unstructured) error {
	return func(d *unstructured.Unstructured) error {
		client := map[string]any{"service": map[string]any{"namespace": "system", "name": service, "path": "/convert"}}
		if bundle != "" {
			client["caBundle"] = bundle
		}
		return unstructured.SetNestedMap(d.Object, map[string]any{
			"strategy": "Webhook", "webhook": map[string]any{"conversionReviewVersions": []any{"v1"}, "clientConfig": client},
		}, "spec", "conversion")
	}
}

// movedFrom installs a definition as another program does, of which a controller inserts the certificate, and then
// installs it.
func (i *installing) movedFrom(before string) {
	i.t.Helper()
	d := &unstructured.Unstructured{Object: widgetsIn(i.group, first...)}
	must(i.t, withWebhook("former", "")(d))
	d.SetAnnotations(map[string]string{"meta.helm.sh/release-name": "x", "example.com/both": "former"})
	d.SetLabels(map[string]string{"app.kubernetes.io/managed-by": "Helm"})
	var err error
	if before == "helm" {
		_, err = i.client.Resource(definitions).Apply(i.ctx, d.GetName(), d, metav1.ApplyOptions{FieldManager: before})
	} else {
		_, err = i.client.Resource(definitions).Create(i.ctx, d, metav1.CreateOptions{FieldManager: before})
	}
	must(i.t, err)
	certificate := authority(i.t)
	i.patch(`{"metadata":{"annotations":{"example.com/other":"y"}},"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"` + certificate + `"}}}}}`)
	annotate := crdinstall.Edit(func(d *unstructured.Unstructured) error {
		d.SetAnnotations(map[string]string{"example.com/both": "ours"})
		return nil
	})
	i.expect(crdinstall.Updated, second, annotate, webhookOf("ours", ""))
	client := i.at("spec", "conversion", "webhook", "clientConfig").(map[string]any)
	want := map[string]any{
		"caBundle": certificate, "service": map[string]any{"namespace": "system", "name": "ours", "path": "/convert", "port": int64(443)},
	}
	if !reflect.DeepEqual(client, want) {
		i.t.Errorf("after %s, the client is %v, want %v", before, client, want)
	}
	moved := i.definition()
	got := fmt.Sprint(moved.GetAnnotations(), moved.GetLabels())
	if want := "map[example.com/both:ours example.com/other:y] map[]"; got != want {
		i.t.Errorf("after %s, the annotations and labels are %s, want %s", before, got, want)
	}
	for _, entry := range moved.GetManagedFields() {
		if entry.Manager == before {
			i.t.Errorf("%s still owns %s", before, entry.FieldsV1)
		}
	}
	i.expect(crdinstall.Unchanged, second, annotate, webhookOf("ours", ""))
}

// TestInstall installs definitions on a server, and has others write the same definitions.
func TestInstall(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	for _, test := range []struct {
		name string
		run  func(i *installing)
	}{
		{"upgrades", func(i *installing) {
			i.expect(crdinstall.Created, first)
			i.create("v1alpha1", "x") // is served at once
			i.expect(crdinstall.Unchanged, first)
			result := i.expect(crdinstall.Updated, second)
			if want := "spec.versions[v1alpha1].storage: true is now false"; !strings.Contains(fmt.Sprint(result.Changes), want) {
				i.t.Errorf("the changes are %v, and not %s", result.Changes, want)
			}
			i.create("v1beta1", "y")
			if kept := i.expect(crdinstall.Kept, first); kept.Newer != "only the installed one has version v1beta1" {
				i.t.Errorf("the definition is kept because %s", kept.Newer)
			}
			if got := fmt.Sprint(i.at("status", "storedVersions")); got != "[v1alpha1 v1beta1]" {
				i.t.Errorf("the stored versions are %s", got)
			}
		}},
		{"dry run", func(i *installing) {
			i.expect(crdinstall.Created, first, crdinstall.DryRun())
			if _, err := i.client.Resource(definitions).Get(i.ctx, "widgets."+i.group, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				i.t.Errorf("a dry run has created the definition: %v", err)
			}
			i.expect(crdinstall.Created, first)
			before := i.definition()
			if result := i.expect(crdinstall.Updated, second, crdinstall.DryRun()); len(result.Changes) == 0 {
				i.t.Error("a dry run returns no changes")
			}
			if !reflect.DeepEqual(before, i.definition()) {
				i.t.Error("a dry run has changed the definition")
			}
			result := i.expect(crdinstall.Updated, fourth, crdinstall.DryRun(), crdinstall.Migrate())
			if fmt.Sprint(result.Migrated) != "[v1alpha1]" {
				i.t.Errorf("a dry run would migrate %v", result.Migrated)
			}
		}},
		{"releases", func(i *installing) {
			less := []widgetVersion{{"v1", true, true, []string{"a"}}}
			more := []widgetVersion{{"v1", true, true, []string{"a", "b"}}}
			other := []widgetVersion{{"v1", true, true, []string{"a", "c"}}}
			i.expect(crdinstall.Created, more, crdinstall.Release("v1.9.0"))
			i.expect(crdinstall.Updated, less, crdinstall.Release("v1.10.0")) // a field was removed
			i.expect(crdinstall.Kept, more, crdinstall.Release("v1.9.0"))
			i.expect(crdinstall.Kept, more, crdinstall.Release("v1.10.0-rc.1"))
			i.expect(crdinstall.Updated, more, crdinstall.Release("v1.10.0")) // another build
			i.refused("may be newer: only this definition has v1 field spec.c, and only the installed one has v1 field spec.b; give crdinstall.Release", other)
			i.expect(crdinstall.Kept, less)
			if got := i.definition().GetAnnotations()[crdinstall.ReleaseAnnotation]; got != "v1.10.0" {
				i.t.Errorf("the release is %q", got)
			}
		}},
		{"an installer before this one", func(i *installing) {
			before := widgetsIn(i.group, first...)
			before["spec"].(map[string]any)["names"].(map[string]any)["shortNames"] = []any{"wd"}
			_, err := i.client.Resource(definitions).Create(i.ctx, &unstructured.Unstructured{Object: before}, metav1.CreateOptions{FieldManager: "kubectl-create"})
			must(i.t, err)
			i.expect(crdinstall.Updated, second)
			if short := i.at("spec", "names", "shortNames"); short != nil {
				i.t.Errorf("the short names of an older definition stay: %v", short)
			}
		}},
		{"a move from kubectl and Helm", func(i *installing) {
			for _, before := range []string{"kubectl-client-side-apply", "helm"} {
				i.movedFrom(before)
				i.delete()
			}
		}},
		{"an edit by a person", func(i *installing) {
			edit := func(versions ...widgetVersion) {
				list, err := json.Marshal(widgetsIn(i.group, versions...)["spec"].(map[string]any)["versions"])
				must(i.t, err)
				i.patch(`{"metadata":{"labels":{"team":"x"}},"spec":{"versions":` + string(list) + `}}`)
			}
			less := []widgetVersion{{"v1", true, true, nil}}
			more := []widgetVersion{{"v1", true, true, []string{"a", "b"}}}
			release := crdinstall.Release("v1.0.0")
			i.expect(crdinstall.Created, fourth, release)
			edit(less...)
			i.expect(crdinstall.Updated, fourth, release)
			i.expect(crdinstall.Unchanged, fourth, release)
			edit(more...)
			kept := i.expect(crdinstall.Kept, fourth, release)
			if want := "only the installed one, whose versions other has changed, has v1 field spec.b"; kept.Newer != want {
				i.t.Errorf("the definition is kept because %s, want %s", kept.Newer, want)
			}
			i.expect(crdinstall.Updated, fourth, crdinstall.Release("v1.0.1"))
			if got := fmt.Sprint(i.definition().GetLabels()); got != "map[team:x]" {
				i.t.Errorf("the labels are %s", got)
			}
			for _, entry := range i.definition().GetManagedFields() {
				if fields := entry.FieldsV1.String(); entry.Manager == "other" && (strings.Contains(fields, "f:versions") || !strings.Contains(fields, "f:team")) {
					i.t.Errorf("%s owns %s", entry.Manager, fields)
				}
			}
		}},
		{"a webhook that goes", func(i *installing) {
			i.expect(crdinstall.Created, second, webhookOf("one", ""))
			certificate := authority(i.t)
			i.patch(`{"metadata":{"labels":{"other":"x"}},"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"` + certificate + `"}}}}}`)
			i.expect(crdinstall.Updated, third)
			if got := fmt.Sprint(i.at("spec", "conversion"), i.definition().GetLabels()); got != "map[strategy:None] map[other:x]" {
				i.t.Errorf("the conversion and the labels are %s", got)
			}
		}},
		{"fields of its own", func(i *installing) {
			annotate := crdinstall.Edit(func(d *unstructured.Unstructured) error {
				d.SetAnnotations(map[string]string{"example.com/dropped": "x"})
				return nil
			})
			i.expect(crdinstall.Created, first, annotate)
			i.patch(`{"metadata":{"annotations":{"example.com/other":"y"}}}`)
			i.expect(crdinstall.Updated, first)
			if got := i.definition().GetAnnotations(); !reflect.DeepEqual(got, map[string]string{"example.com/other": "y"}) {
				i.t.Errorf("the annotations are %v", got)
			}
			for _, entry := range i.definition().GetManagedFields() {
				if entry.Manager == crdinstall.FieldManager && entry.Operation != metav1.ManagedFieldsOperationApply {
					i.t.Errorf("%s owns fields by %s", entry.Manager, entry.Operation)
				}
			}
		}},
		{"conversion of others", func(i *installing) {
			bundle := authority(i.t)
			client := []string{"spec", "conversion", "webhook", "clientConfig"}
			i.expect(crdinstall.Created, second)
			i.expect(crdinstall.Updated, second, webhookOf("one", bundle))
			certificate := authority(i.t)
			i.patch(`{"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"` + certificate + `"}}}}}`)
			i.expect(crdinstall.Updated, second, webhookOf("two", bundle))
			if got := i.at(append(client, "service", "name")...); got != "two" {
				i.t.Errorf("the service is %v", got)
			}
			if got := i.at(append(client, "caBundle")...); got != certificate {
				i.t.Errorf("the certificate is %v", got)
			}
			i.patch(`{"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"namespace":"mine","name":"three"}}}}}}`)
			i.expect(crdinstall.Unchanged, second, webhookOf("two", bundle))
			if got := i.at(append(client, "service", "namespace")...); got != "mine" {
				i.t.Errorf("the namespace is %v", got)
			}
		}},
		{"conversion that the manifests lack", func(i *installing) {
			i.expect(crdinstall.Created, second)
			i.patch(`{"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"}}}}}`)
			i.expect(crdinstall.Updated, third)
			if got := i.at("spec", "conversion", "strategy"); got != "Webhook" {
				i.t.Errorf("the strategy is %v", got)
			}
		}},
		{"stored versions", func(i *installing) {
			i.expect(crdinstall.Created, second)
			i.patch(`{"status":{"storedVersions":["v1alpha1","v1beta1"]}}`, "status")
			before := i.definition()
			i.refused("lacks v1alpha1, v1beta1, in which objects may be stored: status.storedVersions names it; use crdinstall.Migrate", fourth)
			if !reflect.DeepEqual(before, i.definition()) {
				i.t.Error("the definition was changed all the same")
			}
			i.create("v1beta1", "x")
			result := i.expect(crdinstall.Updated, fourth, crdinstall.Migrate())
			if fmt.Sprint(result.Migrated) != "[v1alpha1 v1beta1]" || result.Rewritten != 1 {
				i.t.Errorf("the result is %+v", result)
			}
			if got := fmt.Sprint(i.at("status", "storedVersions")); got != "[v1]" {
				i.t.Errorf("the stored versions are %s", got)
			}
			x, err := i.objects("v1").Get(i.ctx, "x", metav1.GetOptions{})
			must(i.t, err)
			if got, _, _ := unstructured.NestedString(x.Object, "spec", "a"); got != "of x" {
				i.t.Errorf("the object is %v", x)
			}
			i.expect(crdinstall.Kept, second)
		}},
		{"a stored version that nobody has", func(i *installing) {
			i.expect(crdinstall.Created, first)
			i.patch(`{"status":{"storedVersions":["v0","v1alpha1"]}}`, "status")
			for _, options := range [][]crdinstall.Option{nil, {crdinstall.Migrate()}, {crdinstall.Migrate(), crdinstall.DryRun()}} {
				i.refused("status.storedVersions names v0, which the installed definition lacks", second, options...)
			}
			i.patch(`{"status":{"storedVersions":["v1alpha1"]}}`, "status")
			i.expect(crdinstall.Updated, second)
		}},
		{"a definition that is deleted meanwhile", func(i *installing) {
			i.expect(crdinstall.Created, first)
			i.expect(crdinstall.Updated, second)
			i.patch(`{"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"}}}}}`)
			var once sync.Once
			i.wrap(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				if r.Header.Get("Content-Type") == string(types.ApplyPatchType) {
					once.Do(i.delete)
				}
				return next.RoundTrip(r)
			})
			results, err := crdinstall.Install(i.ctx, i.config, manifests(widgetsIn(i.group, third...)))
			if must(i.t, err); results[0].Action != crdinstall.Created {
				i.t.Errorf("the results are %v", results)
			}
		}},
		{"a definition that is being deleted", func(i *installing) {
			const message = "the installed definition is being deleted; if it stays, see its finalizers"
			i.expect(crdinstall.Created, first)
			i.patch(`{"metadata":{"finalizers":["example.com/x"]}}`)
			other := *i
			var read atomic.Int64
			other.wrap(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/widgets."+i.group) && read.Add(1) == 2 { // it waits
					must(i.t, i.client.Resource(definitions).Delete(i.ctx, "widgets."+i.group, metav1.DeleteOptions{}))
				}
				return next.RoundTrip(r)
			})
			other.refused("not served after 1s: "+message, first, crdinstall.Timeout(time.Second))
			i.refused(message, second, crdinstall.Timeout(time.Second))
			read.Store(0)
			other.config = i.config
			other.wrap(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				if r.Method == http.MethodGet && read.Add(1) == 2 {
					i.patch(`{"metadata":{"finalizers":null}}`)
				}
				return next.RoundTrip(r)
			})
			results, err := crdinstall.Install(i.ctx, other.config, manifests(widgetsIn(i.group, second...)))
			if must(i.t, err); results[0].Action != crdinstall.Created {
				i.t.Errorf("the results are %v", results)
			}
		}},
		{"rules that an account lacks", func(i *installing) {
			i.expect(crdinstall.Created, first)
			for n := range 9 { // more than are written at once
				i.create("v1alpha1", fmt.Sprint("x", n))
			}
			for _, denied := range []string{
				"GET .*/customresourcedefinitions/", "PATCH .*/customresourcedefinitions/", "GET /apis/[^/]*/v1beta1$", "GET .*/widgets$", "PATCH .*/widgets/",
			} {
				limited := *i
				limited.wrap(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
					if !regexp.MustCompile("^" + denied).MatchString(r.Method + " " + r.URL.Path) {
						return next.RoundTrip(r)
					}
					answer := httptest.NewRecorder()
					answer.Header().Set("Content-Type", "application/json")
					answer.WriteHeader(http.StatusForbidden)
					status := apierrors.NewForbidden(schema.GroupResource{}, "", fmt.Errorf("User cannot %s", denied)).Status()
					status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
					must(i.t, json.NewEncoder(answer).Encode(status))
					return answer.Result(), nil
				})
				_, err := crdinstall.Install(i.ctx, limited.config, manifests(widgetsIn(i.group, second...)), crdinstall.Migrate())
				if got := fmt.Sprint(err); strings.Count(got, "User cannot "+denied+"; grant the account of this program the rules") != 1 || strings.Contains(got, "\n") {
					i.t.Errorf("the error is %v", err)
				}
			}
		}},
		{"names of another definition", func(i *installing) {
			i.expect(crdinstall.Created, first)
			other := widgetsIn(i.group, first...)
			other["metadata"] = map[string]any{"name": "gadgets." + i.group}
			other["spec"].(map[string]any)["names"].(map[string]any)["plural"] = "gadgets"
			eventually(i.ctx, i.t, "the server has compared the names", func() bool {
				_, err := crdinstall.Install(i.ctx, i.config, manifests(other), crdinstall.Timeout(time.Second))
				return err != nil && strings.Contains(err.Error(), "gadgets."+i.group+`: not served after 1s: condition NamesAccepted is "False"`)
			})
		}},
		{"several definitions", func(i *installing) {
			var all []map[string]any
			for _, group := range []string{"a.", "b.", "c."} {
				all = append(all, widgetsIn(group+i.group, first...))
			}
			all[1]["spec"].(map[string]any)["scope"] = "Nowhere"
			var asked []string
			i.wrap(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
				if r.Method == http.MethodPost || strings.HasSuffix(r.URL.Path, "/v1alpha1") {
					asked = append(asked, r.Method)
				}
				return next.RoundTrip(r)
			})
			results, err := crdinstall.Install(i.ctx, i.config, manifests(all...))
			if err == nil || !strings.HasPrefix(err.Error(), "crdinstall: widgets.b."+i.group+": ") || len(results) != 2 {
				i.t.Errorf("got %+v, %v", results, err)
			}
			if fmt.Sprint(asked[:3]) != "[POST POST POST]" {
				i.t.Errorf("it waits before it has created all definitions: %v", asked)
			}
		}},
		{"a definition that the server refuses", func(i *installing) {
			i.refused("spec.versions", []widgetVersion{{"v1", true, true, nil}, {"v1", true, false, nil}})
		}},
		{"a context that is done", func(i *installing) {
			ctx, cancel := context.WithCancelCause(i.ctx)
			cancel(os.ErrDeadlineExceeded)
			if _, err := crdinstall.Install(ctx, i.config, manifests(widgetsIn(i.group, first...))); err == nil {
				i.t.Error("it is installed")
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newInstalling(t, s)) })
	}
}

// TestInstallReplicas starts programs of two releases at once, again and again. The newer definition must stay, whether
// the releases are known or can only be seen.
func TestInstallReplicas(t *testing.T) {
	t.Parallel()
	s := ownServer(t)
	for _, test := range []struct {
		name     string
		old, new []crdinstall.Option
	}{
		{"by release", []crdinstall.Option{crdinstall.Release("1.2.0")}, []crdinstall.Option{crdinstall.Release("1.3.0")}},
		{"by versions", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for round := range 10 {
				i := newInstalling(t, s)
				i.group = fmt.Sprintf("r%d.%s", round, i.group)
				if round%2 == 1 {
					i.install(first)
				}
				var replicas sync.WaitGroup
				for n := range 6 {
					versions, options := second, test.old
					if n%2 == 1 {
						versions, options = third, test.new
					}
					replicas.Add(1)
					go func() {
						defer replicas.Done()
						if _, err := crdinstall.Install(i.ctx, i.config, manifests(widgetsIn(i.group, versions...)), options...); err != nil {
							t.Error(err)
						}
					}()
				}
				replicas.Wait()
				served, _, _ := unstructured.NestedSlice(i.definition().Object, "spec", "versions")
				if len(served) != len(third) {
					t.Errorf("round %d: an older definition has replaced a newer one: %v", round, served)
				}
				i.expect(crdinstall.Kept, second, test.old...)
			}
		})
	}
}

// installerEnv is the environment variable with which a process of this package is a program that installs the last
// release. Its value is the address of a server.
const installerEnv = "E2E_INSTALL"

// runInstaller is this program.
func runInstaller(address string) error {
	_, err := crdinstall.Install(
		context.Background(), &rest.Config{Host: address}, manifests(widgetsIn(migratedGroup, fourth...)), crdinstall.Migrate(),
	)
	return err
}

const migratedGroup = "migrated.example.com"

// TestMigrationKilled stores objects in three versions, of which the next release has only the last, and kills its
// program ten times while it migrates them. In the end, no object must be lost or in another version.
func TestMigrationKilled(t *testing.T) {
	t.Parallel()
	i := newInstalling(t, ownServer(t))
	var cancel context.CancelFunc
	i.ctx, cancel = context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	i.group = migratedGroup
	want := map[string]string{}
	for n, release := range []struct {
		versions []widgetVersion
		stored   string
	}{{first, "v1alpha1"}, {second, "v1beta1"}, {third, "v1"}} {
		i.install(release.versions)
		var writers sync.WaitGroup
		for m := n; m < *migratedObjects; m += 3 {
			name := fmt.Sprintf("%05d-%s", m, release.stored)
			want[name] = "of " + name
			writers.Add(1)
			go func() {
				defer writers.Done()
				i.create(release.stored, name)
			}()
		}
		writers.Wait()
	}
	if got := fmt.Sprint(i.at("status", "storedVersions")); got != "[v1alpha1 v1beta1 v1]" {
		t.Fatalf("the stored versions are %s", got)
	}
	for n := range 10 {
		i.killed((n + 1) * len(want) / 12)
		if got := fmt.Sprint(i.at("status", "storedVersions")); got != "[v1alpha1 v1beta1 v1]" {
			t.Errorf("after %d migrations that did not end, the stored versions are %s", n+1, got)
		}
	}
	if result := i.install(fourth, crdinstall.Migrate()); result.Rewritten != len(want) {
		t.Errorf("the result is %+v", result)
	}
	if got := fmt.Sprint(i.at("status", "storedVersions")); got != "[v1]" {
		t.Errorf("the stored versions are %s", got)
	}
	got := map[string]string{}
	list, err := i.objects("v1").List(i.ctx, metav1.ListOptions{}) // fails if one is in a version that is no more
	must(t, err)
	for _, item := range list.Items {
		got[item.GetName()], _, _ = unstructured.NestedString(item.Object, "spec", "a")
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("of %d objects, only %d are there", len(want), len(got))
	}
}

// killed runs the program until it asks to write an object for the nth time, and kills it then.
func (i *installing) killed(n int) {
	i.t.Helper()
	transport, err := rest.TransportFor(i.config)
	must(i.t, err)
	host, err := url.Parse(i.config.Host)
	must(i.t, err)
	program := exec.Command(os.Args[0])
	reached := make(chan struct{})
	var written atomic.Int64
	proxy := &httputil.ReverseProxy{
		Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(host) },
		ErrorLog: log.New(io.Discard, "", 0), // of requests of a killed program
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, "/apis/"+i.group+"/") && written.Add(1) == int64(n) {
			close(reached)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	program.Env = append(os.Environ(), installerEnv+"="+server.URL)
	program.Stderr = os.Stderr
	must(i.t, program.Start())
	exited := make(chan error, 1)
	go func() { exited <- program.Wait() }()
	select {
	case err := <-exited:
		i.t.Fatalf("the program has ended before it was killed: %v", err)
	case <-i.ctx.Done():
		i.t.Error(context.Cause(i.ctx))
	case <-reached:
	}
	must(i.t, program.Process.Kill())
	<-exited
}
