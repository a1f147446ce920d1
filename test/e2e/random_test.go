package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var (
	seed      = flag.Uint64("seed", 0, "run the random tests with this seed alone")
	firstSeed = flag.Uint64("first", 1, "the first of the seeds of random tests")
	seeds     = flag.Uint64("seeds", 10, "run the random tests with so many seeds for each kind")
)

// requestsPerSeed is how many random requests a run consists of.
const requestsPerSeed = 120

// TestRandomOperations sends the same random requests to the API server and to fakeapi, and compares after each of
// them the result, all objects, and the events of two watches. If they differ, it looks for fewer requests that end
// in a difference.
func TestRandomOperations(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.Kind, func(t *testing.T) {
			t.Parallel()
			real := newServerWorld(t, startServer(t, newServer(t.TempDir(), withoutRules(t))), k)
			searchDifference(t, 0, func(rng *rand.Rand, number int) operation { return randomOperation(rng, k, number) },
				func(operations []operation) string { return compareWorlds(t, real, operations) })
		})
	}
}

// searchDifference compares a server with fakeapi by requestsPerSeed random requests for each seed. compare returns the
// first difference after all requests up to it, or nothing. If there is a difference, searchDifference looks for fewer
// requests that end in one. stream tells tests apart.
func searchDifference[T any](t *testing.T, stream uint64, random func(rng *rand.Rand, number int) T, compare func([]T) string) {
	t.Helper()
	first, last := *firstSeed, *firstSeed+*seeds-1
	if *seed != 0 {
		first, last = *seed, *seed
	}
	started, count, failed := time.Now(), 0, 0
	for s := first; s <= last && failed < 3; s++ {
		rng := rand.New(rand.NewPCG(s, stream))
		var requests []T
		for number := range requestsPerSeed {
			requests = append(requests, random(rng, number))
		}
		report := compare(requests)
		if report == "" {
			count += len(requests)
			continue
		}
		failed++
		requests = shrink(requests, func(fewer []T) bool { return compare(fewer) != "" })
		t.Errorf("seed %d, of which these requests are enough:\n%s", s, cmp.Or(compare(requests), report))
	}
	t.Logf("%d random requests, seeds %d to %d, in %v", count, first, last, time.Since(started).Round(time.Second))
}

// shrink returns fewer operations of which something still holds: without any one of them, it does not.
func shrink[T any](operations []T, holds func([]T) bool) []T {
	for size := len(operations) / 2; size > 0; {
		removed := false
		for at := len(operations) - size; at >= 0; at -= size {
			if fewer := slices.Concat(operations[:at], operations[at+size:]); holds(fewer) {
				operations, removed = fewer, true
			}
		}
		if !removed || size > 1 {
			size /= 2
		}
	}
	return operations
}

// A side is a world in which operations are run, and what is known of it.
type side struct {
	world
	seen    int            // how many entries of the record have been compared
	memory  map[int]object // results of operations, by their number
	objects map[string]object
	watches []*eventStream
	labels  []string // that the watches select, all for ""
}

func newSide(ctx context.Context, w world, pace pacer) *side {
	w.Context, w.pace, w.flavour, w.record = ctx, pace, "typed", &record{}
	if w.kind.namespaced {
		w.namespace = "east"
	}
	s := &side{world: w, memory: map[int]object{}, labels: []string{"", "gold"}}
	version := s.look().version()
	for _, label := range s.labels {
		opts := metav1.ListOptions{ResourceVersion: version}
		if label != "" {
			opts.LabelSelector = "tier=" + label
		}
		s.watches = append(s.watches, s.in("").watch(opts))
	}
	return s
}

// look lists all objects.
func (s *side) look() object {
	list := s.in("").list()
	s.objects = map[string]object{}
	for _, item := range list.items() {
		s.objects[item.string("metadata.namespace")+"/"+item.string("metadata.name")] = item
	}
	return list
}

// run sends a request, lists all objects, and takes an event for each object that has changed.
func (s *side) run(o operation) {
	before := s.objects
	s.memory[o.number] = o.run(s)
	s.look()
	for i, label := range s.labels {
		changed := 0
		matches := func(item object) bool {
			return item != nil && (label == "" || item.string("metadata.labels.tier") == label)
		}
		for name, item := range s.objects {
			if old := before[name]; (matches(old) || matches(item)) && old.version() != item.version() {
				changed++
			}
		}
		for name, old := range before {
			if matches(old) && s.objects[name] == nil {
				changed++
			}
		}
		s.watches[i].take(changed)
	}
}

// news returns what the record has since the last call.
func (s *side) news() []string {
	var lines []string
	for _, e := range s.record.entries[s.seen:] {
		lines = append(lines, s.record.line(e, lens{all: true}))
	}
	s.seen = len(s.record.entries)
	return lines
}

// runAll runs operations in a world, at a pace, and returns what each of them has recorded. What goes wrong is a part
// of it.
func runAll(t *testing.T, w world, pace pacer, operations []operation) (records [][]string) {
	t.Helper()
	ctx, cancel := context.WithCancel(limit(t))
	defer cancel()
	s := newSide(ctx, w, pace)
	s.news()
	for _, o := range operations {
		func() {
			defer func() {
				if p := recover(); p != nil {
					s.note("%v", p)
				}
			}()
			s.run(o)
		}()
		records = append(records, s.news())
	}
	return records
}

// compareWorlds runs operations in both worlds. It returns the first difference after all requests up to it, or
// nothing.
func compareWorlds(t *testing.T, real world, operations []operation) (report string) {
	t.Helper()
	var want, got [][]string
	seconds := timed(t, func(pace *stopwatch) {
		real.empty(t)
		want = runAll(t, real, pace, operations)
	})
	inBubble(t, seconds, func(t *testing.T, pace *replay) { got = runAll(t, newFakeapiWorld(real.kind), pace, operations) })
	var trace strings.Builder
	for i := range operations {
		if d := difference("server", want[i], "fakeapi", got[i]); d != "" {
			return fmt.Sprintf("%s\n%s", &trace, d)
		}
		fmt.Fprintf(&trace, "%s\n", want[i][0][:min(len(want[i][0]), 300)])
	}
	return ""
}

// An operation is a request that two worlds can be sent. Where it refers to the result of another one, each world has
// its own.
type operation struct {
	number int
	run    func(*side) object
}

// pick returns one of several values.
func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// randomOperation returns the request with a number, which may refer to results of those before it.
func randomOperation(rng *rand.Rand, k kind, number int) operation {
	name := pick(rng, "a", "b", "c", "d")
	if rng.IntN(60) == 0 {
		name = pick(rng, "A", "a b", "a/b", "..", "-")
	}
	namespace := pick(rng, "east", "east", "west")
	flavour := pick(rng, "typed", "dynamic")
	earlier := max(0, number-1-rng.IntN(20))
	latest := rng.IntN(3) > 0
	at := func(s *side) *world { return s.via(flavour).in(namespace) }
	// stored returns the stored object of that name, or an earlier result.
	stored := func(s *side) object {
		var found object
		if latest {
			key := name
			if k.namespaced {
				found = s.objects[namespace+"/"+key]
			} else {
				found = s.objects["/"+key]
			}
		} else {
			found = s.memory[earlier]
		}
		if found.string("metadata.name") == "" || found["kind"] == "Scale" || found["items"] != nil {
			found = s.new(name)
		}
		return found.with("apiVersion", k.GroupVersion().String()).with("kind", k.Kind)
	}
	changes := []func(object) object{randomChange(rng)}
	for rng.IntN(2) == 0 {
		changes = append(changes, randomChange(rng))
	}
	if rng.IntN(4) == 0 {
		changes = append(changes, oddChange(rng))
		flavour = "dynamic" // there are no such objects of Go types
	}
	changed := func(o object) object {
		for _, change := range changes {
			o = change(o)
		}
		return o
	}
	dry := pick(rng, nil, nil, nil, nil, nil, nil, []string{metav1.DryRunAll})
	if rng.IntN(60) == 0 {
		dry = pick(rng, []string{""}, []string{"Some"}, []string{"All", "All"})
	}
	validation := pick(rng, "", "", "", "", metav1.FieldValidationStrict, metav1.FieldValidationWarn, metav1.FieldValidationIgnore)
	manager := pick(rng, "", "", "m1", "m2", "m3")
	op := func(run func(*side) object) operation { return operation{number, run} }
	switch n := rng.IntN(100); {
	case n < 18:
		return op(func(s *side) object {
			return at(s).create(changed(s.new(name)), metav1.CreateOptions{DryRun: dry, FieldManager: manager, FieldValidation: validation})
		})
	case n < 34:
		return op(func(s *side) object {
			return at(s).update(changed(stored(s)), metav1.UpdateOptions{DryRun: dry, FieldManager: manager, FieldValidation: validation})
		})
	case n < 42:
		return op(func(s *side) object {
			return at(s).updateStatus(changed(stored(s)), metav1.UpdateOptions{DryRun: dry, FieldManager: manager, FieldValidation: validation})
		})
	case n < 56:
		pt, data := randomPatch(rng)
		subresources := pick(rng, nil, nil, nil, []string{"status"})
		opts := metav1.PatchOptions{DryRun: dry, FieldManager: manager, FieldValidation: validation}
		switch rng.IntN(8) {
		case 0:
			pt, data = oddPatch(rng)
		case 1:
			pt, data = types.ApplyYAMLPatchType, oddApply(rng, k, name)
			opts.FieldManager, opts.Force = cmp.Or(manager, "m1"), new(rng.IntN(2) == 0)
		case 2:
			flavour, subresources = "dynamic", []string{"scale"}
			pt, data = types.MergePatchType, `{"spec":{"replicas":`+oddNumber(rng)+`}}`
		}
		return op(func(s *side) object { return at(s).patch(name, pt, data, opts, subresources...) })
	case n < 70:
		opts := metav1.ApplyOptions{FieldManager: cmp.Or(manager, "m1"), Force: rng.IntN(3) == 0, DryRun: dry}
		whole := rng.IntN(2) == 0
		var subresources []string
		if rng.IntN(4) == 0 {
			subresources = []string{"status"}
		}
		return op(func(s *side) object {
			intent := s.intent(name)
			if whole {
				intent = s.new(name)
			}
			return at(s).applyWith(opts, appliable(changed(intent)), subresources...)
		})
	case n < 82:
		opts := metav1.DeleteOptions{DryRun: dry}
		if policy := pick(rng, "", "", "", metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan); policy != "" {
			opts.PropagationPolicy = &policy
		}
		if rng.IntN(8) == 0 {
			opts = orphaning(rng.IntN(2) == 0, opts.PropagationPolicy)
			opts.DryRun = dry
		}
		if rng.IntN(8) == 0 {
			opts.GracePeriodSeconds = new(int64(rng.IntN(3) - 1))
		}
		precondition := rng.IntN(8)
		return op(func(s *side) object {
			switch precondition {
			case 0:
				opts.Preconditions = &metav1.Preconditions{UID: new(types.UID(cmp.Or(stored(s).string("metadata.uid"), "none")))}
			case 1:
				opts.Preconditions = &metav1.Preconditions{ResourceVersion: new(cmp.Or(stored(s).version(), "1"))}
			}
			at(s).delete(name, opts)
			return nil
		})
	case n < 84:
		list := metav1.ListOptions{LabelSelector: randomSelector(rng)}
		return op(func(s *side) object {
			at(s).deleteCollection(list, metav1.DeleteOptions{DryRun: dry})
			return nil
		})
	case n < 88:
		replicas := rng.IntN(5) - 1
		stale := rng.IntN(4) == 0
		return op(func(s *side) object {
			scale := at(s).scale(name)
			if scale["spec"] == nil {
				scale = map[string]any{"metadata": map[string]any{"name": name}, "apiVersion": "autoscaling/v1", "kind": "Scale"}
			}
			if scale["kind"] == nil {
				scale = scale.with("apiVersion", "autoscaling/v1").with("kind", "Scale")
			}
			if stale {
				scale = scale.with("metadata.resourceVersion", cmp.Or(stored(s).version(), "1"))
			}
			return at(s).updateScale(name, scale.with("spec.replicas", replicas), metav1.UpdateOptions{DryRun: dry, FieldManager: manager})
		})
	case n < 92:
		return op(func(s *side) object { return at(s).get(name) })
	case n < 94 && !strings.ContainsAny(name, "/."):
		return op(func(s *side) object { return at(s).via("metadata").get(name) })
	default:
		opts := metav1.ListOptions{Limit: int64(rng.IntN(4)), LabelSelector: randomSelector(rng)}
		opts.FieldSelector = pick(rng, "", "", "metadata.name="+name, "metadata.name!="+name, "metadata.namespace=east", "spec.image=image:v2", "spec.cronSpec=x")
		all := rng.IntN(3) == 0
		lister := "typed"
		if rng.IntN(8) == 0 {
			lister = "dynamic" // see knownDifferences
			opts.LabelSelector = pick(rng, "tier in gold", "a b", "tier=!", "tier>x", "=x", "tier in ()", " tier = gold ", "tier=")
			opts.Limit = int64(rng.IntN(4) - 1)
		}
		if strings.HasPrefix(opts.FieldSelector, "metadata.namespace") {
			opts.Limit = 0 // see knownDifferences
		}
		return op(func(s *side) object {
			w, opts := at(s).via(lister), opts
			if all {
				w = w.in("")
			}
			page := w.list(opts)
			if token := page.string("metadata.continue"); token != "" {
				opts.Continue = token
				w.list(opts)
			}
			return page
		})
	}
}

// oddNumber returns a number in JSON as few clients would write it, or what is none.
func oddNumber(rng *rand.Rand) string {
	return pick(rng, "1", "2.0", "3e0", "1E1", "2.5", "-0", "-1", "2147483648", "9223372036854775808", "1e300", "01", "null", `"3"`, "true", "[]", "{}")
}

// oddChange returns a change of an object after which it may have values that no Go type has.
func oddChange(rng *rand.Rand) func(object) object {
	path := pick(rng, "spec", "spec.image", "spec.replicas", "spec.suspend", "spec.historyLimit", "spec.unknown", "unknown", "status", "status.replicas", "status.conditions", "status.lastScheduleTime",
		"metadata.labels", "metadata.annotations", "metadata.finalizers", "metadata.ownerReferences", "metadata.uid", "metadata.resourceVersion", "metadata.generation", "metadata.creationTimestamp",
		"metadata.deletionTimestamp", "metadata.managedFields", "metadata.generateName", "metadata.unknown", "apiVersion", "kind")
	value := pick[any](rng, nil, "", "text", "0", "1", "-1", "soon", int64(7), int64(1)<<40, 2.0, 2.5, json.Number("1e2"), json.Number("3.0"), true,
		[]any{}, []any{nil}, []any{"x"}, []any{map[string]any{}}, []any{map[string]any{"type": "Ready"}, map[string]any{"type": "Ready"}}, map[string]any{}, map[string]any{"x": "y"}, map[string]any{"x": nil})
	if path == "status.lastScheduleTime" { // see knownDifferences
		value = pick[any](rng, nil, "", "soon", int64(7), 2.5, true, map[string]any{}, "2026-01-02T03:04:05.678Z", "2026-01-02T05:04:05+02:00")
	}
	return func(o object) (changed object) {
		defer func() {
			if recover() != nil { // what is to be changed is no object
				changed = o
			}
		}()
		return o.with(path, value)
	}
}

// oddPatch returns a patch that few clients would send.
func oddPatch(rng *rand.Rand) (types.PatchType, string) {
	if rng.IntN(2) == 0 {
		return types.MergePatchType, pick(rng,
			`{"spec":{"replicas":`+oddNumber(rng)+`}}`, `{"spec":{"historyLimit":`+oddNumber(rng)+`}}`, `{"spec":{"image":`+oddNumber(rng)+`}}`, `{"status":{"replicas":`+oddNumber(rng)+`}}`,
			`null`, `[]`, ``, `{`, `{}{}`, `{"spec":null}`, `{"spec":[]}`, `{"metadata":null}`, `{"metadata":[]}`, `{"kind":null}`, `{"apiVersion":null}`, `{"apiVersion":"x"}`, `{"items":[]}`,
			`{"spec":{"unknown":1},"unknown":2}`, `{"spec":{"image":"image:v1","image":"image:v2"}}`, `{"metadata":{"labels":{"a":1}}}`, `{"metadata":{"labels":{"a":null},"annotations":{"b":null}}}`,
			`{"metadata":{"uid":"x"}}`, `{"metadata":{"resourceVersion":"`+pick(rng, "0", "soon", "-1")+`"}}`, `{"metadata":{"managedFields":`+pick(rng, `[]`, `[{}]`, `null`, `"x"`)+`}}`, `{"metadata":{"finalizers":[null]}}`,
			`{"status":{"conditions":[{}]}}`, `{"status":{"conditions":[null]}}`, `{"status":{"lastScheduleTime":"soon"}}`, `{"metadata":{"selfLink":"x"}}`)
	}
	return types.JSONPatchType, pick(rng,
		`[{"op":"replace","path":"/spec/replicas","value":`+oddNumber(rng)+`}]`, `[{"op":"add","path":"/spec/historyLimit","value":`+oddNumber(rng)+`}]`, `[{"op":"test","path":"/spec/replicas","value":`+oddNumber(rng)+`}]`,
		`null`, `{}`, `[null]`, `[{}]`, `[{"op":"add"}]`, `[{"op":"remove","path":""}]`, `[{"op":"remove","path":"/spec"}]`, `[{"op":"remove","path":"/metadata/name"}]`, `[{"op":"add","path":"/spec/unknown","value":1}]`,
		`[{"op":"replace","path":"/spec/image","value":"x","unknown":1}]`, `[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/z"}]`, `[{"op":"remove","path":"/metadata/finalizers/-1"}]`)
}

// oddApply returns what few clients would apply.
func oddApply(rng *rand.Rand, k kind, name string) string {
	head := "apiVersion: " + k.GroupVersion().String() + "\nkind: " + k.Kind + "\nmetadata: {name: " + strconv.Quote(name) + "}\n"
	return pick(rng, "", "null", "[]", "text", "a: b: c", "\ta: b", head, head+"spec: x\n", head+"spec:\n", head+"spec: {cronSpec: x, unknown: y}\n", head+"spec: {cronSpec: x}\nspec: {cronSpec: y}\n",
		head+"spec: {cronSpec: x, replicas: "+oddNumber(rng)+"}\n", head+"spec: {cronSpec: x, historyLimit: "+oddNumber(rng)+"}\n", head+"spec: {cronSpec: x, image: "+oddNumber(rng)+"}\n",
		head+"spec: {cronSpec: x}\nstatus: {conditions: [{}]}\n", head+"spec: {cronSpec: x}\n---\n"+head, strings.Replace(head, "name:", "uid: x, name:", 1), strings.Replace(head, "kind:", "Kind:", 1))
}

func randomSelector(rng *rand.Rand) string {
	return pick(rng, "", "", "tier=gold", "tier!=gold", "tier", "!tier", "tier in (gold,silver),zone", "zone notin (x)")
}

// randomChange returns a change of an object, which may make it invalid.
func randomChange(rng *rand.Rand) func(object) object {
	set := func(path string, value any) func(object) object {
		return func(o object) object { return o.with(path, value) }
	}
	remove := func(path string) func(object) object {
		return func(o object) object { return o.without(path) }
	}
	n := rng.IntN(4)
	return pick(rng,
		set("spec.image", fmt.Sprintf("image:v%d", n)),
		set("spec.image", fmt.Sprintf("image:v%d", n)),
		set("spec.replicas", n),
		set("spec.className", fmt.Sprintf("class-%d", n)),
		remove("spec.className"),
		set("spec.suspend", true),
		set("spec.suspend", false),
		set("status.replicas", n),
		set("status.labelSelector", fmt.Sprintf("app=%d", n)),
		remove("status"),
		set("status.conditions", `[{"type":"Ready","status":"True","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]`),
		set("status.conditions", `[{"type":"Ready","status":"False","reason":"Tested","message":"no","lastTransitionTime":"2026-01-02T03:04:05Z"},
			{"type":"Synced","status":"True","reason":"Tested","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]`),
		set("metadata.labels", pick(rng, `{"tier":"gold"}`, `{"tier":"silver","zone":"x"}`, `{"zone":"y"}`, `{}`)),
		set("metadata.labels", pick(rng, `{"tier":"gold","zone":"z"}`, `{"tier":"not valid"}`)),
		remove("metadata.labels"),
		set("metadata.annotations", pick(rng, `{"note":"x"}`, `{"note":"y","more":"z"}`, `{"not valid":""}`)),
		remove("metadata.annotations"),
		set("metadata.finalizers", pick(rng, `["example.com/a"]`, `["example.com/a","example.com/b"]`, `["example.com/b"]`, `["not valid"]`, `["orphan"]`)),
		remove("metadata.finalizers"),
		remove("metadata.finalizers"),
		set("metadata.ownerReferences", pick(rng, `[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"}]`,
			`[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"1"},{"apiVersion":"v1","kind":"Owner","name":"p","uid":"2","controller":true}]`)),
		remove("metadata.ownerReferences"),
		remove("metadata.resourceVersion"),
		set("metadata.uid", "00000000-0000-0000-0000-000000000000"),
		remove("metadata.uid"),
		set("metadata.generation", 70),
		remove("metadata.managedFields"),
		set("metadata.generateName", "g-"),
		remove("metadata.creationTimestamp"),
	)
}

// appliable returns what can be applied of an object: without what apply refuses from everybody, and with what the
// schema of the kind requires.
func appliable(o object) object {
	return o.without("metadata.managedFields").with("spec.cronSpec", "0 3 * * *")
}

// randomPatch returns a patch of an object that may be there, which may make it invalid.
func randomPatch(rng *rand.Rand) (types.PatchType, string) {
	n := rng.IntN(4)
	if rng.IntN(2) == 0 {
		return types.MergePatchType, pick(rng,
			`{}`,
			fmt.Sprintf(`{"spec":{"image":"image:v%d"}}`, n),
			fmt.Sprintf(`{"spec":{"replicas":%d},"status":{"replicas":%d}}`, n, n),
			fmt.Sprintf(`{"metadata":{"labels":{"tier":"gold","zone":"%d"}}}`, n),
			`{"metadata":{"labels":{"tier":null}}}`,
			`{"metadata":{"labels":null,"annotations":{"note":"patched"}}}`,
			`{"metadata":{"finalizers":["example.com/a"]}}`,
			`{"metadata":{"finalizers":null}}`,
			`{"metadata":{"finalizers":["example.com/b","not valid"]}}`,
			`{"metadata":{"resourceVersion":"1"},"spec":{"image":"image:stale"}}`,
			`{"metadata":{"name":"z"}}`,
			`{"spec":{"className":null,"suspend":true}}`,
			`{"status":null}`,
			`{"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"Patched","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`,
		)
	}
	return types.JSONPatchType, pick(rng,
		`[]`,
		fmt.Sprintf(`[{"op":"replace","path":"/spec/image","value":"image:v%d"}]`, n),
		fmt.Sprintf(`[{"op":"test","path":"/spec/replicas","value":%d},{"op":"replace","path":"/spec/replicas","value":%d}]`, n, n+1),
		`[{"op":"add","path":"/metadata/labels","value":{"tier":"gold"}}]`,
		`[{"op":"remove","path":"/metadata/labels/tier"}]`,
		`[{"op":"remove","path":"/metadata/finalizers/0"}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["example.com/c"]}]`,
		`[{"op":"remove","path":"/spec/className"}]`,
		`[{"op":"add","path":"/spec/className","value":"patched"},{"op":"copy","from":"/spec/className","path":"/spec/image"}]`,
		fmt.Sprintf(`[{"op":"add","path":"/status","value":{"replicas":%d}}]`, n),
	)
}
