package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// A record is what a behaviour has seen of a world, in order. Two are compared as text, in which UIDs, versions, times,
// generated names and continue tokens, which no two worlds have in common, are replaced by what they are within their
// world: the second UID, the third version.
type record struct {
	entries []entry

	uids      []string          // in the order in which they were seen
	versions  []uint64          // of objects, sorted
	generated map[string]string // name -> what it was generated from
}

// An entry is a request with its result or error, an event, or a fact.
type entry struct {
	what   string
	event  watch.EventType
	object object
	err    error
}

func (r *record) add(e entry) {
	r.entries = append(r.entries, e)
	if e.object == nil {
		return
	}
	if _, ok := e.object["items"]; !ok && e.event != watch.Bookmark {
		r.learn(e.object)
	}
	for _, item := range e.object.items() {
		r.learn(item)
	}
}

// learn collects what is replaced in the text.
func (r *record) learn(o object) {
	if uid := o.string("metadata.uid"); uid != "" && !slices.Contains(r.uids, uid) {
		r.uids = append(r.uids, uid)
	}
	if version, err := strconv.ParseUint(o.version(), 10, 64); err == nil {
		if i, found := slices.BinarySearch(r.versions, version); !found {
			r.versions = slices.Insert(r.versions, i, version)
		}
	}
	r.learnName(o.string("metadata.name"), o.string("metadata.generateName"))
}

// learnName collects a name if it was generated. Servers use the start of long prefixes.
func (r *record) learnName(name, prefix string) {
	prefix = prefix[:min(len(prefix), 58)]
	if suffix, ok := strings.CutPrefix(name, prefix); ok && prefix != "" && suffixed.MatchString(suffix) {
		if r.generated == nil {
			r.generated = map[string]string{}
		}
		r.generated[name] = prefix
	}
}

var (
	uids             = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	suffixed         = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	oldestVersion    = regexp.MustCompile(`(too old resource version: \d+) \(\d+\)`)
	timesInErrors    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	versionsInErrors = regexp.MustCompile(`(ResourceVersion in (precondition|object meta): |ResourceVersion in (the precondition|record) \(|resource version: |Current: |resourceVersion\\*":\\*")\d+`)
)

// A lens is what a text shows of a record.
type lens struct {
	all   bool     // everything, or only what follows
	about []string // fields of metadata, or "details" and "message" of errors, "types" of objects
}

// text returns the record as a lens shows it, a line for each entry.
func (r *record) text(l lens) []string {
	var lines []string
	for _, e := range r.entries {
		lines = append(lines, r.line(e, l))
	}
	return lines
}

// panicked says whether the behaviour could not be carried out, for example because its client has no such request.
func (r *record) panicked() bool {
	return slices.ContainsFunc(r.entries, func(e entry) bool { return strings.HasPrefix(e.what, "panic: ") })
}

func (r *record) line(e entry, l lens) string {
	line := e.what
	if e.event != "" {
		line += " " + string(e.event)
	}
	if e.object != nil {
		line += " -> " + compact(r.normal(e.object, l, e.event == watch.Bookmark))
	}
	if e.err != nil {
		line += " -> " + r.failure(e.err, l)
	}
	line = uids.ReplaceAllStringFunc(line, func(uid string) string {
		if i := slices.Index(r.uids, uid); i >= 0 {
			return fmt.Sprintf("uid-%d", i+1)
		}
		return uid
	})
	for name, prefix := range r.generated {
		line = strings.ReplaceAll(line, name, prefix+"*****")
	}
	return line
}

// identity is what every lens shows of metadata.
var identity = []string{"name", "namespace", "labels", "annotations"}

// normal returns a copy of an object or a list without what differs between worlds, and with what the lens shows.
func (r *record) normal(o object, l lens, floor bool) object {
	o = runtime.DeepCopyJSON(o)
	if !l.shows("types") {
		delete(o, "apiVersion")
		delete(o, "kind")
	}
	if value, ok := o["items"]; ok && value == nil {
		o["items"] = []any{} // client-go's typed fakes make it so, and callers cannot tell
	}
	if items, ok := o["items"].([]any); ok {
		for i, item := range items {
			if content, ok := item.(map[string]any); ok {
				items[i] = map[string]any(r.normal(content, l, false))
			}
		}
		floor = true
	}
	meta, ok := o["metadata"].(map[string]any)
	if !ok {
		return o
	}
	if version, ok := meta["resourceVersion"].(string); ok {
		meta["resourceVersion"] = r.version(version, floor)
	}
	if text, _ := meta["continue"].(string); text != "" {
		meta["continue"] = "token"
	}
	for _, field := range []string{"creationTimestamp", "deletionTimestamp"} {
		replaceTime(meta, field)
	}
	managed, _ := meta["managedFields"].([]any)
	for _, entry := range managed {
		if entry, ok := entry.(map[string]any); ok {
			replaceTime(entry, "time")
		}
	}
	if !l.all { // records of the same server, made in other seconds, show the same
		slices.SortFunc(managed, func(a, b any) int { return cmp.Compare(compact(a), compact(b)) })
	}
	for field := range meta {
		if !l.all && !slices.Contains(identity, field) && !slices.Contains(l.about, field) {
			delete(meta, field)
		}
	}
	return o
}

func (l lens) shows(what string) bool { return l.all || slices.Contains(l.about, what) }

// version returns which of the versions of objects that were seen a version is; with floor, which it is or comes after.
func (r *record) version(version string, floor bool) string {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil || n == 0 {
		return version
	}
	i, found := slices.BinarySearch(r.versions, n)
	switch {
	case found:
		return fmt.Sprintf("version-%d", i+1)
	case floor:
		return fmt.Sprintf("version-%d", i)
	}
	return "another version"
}

// replaceTime replaces a time as servers write it.
func replaceTime(in map[string]any, field string) {
	if text, ok := in[field].(string); ok {
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			in[field] = "time"
		}
	}
}

// failure returns what a lens shows of an error.
func (r *record) failure(err error, l lens) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return "error: " + err.Error()
	}
	s := status.Status()
	shown := map[string]any{"code": s.Code, "reason": s.Reason}
	if l.shows("message") {
		shown["message"] = s.Message
		if s.Details != nil && len(s.Details.Causes) > 1 { // in no order, as below
			words := strings.FieldsFunc(s.Message, func(r rune) bool { return strings.ContainsRune(" ,[]", r) })
			slices.Sort(words)
			shown["message"] = strings.Join(words, " ")
		}
	}
	if l.shows("details") && s.Details != nil {
		slices.SortFunc(s.Details.Causes, func(a, b metav1.StatusCause) int { return cmp.Compare(a.Field+a.Message, b.Field+b.Message) })
		shown["details"] = s.Details
	}
	text := timesInErrors.ReplaceAllString(compact(shown), "time")
	text = strings.ReplaceAll(text, "Key: /registry/", "Key: /") // which servers leave out in dry runs
	text = oldestVersion.ReplaceAllString(text, "$1 (oldest)")
	return "failure " + versionsInErrors.ReplaceAllStringFunc(text, func(text string) string {
		i := strings.LastIndexAny(text, ` ("`) + 1
		return text[:i] + r.version(text[i:], true)
	})
}

// statusOf returns the error that an event of a watch is.
func statusOf(o runtime.Object) error {
	if status, ok := o.(*metav1.Status); ok {
		return &apierrors.StatusError{ErrStatus: *status}
	}
	return fmt.Errorf("an error that is a %T", o)
}

// compact returns a value in JSON, its fields sorted.
func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// difference returns the first line in which two texts differ, with the line before it, or nothing.
func difference(aName string, a []string, bName string, b []string) string {
	for i := range max(len(a), len(b)) {
		lineA, lineB := "(nothing)", "(nothing)"
		if i < len(a) {
			lineA = a[i]
		}
		if i < len(b) {
			lineB = b[i]
		}
		if lineA == lineB {
			continue
		}
		before := ""
		if i > 0 {
			before = "after: " + shorten(a[i-1]) + "\n"
		}
		return fmt.Sprintf("%s%s: %s\n%s: %s", before, aName, shorten(lineA), bName, shorten(lineB))
	}
	return ""
}

// shorten cuts a line that nobody would read.
func shorten(line string) string {
	if len(line) > 2000 {
		return line[:2000] + "..."
	}
	return line
}
