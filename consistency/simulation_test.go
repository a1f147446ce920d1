//go:build go1.25

package consistency_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kubegen/kubegen/consistency"
)

// TestSimulation searches the states of docs/contributing/testing.md for a state where the store is wrong: it reports
// that caches are ready while one is older than a write of the controller, or that they are stale although no more
// events can arrive. A server, its informers and a controller take random steps in simulated time: writes of the
// controller and of others, late and lost answers, writes that are carried out after their answer was lost, late
// events, relists, lists that lag, new tokens, restores from a backup, and new leaders.
//
// A failure prints the last steps. With the same -seed, they are nearly the same. -steps is the number of steps of
// all seeds.
var (
	seedFlag  = flag.Uint64("seed", 0, "simulate one seed")
	stepsFlag = flag.Int("steps", 60_000, "number of simulated steps")
)

const stepsOfSeed = 1000

func TestSimulation(t *testing.T) {
	if *seedFlag != 0 {
		simulate(t, *seedFlag)
		return
	}
	for seed := range uint64(*stepsFlag / stepsOfSeed) {
		simulate(t, seed+1)
		if t.Failed() {
			return
		}
	}
}

func simulate(t *testing.T, seed uint64) {
	token := filepath.Join(t.TempDir(), "token")
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, seed, token)
		for range stepsOfSeed {
			s.step()
			if t.Failed() {
				t.Log(strings.Join(s.steps, "\n"))
				return
			}
		}
		s.settle()
		if t.Failed() {
			t.Log(strings.Join(s.steps, "\n"))
		}
		s.leader.stop()
		s.standby.stop()
	})
}

// A state is the state of an object between two writes.
type state struct {
	id      string // in the label "state": a number that grows with each write, even after restores
	version uint64
	uid     string
	owners  []string
	hidden  bool // a field selector of an informer excludes it
	deleted bool // it no longer exists
	ending  bool // it has a deletionTimestamp
	held    bool // it has a finalizer
}

// A key is the kind and name of an object in the namespace "east".
type key struct{ kind, name string }

// A change is a new state of an object.
type change struct {
	key
	state
}

// An ownWrite is a change by the controller.
type ownWrite struct {
	change
	leader *process
}

// A simulation is a server and two processes of a controller, one of them the leader.
type simulation struct {
	*testing.T
	seed     uint64
	rand     *rand.Rand
	answers  *rand.Rand // random choices for requests of the stores themselves
	steps    []string
	lock     sync.Mutex // guards the fields below against requests of the stores themselves
	revision uint64
	epoch    int // the number of restores
	next     int // the last id
	history  []change
	undone   []change // by restores
	restored time.Time
	lagged   bool // an informer has listed an earlier state
	own      []ownWrite
	late     []late
	tokens   map[string]time.Time // with their ends of validity
	token    string
	file     string

	leader, standby *process
}

// late is a request that the server carries out after its answer was lost.
type late struct {
	at time.Time
	do func()
}

// A process has a store and an informer for each kind. For children, a second informer excludes hidden ones.
type process struct {
	*simulation
	store     *consistency.Store
	client    *http.Client
	informers []*informer
}

var simulatedKinds = []string{"crontabs", "cronruns"}

func newSimulation(t *testing.T, seed uint64, file string) *simulation {
	s := &simulation{T: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), answers: rand.New(rand.NewPCG(seed, 1)), file: file, tokens: map[string]time.Time{}}
	s.renew()
	s.revision = 10
	for _, name := range []string{"a", "b"} {
		s.commit(nil, key{"crontabs", name}, state{uid: s.id()})
	}
	s.leader, s.standby = s.newProcess(), s.newProcess()
	return s
}

func (s *simulation) id() string { s.next++; return strconv.Itoa(s.next) }

// log adds a step. A failure prints the last steps.
func (s *simulation) log(format string, args ...any) {
	line := fmt.Sprintf("%v rev %d: "+format, append([]any{time.Now().Format("04:05.000"), s.revision}, args...)...)
	if len(s.steps) >= 2*lastSteps {
		s.steps = slices.Delete(s.steps, 0, lastSteps)
	}
	s.steps = append(s.steps, line)
}

const lastSteps = 60

func (s *simulation) newProcess() *process {
	p := &process{simulation: s, store: consistency.NewStore(consistency.WithLogger(funcr.New(s.logged, funcr.Options{})))}
	config := &rest.Config{Host: "http://server", BearerTokenFile: s.file, Transport: roundTripper(func(r *http.Request) (*http.Response, error) { return s.serve(p, r) })}
	p.store.Wrap(config)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		s.Fatal(err)
	}
	p.client = client
	for _, kind := range append(simulatedKinds, "cronruns") {
		i := &informer{simulation: s, kind: kind, indexer: newIndexer()}
		scope := consistency.Scope{}
		if len(p.informers) == len(simulatedKinds) {
			i.visible, scope.Fields = true, fields.OneTermEqualSelector("spec.hidden", "false")
		}
		resource := cronTabs
		if kind == "cronruns" {
			resource = cronRuns
		}
		if err := p.store.Watch(resource, i, scope); err != nil {
			s.Fatal(err)
		}
		// Informers send a watch, so that the store knows the path of the resource.
		p.send(http.MethodGet, "/apis/stable.example.com/v1/"+kind+"?watch=true", "", nil)
		p.informers = append(p.informers, i)
		i.list(i.revision)
		i.apply(len(i.queue))
	}
	return p
}

// logged checks the log messages of a store: it may report that versions went back only after a restore, or after a
// list that lags.
func (s *simulation) logged(_, text string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.epoch == 0 && !s.lagged && strings.Contains(text, "versions went back") {
		s.Errorf("seed %d: nothing was restored and no list lags, but the store says: %s", s.seed, text)
	}
}

func (p *process) stop() {
	for _, i := range p.informers {
		i.ended.Store(true)
	}
	p.store.Clear(cache.NewObjectName("", "a"))
}

// An informer has the methods that a store calls. It applies received changes to its cache later.
type informer struct {
	cache.SharedIndexInformer
	*simulation
	kind     string
	visible  bool // it excludes hidden objects
	indexer  *indexer
	handler  cache.ResourceEventHandler
	received atomic.Uint64
	epoch    int
	queue    []delivery
	ended    atomic.Bool
}

// A delivery brings what an informer has received into its cache.
type delivery struct {
	received time.Time
	apply    func()
}

func (i *informer) enqueue(apply func()) { i.queue = append(i.queue, delivery{time.Now(), apply}) }

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handler = h
	return nil, nil
}
func (i *informer) HasSynced() bool                 { return true }
func (i *informer) IsStopped() bool                 { return i.ended.Load() }
func (i *informer) LastSyncResourceVersion() string { return strconv.FormatUint(i.received.Load(), 10) }
func (i *informer) GetIndexer() cache.Indexer       { return i.indexer }

// cached returns the state of an object in the cache, or "" if the cache does not contain it.
func (i *informer) cached(name string) (id string, owners []string) {
	obj, ok, _ := i.indexer.GetByKey("east/" + name)
	if !ok {
		return "", nil
	}
	o := obj.(*metav1.PartialObjectMetadata)
	for _, owner := range o.OwnerReferences {
		owners = append(owners, owner.Name)
	}
	return o.Labels["state"], owners
}

// has reports whether the informer selects an object in a state.
func (i *informer) has(s state) bool { return !s.deleted && !(i.visible && s.hidden) }

// everything is a number of changes that there never are.
const everything = 1 << 30

// receive receives up to n changes.
func (i *informer) receive(n int) {
	if i.epoch != i.simulation.epoch { // its watch has broken
		i.list(i.revision)
		return
	}
	if i.seed%2 == 1 && n < everything && i.rand.IntN(500) == 0 { // it lists, from a cache that lags, for every other seed
		i.lock.Lock()
		i.lagged = true
		i.lock.Unlock()
		i.list(i.revision - min(i.revision-10, i.rand.Uint64N(30)))
		for _, p := range []*process{i.leader, i.standby} { // the store notices it if it looks before the next event
			if p != nil {
				_ = p.store.EnsureReady(cache.NewObjectName("east", "any"))
			}
		}
		return
	}
	for _, c := range i.history {
		if c.version <= i.received.Load() || c.kind != i.kind || n == 0 {
			continue
		}
		n--
		i.received.Store(c.version)
		i.enqueue(func() {
			obj := object(c)
			switch {
			case i.has(c.state):
				_ = i.indexer.Update(obj)
				i.handler.OnUpdate(obj, obj)
			default:
				_ = i.indexer.Delete(obj)
				i.handler.OnDelete(obj)
			}
		})
	}
	if n > 0 && i.rand.IntN(20) == 0 { // a bookmark
		i.bookmark()
	}
}

func (i *informer) bookmark() {
	version := i.revision
	i.received.Store(version)
	i.enqueue(func() { i.indexer.Bookmark(strconv.FormatUint(version, 10)) })
}

// list receives all objects again, at a revision.
func (i *informer) list(revision uint64) {
	i.epoch = i.simulation.epoch
	i.received.Store(revision)
	version := strconv.FormatUint(revision, 10)
	var objects []any
	for k, c := range i.at(revision) {
		if k.kind == i.kind && i.has(c) {
			objects = append(objects, object(change{k, c}))
		}
	}
	i.enqueue(func() {
		gone := map[string]any{}
		for _, obj := range i.indexer.List() {
			gone[obj.(*metav1.PartialObjectMetadata).Name] = obj
		}
		_ = i.indexer.Replace(objects, version)
		for _, obj := range objects {
			delete(gone, obj.(*metav1.PartialObjectMetadata).Name)
			i.handler.OnUpdate(obj, obj)
		}
		for _, obj := range gone {
			i.handler.OnDelete(obj)
		}
	})
}

func (i *informer) apply(n int) {
	for range min(n, len(i.queue)) {
		i.queue[0].apply()
		i.queue = i.queue[1:]
	}
}

func object(c change) *metav1.PartialObjectMetadata {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: c.name, UID: types.UID(c.uid),
		ResourceVersion: strconv.FormatUint(c.version, 10), Labels: map[string]string{"state": c.id}}}
	for _, owner := range c.owners {
		o.OwnerReferences = append(o.OwnerReferences, metav1.OwnerReference{Name: owner})
	}
	if c.ending {
		o.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	return o
}

// now returns the last state of each object.
func (s *simulation) now() map[key]state { return s.at(s.revision) }

// at returns the state of each object at a revision.
func (s *simulation) at(revision uint64) map[key]state {
	all := map[key]state{}
	for _, c := range s.history {
		if c.version <= revision {
			all[c.key] = c.state
		}
	}
	return all
}

// commit gives an object a new state. p is the process that writes, or nil for others.
func (s *simulation) commit(p *process, k key, n state) state {
	s.lock.Lock()
	s.revision++
	if p != nil && p.hasCached(k, s.revision) { // a write with this version would look like one without effect
		s.revision++
	}
	n.id, n.version = s.id(), s.revision
	c := change{k, n}
	s.history = append(s.history, c)
	s.lock.Unlock()
	if p != nil {
		s.own = append(s.own, ownWrite{c, p})
	}
	s.log("%v is %+v (own: %v)", k, n, p != nil)
	return n
}

// hasCached reports whether a cache contains an object at a version, perhaps from before a restore.
func (p *process) hasCached(k key, version uint64) bool {
	return slices.ContainsFunc(p.informers, func(i *informer) bool {
		obj, ok, _ := i.indexer.GetByKey("east/" + k.name)
		return ok && i.kind == k.kind && obj.(*metav1.PartialObjectMetadata).ResourceVersion == strconv.FormatUint(version, 10)
	})
}

// serve answers a request of a process, or loses the answer.
func (s *simulation) serve(p *process, r *http.Request) (*http.Response, error) {
	s.lock.Lock()
	until := s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	s.lock.Unlock()
	if time.Now().After(until) {
		return s.answer(r, http.StatusUnauthorized, status(http.StatusUnauthorized))
	}
	steps := strings.Split(strings.Trim(r.URL.Path, "/"), "/")[3:]
	if steps[0] == "namespaces" {
		steps = steps[2:]
	}
	k := key{kind: steps[0]}
	if len(steps) > 1 {
		k.name = steps[1]
	}
	if r.Method == http.MethodGet {
		return s.read(r, k.kind)
	}
	text, _ := io.ReadAll(r.Body)
	do := func() (int, any) {
		s.meanwhile()
		code, body := s.write(p, r, k, text)
		s.meanwhile()
		return code, body
	}
	switch n := s.rand.IntN(100); {
	case n < 84:
		code, body := do()
		return s.answer(r, code, body)
	case n < 88:
		do()
		return s.lost(r)
	case n < 91:
		return s.lost(r)
	default:
		limit := time.Minute
		response, err := s.lost(r)
		if err == nil && response.Header.Get("Content-Type") == jsonType {
			limit = 10 * time.Second
		}
		epoch := s.epoch
		s.late = append(s.late, late{time.Now().Add(time.Duration(s.rand.Int64N(int64(limit)))), func() {
			if s.epoch == epoch {
				do()
			}
		}})
		return response, err
	}
}

// read answers a list or a watch, after a delay before and after it is carried out.
func (s *simulation) read(r *http.Request, kind string) (*http.Response, error) {
	if r.URL.Query().Get("watch") == "true" && r.URL.Query().Get("resourceVersion") == "" { // of an informer
		return s.answer(r, http.StatusOK, nil)
	}
	s.delay()
	defer s.delay()
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.answers.IntN(10) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if since := r.URL.Query().Get("resourceVersion"); since != "" {
		return s.watch(r, kind, since)
	}
	return s.list(r, kind)
}

// delay sleeps, mostly briefly and sometimes for seconds.
func (s *simulation) delay() {
	s.lock.Lock()
	limit := [...]time.Duration{0, 10 * time.Millisecond, time.Second, 4 * time.Second}[s.answers.IntN(4)]
	pause := time.Duration(s.answers.Int64N(int64(limit) + 1))
	s.lock.Unlock()
	time.Sleep(pause)
}

// meanwhile lets others write and informers receive events while a request or its answer is under way.
func (s *simulation) meanwhile() {
	for s.rand.IntN(4) == 0 {
		if s.rand.IntN(2) == 0 {
			s.interfere()
		}
		s.inform()
	}
}

// inform lets informers receive events and caches apply them.
func (s *simulation) inform() {
	for _, i := range append(slices.Clone(s.leader.informers), s.standby.informers...) {
		if s.rand.IntN(3) > 0 {
			i.receive(s.rand.IntN(3))
		}
		if s.rand.IntN(3) > 0 {
			i.apply(s.rand.IntN(3))
		}
	}
}

func (s *simulation) lost(r *http.Request) (*http.Response, error) {
	switch s.rand.IntN(3) {
	case 0:
		return s.answer(r, http.StatusInternalServerError, status(http.StatusInternalServerError))
	case 1:
		return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader("no")), Request: r}, nil
	}
	return nil, io.ErrUnexpectedEOF
}

func status(code int) *metav1.Status {
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Code: int32(code)}
}

func (s *simulation) answer(r *http.Request, code int, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {jsonType}}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, nil
}

func (s *simulation) list(r *http.Request, kind string) (*http.Response, error) {
	l := &metav1.PartialObjectMetadataList{}
	l.ResourceVersion = strconv.FormatUint(s.revision, 10)
	selector, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	if err != nil {
		s.Fatal(err)
	}
	all := s.now()
	for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b key) int { return strings.Compare(a.name, b.name) }) {
		if c := all[k]; k.kind == kind && !c.deleted && selector.Matches(fields.Set{"metadata.name": k.name, "spec.hidden": strconv.FormatBool(c.hidden)}) {
			l.Items = append(l.Items, *object(change{k, c}))
		}
	}
	return s.answer(r, http.StatusOK, l)
}

// watch answers with all changes after a version, and a bookmark.
func (s *simulation) watch(r *http.Request, kind, since string) (*http.Response, error) {
	version, _ := strconv.ParseUint(since, 10, 64)
	var events bytes.Buffer
	event := func(name string, obj *metav1.PartialObjectMetadata) {
		text, err := json.Marshal(map[string]any{"type": name, "object": obj})
		if err != nil {
			s.Fatal(err)
		}
		events.Write(text)
	}
	for _, c := range s.history {
		if c.kind == kind && c.version > version {
			event("MODIFIED", object(c))
		}
	}
	event("BOOKMARK", object(change{state: state{version: s.revision}}))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {jsonType}}, Body: io.NopCloser(&events), Request: r}, nil
}

// write carries out a write.
func (s *simulation) write(p *process, r *http.Request, k key, text []byte) (int, any) {
	var sent struct {
		metav1.PartialObjectMetadata
		Spec struct {
			Hidden bool `json:"hidden"`
			Held   bool `json:"held"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(text, &sent); len(text) > 0 && err != nil {
		s.Fatalf("%s: %v", text, err)
	}
	if r.Method == http.MethodPost {
		k.name = sent.Name
		if k.name == "" {
			k.name = sent.GenerateName + s.id()
		}
	}
	old, ok := s.now()[k]
	ok = ok && !old.deleted
	n := old
	n.hidden = sent.Spec.Hidden
	n.owners = nil
	for _, owner := range sent.OwnerReferences {
		n.owners = append(n.owners, owner.Name)
	}
	switch {
	case r.Method == http.MethodPost && ok:
		return http.StatusConflict, status(http.StatusConflict)
	case r.Method == http.MethodPost:
		n.uid, n.deleted, n.ending, n.held = s.id(), false, false, sent.Spec.Held
	case !ok:
		return http.StatusNotFound, status(http.StatusNotFound)
	case r.Method == http.MethodPut && sent.ResourceVersion != strconv.FormatUint(old.version, 10):
		return http.StatusConflict, status(http.StatusConflict)
	case r.Method == http.MethodDelete && old.held:
		n = old
		if old.ending {
			return http.StatusOK, object(change{k, old})
		}
		n.ending = true
	case r.Method == http.MethodDelete:
		n = old
		n.deleted = true
	case slices.Equal(n.owners, old.owners) && n.hidden == old.hidden:
		return http.StatusOK, object(change{k, old})
	}
	n = s.commit(p, k, n)
	if n.deleted && s.rand.IntN(2) == 0 {
		done := status(http.StatusOK)
		done.Status, done.Details = metav1.StatusSuccess, &metav1.StatusDetails{UID: types.UID(n.uid)}
		return http.StatusOK, done
	}
	return http.StatusOK, object(change{k, n})
}

// send sends a request of a process.
func (p *process) send(method, path, contentType string, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		p.Fatal(err)
	}
	if body == nil {
		text = nil
	}
	request, err := http.NewRequestWithContext(context.Background(), method, "http://server"+path, bytes.NewReader(text))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", cmp.Or(contentType, jsonType))
	for _, i := range p.informers {
		p.log("  %s has received %d, epoch %d, and %d are to be applied to %v", i.kind, i.received.Load(), i.epoch, len(i.queue), i.indexer.ListKeys())
	}
	p.log("%s %s %s", method, path, text)
	if response, err := p.client.Do(request); err == nil {
		p.log("-> %d", response.StatusCode)
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	} else {
		p.log("-> %v", err)
	}
}

// renew replaces the token. The previous token remains valid for some time.
func (s *simulation) renew() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.token != "" {
		s.tokens[s.token] = time.Now().Add(75 * time.Second) // clients read the file every minute
	}
	s.token = "t" + s.id()
	s.tokens[s.token] = time.Now().Add(1000 * time.Hour)
	if err := errors.Join(os.WriteFile(s.file+"~", []byte(s.token), 0o600), os.Rename(s.file+"~", s.file)); err != nil {
		s.Fatal(err)
	}
}

// step takes a random step.
func (s *simulation) step() {
	switch n := s.rand.IntN(1000); {
	case n < 250:
		s.act()
	case n < 330:
		s.interfere()
	case n < 650:
		s.inform()
	case n < 660:
		i := s.leader.informers[s.rand.IntN(len(s.leader.informers))]
		s.log("relist of %s", i.kind)
		i.list(i.revision)
	case n < 664:
		s.renew()
	case n < 667:
		s.restore()
	case n < 670:
		s.lead()
	case n < 850:
		s.sleep(500 * time.Millisecond)
	case n < 860:
		s.sleep(40 * time.Second)
	default:
		synctest.Wait()
	}
	s.check()
}

var simulatedNames = []string{"a", "b", "x", "y", "z"}

// act lets the controller write if its caches are ready.
func (s *simulation) act() {
	p := s.leader
	owner := simulatedNames[s.rand.IntN(2)]
	name := simulatedNames[2+s.rand.IntN(3)]
	if p.store.EnsureReady(cache.NewObjectName("east", owner)) != nil || p.store.EnsureReady(cache.NewObjectName("east", name)) != nil {
		return
	}
	path := "/apis/stable.example.com/v1/namespaces/east/cronruns"
	child := map[string]any{"metadata": map[string]any{"name": name, "ownerReferences": []map[string]string{{"name": owner}}},
		"spec": map[string]bool{"hidden": s.rand.IntN(4) == 0, "held": s.rand.IntN(4) == 0}}
	meta := child["metadata"].(map[string]any)
	switch s.rand.IntN(6) {
	case 0:
		p.send(http.MethodPost, path, "", child)
	case 1:
		delete(meta, "name")
		meta["generateName"] = owner + "-"
		p.send(http.MethodPost, path, "", child)
	case 2:
		id, _ := p.informers[1].cached(name)
		if id == "" {
			return
		}
		obj, _, _ := p.informers[1].indexer.GetByKey("east/" + name)
		meta["resourceVersion"] = obj.(*metav1.PartialObjectMetadata).ResourceVersion
		p.send(http.MethodPut, path+"/"+name, "", child)
	case 3:
		p.send(http.MethodPatch, path+"/"+name, string(types.MergePatchType), child)
	case 4:
		p.send(http.MethodDelete, path+"/"+name, "", nil)
	case 5:
		p.send(http.MethodPatch, strings.Replace(path, "cronruns", "crontabs", 1)+"/"+owner, string(types.MergePatchType), map[string]any{
			"metadata": map[string]any{"name": owner}, "spec": map[string]bool{"hidden": s.rand.IntN(2) == 0}})
	}
}

// interfere lets others write: they change objects of the controller, remove finalizers, and create and delete their
// own objects.
func (s *simulation) interfere() {
	all := s.now()
	names := append(slices.Clone(simulatedNames), "other")
	k := key{"cronruns", names[2+s.rand.IntN(4)]}
	n, ok := all[k]
	switch {
	case k.name == "other" && (!ok || n.deleted):
		s.commit(nil, k, state{uid: s.id(), owners: []string{"a"}})
	case k.name == "other" && s.rand.IntN(2) == 0:
		n.deleted = true
		s.commit(nil, k, n)
	case !ok || n.deleted:
	case n.ending:
		n.deleted = true
		s.commit(nil, k, n)
	default:
		s.commit(nil, k, n)
	}
}

// restore restores the server from a backup, for every other seed.
func (s *simulation) restore() {
	back := s.revision - min(s.revision-10, s.rand.Uint64N(40))
	if s.seed%2 == 0 || back == s.revision || time.Since(s.restored) < time.Minute {
		return
	}
	s.restored = time.Now()
	s.lock.Lock()
	defer s.lock.Unlock()
	s.revision = back
	s.epoch++
	s.history = slices.DeleteFunc(s.history, func(c change) bool {
		if c.version > back {
			s.undone = append(s.undone, c)
		}
		return c.version > back
	})
	s.own = slices.DeleteFunc(s.own, func(w ownWrite) bool { return w.version > back })
	s.log("restored")
}

// lead makes the other process the leader, with its present caches.
func (s *simulation) lead() {
	s.leader, s.standby = s.standby, s.leader
	s.log("another leader")
	before, epoch, wall := s.revision, s.epoch, time.Now()
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error)
	go func() { done <- s.leader.store.WaitUntilCurrent(ctx) }()
	for {
		synctest.Wait()
		select {
		case err := <-done:
			s.log("current after %v: %v", time.Since(wall), err)
			if err != nil || s.epoch != epoch {
				s.leader, s.standby = s.standby, s.leader // it does not become the leader
				return
			}
			s.late = nil // no leader begins while writes of its predecessor are under way
			for _, w := range s.own {
				if w.version <= before {
					s.seen(s.leader, w, "the new leader")
				}
			}
			return
		default:
			for _, i := range s.leader.informers {
				i.receive(s.rand.IntN(3))
				i.apply(s.rand.IntN(3))
			}
			s.sleep(100 * time.Millisecond)
		}
	}
}

// check checks that the store of the leader is right about ready caches.
func (s *simulation) check() {
	p := s.leader
	for _, name := range simulatedNames[:3] {
		if p.store.EnsureReady(cache.NewObjectName("east", name)) != nil {
			continue
		}
		for _, w := range s.own {
			if w.leader == p && s.concerns(w, name) {
				s.seen(p, w, name)
			}
		}
	}
	if len(s.own) > 100 {
		s.own = s.own[len(s.own)-60:] // caches have had the others for long
	}
}

// concerns reports whether a write concerns the name of its object or of an owner, in the object or in a cache.
func (s *simulation) concerns(w ownWrite, name string) bool {
	if w.name == name || !w.deleted && slices.Contains(w.owners, name) {
		return true
	}
	return slices.ContainsFunc(w.leader.informers, func(i *informer) bool {
		_, owners := i.cached(w.name)
		return i.kind == w.kind && slices.Contains(owners, name)
	})
}

// seen checks that the caches of a process contain an object in the state of a write or a later one.
func (s *simulation) seen(p *process, w ownWrite, name string) {
	for _, i := range p.informers {
		if i.kind != w.kind {
			continue
		}
		id, _ := i.cached(w.name)
		later := func(c change) bool {
			return c.key == w.key && number(c.id) >= number(w.id) && (i.has(c.state) && c.id == id || !i.has(c.state) && id == "")
		}
		if !slices.ContainsFunc(s.history, later) && !slices.ContainsFunc(s.undone, later) {
			s.Errorf("seed %d: caches are ready for %s, but the cache of %s (visible: %v) has %s in state %q, and not the write %+v or a later one", s.seed, name, i.kind, i.visible, w.name, id, w.change)
		}
	}
}

// sleep sleeps for a random time below limit. Meanwhile, the server carries out late requests, and caches apply the
// changes that informers have received some seconds before.
func (s *simulation) sleep(limit time.Duration) {
	for end := time.Now().Add(time.Duration(s.rand.Int64N(int64(limit)))); time.Now().Before(end); {
		next := min(time.Until(end), 2*time.Second)
		for _, l := range s.late {
			next = min(next, max(0, time.Until(l.at)))
		}
		time.Sleep(next)
		due := func(l late) bool { return !time.Now().Before(l.at) }
		for _, l := range s.late {
			if due(l) {
				l.do()
			}
		}
		s.late = slices.DeleteFunc(s.late, due)
		for _, i := range append(slices.Clone(s.leader.informers), s.standby.informers...) {
			if len(i.queue) > 0 && time.Since(i.queue[0].received) >= 2*time.Second {
				i.apply(len(i.queue))
			}
		}
	}
}

func number(id string) int { n, _ := strconv.Atoi(id); return n }

// settle lets all events arrive and checks that nothing is awaited any more.
func (s *simulation) settle() {
	for n := range 40 {
		s.sleep(20 * time.Second)
		synctest.Wait()
		if n == 20 { // on every server, somebody writes now and then
			s.commit(nil, key{"others", "lease"}, state{uid: s.id()})
		}
		for _, i := range s.leader.informers {
			i.receive(everything)
			if n == 20 {
				i.bookmark()
			}
			i.apply(len(i.queue))
		}
		for _, name := range simulatedNames {
			_ = s.leader.store.EnsureReady(cache.NewObjectName("east", name))
		}
	}
	for _, name := range simulatedNames {
		if err := s.leader.store.EnsureReady(cache.NewObjectName("east", name)); err != nil {
			s.Errorf("seed %d: nothing can come any more, but caches are stale: %v", s.seed, err)
		}
	}
}
