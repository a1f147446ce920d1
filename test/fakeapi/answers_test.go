package fakeapi_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/fakeapi"
)

const (
	jobs    = "/apis/jobs.example.com/v2/namespaces/east/jobs"
	oldJobs = "/apis/jobs.example.com/v1/namespaces/east/jobs"

	watchedJobs = "/apis/jobs.example.com/v2/watch/namespaces/east/jobs"
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
	rq.Method = e.method // also if it is empty
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

// TestWritesAreAuthorized sends requests with all methods to all forms of paths. Objects only change if the authorizer
// was asked for a verb that changes objects.
func TestWritesAreAuthorized(t *testing.T) {
	const group = "/apis/stable.example.com/v1/"
	writes := []string{"create", "update", "patch", "delete", "deletecollection"}
	wrote := map[string]int{}
	for _, prefix := range []string{"", "watch/", "proxy/", "watch/watch/"} {
		for _, rest := range []string{
			"", "crontabs", "crontabs/a", "namespaces/team/crontabs", "namespaces/team/crontabs/", "namespaces/team//crontabs", "namespaces/team/crontabs/a", "namespaces/team/crontabs/a/",
			"namespaces/team/crontabs//a", "namespaces/team/crontabs%2Fa", "namespaces/team/crontabs/a/status", "namespaces/team/crontabs/a/scale", "namespaces/team/crontabs/a/none", "namespaces/team",
		} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "delete", "FOO"} {
				for _, query := range []string{"", "&watch=1&fieldSelector=metadata.name%3Da"} {
					synctest.Test(t, func(t *testing.T) {
						var asked []string
						api := fakeapi.New(options(fakeapi.WithObjects(crontab("a")), fakeapi.WithAuthorizer(authenticationv1.UserInfo{Username: "jane"},
							func(spec authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
								if spec.ResourceAttributes != nil {
									asked = append(asked, spec.ResourceAttributes.Verb)
								}
								return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
							}))...)
						admin := versioned.NewForConfigOrDie(api.AdminConfig()).StableV1().CronTabs("")
						before := must(admin.List(t.Context(), metav1.ListOptions{}))(t)
						header := "Content-Type: application/json"
						if method == "PATCH" {
							header = "Content-Type: application/merge-patch+json"
						}
						metadata := `{"name":"a","resourceVersion":"` + before.Items[0].ResourceVersion + `","labels":{"x":"y"}}`
						if method == "POST" {
							metadata = `{"name":"b"}`
						}
						e := exchange{method: method, path: group + prefix + rest + "?timeoutSeconds=1" + query, header: header,
							body: `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":` + metadata + `,"spec":{"replicas":5},"status":{"replicas":5}}`}
						if method == "DELETE" {
							e.body = ""
						}
						answer := roundTrip(t, api, e)
						if after := must(admin.List(t.Context(), metav1.ListOptions{}))(t); after.ResourceVersion != before.ResourceVersion {
							if len(asked) != 1 || !slices.Contains(writes, asked[0]) {
								t.Errorf("%s %s changes objects; the authorizer was asked for %q: %s", method, e.path, asked, answer)
							} else {
								wrote[asked[0]]++
							}
						}
					})
				}
			}
		}
	}
	if len(wrote) != len(writes) {
		t.Errorf("written with %v, want all of %v", wrote, writes)
	}
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
		"paths with verbs": {
			{"POST", jobs, newJob("a", "", ""), "", "201"},
			{"POST", watchedJobs + "?timeoutSeconds=1", newJob("b", "", ""), "", `200 ~ {"type":"ADDED","object": ~ "name":"a"`},
			{"DELETE", watchedJobs + "/a?timeoutSeconds=1", "", "", `200 ~ {"type":"ADDED","object": ~ "name":"a"`},
			{"HEAD", watchedJobs + "?timeoutSeconds=1", "", "", "200"},
			{"PUT", watchedJobs + "/a/status", newJob("a", "", ""), "", `405 ~ watch is not supported on resources of kind \"jobs.jobs.example.com\"`},
			{"GET", watchedJobs + "/a?fieldSelector=metadata.name%3Db", "", "", "400 ~ fieldSelector metadata.name doesn't match requested name"},
			{"GET", watchedJobs + "/a?sendInitialEvents=true", "", "", "422 ~ sendInitialEvents is forbidden for list"},
			{"GET", "/apis/jobs.example.com/v2/watch", "", "", `500 ~ Internal Server Error: "/apis/jobs.example.com/v2/watch": failed to create RequestInfo`},
			{"DELETE", "/apis/jobs.example.com/v2/proxy/namespaces/east/jobs/a/status", "", "", "405 ~ proxy is not supported"},
			{"POST", "/api/v1/watch/namespaces/east/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}`, "", "405"},
			{"OPTIONS", jobs, "", "", `405 ~  is not supported on resources of kind`},
			{"get", jobs + "/a", "", "", "405"},
			{"", jobs + "/a", "", "", "200"},
			{"DELETE", "/" + jobs + "/a", "", "", "404 ~ 404 page not found"},
			{"GET", jobs, "", "", `200 ~ "kind":"JobList","metadata":{"continue":"","resourceVersion":"2"}`},
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
