package consistency

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/cache"
)

// A write is a request that changes one or more objects.
type write struct {
	target
	request *http.Request
	deletes bool
	body    func() []byte // of the request, which is read once; nil if it cannot be read again
	kind    *kind         // nil if the store does not know it
	begun   time.Time
	before  positions // of caches when the write was sent
}

// unwritten lists subresources whose requests do not change the object.
var unwritten = []string{"attach", "exec", "log", "portforward", "proxy", "token"}

// writeOf returns a request as a write. ok is false for dry runs and for requests that change no object.
func (t *transport) writeOf(request *http.Request) (w *write, ok bool) {
	at, ok := t.targetOf(request)
	if !ok || request.URL.Query().Get("dryRun") != "" || slices.Contains(unwritten, at.subresource) {
		return nil, false
	}
	w = &write{target: at, request: request, deletes: request.Method == http.MethodDelete && at.subresource == ""}
	w.body = sync.OnceValue(w.readBody)
	return w, !w.deletes || len(w.deleteOptions().DryRun) == 0
}

// begin notes that a write is under way, if its kind has informers.
func (s *Store) begin(w *write) {
	s.lock.Lock()
	defer s.lock.Unlock()
	w.kind, w.begun = s.known(w.resource), time.Now()
	if w.kind == nil {
		return
	}
	w.before = s.positionsBefore(w.kind, w.name)
	if len(w.kind.informers) > 0 {
		s.underWay = append(s.underWay, w)
	}
}

// end notes that a write is no longer under way, after its outcome or a doubt about it was noted.
func (s *Store) end(w *write) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if i := slices.Index(s.underWay, w); i >= 0 {
		s.underWay = slices.Delete(s.underWay, i, i+1)
		s.wake()
	}
}

// mayConcern reports whether a write under way may change the object with a name or an object that it owns. A body
// that contains the name is sufficient.
func (w *write) mayConcern(name cache.ObjectName) bool {
	if w.name.Namespace != "" && name.Namespace != "" && w.name.Namespace != name.Namespace {
		return false
	}
	if w.name.Name == "" && w.deletes || w.name.Name == name.Name {
		return true
	}
	if cached := w.kind.cached(w.name); cached != nil && slices.Contains(objectOf(cached).OwnerReferences, owner{name.Name}) {
		return true
	}
	return !w.deletes && bytes.Contains(w.body(), []byte(name.Name))
}

// readBody returns the body of the request, or nil if it cannot be read again.
func (w *write) readBody() []byte {
	if w.request.GetBody == nil {
		return nil
	}
	body, err := w.request.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close()
	text, _ := io.ReadAll(body)
	return text
}

// deleteOptions returns the options in the body of a deletion.
func (w *write) deleteOptions() *metav1.DeleteOptions {
	options := &metav1.DeleteOptions{}
	_ = decode(w.request.Header.Get("Content-Type"), w.body(), options) // they stay empty if the body contains none
	return options
}

// sent returns the metadata in the body of the request. ok is false if the owners of the written object are unknown.
func (w *write) sent() (o object, ok bool) {
	if w.deletes {
		return o, w.name.Name != ""
	}
	contentType, text := w.request.Header.Get("Content-Type"), w.body()
	switch {
	case text == nil:
		return o, false
	case strings.HasPrefix(contentType, string(types.JSONPatchType)):
		return o, !bytes.Contains(text, []byte("ownerReferences"))
	case strings.HasPrefix(contentType, string(types.ApplyYAMLPatchType)):
		a := &answer{}
		err := yaml.Unmarshal(text, a)
		return a.Metadata, err == nil
	}
	a, err := readAnswer(contentType, text)
	if err != nil {
		return o, false
	}
	return a.Metadata, true
}

// tell reports the answer to a write to the store. It returns whether the answer shows what the write has changed.
func (w *write) tell(s *Store, contentType string, text []byte) bool {
	a, err := readAnswer(contentType, text)
	switch {
	case err != nil, a.isTable():
		return false
	case a.isStatus() && w.deletes && w.name.Name != "":
		o := deletedObject(contentType, text)
		o.Namespace, o.Name = w.name.Namespace, w.name.Name
		if parse(o.ResourceVersion) == 0 {
			o.ResourceVersion = ""
			return s.deleted(w, o)
		}
		s.answered(w, o)
	case a.isStatus(): // the answer for a collection, or for a subresource such as eviction
		return false
	case w.deletes && w.name.Name == "":
		list, err := readList(contentType, text)
		if err != nil {
			return false
		}
		for _, item := range list.Items {
			s.wrote(w.resource, item.Metadata, true)
		}
	case a.Metadata.UID != "": // without a UID, it is an object that is not stored, such as a review
		s.answered(w, a.Metadata)
	}
	return true
}
