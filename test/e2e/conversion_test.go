package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// conversionBehaviours are what a server does with Sites that it stores in v1beta1. Where tamper is set, the webhook
// calls it for each answer.
var conversionBehaviours = []struct {
	name   string
	run    func(c *siteClient)
	tamper func(w http.ResponseWriter, review *apiextensionsv1.ConversionReview)
}{
	{name: "an object written in any version is read in each version", run: func(c *siteClient) {
		for _, version := range siteVersions {
			c.send(siteRequest{verb: "create", version: version, name: "in-" + version, content: fullSite(version)})
			for _, other := range siteVersions {
				c.send(siteRequest{verb: "get", version: other, name: "in-" + version})
			}
		}
	}},
	{name: "the response to a write is the stored object, converted back", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", content: map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{siteData: "no JSON", "note": "kept"}},
		}})
		c.send(siteRequest{verb: "create", version: "v1", name: "b", content: siteSpec("comment", "which v1beta1 lacks")})
		c.send(siteRequest{verb: "get", version: "v1", name: "b"})
	}},
	{name: "each version has its own defaults and validation", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", content: siteSpec("template", map[string]any{"image": "a-long-image"})})
		c.send(siteRequest{verb: "create", version: "v1beta1", name: "b", content: siteSpec("container", map[string]any{"image": "a-long-image"})})
		c.send(siteRequest{verb: "merge", version: "v1beta1", name: "a", content: siteSpec("container", map[string]any{"image": "another-long-image"})})
		c.send(siteRequest{verb: "merge", version: "v1beta1", name: "a", content: siteSpec("paused", true)})
	}},
	{name: "lists and watches have objects in the version of the request", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", content: fullSite("v1")})
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "b", content: fullSite("v1alpha1")})
		for _, version := range siteVersions {
			c.send(siteRequest{verb: "list", version: version})
			w, err := c.in(version).Watch(c.t.Context(), metav1.ListOptions{})
			must(c.t, err)
			for range 2 {
				c.event(w.ResultChan())
			}
			w.Stop()
		}
	}},
	{name: "a field selector has the fields of the version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", content: siteSpec("template", map[string]any{"image": "i"})})
		c.send(siteRequest{verb: "create", version: "v1", name: "b", content: siteSpec("template", map[string]any{"image": "j"})})
		for _, version := range siteVersions {
			for _, selector := range []string{"spec.image=i", "spec.container.image=i", "spec.template.image=i"} {
				list, err := c.in(version).List(c.t.Context(), metav1.ListOptions{FieldSelector: selector})
				if err != nil {
					c.note("%s %s: %s", version, selector, errorText(err))
					continue
				}
				for i := range list.Items {
					c.note("%s %s: %s", version, selector, c.text(&list.Items[i], true))
				}
			}
		}
	}},
	{name: "the status is written in another version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", content: fullSite("v1")})
		c.send(siteRequest{verb: "update", version: "v1alpha1", name: "a", subresource: "status", content: map[string]any{"status": map[string]any{"phase": "Up"}}})
		c.send(siteRequest{verb: "apply", version: "v1", name: "a", subresource: "status", manager: "one", force: true, content: map[string]any{"status": map[string]any{"ready": int64(2)}}})
		c.send(siteRequest{verb: "get", version: "v1beta1", name: "a"})
	}},
	{name: "the scale subresource has the fields of the version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", content: siteSpec("replicas", int64(3))})
		for _, version := range siteVersions {
			scale, err := c.in(version).Get(c.t.Context(), "a", metav1.GetOptions{}, "scale")
			must(c.t, err)
			c.note("%s", c.text(scale, true))
		}
		c.send(siteRequest{verb: "scale", version: "v1", name: "a", manager: "one"})
		c.send(siteRequest{verb: "get", version: "v1alpha1", name: "a"})
	}},
	{name: "managedFields have the version of each request", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", manager: "one", content: fullSite("v1alpha1")})
		c.send(siteRequest{verb: "update", version: "v1", name: "a", manager: "two", content: siteSpec("template", map[string]any{"image": "other"})})
		c.send(siteRequest{verb: "merge", version: "v1beta1", name: "a", manager: "two", content: siteSpec("paused", true)})
	}},
	{name: "apply conflicts with the owner of a field in another version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "apply", version: "v1", name: "a", manager: "one", content: siteSpec("template", map[string]any{"image": "i"})})
		c.send(siteRequest{verb: "apply", version: "v1alpha1", name: "a", manager: "two", content: siteSpec("image", "j")})
		c.send(siteRequest{verb: "apply", version: "v1alpha1", name: "a", manager: "two", force: true, content: siteSpec("image", "j")})
	}},
	{name: "apply in another version removes what its manager has left out", run: func(c *siteClient) {
		c.send(siteRequest{verb: "apply", version: "v1", name: "a", manager: "one", content: fullSite("v1")})
		c.send(siteRequest{verb: "apply", version: "v1beta1", name: "a", manager: "one", content: siteSpec("replicas", int64(2))})
		c.send(siteRequest{verb: "get", version: "v1", name: "a"})
	}},
	{name: "apply without a change sets no defaults of the version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", manager: "one", content: fullSite("v1")})
		c.send(siteRequest{verb: "apply", version: "v1alpha1", name: "a", manager: "two", content: map[string]any{"spec": map[string]any{}}})
		c.send(siteRequest{verb: "merge", version: "v1alpha1", name: "a", manager: "two", content: map[string]any{"spec": map[string]any{}}})
		c.send(siteRequest{verb: "get", version: "v1", name: "a"})
	}},
	{name: "a JSON patch has the paths of the version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", content: fullSite("v1alpha1")})
		for _, path := range []string{"/spec/template/image", "/spec/image"} {
			result, err := c.in("v1").Patch(c.t.Context(), "a", types.JSONPatchType, fmt.Appendf(nil, `[{"op":"replace","path":%q,"value":"new"}]`, path), metav1.PatchOptions{})
			if err != nil {
				c.note("%s", errorText(err))
				continue
			}
			c.note("%s", c.text(result, true))
		}
	}},
	{name: "a dry run is converted", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", dryRun: true, content: siteSpec("comment", "which v1beta1 lacks")})
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", dryRun: true, content: siteSpec("address", "nowhere")})
		c.send(siteRequest{verb: "get", version: "v1", name: "a"})
	}},
	{name: "a write in another version without a change is none", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", manager: "one", content: fullSite("v1")})
		for _, version := range siteVersions {
			c.send(siteRequest{verb: "merge", version: version, name: "a", manager: "one", content: fullSite(version)})
			c.send(siteRequest{verb: "get", version: version, name: "a"})
		}
	}},
	{name: "an object with finalizers is deleted through another version", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1", name: "a", content: fullSite("v1")})
		c.send(siteRequest{verb: "finalize", version: "v1", name: "a"})
		c.send(siteRequest{verb: "delete", version: "v1alpha1", name: "a"})
		c.send(siteRequest{verb: "get", version: "v1", name: "a"})
		c.send(siteRequest{verb: "finalize", version: "v1alpha1", name: "a", force: true})
		c.send(siteRequest{verb: "get", version: "v1", name: "a"})
	}},
	{name: "the error of a conversion fails the request", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", content: siteSpec("address", "nowhere")})
		c.send(siteRequest{verb: "create", version: "v1", name: "a", content: fullSite("v1")})
		c.send(siteRequest{verb: "merge", version: "v1alpha1", name: "a", content: siteSpec("address", "nowhere")})
		c.send(siteRequest{verb: "get", version: "v1alpha1", name: "a"})
	}},

	{name: "a conversion can change labels and annotations, and no other metadata", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) {
		o.SetLabels(map[string]string{"label": "by-the-webhook"})
		o.SetAnnotations(map[string]string{"annotation": "by the webhook"})
		o.SetFinalizers([]string{"example.com/by-the-webhook"})
		o.SetGeneration(17)
		o.SetResourceVersion("1")
		o.SetManagedFields(nil)
	})},
	{name: "a conversion that changes the name is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { o.SetName("other") })},
	{name: "a conversion that changes the namespace is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { o.SetNamespace("other") })},
	{name: "a conversion that changes the UID is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { o.SetUID("") })},
	{name: "a conversion without metadata is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { delete(o.Object, "metadata") })},
	{name: "a conversion to an invalid label is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"?": "!"}) })},
	{name: "a conversion to an invalid annotation is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) {
		utilruntime.Must(unstructured.SetNestedField(o.Object, int64(1), "metadata", "annotations", "number"))
	})},
	{name: "a conversion to another version is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { o.SetAPIVersion("web.example.com/v1alpha1") })},
	{name: "a conversion to another kind is an error", run: createInAlpha, tamper: changing(func(o *unstructured.Unstructured) { o.SetKind("Page") })},
	{name: "a conversion without objects is an error", run: createInAlpha, tamper: reviewing(func(r *apiextensionsv1.ConversionReview) { r.Response.ConvertedObjects = nil })},
	{name: "a conversion that fails without a message is an error", run: createInAlpha, tamper: reviewing(func(r *apiextensionsv1.ConversionReview) { r.Response.Result = metav1.Status{} })},
	{name: "a review without a response is an error", run: createInAlpha, tamper: reviewing(func(r *apiextensionsv1.ConversionReview) { r.Response = nil })},
	{name: "a review of another request is an error", run: createInAlpha, tamper: reviewing(func(r *apiextensionsv1.ConversionReview) { r.Response.UID = "another" })},
	{name: "a status of the webhook is an error", run: createInAlpha, tamper: func(w http.ResponseWriter, _ *apiextensionsv1.ConversionReview) {
		http.Error(w, "out of order", http.StatusNotImplemented)
	}},
	{name: "an object that cannot be converted is neither read nor deleted", run: func(c *siteClient) {
		c.send(siteRequest{verb: "create", version: "v1beta1", name: "a", content: fullSite("v1beta1")})
		for _, verb := range []string{"get", "merge", "delete"} {
			c.send(siteRequest{verb: verb, version: "v1", name: "a", content: fullSite("v1")})
		}
		c.send(siteRequest{verb: "get", version: "v1beta1", name: "a"})
	}, tamper: reviewing(func(r *apiextensionsv1.ConversionReview) {
		r.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: "out of order"}
	})},
	{name: "objects that cannot be converted fail lists in other versions", run: func(c *siteClient) {
		for _, name := range []string{"a", "b-stuck", "c", "d-stuck"} {
			c.send(siteRequest{verb: "create", version: "v1beta1", name: name, content: fullSite("v1beta1")})
		}
		for _, opts := range []metav1.ListOptions{
			{Limit: 1}, {Limit: 2}, {LabelSelector: "no=body"}, {FieldSelector: "metadata.name=a"}, {FieldSelector: "metadata.name=b-stuck"},
		} {
			list, err := c.in("v1").List(c.t.Context(), opts)
			if err != nil {
				c.note("%s", errorText(err))
				continue
			}
			for i := range list.Items {
				c.note("%s", c.text(&list.Items[i], true))
			}
		}
		if err := c.in("v1").DeleteCollection(c.t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			c.note("%s", errorText(err))
		}
		c.send(siteRequest{verb: "list", version: "v1beta1"})
	}, tamper: reviewing(func(r *apiextensionsv1.ConversionReview) {
		for _, object := range r.Response.ConvertedObjects {
			var o metav1.PartialObjectMetadata
			utilruntime.Must(json.Unmarshal(object.Raw, &o))
			if strings.HasSuffix(o.Name, "-stuck") {
				r.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: "out of order"}
			}
		}
	})},
}

func siteSpec(field string, value any) map[string]any {
	return map[string]any{"spec": map[string]any{field: value}}
}

// fullSite returns all fields of a version.
func fullSite(version string) map[string]any {
	var content map[string]any
	utilruntime.Must(json.Unmarshal([]byte(map[string]string{
		"v1alpha1": `{"spec":{"image":"image","env":{"x":"1","y":"2"},"replicas":2,"address":"host:80","mounts":[{"path":"/a"}],"legacy":"old"}}`,
		"v1beta1":  `{"spec":{"container":{"image":"image"},"env":[{"name":"x","value":"1"},{"name":"y","value":"2"}],"replicas":2,"endpoint":{"host":"host","port":80},"paused":true,"mounts":[{"path":"/a"}]}}`,
		"v1":       `{"spec":{"template":{"image":"image","env":[{"name":"x","value":"1"},{"name":"y","value":"2"}]},"scale":{"replicas":2},"endpoint":{"host":"host","port":80},"paused":true,"comment":"new","mounts":[{"path":"/a","readOnly":true}]}}`,
	}[version]), &content))
	return content
}

func createInAlpha(c *siteClient) {
	c.send(siteRequest{verb: "create", version: "v1alpha1", name: "a", content: fullSite("v1alpha1")})
}

// changing returns a webhook that changes what it has converted.
func changing(change func(o *unstructured.Unstructured)) func(http.ResponseWriter, *apiextensionsv1.ConversionReview) {
	return reviewing(func(review *apiextensionsv1.ConversionReview) {
		for i, object := range review.Response.ConvertedObjects {
			o := &unstructured.Unstructured{}
			utilruntime.Must(json.Unmarshal(object.Raw, &o.Object))
			change(o)
			review.Response.ConvertedObjects[i] = runtime.RawExtension{Raw: []byte(compact(o.Object))}
		}
	})
}

func reviewing(change func(*apiextensionsv1.ConversionReview)) func(http.ResponseWriter, *apiextensionsv1.ConversionReview) {
	return func(w http.ResponseWriter, review *apiextensionsv1.ConversionReview) {
		change(review)
		utilruntime.Must(json.NewEncoder(w).Encode(review))
	}
}

// note adds an answer.
func (c *siteClient) note(format string, args ...any) {
	c.answers = append(c.answers, fmt.Sprintf(format, args...))
}

// TestConversion runs each behaviour of conversionBehaviours on an API server with a conversion webhook and on fakeapi,
// and compares all answers.
func TestConversion(t *testing.T) {
	var tampering atomic.Pointer[func(http.ResponseWriter, *apiextensionsv1.ConversionReview)]
	handler := siteHandler()
	server, fakes := newSites(t, "v1beta1", http.HandlerFunc(func(w http.ResponseWriter, rq *http.Request) {
		tamper := tampering.Load()
		if tamper == nil {
			handler.ServeHTTP(w, rq)
			return
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, rq)
		var review apiextensionsv1.ConversionReview
		utilruntime.Must(json.Unmarshal(recorder.Body.Bytes(), &review))
		(*tamper)(w, &review)
	}))
	rows := "| a server's behaviour | functions, hub and spokes | `WithConversion` |\n|---|---|---|\n"
	for i, b := range conversionBehaviours {
		t.Run(b.name, func(t *testing.T) {
			if b.tamper != nil {
				tampering.Store(&b.tamper)
				defer tampering.Store(nil)
			}
			namespace := fmt.Sprintf("behaviour%d", i)
			want := newSiteClient(t, server, namespace)
			b.run(want)
			t.Log(strings.Join(want.answers, "\n"))
			row := map[string]string{"functions": "–"}
			for name, fake := range fakes {
				if b.tamper != nil && name == "functions" {
					continue // they are correct
				}
				got := newSiteClient(t, fake, namespace)
				b.run(got)
				row[name] = "yes"
				if problem := difference("server", want.answers, name, got.answers); problem != "" {
					t.Error(problem)
				}
			}
			rows += fmt.Sprintf("| %s | %s | %s |\n", b.name, row["functions"], row["handler"])
		})
	}
	doc, err := os.ReadFile(testingDoc)
	must(t, err)
	if want := section(t, doc, "conversion", rows); *update {
		must(t, os.WriteFile(testingDoc, want, 0o644))
	} else if strings.Count(rows, "\n") == len(conversionBehaviours)+2 && !bytes.Equal(doc, want) {
		t.Error(testingDoc + " is out of date: run go test -run 'TestConversion$' -update in test/e2e")
	}
}
