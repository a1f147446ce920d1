package e2e

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/kubegen/kubegen/conversion/keep"
	webhook "github.com/kubegen/kubegen/examples/crontab-types/conversion"
)

// Page is a kind of three versions, each of which has a text that the others lack. The hub is v2. Its conversions are
// written by hand, as generated ones are, for each stored version.
type (
	pageV1 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		One               string `json:"one,omitempty"`
	}
	pageV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Two               string `json:"two,omitempty"`
	}
	pageV3 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Three             string `json:"three,omitempty"`
	}
)

// pageTexts are the names of the texts by version.
var pageTexts = map[string]string{"v1": "one", "v2": "two", "v3": "three"}

// page is a Page in a version.
type page interface {
	runtime.Object
	metav1.Object
	text() (name string, value *string)
	meta() *metav1.ObjectMeta
}

func (p *pageV1) text() (string, *string)        { return "one", &p.One }
func (p *pageV2) text() (string, *string)        { return "two", &p.Two }
func (p *pageV3) text() (string, *string)        { return "three", &p.Three }
func (p *pageV1) meta() *metav1.ObjectMeta       { return &p.ObjectMeta }
func (p *pageV2) meta() *metav1.ObjectMeta       { return &p.ObjectMeta }
func (p *pageV3) meta() *metav1.ObjectMeta       { return &p.ObjectMeta }
func (p *pageV1) DeepCopyObject() runtime.Object { c := *p; p.DeepCopyInto(&c.ObjectMeta); return &c }
func (p *pageV2) DeepCopyObject() runtime.Object { c := *p; p.DeepCopyInto(&c.ObjectMeta); return &c }
func (p *pageV3) DeepCopyObject() runtime.Object { c := *p; p.DeepCopyInto(&c.ObjectMeta); return &c }

func pageVersion(version string) schema.GroupVersion {
	return schema.GroupVersion{Group: "print.example.com", Version: version}
}

// pageScheme returns a scheme with the conversions of pages that are stored in a version.
func pageScheme(stored string) *runtime.Scheme {
	scheme := runtime.NewScheme()
	pages := map[string]page{"v1": &pageV1{}, "v2": &pageV2{}, "v3": &pageV3{}}
	for version, p := range pages {
		scheme.AddKnownTypeWithName(pageVersion(version).WithKind("Page"), p)
	}
	convert := func(from, to string) {
		utilruntime.Must(scheme.AddConversionFunc(pages[from], pages[to], func(in, out any, _ conversion.Scope) error {
			c := keep.Conversion{Annotation: "print.example.com/conversion-data", Kind: "Page", From: from, To: to, Stored: stored}
			visit := func(f *keep.Fields, full, _ page) { f.Value(full.text()) }
			*out.(page).meta() = *in.(page).meta()
			return keep.Carry(c, in.(page), out.(page), visit, visit)
		}))
	}
	for _, spoke := range []string{"v1", "v3"} {
		convert(spoke, "v2")
		convert("v2", spoke)
	}
	return scheme
}

// pageDefinition returns the definition of Page with a stored version and a webhook.
func pageDefinition(stored string, hook *httptest.Server) []byte {
	address := hook.URL + "/convert"
	definition := apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "pages.print.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "print.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "pages", Singular: "page", Kind: "Page", ListKind: "PageList"},
			Conversion: &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{
					ConversionReviewVersions: []string{"v1"},
					ClientConfig: &apiextensionsv1.WebhookClientConfig{
						URL: &address, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}),
					},
				},
			},
		},
	}
	for _, version := range []string{"v1", "v2", "v3"} {
		definition.Spec.Versions = append(definition.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: version == stored,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{pageTexts[version]: {Type: "string"}},
			}},
		})
	}
	return []byte(compact(definition))
}

// pageSizes are sizes of texts in KiB.
var pageSizes = []struct {
	kib          int
	compressible bool
}{
	{1, false}, {10, true}, {100, false}, {180, false}, {250, false}, {300, true}, {400, false}, {700, false}, {1000, true}, {1400, false},
}

// TestSizes writes Pages with texts of all sizes in each version, for each stored version. Lists, gets and watches work
// in all versions, whatever the objects hold. A write that would lose a text is refused by the conversion, and no
// other write loses one.
func TestSizes(t *testing.T) {
	t.Parallel()
	for i, stored := range []string{"v1", "v2", "v3"} {
		t.Run(stored, func(t *testing.T) {
			t.Parallel()
			hook := httptest.NewTLSServer(webhook.Handler(pageScheme(stored), pageVersion("v2")))
			t.Cleanup(hook.Close)
			dir := withoutRules(t)
			must(t, os.WriteFile(filepath.Join(dir, "pages.yaml"), pageDefinition(stored, hook), 0o600))
			config, err := startServer(t, newServer(t.TempDir(), dir)).config()
			must(t, err)
			m := &pageModel{T: t, client: connectDynamic(t, config), want: map[string]map[string]string{}, rng: rand.New(rand.NewPCG(uint64(i), 1))}
			watches := map[string]chan watch.Event{}
			for version := range pageTexts {
				watches[version] = m.watch(version)
			}
			for _, version := range []string{"v1", "v2", "v3"} {
				for _, size := range pageSizes {
					m.write(version, size.kib, size.compressible)
				}
			}
			m.list()
			for version, events := range watches {
				m.receive(version, events)
			}
			t.Logf("stored in %s: %d writes, of which %d were refused", stored, m.writes, m.refused)
			if m.refused == 0 || m.refused > m.writes/2 {
				t.Errorf("%d of %d writes were refused", m.refused, m.writes)
			}
		})
	}
}

// A pageModel holds the texts that Pages must have.
type pageModel struct {
	*testing.T
	client          dynamic.Interface
	rng             *rand.Rand
	want            map[string]map[string]string // by name and version
	writes, refused int
}

func (m *pageModel) in(version string) dynamic.ResourceInterface {
	return m.client.Resource(pageVersion(version).WithResource("pages")).Namespace("sizes")
}

// text returns a text of a size.
func (m *pageModel) text(kib int, compressible bool) string {
	if compressible {
		return strings.Repeat(fmt.Sprintf("%7d ", m.rng.IntN(1000)), kib<<7)
	}
	random := make([]byte, kib*768)
	for i := range random {
		random[i] = byte(m.rng.Uint32())
	}
	return base64.StdEncoding.EncodeToString(random)
}

// write creates a Page with a text in a version, and then changes a label in the others, and their texts, unless that
// takes long.
func (m *pageModel) write(version string, kib int, compressible bool) {
	m.Helper()
	name := fmt.Sprintf("%s-%d", version, kib)
	o := &unstructured.Unstructured{Object: map[string]any{pageTexts[version]: m.text(kib, compressible)}}
	o.SetGroupVersionKind(pageVersion(version).WithKind("Page"))
	o.SetName(name)
	_, err := m.in(version).Create(m.Context(), o, metav1.CreateOptions{})
	m.wrote(name, version, o.Object[pageTexts[version]].(string), err)
	if err != nil {
		return
	}
	for other, field := range pageTexts {
		if other == version {
			continue
		}
		_, err := m.in(other).Patch(m.Context(), name, types.MergePatchType, []byte(`{"metadata":{"labels":{"other":"`+other+`"}}}`), metav1.PatchOptions{})
		m.wrote(name, other, "", err)
		if kib <= 300 {
			text := m.text(max(kib/8, 1), !compressible)
			_, err = m.in(other).Patch(m.Context(), name, types.MergePatchType, []byte(compact(map[string]any{field: text})), metav1.PatchOptions{})
			m.wrote(name, other, text, err)
		}
	}
	for version := range pageTexts {
		o, err := m.in(version).Get(m.Context(), name, metav1.GetOptions{})
		must(m.T, err)
		m.check(version, o)
	}
}

// wrote records what a write has written, or checks why it was refused.
func (m *pageModel) wrote(name, version, text string, err error) {
	m.Helper()
	m.writes++
	switch {
	case err == nil && m.want[name] == nil:
		m.want[name] = map[string]string{version: text}
	case err == nil:
		m.want[name][version] = text
	case strings.Contains(err.Error(), "would be lost"):
		m.refused++
	default:
		m.Errorf("%s in %s: %v", name, version, err)
	}
}

func (m *pageModel) check(version string, o *unstructured.Unstructured) {
	m.Helper()
	got, _ := o.Object[pageTexts[version]].(string)
	if want := m.want[o.GetName()][version]; got != want {
		m.Errorf("%s in %s has %d bytes, not %d: %.20q", o.GetName(), version, len(got), len(want), got)
	}
}

// list lists the objects in all versions.
func (m *pageModel) list() {
	m.Helper()
	for version := range pageTexts {
		for _, resourceVersion := range []string{"", "0"} { // from storage, and from the cache
			list, err := m.in(version).List(m.Context(), metav1.ListOptions{ResourceVersion: resourceVersion})
			must(m.T, err)
			if len(list.Items) != len(m.want) {
				m.Errorf("%d objects in %s, not %d", len(list.Items), version, len(m.want))
			}
			for i := range list.Items {
				m.check(version, &list.Items[i])
			}
		}
	}
}

// watch watches a version. The channel has room for the events of all writes, because a server ends slow watches.
func (m *pageModel) watch(version string) chan watch.Event {
	m.Helper()
	w, err := m.in(version).Watch(m.Context(), metav1.ListOptions{})
	must(m.T, err)
	m.Cleanup(w.Stop)
	events := make(chan watch.Event, 5*len(pageTexts)*len(pageSizes))
	go func() {
		defer close(events)
		for event := range w.ResultChan() {
			events <- event
		}
	}()
	return events
}

// receive receives events in a version until all objects were as they must be.
func (m *pageModel) receive(version string, events <-chan watch.Event) {
	m.Helper()
	open := map[string]bool{}
	for name := range m.want {
		open[name] = true
	}
	ctx := limit(m.T)
	for len(open) > 0 {
		event := receive(ctx, m.T, events)
		o, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == watch.Error {
			m.Fatalf("%s in %s: %.300v", event.Type, version, event.Object)
		}
		if got, _ := o.Object[pageTexts[version]].(string); got == m.want[o.GetName()][version] {
			delete(open, o.GetName())
		}
	}
}
