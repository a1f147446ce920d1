package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

// A world is an API with clients of one kind. It runs behaviours and records what they see.
type world struct {
	context.Context
	kind    kind
	clients func(namespace string) trio
	expire  func(old string) // makes old versions and continue tokens expire, and ends watches
	// limit returns the clients of a user with few permissions, who may impersonate another one. Other clients are not
	// used any more.
	limit    func(as rest.ImpersonationConfig) func(namespace string) trio
	patience time.Duration // how long to wait for an event that ought to come
	pace     pacer

	namespace string
	flavour   string // of the client that the methods use: typed, dynamic or metadata
	record    *record
}

// A kind is one that behaviours are run for. Its objects have the fields of a CronTab.
type kind struct {
	schema.GroupVersionKind
	resource   string
	namespaced bool
}

// A trio is the clients for one namespace, or for none.
type trio struct {
	typed, dynamic, metadata client
}

// via returns the same world as another client sees it.
func (w *world) via(flavour string) *world {
	other := *w
	other.flavour = flavour
	return &other
}

// in returns the same world with the clients of another namespace, "" for all. Cluster-scoped kinds have none.
func (w *world) in(namespace string) *world {
	other := *w
	if w.kind.namespaced {
		other.namespace = namespace
	}
	return &other
}

// limited returns the same world as a user with the permissions in testdata/role.yaml sees it. From then on, only this
// user sends requests.
func (w *world) limited() *world {
	return w.impersonating("")
}

// impersonating returns the same world as limited, but the limited user impersonates another one.
func (w *world) impersonating(user string, groups ...string) *world {
	other := *w
	other.clients = w.limit(rest.ImpersonationConfig{UserName: user, Groups: groups})
	return &other
}

// client returns the client for the next request.
func (w *world) client() client {
	w.pace.before()
	c := w.clients(w.namespace)
	switch w.flavour {
	case "typed":
		return c.typed
	case "dynamic":
		return c.dynamic
	}
	return c.metadata
}

// new returns a valid object that is not stored, with every field that the schema of CronTab has a default for.
func (w *world) new(name string) object {
	o := object{
		"apiVersion": w.kind.GroupVersion().String(),
		"kind":       w.kind.Kind,
		"metadata":   map[string]any{},
		"spec":       map[string]any{"cronSpec": "0 3 * * *", "image": "image:v1", "replicas": int64(1), "historyLimit": int64(3)},
	}
	if name != "" {
		o = o.with("metadata.name", name)
	}
	return o
}

// The methods below send one request each, record its result or error, and return the result: an empty object if there
// is none. They take at most one value of options.

func (w *world) create(o object, opts ...metav1.CreateOptions) object {
	result, err := w.client().create(w, o, option(opts))
	if status := apierrors.APIStatus(nil); errors.As(err, &status) && status.Status().Details != nil {
		w.record.learnName(status.Status().Details.Name, o.string("metadata.generateName"))
	}
	return w.see("create "+o.title()+dry(option(opts).DryRun), result, err)
}

func (w *world) update(o object, opts ...metav1.UpdateOptions) object {
	result, err := w.client().update(w, o, option(opts), "")
	return w.see("update "+o.title()+dry(option(opts).DryRun), result, err)
}

func (w *world) updateStatus(o object, opts ...metav1.UpdateOptions) object {
	result, err := w.client().update(w, o, option(opts), "status")
	return w.see("update status of "+o.title()+dry(option(opts).DryRun), result, err)
}

func (w *world) get(name string, opts ...metav1.GetOptions) object {
	result, err := w.client().get(w, name, option(opts), "")
	return w.see("get "+name, result, err)
}

// scale reads the scale subresource.
func (w *world) scale(name string) object {
	result, err := w.client().get(w, name, metav1.GetOptions{}, "scale")
	return w.see("get scale of "+name, result, err)
}

func (w *world) updateScale(name string, scale object, opts ...metav1.UpdateOptions) object {
	result, err := w.client().updateScale(w, name, scale, option(opts))
	return w.see("update scale of "+name+dry(option(opts).DryRun), result, err)
}

func (w *world) list(opts ...metav1.ListOptions) object {
	result, err := w.client().list(w, option(opts))
	return w.see("list "+listed(option(opts)), result, err)
}

func (w *world) delete(name string, opts ...metav1.DeleteOptions) {
	w.see("delete "+name+deleted(option(opts)), nil, w.client().delete(w, name, option(opts)))
}

func (w *world) deleteCollection(list metav1.ListOptions, opts ...metav1.DeleteOptions) {
	w.see("delete collection "+listed(list)+deleted(option(opts)), nil, w.client().deleteCollection(w, option(opts), list))
}

func (w *world) patch(name string, pt types.PatchType, data string, opts metav1.PatchOptions, subresources ...string) object {
	result, err := w.client().patch(w, name, pt, []byte(data), opts, subresources...)
	return w.see(fmt.Sprint("patch ", name, subresources, " ", data, dry(opts.DryRun)), result, err)
}

// merge patches with a JSON merge patch.
func (w *world) merge(name, data string, subresources ...string) object {
	return w.patch(name, types.MergePatchType, data, metav1.PatchOptions{}, subresources...)
}

// json patches with a JSON patch.
func (w *world) json(name, data string, subresources ...string) object {
	return w.patch(name, types.JSONPatchType, data, metav1.PatchOptions{}, subresources...)
}

// apply applies what the object has, to the object or its status.
func (w *world) apply(manager string, o object, subresources ...string) object {
	return w.applyWith(metav1.ApplyOptions{FieldManager: manager}, o, subresources...)
}

// force is apply that wins conflicts.
func (w *world) force(manager string, o object, subresources ...string) object {
	return w.applyWith(metav1.ApplyOptions{FieldManager: manager, Force: true}, o, subresources...)
}

func (w *world) applyWith(opts metav1.ApplyOptions, o object, subresources ...string) object {
	result, err := w.client().apply(w, o, opts, strings.Join(subresources, "/"))
	force := ""
	if opts.Force {
		force = " with force"
	}
	return w.see(fmt.Sprint("apply ", o.title(), subresources, " as ", opts.FieldManager, force, dry(opts.DryRun)), result, err)
}

// intent returns what a manager may apply: an object with a name and what is set in it.
func (w *world) intent(name string) object {
	return object{"apiVersion": w.kind.GroupVersion().String(), "kind": w.kind.Kind, "metadata": map[string]any{"name": name}}
}

// see records a result or an error.
func (w *world) see(what string, result object, err error) object {
	w.pace.after()
	if err != nil {
		w.record.add(entry{what: what, err: err})
		return object{}
	}
	w.record.add(entry{what: what, object: result})
	return result
}

// note records a fact.
func (w *world) note(format string, args ...any) {
	w.record.add(entry{what: fmt.Sprintf(format, args...)})
}

// watch starts a watch, which ends with the behaviour.
func (w *world) watch(opts ...metav1.ListOptions) *eventStream {
	what := "watch " + listed(option(opts))
	watcher, err := w.client().watch(w, option(opts))
	w.see(what, nil, err)
	if err != nil {
		return &eventStream{world: w}
	}
	context.AfterFunc(w, watcher.Stop)
	return &eventStream{world: w, watcher: watcher}
}

// An eventStream is a watch.
type eventStream struct {
	world   *world
	watcher watch.Interface // nil if it could not be started
	mark    string          // the version of the bookmark that was the last event
}

// gaveUp ends a behaviour that waits for what does not come.
type gaveUp string

// next records the next event and returns it; ok is false if the watch has ended.
func (e *eventStream) next() (event watch.Event, o object, ok bool) {
	if e.watcher == nil {
		return event, nil, false
	}
	select {
	case event, ok = <-e.watcher.ResultChan():
		if !ok {
			e.world.note("the watch has ended")
			return event, nil, false
		}
		if event.Type == watch.Error {
			e.world.record.add(entry{what: "event", event: event.Type, err: statusOf(event.Object)})
			return event, nil, true
		}
		o, err := toObject(event.Object)
		spoil(event.Object)
		// A server repeats the last bookmark, or does not, depending on the part of a second in which the watch began.
		last := e.mark
		e.mark = ""
		if event.Type == watch.Bookmark && err == nil {
			if e.mark = o.version(); e.mark == last {
				return e.next()
			}
		}
		e.world.record.add(entry{what: "event", event: event.Type, object: o, err: err})
		return event, o, true
	case <-time.After(e.world.patience):
		panic(gaveUp("no event came"))
	}
}

// take records the next events.
func (e *eventStream) take(n int) *eventStream {
	for range n {
		if _, _, ok := e.next(); !ok {
			break
		}
	}
	return e
}

// until records events up to one for the object with that name.
func (e *eventStream) until(name string) *eventStream {
	for {
		if _, o, ok := e.next(); !ok || o.string("metadata.name") == name {
			return e
		}
	}
}

// untilBookmark records events up to a bookmark.
func (e *eventStream) untilBookmark() *eventStream {
	for {
		if event, _, ok := e.next(); !ok || event.Type == watch.Bookmark {
			return e
		}
	}
}

// end records events until the watch has ended.
func (e *eventStream) end() {
	for {
		if _, _, ok := e.next(); !ok {
			return
		}
	}
}

// stop ends the watch, as its caller would, and records that it has.
func (e *eventStream) stop() {
	if e.watcher != nil {
		e.watcher.Stop()
	}
	e.ended()
}

// ended waits until the watch has ended, and records that it has. Whether an error comes before is left open.
func (e *eventStream) ended() {
	if e.watcher == nil {
		return
	}
	deadline := time.After(e.world.patience)
	for {
		select {
		case _, ok := <-e.watcher.ResultChan():
			if !ok {
				e.world.note("the watch has ended")
				return
			}
		case <-deadline:
			panic(gaveUp("the watch does not end"))
		}
	}
}

func option[T any](opts []T) T {
	var zero T
	if len(opts) == 0 {
		return zero
	}
	return opts[0]
}

// deleted returns the options of a delete in words.
func deleted(opts metav1.DeleteOptions) string {
	var words string
	if opts.PropagationPolicy != nil {
		words += " policy=" + string(*opts.PropagationPolicy)
	}
	if opts.Preconditions != nil {
		words += " with preconditions"
	}
	return words + dry(opts.DryRun)
}

// dry returns the option of a dry run in words.
func dry(stages []string) string {
	if len(stages) == 0 {
		return ""
	}
	return " as a dry run"
}

// listed returns the options of a list in words, without versions and tokens, which differ between worlds.
func listed(opts metav1.ListOptions) string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+"="+value)
		}
	}
	add("labels", opts.LabelSelector)
	add("fields", opts.FieldSelector)
	add("match", string(opts.ResourceVersionMatch))
	if opts.Limit != 0 {
		add("limit", fmt.Sprint(opts.Limit))
	}
	if opts.SendInitialEvents != nil {
		add("initial", fmt.Sprint(*opts.SendInitialEvents))
	}
	if opts.AllowWatchBookmarks {
		add("bookmarks", "true")
	}
	return strings.Join(words, " ")
}
