package consistency

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// A target is the object or the collection that a request addresses.
type target struct {
	resource    schema.GroupResource
	name        cache.ObjectName // Name is empty for a collection
	subresource string
	source      *source
}

// targetOf returns the target of a request. The second result is false if the path is not in an API.
func (t *transport) targetOf(request *http.Request) (target, bool) {
	path := strings.Trim(request.URL.Path, "/")
	below := strings.Trim(strings.TrimPrefix(path, t.prefix), "/")
	return t.targetIn(request, strings.TrimSuffix(path, below), strings.Split(below, "/"))
}

// targetIn returns the target whose path consists of path and steps. For a request through the subresource proxy to
// an API server, it returns the target behind the proxy.
func (t *transport) targetIn(request *http.Request, path string, steps []string) (at target, ok bool) {
	root, length := t.rootOf(steps)
	if root < 0 {
		return at, false
	}
	version := *request.URL
	version.Path, version.RawPath, version.RawQuery = "/"+strings.Trim(path+strings.Join(steps[:root+length], "/"), "/"), "", ""
	at.source = &source{version: &version, header: http.Header{}, client: t.client}
	for name, values := range request.Header {
		if strings.HasPrefix(name, "Impersonate-") {
			at.source.header[name] = values
		}
	}
	if steps[root] != "api" {
		at.resource.Group = steps[root+length-2]
	}
	steps = steps[root+length:]
	within := ""
	if len(steps) > 2 && steps[0] == "namespaces" && steps[2] != "status" && steps[2] != "finalize" {
		within = strings.Join(steps[:2], "/") + "/"
		at.name.Namespace, steps = steps[1], steps[2:]
	}
	at.resource.Resource = steps[0]
	if len(steps) > 1 {
		at.name.Name = steps[1]
	}
	if len(steps) > 2 {
		at.subresource = steps[2]
	}
	if at.subresource == "proxy" {
		if behind, ok := t.targetIn(request, version.Path+"/"+within+strings.Join(steps[:3], "/")+"/", steps[3:]); ok {
			return behind, true
		}
	}
	return at, true
}

// rootOf finds the first steps that name an API version: api/v1, apis/GROUP/VERSION or, below a root with another
// name, GROUP/VERSION of a group with informers. A proxy or a server of several clusters may put other steps in
// front. root is the index of the first of these steps, or -1 if there are none, and length their number.
func (t *transport) rootOf(steps []string) (root, length int) {
	for i, step := range steps {
		switch rest := len(steps) - i; {
		case step == "api" && rest > 2 && steps[i+1] == "v1":
			return i, 2
		case step == "apis" && rest > 3:
			return i, 3
		case rest > 2 && t.store.knows(step):
			return i, 2
		}
	}
	return -1, 0
}
