package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// widgets returns the path of widgets in a version, or of one of them.
func widgets(version string, rest ...string) string {
	return "/apis/" + widgetGroup + "/" + version + "/namespaces/east/widgets" + strings.Join(rest, "")
}

// widget returns a widget in a version. rest follows its name in the metadata.
func widget(version, name, rest string) string {
	return `{"apiVersion":"` + widgetGroup + `/` + version + `","kind":"Widget","metadata":{"name":"` + name + `"` + rest + `}`
}

const (
	mergePatch = "Content-Type: application/merge-patch+json"
	jsonPatch  = "Content-Type: application/json-patch+json"
	applyPatch = "Content-Type: application/apply-patch+yaml"
	asTable    = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	asMetadata = "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	asList     = "Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

const spec = `,"spec":{"image":"i","replicas":1,"ports":[{"port":1,"name":"x"}]}`

// newWidget is the request that creates a widget.
func newWidget(version, name, metadata string) rawRequest {
	return rawRequest{"POST", widgets(version), widget(version, name, metadata+"}"+spec), ""}
}

// answers are requests, in groups that begin with an empty API, whose answers are the same of a server and of fakeapi.
var answers = []struct {
	name     string
	requests []rawRequest
}{
	{"versions", []rawRequest{
		newWidget("v1", "a", ""),
		{"GET", widgets("v1beta1", "/a"), "", ""},
		{"PATCH", widgets("v1beta1", "/a"), `{}`, mergePatch},
		{"PATCH", widgets("v1beta1", "/a"), `{"spec":{"image":"i"}}`, mergePatch},
		{"PATCH", widgets("v1beta1", "/a"), `{"spec":{"image":"j"}}`, mergePatch},
		{"PATCH", widgets("v1", "/a"), `[{"op":"replace","path":"/spec/image","value":"k"}]`, jsonPatch},
		{"PATCH", widgets("v1beta1", "/a/status"), `{"status":{"phase":"p"}}`, mergePatch},
		{"PATCH", widgets("v1alpha1", "/a/status"), `{"metadata":{"labels":{"x":"y"}},"status":{"phase":"p"}}`, mergePatch},
		{"PUT", widgets("v1", "/a/status"), widget("v1", "a", `,"resourceVersion":"VERSION(`+widgets("v1", "/a")+`)"},"status":{"phase":"q"}`), ""},
		{"PATCH", widgets("v1beta1", "/a/scale"), `{"spec":{"replicas":4}}`, mergePatch},
		{"PATCH", widgets("v1", "/a/scale"), `{"spec":{"replicas":5}}`, mergePatch},
		{"PUT", widgets("v1beta1", "/a/scale"), `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":7}}`, ""},
		{"GET", widgets("v1alpha1", "/a/scale"), "", ""},
		{"GET", widgets("v1", "/a"), "", ""},
		{"PUT", widgets("v1beta1", "/a"), widget("v1beta1", "a", `,"resourceVersion":"VERSION(`+widgets("v1", "/a")+`)"}`+spec), ""},
		{"PUT", widgets("v1", "/a"), widget("v1", "a", `,"resourceVersion":"VERSION(`+widgets("v1", "/a")+`)"}`+spec), ""},
		{"PATCH", widgets("v1beta1", "/a?fieldManager=m"), widget("v1beta1", "a", `},"spec":{"image":"applied","ports":[{"port":2,"name":"y"}]}`), applyPatch},
		{"PATCH", widgets("v1beta1", "/a?fieldManager=m&force=true"), widget("v1beta1", "a", `},"spec":{"image":"applied","ports":[{"port":2,"name":"y"}]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"image":"applied","ports":[{"port":2,"name":"y"}]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[{"port":2,"name":"z"}]}`), applyPatch},
		{"PATCH", widgets("v1alpha1", "/a?fieldManager=n"), widget("v1alpha1", "a", `},"spec":{"ports":[{"port":2,"name":"n"}]}`), applyPatch},
		{"PATCH", widgets("v1alpha1", "/a/status?fieldManager=n"), widget("v1alpha1", "a", `},"status":{"phase":"n"}`), applyPatch},
		{"PATCH", widgets("v1", "/a/status?fieldManager=n2"), widget("v1", "a", `},"status":{"phase":"n2"}`), applyPatch},
		{"GET", widgets("v1"), "", ""},
		{"GET", widgets("v1alpha1"), "", ""},
		{"DELETE", widgets("v1beta1", "/a"), "", ""},
		{"PATCH", widgets("v1beta1", "/new?fieldManager=m"), widget("v1beta1", "new", `},"spec":{"image":"applied"}`), applyPatch},
		{"PATCH", widgets("v1beta1", "/new?fieldManager=m"), widget("v1", "new", `},"spec":{"image":"applied"}`), applyPatch},
		{"PATCH", widgets("v1beta1", "/new"), `{"apiVersion":"widgets.example.com/v1"}`, mergePatch},
		{"PUT", widgets("v1beta1", "/new"), widget("v1", "new", `}`+spec), ""},
		{"POST", widgets("v1beta1"), widget("v1", "other", `}`+spec), ""},
	}},
	{"versions and managers", []rawRequest{
		newWidget("v1", "a", ""),
		{"PATCH", widgets("v1beta1", "/a?fieldManager=other"), `{"spec":{"replicas":2}}`, mergePatch},
		{"PUT", widgets("v1beta1", "/a?fieldManager=raw"), widget("v1beta1", "a", `,"resourceVersion":"VERSION(`+widgets("v1", "/a")+`)"},"spec":{"image":"j"}`), ""},
		{"PATCH", widgets("v1beta1", "/a?fieldManager=m"), widget("v1beta1", "a", `},"spec":{"image":"m"}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"image":"m"}`), applyPatch},
		{"PATCH", widgets("v1alpha1", "/a?fieldManager=m&force=true"), widget("v1alpha1", "a", `},"spec":{"image":"m","tags":["a","b"]}`), applyPatch},
		{"PATCH", widgets("v1", "/a/scale?fieldManager=s"), `{"spec":{"replicas":9}}`, mergePatch},
		{"PATCH", widgets("v1beta1", "/a/scale?fieldManager=s2"), `{"spec":{"replicas":8}}`, mergePatch},
		{"PATCH", widgets("v1alpha1", "/a?fieldManager=m"), widget("v1alpha1", "a", `},"spec":{"replicas":3}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `}`), applyPatch},
		{"GET", widgets("v1beta1", "/a"), "", ""},
	}},
	{"deletes", []rawRequest{
		newWidget("v1", "a", ""),
		{"DELETE", widgets("v1", "/a?dryRun=All"), "", ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"Pod","apiVersion":"v1"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"DeleteOptions","apiVersion":"apps/v1"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"DeleteOptions","apiVersion":"nothing/v1"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"DeleteOptions","apiVersion":"v2"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"Status","apiVersion":"v1"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"Widget","apiVersion":"widgets.example.com/v1"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"GetOptions"}`, ""},
		{"DELETE", widgets("v1", "/a"), `[]`, ""},
		{"DELETE", widgets("v1", "/a"), `null`, ""},
		{"DELETE", widgets("v1", "/a"), `{`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":7}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"gracePeriodSeconds":"x"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"propagationPolicy":"Somehow"}`, ""},
		{"DELETE", widgets("v1", "/a"), `{}`, "Content-Type: text/plain"},
		{"DELETE", widgets("v1", "/a"), `{"preconditions":{"uid":"x"}}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"preconditions":{"resourceVersion":"1"}}`, ""},
		{"DELETE", widgets("v1", "/a"), `{"kind":"DeleteOptions","apiVersion":"widgets.example.com/v1","unknown":1,"unknown":2}`, ""},
		{"DELETE", widgets("v1", "/a"), `{}`, ""},
		newWidget("v1", "a", ""),
		{"DELETE", widgets("v1", "/a"), "kind: DeleteOptions\napiVersion: meta.k8s.io/v1\n", "Content-Type: application/yaml"},
		newWidget("v1", "f", `,"finalizers":["example.com/x"]`),
		{"DELETE", widgets("v1", "/f?dryRun=All"), "", ""},
		{"DELETE", widgets("v1", "/f"), "", ""},
		{"DELETE", widgets("v1", "/f"), "", ""},
		{"DELETE", widgets("v1", "/f?propagationPolicy=Foreground"), "", ""},
		{"DELETE", widgets("v1beta1", "/f"), `{"orphanDependents":false}`, ""},
		{"DELETE", widgets("v1beta1", "/f"), `{"orphanDependents":true}`, ""},
		{"DELETE", widgets("v1beta1", "/f"), "", asMetadata},
		{"PATCH", widgets("v1beta1", "/f"), `{"metadata":{"finalizers":null}}`, mergePatch},
		{"DELETE", widgets("v1", "/f"), "", ""},
		newWidget("v1", "b", ""),
		{"DELETE", widgets("v1", "/b?propagationPolicy=Foreground"), "", ""},
		{"DELETE", widgets("v1", "/b"), "", ""},
		{"DELETE", widgets("v1", "/b?propagationPolicy=Background"), "", ""},
		newWidget("v1", "c", ""),
		{"DELETE", widgets("v1", "/c"), "", asMetadata},
		newWidget("v1", "d", ""),
		{"DELETE", widgets("v1", "/d"), "", "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"},
		newWidget("v1", "e", ""),
		{"DELETE", widgets("v1", "/e"), "", asTable},
	}},
	{"collections", []rawRequest{
		{"DELETE", widgets("v1"), "", ""},
		newWidget("v1", "a", ""),
		newWidget("v1beta1", "b", `,"labels":{"x":"y"},"finalizers":["example.com/x"]`),
		newWidget("v1", "c", `,"labels":{"x":"y"}`),
		{"DELETE", widgets("v1", "?dryRun=All"), "", ""},
		{"DELETE", widgets("v1beta1", "?labelSelector=x%3Dz"), "", ""},
		{"DELETE", widgets("v1beta1", "?labelSelector=x%3Dy"), "", ""},
		{"DELETE", widgets("v1"), `{"kind":"Pod","apiVersion":"v1"}`, ""},
		{"DELETE", widgets("v1"), `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`, ""},
		{"DELETE", widgets("v1"), `{"preconditions":{"uid":"x"}}`, ""},
		{"DELETE", widgets("v1", "?limit=1"), "", ""},
		{"DELETE", widgets("v1"), "", asList},
		{"DELETE", widgets("v1"), "", ""},
		{"GET", widgets("v1"), "", ""},
	}},
	{"apply", []rawRequest{
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[{"name":"x"}]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":null}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[],"tags":[],"options":{}}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"tags":null}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"options":null}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"image":null}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":null`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[{"port":1}],"tags":["x"]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=n"), widget("v1", "a", `},"spec":{"ports":[],"tags":[]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=n"), widget("v1", "a", `},"spec":{"ports":null,"tags":null}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[{"port":1},{"port":1}]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[{"port":null}]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":[null]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":{}}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"ports":"x"}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"tags":["x","x"]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"tags":[null]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"tags":{}}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"options":[]}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"options":{"a":null}}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{"options":{}}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `},"spec":{}`), applyPatch},
		{"PATCH", widgets("v1", "/a?fieldManager=m"), widget("v1", "a", `}`), applyPatch},
		{"PATCH", widgets("v1", "/a"), `{"spec":{"ports":[],"tags":[],"options":{}}}`, mergePatch},
		{"PATCH", widgets("v1", "/a"), `{"spec":{"ports":[{"name":"x"}]}}`, mergePatch},
		{"POST", widgets("v1"), widget("v1", "b", `},"spec":{"ports":[],"tags":[],"options":{}}`), ""},
		{"POST", widgets("v1"), widget("v1", "c", `},"spec":{"ports":null,"tags":null,"options":null,"image":null}`), ""},
		{"POST", widgets("v1"), widget("v1", "d", `},"spec":{"ports":[{"name":"x"}]}`), ""},
		{"PATCH", widgets("v1", "/b?fieldManager=m"), widget("v1", "b", `},"spec":{"ports":[],"image":"x"}`), applyPatch},
		{"PATCH", widgets("v1", "/b?fieldManager=m"), widget("v1", "b", `},"spec":{"ports":[{"port":1,"more":2}]}`), applyPatch},
		{"PATCH", widgets("v1", "/b?fieldManager=m&fieldValidation=Strict"), widget("v1", "b", `},"spec":{"unknown":1}`), applyPatch},
		{"PATCH", widgets("v1", "/b?fieldManager=m&fieldValidation=Strict"), widget("v1", "b", `},"spec":{"image":"x","image":"y"}`), applyPatch},
		{"PATCH", widgets("v1", "/b?fieldManager=m"), widget("v1", "b", `},"spec":{"image":"x","image":"y"}`), applyPatch},
		{"PATCH", widgets("v1", "/b?fieldManager=m&fieldValidation=Strict"), widget("v1", "b", `,"more":1},"spec":{"image":"x"}`), applyPatch},
		{"PATCH", widgets("v1", "/b?fieldManager=m"), widget("v1", "b", `,"more":1},"spec":{"image":"x"}`), applyPatch},
	}},
	{"warnings", []rawRequest{
		newWidget("v1alpha1", "a", ""),
		{"GET", widgets("v1beta1", "/a"), "", ""},
		{"GET", widgets("v1beta1", "/none"), "", ""},
		{"GET", widgets("v1beta1", "/a/scale"), "", ""},
		{"POST", widgets("v1"), widget("v1", "b", `},"spec":{"image":"x","unknown":1,"ports":[{"port":1,"more":1}]},"top":2`), ""},
		{"POST", widgets("v1"), widget("v1", "c", `},"spec":{"image":"x","image":"y"}`), ""},
		{"POST", widgets("v1"), widget("v1", "c2", `,"name":"c2"},"spec":{"image":"x","unknown":1,"image":"y"},"spec":{}`), ""},
		{"POST", widgets("v1beta1"), widget("v1beta1", "c3", `},"spec":{"image":"x","unknown":1,"image":"y"}`), ""},
		{"POST", widgets("v1", "?fieldValidation=Warn"), widget("v1", "d", `,"more":1},"spec":{"unknown":1}`), ""},
		{"POST", widgets("v1", "?fieldValidation=Ignore"), widget("v1", "e", `},"spec":{"unknown":1,"unknown":2}`), ""},
		{"POST", widgets("v1", "?fieldValidation=Strict"), widget("v1", "f", `},"spec":{"unknown":1}`), ""},
		{"POST", widgets("v1", "?fieldValidation=Strict"), widget("v1", "f", `},"spec":{"image":"x","image":"y"}`), ""},
		{"POST", widgets("v1", "?fieldValidation=Strict"), widget("v1", "f", `},"spec":{"image":"x","image":"y","unknown":1}`), ""},
		{"POST", widgets("v1", "?fieldValidation=Strict"), widget("v1", "f", `,"name":"f","more":1},"spec":{"image":"x","image":"y","unknown":1}`), ""},
		{"PUT", widgets("v1", "/b"), widget("v1", "b", `,"resourceVersion":"VERSION(`+widgets("v1", "/b")+`)"},"spec":{"image":"x","unknown":1,"image":"y"}`), ""},
		{"PUT", widgets("v1", "/b?fieldValidation=Strict"), widget("v1", "b", `,"resourceVersion":"VERSION(`+widgets("v1", "/b")+`)"},"spec":{"image":"x","unknown":1,"image":"y"}`), ""},
		{"PUT", widgets("v1", "/b/status"), widget("v1", "b", `,"resourceVersion":"VERSION(`+widgets("v1", "/b")+`)"},"status":{"phase":"x","unknown":1,"phase":"y"}`), ""},
		{"PUT", widgets("v1", "/b"), widget("v1", "b", `},"spec":{"unknown":1}`), ""},
		{"PATCH", widgets("v1", "/b"), `{"spec":{"unknown":1}}`, mergePatch},
		{"PATCH", widgets("v1", "/b"), `{"spec":{"image":"1","image":"2"}}`, mergePatch},
		{"PATCH", widgets("v1", "/b?fieldValidation=Strict"), `{"spec":{"image":"1","image":"2"}}`, mergePatch},
		{"PATCH", widgets("v1", "/b?fieldValidation=Ignore"), `{"spec":{"image":"1","image":"2","unknown":1}}`, mergePatch},
		{"PATCH", widgets("v1", "/b?fieldValidation=Strict"), `{"spec":{"unknown":1}}`, mergePatch},
		{"PATCH", widgets("v1", "/b"), `[{"op":"add","path":"/spec/unknown","value":1,"more":1}]`, jsonPatch},
		{"PATCH", widgets("v1", "/b"), `[{"op":"add","path":"/spec/image","value":"x","value":"y"}]`, jsonPatch},
		{"PATCH", widgets("v1", "/b?fieldValidation=Strict"), `[{"op":"add","path":"/spec/image","value":"x","value":"y"}]`, jsonPatch},
		{"PATCH", widgets("v1", "/b/status"), `{"status":{"unknown":1}}`, mergePatch},
		{"PATCH", widgets("v1", "/b/scale"), `{"spec":{"replicas":2,"unknown":1}}`, mergePatch},
		{"PATCH", widgets("v1beta1", "/b/scale"), `{"spec":{"replicas":2,"replicas":3}}`, mergePatch},
		{"PUT", widgets("v1", "/b/scale"), `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"b"},"spec":{"replicas":7,"replicas":8,"unknown":2}}`, ""},
		{"PUT", widgets("v1", "/b/scale?fieldValidation=Strict"), `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"b"},"spec":{"replicas":7,"replicas":8,"unknown":2}}`, ""},
		{"POST", widgets("v1"), widget("v1", "y", `}`) + "\nspec: {image: x, image: y}\n", "Content-Type: application/yaml"},
		{"POST", widgets("v1"), "apiVersion: widgets.example.com/v1\nkind: Widget\nmetadata: {name: y}\nspec: {image: x, image: y, unknown: 1}\n", "Content-Type: application/yaml"},
		{"POST", widgets("v1", "?fieldValidation=Strict"), "apiVersion: widgets.example.com/v1\nkind: Widget\nmetadata: {name: y2}\nspec: {image: x, image: y, unknown: 1}\n", "Content-Type: application/yaml"},
		{"POST", widgets("v1", "?fieldValidation=Sometimes"), widget("v1", "z", `}`+spec), ""},
		{"POST", widgets("v1", ""), widget("v1", "odd", `,"finalizers":["x"]}`+spec), ""},
		{"POST", widgets("v1", ""), widget("v1", "odd2", `,"annotations":null,"labels":{"a":null}}`+spec), ""},
		{"DELETE", widgets("v1beta1", "/a"), "", ""},
		{"DELETE", widgets("v1beta1"), "", ""},
	}},
	{"forms", []rawRequest{
		newWidget("v1", "a", `,"labels":{"x":"y"}`),
		{"GET", widgets("v1", "/a"), "", asMetadata},
		{"GET", widgets("v1"), "", asList},
		{"GET", widgets("v1beta1"), "", asList},
		{"GET", widgets("v1"), "", asMetadata},
		{"GET", widgets("v1", "/a"), "", asList},
		{"GET", widgets("v1", "/none"), "", asTable},
		{"GET", widgets("v1", "/a"), "", "Accept: application/json;as=Chair;v=v1;g=meta.k8s.io"},
		{"GET", widgets("v1", "/a"), "", "Accept: application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io"},
		{"GET", widgets("v1", "/a"), "", "Accept: application/yaml"},
		{"GET", widgets("v1"), "", "Accept: application/yaml"},
		{"GET", widgets("v1", "/none"), "", "Accept: application/yaml"},
		{"POST", widgets("v1"), widget("v1", "y", "}"+spec), "Accept: application/yaml"},
		{"GET", widgets("v1", "/a"), "", "Accept: application/vnd.kubernetes.protobuf,application/json"},
		{"GET", widgets("v1", "/a"), "", "Accept: text/plain"},
		{"GET", widgets("v1", "/a"), "", "Accept: text/html,*/*"},
		{"GET", widgets("v1", "/a"), "", "Accept: application/json;q=0.5,application/yaml;q=0.9"},
		{"GET", widgets("v1", "/a?pretty=true"), "", ""},
		{"GET", widgets("v1", "/none?pretty=1"), "", ""},
		{"GET", widgets("v1", "/a"), "", "Accept: application/json;pretty=1"},
		{"GET", widgets("v1", "/a"), "", "User-Agent: curl/8"},
		{"HEAD", widgets("v1", "/a"), "", ""},
		{"HEAD", widgets("v1"), "", ""},
		{"HEAD", widgets("v1", "/none"), "", ""},
		{"HEAD", "/apis", "", ""},
		{"OPTIONS", widgets("v1", "/a"), "", ""},
		{"POST", widgets("v1", "/a"), "{}", ""},
		{"PUT", widgets("v1"), "{}", ""},
		{"PATCH", widgets("v1"), "{}", mergePatch},
		{"GET", "/healthz", "", ""},
		{"GET", "/livez", "", ""},
		{"GET", "/readyz", "", ""},
		{"GET", "/readyz/ping", "", ""},
		{"GET", "/healthz/ping", "", ""},
		{"GET", "/livez/ping", "", ""},
		{"GET", "/apis/widgets.example.com", "", ""},
		{"GET", "/apis/widgets.example.com/v1", "", ""},
		{"GET", "/apis/widgets.example.com/v1/", "", ""},
		{"GET", "/apis/widgets.example.com/v1beta1", "", ""},
		{"GET", "/apis/widgets.example.com/v9", "", ""},
		{"GET", "/apis/nothing.example.com", "", ""},
		{"GET", "/apis/nothing.example.com/v1", "", ""},
		{"GET", "/apis/nothing.example.com/v1/things", "", ""},
		{"GET", "/apis/widgets.example.com/v1", "", "Accept: application/yaml"},
		{"GET", widgets("v1", "/a/nothing"), "", ""},
		{"GET", widgets("v1", "/a/status"), "", ""},
		{"GET", widgets("v1", "/a/scale"), "", asMetadata},
		{"GET", "/apis/widgets.example.com/v1/watch/namespaces/east/widgets?timeoutSeconds=1", "", ""},
		{"GET", "/apis/widgets.example.com/v1/watch/namespaces/east/widgets/a?timeoutSeconds=1", "", ""},
		{"GET", "/apis/widgets.example.com/v1/watch/widgets?timeoutSeconds=1", "", ""},
		{"GET", "/apis/widgets.example.com/v1/watch/widgets?timeoutSeconds=1&watch=false", "", ""},
		{"GET", widgets("v1", "?watch=true&timeoutSeconds=1"), "", ""},
		{"GET", widgets("v1", "?watch=1&timeoutSeconds=1"), "", asMetadata},
		{"GET", widgets("v1", "?watch=1&timeoutSeconds=1"), "", "Accept: application/yaml"},
		{"GET", widgets("v1beta1", "?watch=1&timeoutSeconds=1"), "", ""},
		{"GET", widgets("v1", "/a?watch=1&timeoutSeconds=1"), "", ""},
		{"GET", widgets("v1", "?watch=1&resourceVersion=soon"), "", ""},
		{"GET", widgets("v1", "?limit=x"), "", ""},
		{"GET", widgets("v1", "?labelSelector=a%20b"), "", ""},
		{"GET", widgets("v1", "?fieldSelector=spec.x%3Dy"), "", ""},
	}},
}

// TestAnswers sends the same HTTP requests to an API server and to fakeapi and compares the answers as a client would read them.
func TestAnswers(t *testing.T) {
	config, err := startServer(t, newServer(t.TempDir(), crds, "--crds", widgetDefinitions)).config()
	must(t, err)
	for name, newAPI := range newWidgetAPIs(t) {
		t.Run(name, func(t *testing.T) {
			for _, group := range answers {
				t.Run(group.name, func(t *testing.T) {
					want, got := compareRaw(t, config, newAPI, group.requests)
					for i, rq := range group.requests {
						if want[i] != got[i] {
							t.Errorf("%d: %s\n%s", i, rq, firstDifference(want[i], got[i]))
						}
					}
				})
			}
		})
	}
}

// firstDifference returns the places at which two texts differ first.
func firstDifference(want, got string) string {
	n := 0
	for n < len(want) && n < len(got) && want[n] == got[n] {
		n++
	}
	from := max(0, n-40)
	return fmt.Sprintf("server:  %q\nfakeapi: %q", want[from:min(len(want), n+180)], got[from:min(len(got), n+180)])
}
