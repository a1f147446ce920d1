package fakeapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/fakeapi"
)

const (
	jobs    = "/apis/jobs.example.com/v2/namespaces/east/jobs"
	oldJobs = "/apis/jobs.example.com/v1/namespaces/east/jobs"
)

// An exchange is a request and what its response must have.
type exchange struct {
	method, path, body, header string
	want                       string // status, and then texts of header and body, separated by " ~ "
}

// roundTrip sends a request to an API and returns the response in text.
func roundTrip(t *testing.T, api *fakeapi.API, e exchange) string {
	t.Helper()
	rq := must(http.NewRequestWithContext(t.Context(), e.method, "http://fakeapi"+e.path, strings.NewReader(e.body)))(t)
	if name, value, ok := strings.Cut(e.header, ": "); ok {
		rq.Header.Set(name, value)
	}
	response := must(api.RESTConfig().Transport.RoundTrip(rq))(t)
	defer response.Body.Close()
	var b strings.Builder
	b.WriteString(response.Status + "\n")
	if err := response.Header.Write(&b); err != nil {
		t.Fatal(err)
	}
	b.Write(must(io.ReadAll(response.Body))(t))
	return b.String()
}

// TestResponses sends HTTP requests one after the other to one API for each group.
func TestResponses(t *testing.T) {
	const (
		merge = "Content-Type: application/merge-patch+json"
		apply = "Content-Type: application/apply-patch+yaml"
	)
	newJob := func(name, metadata, spec string) string {
		return `{"apiVersion":"jobs.example.com/v2","kind":"Job","metadata":{"name":"` + name + `"` + metadata + `},"spec":{` + spec + `}}`
	}
	for name, exchanges := range map[string][]exchange{
		"deletions": {
			{"POST", jobs, newJob("a", "", ""), "", "201"},
			{"DELETE", jobs + "/a?dryRun=All", "", "", `200 ~ "status":"Success","details":{"name":"a","group":"jobs.example.com","kind":"jobs","uid":`},
			{"DELETE", jobs + "/a", `{"kind":"Pod","apiVersion":"v1"}`, "", `400 ~ no kind \"Pod\" is registered for version \"v1\"`},
			{"DELETE", jobs + "/a", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`, "", `200 ~ "uid":`},
			{"DELETE", jobs + "/a", `{}`, "", `200 ~ "uid":`},
			{"DELETE", jobs + "/a", `{}`, "", `404`},
			{"POST", jobs, newJob("b", `,"finalizers":["example.com/x"]`, ""), "", "201"},
			{"DELETE", jobs + "/b?dryRun=All", "", "", `200 ~ "kind":"Job" ~ "deletionTimestamp": ~ "resourceVersion":"4"`},
			{"DELETE", jobs + "/b", `{"orphanDependents":false}`, "", `202 ~ "kind":"Job" ~ "deletionTimestamp": ~ "resourceVersion":"5"`},
			{"DELETE", jobs + "/b", "", "", `200 ~ "resourceVersion":"5"`},
			{"DELETE", jobs, "", "", `200 ~ "kind":"JobList" ~ "name":"b"`},
			{"DELETE", "/api/v1/namespaces/east/pods/none", "", "", `404`},
			{"POST", "/api/v1/namespaces/east/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}`, "", "201"},
			{"DELETE", "/api/v1/namespaces/east/pods/p", "", "", `200 ~ "kind":"Pod" ~ "name":"p"`},
		},
		"warnings": {
			{"POST", oldJobs, strings.Replace(newJob("old", "", ""), "v2", "v1", 1), "", `201 ~ Warning: 299 - "use v2"`},
			{"GET", oldJobs + "/none", "", "", `404 ~ Warning: 299 - "use v2"`},
			{"POST", jobs, newJob("a", "", `"image":"x","unknown":1,"image":"y"`), "", `201 ~ Warning: 299 - "duplicate field \"spec.image\"" ~ Warning: 299 - "unknown field \"spec.unknown\"" ~ "image":"y"`},
			{"POST", jobs + "?fieldValidation=Strict", newJob("b", "", `"image":"x","image":"y"`), "", `400 ~ strict decoding error: duplicate field \"spec.image\"`},
			{"POST", jobs + "?fieldValidation=Ignore", newJob("b", `,"finalizers":["odd"]`, `"unknown":1`), "", `201 ~ Warning: 299 - "metadata.finalizers: \"odd\": prefer a domain-qualified finalizer name`},
			{"PATCH", jobs + "/a", `{"spec":{"unknown":1}}`, merge, `200 ~ Warning: 299 - "unknown field \"spec.unknown\""`},
			{"PATCH", jobs + "/a?fieldManager=m", newJob("a", "", `"image":"y","image":"y"`), apply, `200 ~ Warning: 299 - "line 1: key \"image\" already set in map"`},
			{"PATCH", jobs + "/a?fieldManager=m&fieldValidation=Strict", newJob("a", "", `"image":"y","image":"y"`), apply, `400 ~ error strict decoding`},
			{"POST", jobs, "apiVersion: jobs.example.com/v2\nkind: Job\nmetadata: {name: c}\nspec: {image: a, image: b}", "Content-Type: application/yaml", `201 ~ line 4: key \"image\" already set in map`},
		},
		"forms": {
			{"PATCH", jobs + "/a?fieldManager=m", newJob("a", "", ""), apply, "201"},
			{"GET", jobs + "/a", "", "Accept: application/yaml", "200 ~ Content-Type: application/yaml ~ apiVersion: jobs.example.com/v2\nkind: Job\n"},
			{"GET", jobs + "/none", "", "Accept: application/yaml", "404 ~ reason: NotFound\n"},
			{"GET", jobs + "/a", "", "Accept: application/json;q=0.5,application/yaml;q=0.9", "200 ~ Content-Type: application/yaml"},
			{"GET", jobs + "/a?pretty=true", "", "", "200 ~ {\n  \"apiVersion\""},
			{"GET", jobs + "/a", "", "Accept: text/html", "406 ~ only the following media types are accepted"},
			{"GET", jobs, "", "Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", `200 ~ "items":[{"kind":"PartialObjectMetadata"`},
			{"GET", jobs, "", "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", `406 ~ but the requested object is a list`},
			{"GET", jobs + "/a", "", "Accept: application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", `200 ~ "apiVersion":"meta.k8s.io/v1beta1"`},
			{"HEAD", jobs + "/a", "", "", "200"},
			{"HEAD", jobs + "/none", "", "", "404"},
			{"PUT", jobs, "{}", "", "400 ~ name must be provided"},
			{"GET", "/healthz", "", "", "200 ~ ok"},
			{"GET", "/readyz", "", "", "200 ~ ok"},
			{"GET", "/apis/jobs.example.com/v2", "", "Accept: application/yaml", "200 ~ kind: APIResourceList"},
			{"GET", "/apis/jobs.example.com/v2/watch/namespaces/east/jobs/a?timeoutSeconds=1", "", "", `200 ~ {"type":"ADDED","object":{"apiVersion":"jobs.example.com/v2"`},
			{"GET", jobs + "?watch=true", "", "Accept: application/yaml", "406 ~ application/json;stream=watch"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			api := newJobs()
			for _, e := range exchanges {
				got := roundTrip(t, api, e)
				status, rest, _ := strings.Cut(e.want, " ~ ")
				if !strings.HasPrefix(got, status) {
					t.Errorf("%s %s %s: got %s\nwant %s", e.method, e.path, e.body, got, status)
				}
				for text := range strings.SplitSeq(rest, " ~ ") {
					if !strings.Contains(got, text) {
						t.Errorf("%s %s %s: got %s\nwant %s", e.method, e.path, e.body, got, text)
					}
				}
				if e.method == http.MethodHead && !strings.HasSuffix(got, "\r\n") {
					t.Errorf("HEAD %s has a body: %s", e.path, got)
				}
			}
		})
	}
}
