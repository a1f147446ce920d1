package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// TestRandomRequests sends the same random HTTP requests, for kinds with two and three versions and for a kind with
// embedded resources and keys with default values, to an API server and to fakeapi, and compares all that clients can
// see of the answers. If they differ, it looks for fewer requests that end in a difference.
func TestRandomRequests(t *testing.T) {
	t.Parallel()
	config, err := startServer(t, newServer(t.TempDir(), crds, "--crds", widgetDefinitions)).config()
	must(t, err)
	apis := rawAPIs(t)
	for _, k := range rawKinds {
		t.Run(k.name, func(t *testing.T) {
			searchDifference(t, 1, func(rng *rand.Rand, _ int) rawRequest { return k.request(oddRequest(rng, randomRequest(rng, k))) },
				func(requests []rawRequest) string { return rawDifference(t, k, config, apis, requests) })
		})
	}
}

// rawDifference sends requests to a server and to fakeapi. It returns the first difference after all requests up to it,
// or nothing.
func rawDifference(t *testing.T, k rawKind, config *rest.Config, apis []rawAPI, requests []rawRequest) string {
	t.Helper()
	want, seconds := serverAnswers(t, k, config, requests)
	for _, api := range apis {
		if k.ruled && !api.ruled {
			continue
		}
		got := fakeapiAnswers(t, k, api.make(), requests, seconds)
		for i := range requests {
			if want[i] == got[i] {
				continue
			}
			var trace strings.Builder
			for j, rq := range requests[:i+1] {
				status, _, _ := strings.Cut(want[j], "\n")
				fmt.Fprintf(&trace, "%s -> %s\n", rq, status)
			}
			return trace.String() + api.name + "\n" + firstDifference(want[i], got[i])
		}
	}
	return ""
}

// A random is a source of random parts of requests.
type random struct {
	*rand.Rand
	rawKind
	applies bool // the request applies an object
}

// withoutEmpty replaces values in the metadata of embedded resources that servers convert when they read them; see
// knownDifferences.
var withoutEmpty = strings.NewReplacer(`"metadata":null`, `"metadata":{"name":"n"}`, `"creationTimestamp":null,`, ``, `"labels":{"a":null}`, `"labels":{"a":"1"}`, `"labels":{}`, `"name":"n"`)

var emptyMetadata = regexp.MustCompile(`"(labels|annotations|finalizers)":(\{\}|\[\]|null|\{"x":null\})`)

// one returns one of several texts, which are separated by newlines.
func (r random) one(texts string) string { return pick(r.Rand, strings.Split(texts, "\n")...) }

// some returns up to n of several texts, which are separated by newlines, as the inside of a JSON object.
func (r random) some(n int, texts string) string {
	var chosen []string
	for range r.IntN(n + 1) {
		chosen = append(chosen, r.one(texts))
	}
	return strings.Join(chosen, ",")
}

// rarely reports true once in n times.
func (r random) rarely(n int) bool { return r.IntN(n) == 0 }

const (
	validSpec = `"image":"i1"
"image":"i2"
"image":""
"replicas":1
"replicas":2
"replicas":0
"tags":["a","b"]
"tags":["c"]
"tags":[]
"options":{"a":"1"}
"options":{"b":"2","a":"3"}
"options":{}
"ports":[{"port":1,"name":"x"}]
"ports":[{"port":1},{"port":2,"name":"y"}]
"ports":[{"port":2,"name":"z"}]
"ports":[]`
	oddSpec = `"image":7
"image":null
"image":{}
"replicas":1.5
"replicas":2.0
"replicas":-1
"replicas":2147483648
"replicas":"x"
"replicas":null
"tags":["a","a"]
"tags":null
"tags":[null]
"tags":{}
"tags":"x"
"options":{"a":null}
"options":null
"options":{"a":1}
"options":[]
"ports":[{"name":"x"}]
"ports":[{"port":1},{"port":1}]
"ports":[{"port":null}]
"ports":[null]
"ports":null
"ports":{}
"ports":[{}]
"ports":[{"port":3,"more":1}]
"ports":[{"port":3,"port":4}]
"unknown":1
"unknown":{"x":[]}`
	validStatus = `"phase":"p"
"phase":"q"
"replicas":1
"replicas":3`
	oddStatus = `"phase":null
"phase":7
"unknown":1
"replicas":"x"
"replicas":null`
	validMetadata = `"labels":{"x":"y"}
"labels":{"x":"z","v":"w"}
"labels":{}
"annotations":{"a":"b"}
"annotations":{}
"finalizers":["example.com/x"]
"finalizers":["example.com/x","example.com/y"]
"finalizers":[]
"ownerReferences":[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"}]`
	oddMetadata = `"labels":{"x":null}
"labels":null
"labels":{"x":1}
"labels":{"not valid":""}
"annotations":null
"finalizers":["odd"]
"finalizers":["odd.example.com"]
"finalizers":["not valid"]
"finalizers":["orphan"]
"finalizers":null
"ownerReferences":[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"},{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"}]
"uid":"x"
"generation":70
"creationTimestamp":null
"creationTimestamp":"2026-01-02T03:04:05Z"
"deletionTimestamp":"2026-01-02T03:04:05Z"
"managedFields":[]
"unknown":1
"selfLink":"x"
"generateName":"g-"
"namespace":"west"`
)

// Fields of a spec with embedded resources, and with lists whose keys have default values.
const (
	validEmbedded = `"template":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"}},"spec":{"x":[1]}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":null,"name":"a"}}
"template":{"apiVersion":"apps/v1","kind":"Deployment"}
"parts":[{"apiVersion":"v1","kind":"Part","metadata":{"name":"a"},"size":1}]
"parts":[]
"ports":[{"name":"x"}]
"ports":[{}]
"ports":[{"protocol":"UDP"},{"port":81}]
"routes":[{"path":"/a"}]
"routes":[{"path":"/a","method":"PUT"},{"path":"/a"},{"path":"/b"}]`
	oddEmbedded = `"template":{"apiVersion":"v1","kind":"Pod","metadata":{"bogus":1,"labels":{"a":"b"}}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":null}}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":1}}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{}}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":null}
"template":{"apiVersion":"v1","kind":"Pod","metadata":[]}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":"x"}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/b","namespace":"not valid"}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-02T03:04:05Z","ownerReferences":[{"more":1}]}}
"template":{"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[{"manager":"x"}]}}
"template":{"apiVersion":7,"kind":"Pod"}
"template":{"apiVersion":"v1","kind":null}
"template":{"kind":"not valid","apiVersion":"a/b/c"}
"template":{"metadata":{}}
"template":{}
"template":null
"template":[]
"parts":[{"apiVersion":"v1","kind":"Part","metadata":{"name":"a","more":1},"more":1}]
"parts":[{"apiVersion":"v1","kind":"Part","metadata":{"name":7}},null]
"parts":[{"size":1}]
"ports":[{"port":80},{"protocol":"TCP"}]
"ports":[{"port":null,"protocol":"UDP"}]
"routes":[{"method":"PUT"}]
"routes":[{}]
"routes":[{"path":"/a"},{"path":"/a","method":"GET"}]`
)

// fields returns the inside of a JSON object: fields of which few are odd.
func (r random) fields(n int, valid, odd string) string {
	text := r.some(n, valid)
	if r.rarely(5) {
		text = strings.Trim(text+","+r.one(odd), ",")
	}
	return text
}

// spec returns the inside of a spec. Elements of its list of ports rarely lack a protocol.
func (r random) spec(n int) string {
	text := r.fields(n, validSpec+r.valid, oddSpec+r.odd)
	if !r.rarely(6) {
		text = strings.ReplaceAll(text, `"port":`, `"protocol":"`+r.one("TCP\nTCP\nUDP")+`","port":`)
	}
	return text
}

// randomRequest returns a request for a widget. The fields of its spec are those of a kind.
func randomRequest(rng *rand.Rand, k rawKind) rawRequest {
	r := random{Rand: rng, rawKind: k}
	version, name := pick(rng, "v1", "v1", "v1beta1", "v1alpha1"), r.one("a\na\nb\nc")
	if r.rarely(80) {
		name = r.one("A\na.b\n-\n%20")
	}
	path := widgets(version, "/"+name)
	query := url.Values{}
	for _, p := range []struct {
		rate   int
		name   string
		values string
	}{
		{3, "fieldManager", "m1\nm2\nm3"}, {4, "fieldValidation", "Strict\nWarn\nIgnore"}, {10, "dryRun", "All"}, {150, "dryRun", "Some"},
		{100, "fieldValidation", "Sometimes"}, {60, "pretty", "true\n1\nx\nfalse"},
	} {
		if r.rarely(p.rate) {
			query.Set(p.name, r.one(p.values))
		}
	}
	var header []string
	if r.rarely(6) {
		header = append(header, r.one("Accept: application/yaml\nAccept: application/json;q=0.5,application/yaml\nAccept: */*\nAccept: text/html,*/*\nAccept: text/html\n"+
			"Accept: application/json;pretty=1\nUser-Agent: curl/8\nAccept: application/json;as=Chair;v=v1;g=meta.k8s.io,application/json\n"+asMetadata+"\n"+asMetadata+",application/json\n"+asList))
	}
	object := func(version, sent string) string {
		metadata := r.fields(2, validMetadata, oddMetadata)
		if r.applies { // see knownDifferences
			metadata = emptyMetadata.ReplaceAllString(metadata, `"annotations":{"n":"1"}`)
		}
		if sent != "" {
			metadata = strings.Trim(sent+","+metadata, ",")
		}
		text := `{"apiVersion":"` + widgetGroup + "/" + version + `","kind":"Widget","metadata":{` + metadata + `}`
		if !r.rarely(10) {
			spec := r.spec(4)
			if r.applies {
				spec = withoutEmpty.Replace(spec)
			}
			text += `,"spec":{` + spec + `}`
		}
		if r.rarely(3) {
			text += `,"status":{` + r.fields(2, validStatus, oddStatus) + `}`
		}
		if r.rarely(40) {
			text += "," + r.one(`"unknown":1`+"\n"+`"spec":{}`+"\n"+`"status":null`+"\n"+`"spec":null`+"\n"+`"kind":"Other"`+"\n"+`"apiVersion":"v1"`+"\n"+`"kind":null`+"\n"+`"apiVersion":null`+"\n"+`"kind":""`+"\n"+`"apiVersion":""`+"\n"+`"kind":7`+"\n"+`"items":[]`+"\n"+`"metadata":null`+"\n"+`"metadata":[]`+"\n"+`"apiVersion":"a/b/c"`)
		}
		return text + "}"
	}
	whole := object
	object = func(version, sent string) string {
		if !r.rarely(60) {
			return whole(version, sent)
		}
		return r.one(`null
[]
{

"text"
7
{}{}
{}
{"kind":"Widget"}
{"kind":"Widget","metadata":{` + sent + `}}
{"apiVersion":"widgets.example.com/v1","metadata":{` + sent + `}}
{"metadata":{` + sent + `}}
{"apiVersion":"widgets.example.com/v1","kind":"Widget"}
{"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{` + sent + `}} more
{"apiVersion":"v1","kind":"Status"}
{"apiVersion":"v1","kind":"List","items":[]}
{"apiVersion":"widgets.example.com/v1","kind":"WidgetList","items":[]}`)
	}
	sentVersion := version // of the object in the body
	if r.rarely(40) {
		sentVersion = pick(rng, widgetKind.versions...)
	}
	named := `"name":"` + name + `"`
	current := named
	switch r.IntN(8) {
	case 0:
	case 1:
		current += `,"resourceVersion":"` + r.one("1\n0\nx\n-1\n") + `"`
	default:
		current += `,"resourceVersion":"VERSION(` + path + `)"`
	}
	if r.rarely(6) {
		current += `,"uid":"UID(` + path + `)"`
	}
	subresource := pick(rng, "", "", "", "/status")
	scale := func(inner string) string {
		return `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{` + inner + `},"spec":{` + r.one(`"replicas":1`+"\n"+`"replicas":2`+"\n"+`"replicas":5`+"\n"+`"replicas":-1`+"\n"+`"replicas":"x"`+"\n\n"+`"replicas":1,"replicas":2`+"\n"+`"replicas":3,"unknown":1`) + `}}`
	}
	request := func(method, path, body string, more ...string) rawRequest {
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		return rawRequest{method, path, body, strings.Join(slices.Concat(header, more), "\n")}
	}
	contentType := func(usual string) string {
		if r.rarely(100) {
			return r.one("Content-Type: text/plain\nContent-Type: \nContent-Type: application/json; charset=utf-8\nContent-Type: application/yaml")
		}
		return usual
	}
	switch n := r.IntN(100); {
	case n < 16:
		if r.rarely(30) {
			query.Set("dryRun", "All") // names that are generated are not compared
			named = `"generateName":"g-"`
		}
		return request("POST", widgets(version), object(sentVersion, named), contentType("Content-Type: "+pick(rng, "application/json", "application/json", "application/yaml")))
	case n < 30:
		return request("PUT", path+subresource, object(sentVersion, current), contentType("Content-Type: application/json"))
	case n < 44:
		patch := "{" + strings.Trim(r.some(1, `"spec":{`+r.spec(3)+"}\n"+`"metadata":{`+r.fields(2, validMetadata, oddMetadata)+"}\n"+`"metadata":{"finalizers":null}`+
			"\n"+`"status":{`+r.fields(2, validStatus, oddStatus)+`}`)+","+`"spec":{`+r.spec(2)+`}`, ",") + "}"
		if r.rarely(20) {
			patch = r.one("null\n[]\n{\n\n{}{}\n" + `{"spec":null}` + "\n" + `{"kind":"Other"}` + "\n" + `{"metadata":null}` + "\n" + `{"metadata":{"name":"z"}}` + "\n" + `{"apiVersion":"` + widgetGroup + `/v1"}`)
		}
		return request("PATCH", path+subresource, patch, contentType(mergePatch))
	case n < 50:
		return request("PATCH", path+subresource, r.one(`[]
[{"op":"add","path":"/spec/image","value":"patched"}]
[{"op":"add","path":"/spec","value":{"replicas":4}}]
[{"op":"replace","path":"/spec/image","value":"x","value":"y"}]
[{"op":"test","path":"/spec/image","value":"i1"},{"op":"remove","path":"/spec/image"}]
[{"op":"remove","path":"/spec"}]
[{"op":"remove","path":"/metadata/finalizers"}]
[{"op":"add","path":"/spec/unknown","value":1,"more":2}]
[{"op":"add","path":"/spec/ports","value":[{"name":"x"}]}]
[{"op":"add","path":"/spec/tags","value":null}]
[{"op":"replace","path":"/apiVersion","value":"widgets.example.com/v1"}]
[{"op":"move","from":"/spec/image","path":"/metadata/annotations/image"}]
{}
[null]`), contentType(jsonPatch))
	case n < 68:
		if !r.rarely(20) {
			query.Set("fieldManager", r.one("m1\nm2\nm3"))
		}
		if r.rarely(3) {
			query.Set("force", "true")
		}
		r.applies = true
		return request("PATCH", path+subresource, object(sentVersion, named), contentType(applyPatch))
	case n < 74:
		switch r.IntN(4) {
		case 0:
			return request("GET", path+"/scale", "")
		case 1:
			return request("PUT", path+"/scale", scale(current), "Content-Type: application/json")
		case 2:
			return request("PATCH", path+"/scale", `{"spec":{`+r.one(`"replicas":1`+"\n"+`"replicas":6`+"\n"+`"replicas":null`+"\n"+`"replicas":1,"unknown":1`+"\n"+`"replicas":7,"replicas":8`)+`}}`, mergePatch)
		}
		query.Set("fieldManager", "m1")
		return request("PATCH", path+"/scale", scale(named), applyPatch)
	case n < 83:
		if r.rarely(3) {
			query.Set("propagationPolicy", r.one("Background\nForeground\nOrphan\nSomehow"))
		}
		var body string
		if r.rarely(2) {
			body = r.one(`{}
{"dryRun":["All"]}
{"kind":"DeleteOptions","apiVersion":"v1"}
{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","propagationPolicy":"Foreground"}
{"kind":"DeleteOptions","apiVersion":"widgets.example.com/v1","propagationPolicy":"Orphan"}
{"propagationPolicy":"Background","dryRun":["All"]}
{"orphanDependents":true}
{"orphanDependents":false}
{"orphanDependents":true,"propagationPolicy":"Orphan"}
{"gracePeriodSeconds":0}
{"gracePeriodSeconds":-1}
{"gracePeriodSeconds":"x"}
{"preconditions":{"uid":"UID(` + path + `)"}}
{"preconditions":{"uid":"x"}}
{"preconditions":{"resourceVersion":"VERSION(` + path + `)"}}
{"preconditions":{"resourceVersion":"1"}}
{"kind":"Pod","apiVersion":"v1"}
{"kind":"Status","apiVersion":"v1"}
{"kind":"DeleteOptions","apiVersion":"v2"}
{"unknown":1,"unknown":2}
[]
{`)
		}
		return request("DELETE", path, body, "Content-Type: application/json")
	case n < 86:
		if r.rarely(2) {
			query.Set("labelSelector", r.one("x=y\nx\n!x\nx in (y,z)\na b"))
		}
		return request("DELETE", widgets(version), r.one("\n{}\n"+`{"dryRun":["All"]}`+"\n"+`{"kind":"Pod","apiVersion":"v1"}`+"\n"+`{"propagationPolicy":"Orphan"}`), "Content-Type: application/json")
	case n < 92:
		return request(r.one("GET\nGET\nGET\nHEAD"), path+r.one("\n\n/status\n/nothing"), "")
	case n < 98:
		if r.rarely(3) {
			query.Set("labelSelector", r.one("x=y\nx\n!x\nx in (y,z)\na b"))
		}
		if r.rarely(4) {
			query.Set("fieldSelector", r.one("metadata.name=a\nmetadata.name!=a\nspec.image=x\nmetadata.namespace=east\nx"))
		}
		collection := widgets(version)
		if r.rarely(3) {
			query.Set("limit", r.one("1\n2\n0\n-1\nx"))
			if r.rarely(2) {
				query.Set("continue", "CONTINUE("+collection+"?limit=1)")
			}
		}
		if r.rarely(6) {
			query.Set("resourceVersion", r.one("0\nx\n1"))
			query.Set("resourceVersionMatch", r.one("\nNotOlderThan\nExact\nSometimes"))
			query.Del("continue")
		}
		return request(r.one("GET\nGET\nGET\nHEAD"), collection, "")
	}
	if r.rarely(2) {
		return request(r.one("GET\nHEAD"), r.one("/apis/widgets.example.com/"+version+"\n/apis/widgets.example.com\n/healthz\n/apis/widgets.example.com/v9/widgets"), "")
	}
	return request(r.one("OPTIONS\nPOST\nPUT\nPATCH"), r.one(widgets(version)+"\n"+path), "{}", mergePatch)
}

// oddRequest returns a request that rarely differs from rq in a way in which few clients would write it.
func oddRequest(rng *rand.Rand, rq rawRequest) rawRequest {
	r := random{Rand: rng}
	if !r.rarely(8) {
		return rq
	}
	path, query, _ := strings.Cut(rq.path, "?")
	switch r.IntN(6) {
	case 0:
		path = r.oddPath(path)
	case 5:
		rq.method, path = r.one(oddMethods), r.verbPath(path)
		query = strings.Trim(query+"&"+r.one("timeoutSeconds=1\ntimeoutSeconds=1&resourceVersion=0\ntimeoutSeconds=1&fieldSelector=metadata.name%3Da\ntimeoutSeconds=1&watch=true"), "&")
	case 1, 2:
		query = strings.Trim(query+"&"+r.one(oddQuery), "&")
	case 3:
		rq.header = strings.Trim(r.one(oddHeader)+"\n"+rq.header, "\n")
	case 4:
		if !strings.Contains(path, "/namespaces/") { // see knownDifferences
			break
		}
		rq.method = r.one(oddMethods)
	}
	rq.path = path
	if query != "" {
		rq.path += "?" + query
	}
	return rq
}

const oddMethods = "GET\nHEAD\nPOST\nPUT\nPATCH\nDELETE\nOPTIONS\nTRACE\nPROPFIND\nget"

// verbPath returns a path that names the verb.
func (r random) verbPath(path string) string {
	steps := strings.SplitN(path, "/", 5) // "", "apis", group, version, rest
	if len(steps) < 5 {
		return path
	}
	return strings.Join(slices.Insert(steps, 4, r.one("watch\nwatch\nwatch\nproxy")), "/") + r.one("\n\n\n/\n/status")
}

// oddPath returns a path that leads to something else, or to the same in another way.
func (r random) oddPath(path string) string {
	switch r.IntN(5) {
	case 4:
		if strings.Contains(path, "/namespaces/") { // see knownDifferences
			return r.one(strings.Replace(path, "/widgets", "//widgets", 1) + "\n" + strings.Replace(path, "/widgets/", "/widgets%2F", 1) + "\n" + strings.Replace(path, "/widgets", "/widgets/", 1) + "\n/apis/" + widgetGroup + "/v1/" + r.one("watch\nproxy\nnamespaces\nnamespaces/east"))
		}
		fallthrough
	case 0:
		return strings.Replace(path, "/namespaces/east", "", 1)
	case 1:
		return path + r.one("/\n/x\n/status\n/scale\n/status/x\n/scale/x/y\n//")
	case 2:
		return strings.Replace(path, "/widgets", "/"+r.one("things\nWidgets\nwidget\nwd"), 1)
	}
	return strings.Replace(path, "/v1/", "/"+r.one("v9\nv2\nV1\nv1beta1")+"/", 1)
}

const (
	oddQuery = `dryRun=All&dryRun=All
dryRun=
dryRun=all
fieldManager=
fieldManager=%0A
fieldManager=mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm
fieldManager=m1&fieldManager=m2
fieldValidation=
fieldValidation=strict
fieldValidation=Strict&fieldValidation=Ignore
force=true
force=false
force=x
force=
timeoutSeconds=x
timeoutSeconds=5
timeout=5s
timeout=x
watch=false
watch=0
allowWatchBookmarks=x
sendInitialEvents=true
sendInitialEvents=false
resourceVersion=0
resourceVersion=x
resourceVersionMatch=Exact
continue=x
continue=e30
limit=
limit=9223372036854775808
orphanDependents=true
orphanDependents=x
propagationPolicy=
propagationPolicy=orphan
gracePeriodSeconds=0
gracePeriodSeconds=-1
gracePeriodSeconds=x
ignoreStoreReadErrorWithClusterBreakingPotential=true
labelSelector=x%3D
labelSelector=,
fieldSelector=metadata.name
fieldSelector=metadata.name%3D
fieldSelector=status.phase%3Dp
pretty=
pretty=TRUE
unknown=x`
	oddHeader = `Accept: application/json;as=PartialObjectMetadata
Accept: application/json;as=PartialObjectMetadata;v=v1
Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v2,application/json
Accept: application/json;as=PartialObjectMetadata;g=other;v=v1
Accept: application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1
Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1
Accept: application/json;as=Chair;g=meta.k8s.io;v=v1
Accept: application/json;stream=watch
Accept: application/cbor
Accept: application
Accept: *
Accept: application/*
Accept: */json
Accept: application/json;q=0
Accept: text/html;q=1,application/json;q=0.1
Accept: application/json;charset=utf-8
Accept: application/json;pretty=0
Accept: application/json;unknown=1
Accept: APPLICATION/JSON
Accept: ,
Content-Type: application/json
Content-Type: application/yaml
Content-Type: application/cbor
Content-Type: application/x-www-form-urlencoded
Content-Type: application/strategic-merge-patch+json
Content-Type: application/merge-patch+json; charset=utf-8
Content-Type: application/merge-patch+json;charset=utf-8
Content-Type: application/apply-patch+yaml;x=y
Content-Type: APPLICATION/JSON
Content-Type: application/json;
Content-Type: application/json; charset
Content-Type: json
User-Agent: curl/8
User-Agent: Mozilla/5.0
User-Agent: /x
User-Agent: a b/c`
)
