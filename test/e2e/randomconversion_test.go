package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	sitesv1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1"
)

// TestRandomConversions sends the same random requests, each in a version of Site, to the API server with a conversion
// webhook and to fakeapi. It compares the answers and, after all requests, the events of a watch in each version. On
// the server, what a request has written must be read in each version.
func TestRandomConversions(t *testing.T) {
	t.Parallel()
	for i, stored := range []string{"v1", "v1beta1"} {
		t.Run(stored, func(t *testing.T) {
			t.Parallel()
			server, fakes := newSites(t, stored, siteHandler())
			run := 0
			searchDifference(t, uint64(10+i), randomSiteRequest, func(requests []siteRequest) string {
				for {
					run++
					problem, byChance := compareSites(t, server, fakes, fmt.Sprintf("run%d", run), requests)
					if byChance == nil {
						return problem
					}
					requests = slices.Delete(slices.Clone(requests), *byChance, *byChance+1)
				}
			})
		})
	}
}

// compareSites sends requests to a server and to fakes, and returns the first difference or loss. byChance is the index
// of a request that cannot be compared.
func compareSites(
	t *testing.T, server dynamic.Interface, fakes map[string]dynamic.Interface, namespace string, requests []siteRequest,
) (problem string, byChance *int) {
	real := newSiteClient(t, server, namespace)
	want := real.all(requests, true)
	byChance = real.byChance
	for name, fake := range fakes {
		client := newSiteClient(t, fake, namespace)
		problem = cmp.Or(problem, difference("server", want, name, client.all(requests, false)))
		byChance = cmp.Or(byChance, client.byChance)
	}
	if last := want[len(want)-1]; problem == "" && strings.HasPrefix(last, lostPrefix) {
		problem = last
	}
	if problem != "" {
		problem = strings.Join(want, "\n") + "\n" + problem
	}
	return problem, byChance
}

// A siteRequest is a request in a version.
type siteRequest struct {
	verb, version, name, manager, subresource string
	content                                   map[string]any // spec, status, labels and annotations
	force, dryRun                             bool
}

func randomSiteRequest(rng *rand.Rand, _ int) siteRequest {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	rq := siteRequest{
		verb:    pick("create", "create", "update", "update", "merge", "apply", "apply", "get", "list", "delete", "finalize", "scale"),
		version: pick(siteVersions...), name: pick("a", "b", "c"), manager: pick("one", "two"), force: rng.IntN(2) == 0, dryRun: rng.IntN(8) == 0,
	}
	if rng.IntN(4) == 0 && (rq.verb == "update" || rq.verb == "merge" || rq.verb == "apply") {
		rq.subresource = "status"
	}
	rq.content = randomSite(rng, rq.version)
	return rq
}

// randomSite returns fields of a version, most of which are valid.
func randomSite(rng *rand.Rand, version string) map[string]any {
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	spec, status, metadata := map[string]any{}, map[string]any{}, map[string]any{}
	image, replicas, port := fmt.Sprintf("i%d", rng.IntN(4)), int64(rng.IntN(5)), int64(rng.IntN(3))
	if chance(5) {
		image = "a-long-image"
	}
	if chance(5) {
		replicas = -1
	}
	var env []any
	variables := map[string]any{}
	for _, name := range []string{"x", "y", "z"} {
		if chance(30) {
			value := fmt.Sprint(rng.IntN(3))
			variables[name] = value
			env = append(env, map[string]any{"name": name, "value": value})
		}
	}
	var mounts []any
	for _, path := range []string{"/a", "/b"} {
		mount := map[string]any{"path": path}
		if version == "v1" && chance(50) {
			mount["readOnly"] = true
		}
		if chance(40) {
			mounts = append(mounts, mount)
		}
	}
	fields := map[string][]any{
		"v1alpha1": {"image", image, "env", variables, "replicas", replicas, "address", fmt.Sprintf("host:%d", port), "legacy", pick("old", "older")},
		"v1beta1":  {"container", map[string]any{"image": image}, "env", env, "replicas", replicas, "endpoint", map[string]any{"host": "host", "port": port}, "paused", chance(50)},
		"v1":       {"template", map[string]any{"image": image, "env": env}, "scale", map[string]any{"replicas": replicas}, "endpoint", map[string]any{"host": "host", "port": port}, "paused", chance(50), "comment", pick("one", "two")},
	}[version]
	fields = append(fields, "mounts", mounts)
	for i := 0; i < len(fields); i += 2 {
		if chance(60) {
			spec[fields[i].(string)] = fields[i+1]
		}
	}
	if chance(4) {
		spec["address"] = "nowhere" // unknown in other versions
	}
	if chance(20) {
		metadata["labels"] = map[string]any{"tier": fmt.Sprint(rng.IntN(2))}
	}
	if chance(20) {
		annotations := map[string]any{"note": fmt.Sprint(rng.IntN(2))}
		if chance(50) {
			annotations[siteData] = pick(`{"format":1,"kind":"Site","versions":{"v1":{".spec":{"=comment":"other"}},"v1alpha1":{".spec":{"=legacy":7}}}}`, `{"format":`, "")
		}
		metadata["annotations"] = annotations
	}
	if chance(50) {
		state := "state"
		if version == "v1alpha1" {
			state = "phase"
		}
		status[state], status["ready"] = "Up", int64(rng.IntN(3))
	}
	content := map[string]any{"metadata": metadata}
	if len(spec) > 0 || chance(50) {
		content["spec"] = spec
	}
	if len(status) > 0 {
		content["status"] = status
	}
	return content
}

// A siteClient sends requests to one of the servers that are compared.
type siteClient struct {
	t         *testing.T
	client    dynamic.Interface
	namespace string
	answers   []string
	versions  map[string]string // resource versions that were last seen, by name
	watches   []watch.Interface
	// byChance is the first apply request that failed, and may succeed when it is sent again. When a merge has
	// removed all metadata, another version must not be converted before metadata that others own is back. The order
	// of versions is random.
	byChance *int
	failed   error // of the last request
}

// failsByChance is in the error of such a request.
const failsByChance = "invalid metadata of type <nil> in input object"

func newSiteClient(t *testing.T, client dynamic.Interface, namespace string) *siteClient {
	return &siteClient{t: t, client: client, namespace: namespace, versions: map[string]string{}}
}

func (c *siteClient) in(version string) dynamic.ResourceInterface {
	return c.client.Resource(siteVersion(version).WithResource("sites")).Namespace(c.namespace)
}

const lostPrefix = "lost: "

// all sends requests and returns all answers and events. If lossless is true, and a write cannot be read in each
// version, the last answer begins with lostPrefix.
func (c *siteClient) all(requests []siteRequest, lossless bool) []string {
	for _, version := range siteVersions {
		w, err := c.in(version).Watch(c.t.Context(), metav1.ListOptions{})
		must(c.t, err)
		defer w.Stop()
		c.watches = append(c.watches, w)
	}
	var lost []string
	for i, rq := range requests {
		written := c.send(rq)
		if c.failed != nil && strings.Contains(c.failed.Error(), failsByChance) && c.byChance == nil {
			c.byChance = &i
		}
		if lossless && written != nil && !rq.dryRun {
			lost = append(lost, c.losses(rq, written)...)
		}
	}
	for _, name := range []string{"a", "b", "c"} { // and whatever waits for a finalizer
		_, _ = c.in("v1").Patch(c.t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	}
	c.send(siteRequest{verb: "create", version: "v1", name: "last", manager: "one"})
	for i, w := range c.watches {
		c.note("events in %s", siteVersions[i])
		for c.event(w.ResultChan()) != "last" {
		}
	}
	return append(c.answers, lost...)
}

// event records the next event, and returns the name of its object. It returns the name of the last object if there is
// none.
func (c *siteClient) event(events <-chan watch.Event) string {
	select {
	case event := <-events:
		c.note("%s %s", event.Type, c.text(event.Object, false))
		if o, ok := event.Object.(*unstructured.Unstructured); ok {
			return o.GetName()
		}
	case <-time.After(time.Minute):
		c.note("no event came")
	}
	return "last"
}

// send sends a request and returns what it has written, or nil.
func (c *siteClient) send(rq siteRequest) *unstructured.Unstructured {
	ctx, in := c.t.Context(), c.in(rq.version)
	o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	for field, v := range runtime.DeepCopyJSON(rq.content) {
		o.Object[field] = v
	}
	o.SetGroupVersionKind(siteVersion(rq.version).WithKind("Site"))
	o.SetName(rq.name)
	var dryRun, subresources []string
	if rq.dryRun {
		dryRun = []string{metav1.DryRunAll}
	}
	if rq.subresource != "" {
		subresources = []string{rq.subresource}
	}
	var result, written *unstructured.Unstructured
	var err error
	switch rq.verb {
	case "create":
		result, err = in.Create(ctx, o, metav1.CreateOptions{FieldManager: rq.manager, DryRun: dryRun})
	case "update":
		o.SetResourceVersion(c.versions[rq.name])
		result, err = in.Update(ctx, o, metav1.UpdateOptions{FieldManager: rq.manager, DryRun: dryRun}, subresources...)
	case "merge":
		data := []byte(compact(rq.content))
		result, err = in.Patch(ctx, rq.name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: rq.manager, DryRun: dryRun}, subresources...)
	case "apply":
		result, err = in.Apply(ctx, rq.name, o, metav1.ApplyOptions{FieldManager: rq.manager, Force: rq.force, DryRun: dryRun}, subresources...)
	case "scale":
		data := []byte(`{"spec":{"replicas":7}}`)
		_, err = in.Patch(ctx, rq.name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: rq.manager, DryRun: dryRun}, "scale")
	case "finalize":
		data := []byte(`{"metadata":{"finalizers":["example.com/f"]}}`)
		if rq.force {
			data = []byte(`{"metadata":{"finalizers":null}}`)
		}
		result, err = in.Patch(ctx, rq.name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: rq.manager, DryRun: dryRun})
	case "delete":
		err = in.Delete(ctx, rq.name, metav1.DeleteOptions{DryRun: dryRun})
	case "list":
		var list *unstructured.UnstructuredList
		if list, err = in.List(ctx, metav1.ListOptions{}); err == nil {
			for i := range list.Items {
				c.answers = append(c.answers, "listed "+c.text(&list.Items[i], true))
			}
		}
	default:
		result, err = in.Get(ctx, rq.name, metav1.GetOptions{})
	}
	c.failed = err
	title := fmt.Sprint(rq.verb, " ", rq.name, " ", rq.subresource, " in ", rq.version, " as ", rq.manager, " ", rq.force, rq.dryRun, " ", compact(rq.content))
	if err != nil {
		c.answers = append(c.answers, title+": "+errorText(err))
		return nil
	}
	if result == nil {
		c.answers = append(c.answers, title)
		return nil
	}
	if rq.verb == "create" || rq.verb == "update" {
		written = o
	}
	c.answers = append(c.answers, title+": "+c.text(result, !rq.dryRun))
	return written
}

var (
	timestamp  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	revision   = regexp.MustCompile(`revision=\d+`)
	identifier = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

func anonymous(text string) string {
	text = revision.ReplaceAllString(timestamp.ReplaceAllString(text, "TIME"), "revision=N")
	return identifier.ReplaceAllString(text, "UID")
}

// errorText returns an error without what differs from server to server.
func errorText(err error) string {
	text := err.Error()
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		answer := status.Status()
		answer.TypeMeta = metav1.TypeMeta{}
		if answer.Details != nil {
			slices.SortFunc(answer.Details.Causes, func(a, b metav1.StatusCause) int { return cmp.Compare(compact(a), compact(b)) })
		}
		words := strings.FieldsFunc(anonymous(answer.Message), func(r rune) bool { return strings.ContainsRune(" ,[]", r) })
		slices.Sort(words) // a server has several errors in no fixed order
		answer.Message = strings.Join(words, " ")
		text = compact(answer)
	}
	return anonymous(text)
}

// text returns an object without what differs from server to server. It says whether the object has another resource
// version than when it was last seen, if seen is true.
func (c *siteClient) text(obj runtime.Object, seen bool) string {
	o, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return compact(obj)
	}
	o = o.DeepCopy()
	change := ""
	if seen {
		if c.versions[o.GetName()] != o.GetResourceVersion() {
			change = "changed "
		}
		c.versions[o.GetName()] = o.GetResourceVersion()
	}
	metadata := o.Object["metadata"].(map[string]any)
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp"} {
		if _, ok := metadata[field]; ok {
			metadata[field] = "set"
		}
	}
	managed, _ := metadata["managedFields"].([]any)
	for _, entry := range managed {
		delete(entry.(map[string]any), "time")
	}
	slices.SortFunc(managed, func(a, b any) int { return cmp.Compare(compact(a), compact(b)) })
	return change + timestamp.ReplaceAllString(compact(o.Object), "TIME")
}

// losses compares what a request has written with what is read in each version.
func (c *siteClient) losses(rq siteRequest, written *unstructured.Unstructured) (lost []string) {
	if rq.subresource == "status" {
		delete(written.Object, "spec")
	}
	want := hubOf(c.t, written)
	for _, version := range siteVersions {
		read, err := c.in(version).Get(c.t.Context(), rq.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil // the last finalizer was removed
		}
		must(c.t, err)
		got := hubOf(c.t, read)
		if rq.subresource == "status" && got.Status != want.Status || rq.subresource == "" && compact(got.Spec) != compact(want.Spec) {
			lost = append(lost, fmt.Sprintf("%sof %s, %s has %s", lostPrefix, compact(written.Object), version, compact(read.Object)))
		}
	}
	return lost
}

// hubOf returns an object as the hub, with the default of the number of replicas, without other defaults, and with
// sorted variables.
func hubOf(t *testing.T, o *unstructured.Unstructured) *sitesv1.Site {
	hub := &sitesv1.Site{}
	if o.GroupVersionKind().Version == "v1" {
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, hub))
	} else {
		in, err := sites.New(o.GroupVersionKind())
		must(t, err)
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, in))
		must(t, sites.Convert(in, hub, nil))
	}
	if hub.Spec.Scale.Replicas == nil {
		one := int64(1)
		hub.Spec.Scale.Replicas = &one
	}
	hub.Spec.Limits = sitesv1.Limits{} // requests have no limits
	slices.SortFunc(hub.Spec.Template.Env, func(a, b sitesv1.Variable) int { return cmp.Compare(a.Name, b.Name) })
	if len(hub.Spec.Template.Env) == 0 {
		hub.Spec.Template.Env = nil
	}
	return hub
}

// sites has the types of Site and the functions that convert them.
var sites = siteScheme()
