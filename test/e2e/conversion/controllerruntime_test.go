package conversion

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/kubegen/kubegen/fakeapi"
)

// Versions of the kind Box. The hub is v2.
type (
	boxV1 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Size              int64 `json:"size,omitempty"`
	}
	boxV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Width             int64 `json:"width,omitempty"`
	}
	boxV3 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Length            int64 `json:"length,omitempty"`
	}
)

func (b *boxV1) DeepCopyObject() runtime.Object { return &boxV1{b.TypeMeta, *b.DeepCopy(), b.Size} }
func (b *boxV2) DeepCopyObject() runtime.Object { return &boxV2{b.TypeMeta, *b.DeepCopy(), b.Width} }
func (b *boxV3) DeepCopyObject() runtime.Object { return &boxV3{b.TypeMeta, *b.DeepCopy(), b.Length} }

func (b *boxV2) Hub() {}

func (b *boxV1) ConvertTo(hub conversion.Hub) error {
	hub.(*boxV2).ObjectMeta, hub.(*boxV2).Width = b.ObjectMeta, b.Size
	return nil
}

func (b *boxV1) ConvertFrom(hub conversion.Hub) error {
	b.ObjectMeta, b.Size = hub.(*boxV2).ObjectMeta, hub.(*boxV2).Width
	return nil
}

func (b *boxV3) ConvertTo(hub conversion.Hub) error {
	hub.(*boxV2).ObjectMeta, hub.(*boxV2).Width = b.ObjectMeta, b.Length
	return nil
}

func (b *boxV3) ConvertFrom(hub conversion.Hub) error {
	b.ObjectMeta, b.Length = hub.(*boxV2).ObjectMeta, hub.(*boxV2).Width
	return nil
}

var (
	_ conversion.Hub         = &boxV2{}
	_ conversion.Convertible = &boxV1{}
	_ conversion.Convertible = &boxV3{}
)

// TestConversion writes an object in one version and reads it in the others. It is converted by the methods of its
// types, and by the webhook of controller-runtime.
func TestControllerRuntime(t *testing.T) {
	scheme := runtime.NewScheme()
	var lists []*metav1.APIResourceList
	for version, obj := range map[string]client.Object{"v1": &boxV1{}, "v2": &boxV2{}, "v3": &boxV3{}} {
		gv := schema.GroupVersion{Group: "example.com", Version: version}
		scheme.AddKnownTypeWithName(gv.WithKind("Box"), obj)
		metav1.AddToGroupVersion(scheme, gv)
		lists = append(lists, &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: []metav1.APIResource{
			{Name: "boxes", SingularName: "box", Kind: "Box", Verbs: metav1.Verbs{"create", "get", "patch", "update"}},
		}})
	}
	served := fakeapi.WithResources(scheme, lists)
	for name, api := range map[string]*fakeapi.API{
		"methods": fakeapi.New(served),
		"webhook": fakeapi.New(served, fakeapi.WithConversion(webhook.NewWebhookHandler(scheme, webhook.NewRegistry()))),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := client.New(api.RESTConfig(), client.Options{Scheme: scheme})
			must(t, err)
			sent := &boxV1{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Size: 7}
			must(t, c.Create(t.Context(), sent))
			third := &boxV3{}
			must(t, c.Get(t.Context(), client.ObjectKeyFromObject(sent), third))
			third.Length++
			must(t, c.Update(t.Context(), third))
			second := &boxV2{}
			must(t, c.Get(t.Context(), client.ObjectKeyFromObject(sent), second))
			must(t, c.Get(t.Context(), client.ObjectKeyFromObject(sent), sent))
			if third.Length != 8 || second.Width != 8 || sent.Size != 8 || sent.UID == "" || sent.UID != third.UID {
				t.Errorf("read %+v, %+v and %+v", sent, second, third)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
