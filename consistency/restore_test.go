//go:build go1.25

package consistency_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/kubegen/kubegen/consistency"
)

// These tests check versions that go back, and what a new leader waits for. Each test sets the versions that
// informers have received, the contents of their caches, and the answers of the server.

// A stage is a store with stubs that it watches, and a server whose answers to lists, watches and writes the test
// sets.
type stage struct {
	rawClient
	stubs   []*stub
	lock    sync.Mutex                        // guards the fields below against concurrent requests
	reply   string                            // the answer to a write; "" is a failure
	list    *metav1.PartialObjectMetadataList // the answer to a list; nil is a failure
	refuses bool                              // the answer to a list is Forbidden
	pause   time.Duration                     // before an answer to a list or watch
	watches []string                          // the events of each watch, in order
	queries []string                          // of lists and watches, unescaped and sorted
	paths   []string                          // of the same requests
}

func newStage(t *testing.T, scopes ...consistency.Scope) *stage {
	c := newStore(t)
	s := &stage{}
	s.rawClient = rawClient{c, "http://server", s.answerTo}
	for _, scope := range scopes {
		i := c.watch(cronRuns, scope)
		i.lists("200", partial("cached", "100"))
		i.received = "300"
		s.stubs = append(s.stubs, i)
	}
	return s
}

// answerTo answers a request with the fields of the stage.
func (s *stage) answerTo(request *http.Request) (*response, error) {
	switch {
	case request.Method == http.MethodGet:
	case s.reply == "":
		return nil, io.ErrUnexpectedEOF
	default:
		return &response{200, jsonType, s.reply, nil}, nil
	}
	time.Sleep(s.pause)
	s.lock.Lock()
	defer s.lock.Unlock()
	query := request.URL.Query()
	var names []string
	for name := range query {
		names = append(names, name+"="+query.Get(name))
	}
	slices.Sort(names)
	s.queries, s.paths = append(s.queries, strings.Join(names, " ")), append(s.paths, request.URL.Path)
	switch {
	case len(s.queries) > 1000:
		return nil, errors.New("too many requests")
	case query.Get("watch") == "true" && query.Get("resourceVersion") != "":
		if len(s.watches) == 0 {
			return nil, errors.New("no more watches")
		}
		events := s.watches[0]
		s.watches = s.watches[1:]
		if code := 0; events != "" && events[0] != '{' {
			_, _ = fmt.Sscan(events, &code)
			return &response{code, jsonType, "{}", nil}, nil
		}
		return &response{200, jsonType, events, nil}, nil
	case s.refuses:
		return &response{403, jsonType, "{}", nil}, nil
	case s.list == nil:
		return nil, io.ErrUnexpectedEOF
	}
	return &response{200, jsonType, encoded(s.T, jsonType, s.list), nil}, nil
}

// listOf returns a list at a version.
func listOf(version string, items ...*metav1.PartialObjectMetadata) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, item := range items {
		list.Items = append(list.Items, *item)
	}
	return list
}

// write sends a write. The server answers with the object at a version.
func (s *stage) write(method, name, version string) {
	s.Helper()
	path := cronrunsPath
	if method != http.MethodPost {
		path += "/" + name
	}
	s.replies(method, path, partial(name, version))
}

// replies sends a write. The server answers with obj.
func (s *stage) replies(method, path string, obj *metav1.PartialObjectMetadata) {
	s.Helper()
	s.reply = encoded(s.T, jsonType, obj)
	s.must(s.send(method, path, nil, "{}"))
	s.reply = ""
}

// lose sends a write whose answer is lost, and waits until the store has asked the server for the outcome.
func (s *stage) lose(name string) {
	s.Helper()
	if _, err := s.send(http.MethodPut, cronrunsPath+"/"+name, nil, encoded(s.T, jsonType, partial(name, ""))); err == nil {
		s.Fatal("the write has not failed")
	}
	s.ask("cronruns east/" + name + " unknown")
}

// restores checks how often the store has logged that versions went back, and whether it awaits a list now.
func (s *stage) restores(said int, waits bool) {
	s.Helper()
	_ = s.writes.EnsureReady(cache.NewObjectName("east", "any")) // may start a list
	synctest.Wait()
	err := s.writes.EnsureReady(cache.NewObjectName("east", "any"))
	var stale *consistency.StaleError
	if errors.As(err, &stale); (stale != nil && stale.Writes[0].Restored) != waits {
		s.Errorf("got %v, want a wait for the next list: %v", err, waits)
	}
	if n := strings.Count(s.log.String(), `"The server's resource versions went back, as after a restore from a backup" resource="cronruns.stable.example.com" resourceVersion=`); n != said {
		s.Errorf("logged %d times that versions went back, want %d", n, said)
	}
}

// The version in an answer reveals a restore if it contradicts the caches before the write.
func TestVersionsInAnswers(t *testing.T) {
	for _, test := range []struct {
		name     string
		prepare  func(*stage)
		method   string
		object   string
		version  string
		restored bool
		awaited  bool
	}{
		{"a creation after all that was received", nil, "POST", "new", "301", false, true},
		{"a creation at a version that was received", nil, "POST", "new", "300", true, true},
		{"a creation after a write", func(s *stage) { s.write("POST", "one", "400") }, "POST", "new", "401", false, true},
		{"a creation at the version of a write", func(s *stage) { s.stubs[0].received = "500"; s.write("POST", "one", "600") }, "POST", "new", "400", true, true},
		{"a creation before the first list", func(s *stage) { s.stubs[0].listing = true }, "POST", "new", "300", false, true},
		{"a creation after the informer has ended", func(s *stage) { s.stubs[0].ended = true }, "POST", "new", "300", false, true},
		{"an update without effect", nil, "PUT", "cached", "100", false, false},
		{"an update", nil, "PUT", "cached", "301", false, true},
		{"an update that was received", nil, "PUT", "cached", "250", false, true},
		{"an update before the cached version", nil, "PUT", "cached", "99", true, true},
		{"an update that the cache has passed", nil, "PUT", "cached", "200", true, true},
		{"an update of what the cache does not have", nil, "PUT", "other", "150", false, true},
		{"an update before versions are numbers", nil, "PUT", "cached", "0", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, consistency.Scope{})
				if test.prepare != nil {
					test.prepare(s)
				}
				s.write(test.method, test.object, test.version)
				if test.version == "0" {
					s.restores(0, false)
					return
				}
				if s.stubs[0].ended {
					if err := s.writes.EnsureReady(nightlyName); err == nil || !strings.Contains(err.Error(), "has stopped") {
						t.Errorf("got error %v", err)
					}
					return
				}
				said := 0
				if test.restored {
					said = 1
				}
				s.restores(said, test.restored)
				err := s.writes.EnsureReady(nightlyName)
				if awaited := err != nil && strings.Contains(err.Error(), " at version "+test.version); awaited != test.awaited {
					t.Errorf("got %v, want the write awaited: %v", err, test.awaited)
				}
				synctest.Wait()
			})
		})
	}
}

// Informers of the namespace of a write count, and those of other namespaces reveal nothing about it.
func TestVersionsInOtherNamespaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{Namespaces: []string{"west"}})
		s.write("POST", "new", "300")
		s.restores(0, false)
	})
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{Namespaces: []string{"east"}})
		s.write("POST", "new", "300")
		s.restores(1, true)
	})
	bubble(t, func(t *testing.T) { // but the version of their list does, for a later write
		s := newStage(t, consistency.Scope{Namespaces: []string{"west"}})
		s.restores(0, false)
		s.stubs[0].lists("150")
		s.restores(1, true)
		if !strings.Contains(s.log.String(), `resourceVersion="150"`) {
			t.Errorf("logged %s, want version 150", s.log)
		}
		s.write("POST", "new", "150")
		s.restores(2, true)
	})
}

// Lists after a write with unknown outcome reveal restores, too: a list older than the cache, or an object that the
// cache should have contained. An object that a selector excludes reveals none, and neither does a list at the
// version of the cache.
func TestVersionsInLists(t *testing.T) {
	gold := partial("a", "150")
	gold.Labels = map[string]string{"tier": "gold"}
	for _, test := range []struct {
		name     string
		scope    consistency.Scope
		list     *metav1.PartialObjectMetadataList
		restored bool
	}{
		{"the version of the cache", consistency.Scope{}, listOf("200"), false},
		{"a version before that of the cache", consistency.Scope{}, listOf("199"), true},
		{"no version", consistency.Scope{}, listOf(""), false},
		{"an object that the cache lacks", consistency.Scope{}, listOf("400", partial("a", "150")), true},
		{"an object at the version of the cache", consistency.Scope{}, listOf("400", partial("a", "200")), true},
		{"an object that the cache cannot have yet", consistency.Scope{}, listOf("400", partial("a", "201")), false},
		{"an object that labels select", consistency.Scope{Selector: labels.SelectorFromSet(gold.Labels)}, listOf("400", gold), true},
		{"an object that labels exclude", consistency.Scope{Selector: labels.SelectorFromSet(gold.Labels)}, listOf("400", partial("a", "150")), false},
		{"an object of the shard", consistency.Scope{Shard: shardOf("of a")}, listOf("400", partial("a", "150")), true},
		{"an object of another shard", consistency.Scope{Shard: shardOf("of b")}, listOf("400", partial("a", "150")), false},
		{"an object that fields may exclude", consistency.Scope{Fields: fields.OneTermEqualSelector("spec.x", "y")}, listOf("400", partial("a", "150")), false},
		{"an object with an empty selector of fields", consistency.Scope{Fields: fields.Everything()}, listOf("400", partial("a", "150")), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, test.scope)
				s.list = test.list
				s.lose("a")
				said := 0
				if test.restored {
					said = 1
				}
				s.restores(said, test.restored)
				synctest.Wait()
			})
		})
	}
	bubble(t, func(t *testing.T) { // two caches and two objects reveal one restore
		s := newStage(t, consistency.Scope{}, consistency.Scope{})
		s.list = listOf("400", partial("a", "150"), partial("b", "160"))
		s.lose("a")
		s.restores(1, true)
		synctest.Wait()
	})
}

// After versions went back, caches are stale until their informers have listed again and the caches have had time to
// store the list.
func TestListsAfterRestores(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{}, consistency.Scope{})
		s.list = listOf("160")
		s.write("POST", "new", "150")
		s.restores(1, true)
		for i, informer := range s.stubs { // the second one has not stored its list yet
			informer.received = "160"
			s.restores(1, true)
			time.Sleep(5*time.Second - time.Nanosecond)
			s.restores(1, true)
			if i == 0 {
				informer.lists("160", partial("new", "150"))
				time.Sleep(time.Hour)
				s.restores(1, true)
			}
		}
		s.stubs[1].lists("161", partial("new", "150"))
		s.restores(1, true)
		time.Sleep(time.Nanosecond)
		s.restores(1, false)
		s.awaits(nightlyName)
	})
	// The informers reveal the restore: the first one has listed again, and the second one has not.
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{}, consistency.Scope{})
		s.awaits(nightlyName)
		s.stubs[0].lists("150")
		s.restores(1, true)
		time.Sleep(time.Hour)
		s.restores(1, true)
		s.stubs[1].lists("150")
		s.restores(1, true)
		time.Sleep(5 * time.Second)
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // the informer lists again as soon as the store has detected the restore
		s := newStage(t, consistency.Scope{})
		s.list = listOf("150")
		s.lose("a")
		s.stubs[0].lists("150")
		s.restores(1, true)
		time.Sleep(5 * time.Second)
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // a write is the first to reveal that the informer has listed again
		s := newStage(t, consistency.Scope{})
		s.restores(0, false)
		s.stubs[0].lists("150")
		s.write("PUT", "other", "151")
		s.restores(1, true)
	})
	bubble(t, func(t *testing.T) { // an informer that has stopped does not list again
		s := newStage(t, consistency.Scope{}, consistency.Scope{})
		s.list = listOf("160")
		s.write("POST", "new", "150")
		s.restores(1, true)
		s.stubs[0].lists("160", partial("new", "150"))
		s.restores(1, true)
		time.Sleep(5 * time.Second)
		s.restores(1, true)
		s.stubs[1].ended = true
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // a cache that has not reached the version remains current
		s := newStage(t, consistency.Scope{}, consistency.Scope{})
		s.stubs[1].lists("140")
		s.awaits(nightlyName)
		s.stubs[0].lists("150")
		s.restores(1, true)
		time.Sleep(5 * time.Second)
		s.restores(1, false)
	})
	// A watch continues if the server has gone beyond the last version that the informer had received.
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.write("PUT", "cached", "99")
		s.restores(1, true)
		s.stubs[0].received = "301"
		time.Sleep(5*time.Second - time.Nanosecond)
		s.restores(1, true)
		time.Sleep(time.Nanosecond)
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // otherwise, a list may still come
		s := newStage(t, consistency.Scope{})
		s.write("PUT", "cached", "99")
		time.Sleep(time.Hour)
		s.restores(1, true)
	})
	// The informer has listed before the store detects the restore, but its cache does not contain the list yet.
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.stubs[0].received = "150"
		s.list = listOf("151")
		s.write("POST", "one", "151")
		s.restores(1, true)
		s.stubs[0].lists("151", partial("one", "151"))
		time.Sleep(5*time.Second - time.Nanosecond)
		s.restores(1, true)
		time.Sleep(time.Nanosecond)
		s.restores(1, false)
	})
}

// A list at a version before the last one may come from a cache that lags, also after a restore. The informer's cache
// is stale until the informer has received the last change on the server.
func TestListsThatLag(t *testing.T) {
	lag := func(t *testing.T, scope consistency.Scope) *stage {
		s := newStage(t, scope)
		s.write("PUT", "cached", "100") // after which the store can ask the server
		s.restores(0, false)
		s.stubs[0].lists("150")
		s.restores(1, true)
		time.Sleep(5 * time.Second)
		return s
	}
	changed := func(s *stage, changes, version string) {
		s.list = listOf(version)
		s.watches = slices.Repeat([]string{changes + `{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "` + version + `"}}}`}, 20)
	}
	change := func(version string) string {
		return `{"type": "MODIFIED", "object": {"metadata": {"resourceVersion": "` + version + `"}}}`
	}
	over := func(s *stage) {
		s.Helper()
		s.restores(1, true)
		time.Sleep(5*time.Second - time.Nanosecond)
		s.restores(1, true)
		time.Sleep(time.Nanosecond)
		s.restores(1, false)
	}
	bubble(t, func(t *testing.T) { // the informer lists again
		s := lag(t, consistency.Scope{Namespaces: []string{"east"}, Selector: labels.SelectorFromSet(labels.Set{"tier": "gold"})})
		changed(s, change("300"), "300")
		for range 10 {
			s.restores(1, true)
			time.Sleep(time.Minute)
		}
		s.stubs[0].lists("300", partial("cached", "100"))
		over(s)
		expect(t, s.queries[:2], "labelSelector=tier=gold limit=1", "allowWatchBookmarks=true labelSelector=tier=gold resourceVersion=150 timeoutSeconds=3 watch=true")
		expect(t, slices.Compact(s.paths), "/apis/stable.example.com/v1/namespaces/east/cronruns")
	})
	bubble(t, func(t *testing.T) { // its watch goes on, after another list that lags
		s := lag(t, consistency.Scope{})
		changed(s, change("299")+change("301"), "301")
		s.restores(1, true)
		s.stubs[0].lists("140")
		s.restores(1, true)
		time.Sleep(time.Hour)
		s.stubs[0].received = "299"
		s.restores(1, true)
		s.stubs[0].received = "300"
		over(s)
	})
	bubble(t, func(t *testing.T) { // nothing has changed since the list
		s := lag(t, consistency.Scope{})
		changed(s, "", "300")
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // the server was restored, and the list lags, too
		s := lag(t, consistency.Scope{})
		changed(s, change("155")+change("160"), "170")
		s.restores(1, true)
		time.Sleep(time.Hour)
		s.stubs[0].received = "159"
		s.restores(1, true)
		time.Sleep(time.Hour)
		s.stubs[0].received = "160"
		over(s)
	})
	bubble(t, func(t *testing.T) { // a wait ends with the answer, and there is one question at a time
		s := lag(t, consistency.Scope{})
		changed(s, "", "170")
		s.pause = 2010 * time.Millisecond
		begun := time.Now()
		s.ready(cache.NewObjectName("east", "any"))
		if waited := time.Since(begun); waited != 2*s.pause {
			t.Errorf("waited %v, want %v", waited, 2*s.pause)
		}
		expect(t, s.queries, "limit=1", "allowWatchBookmarks=true resourceVersion=150 timeoutSeconds=3 watch=true")
	})
	bubble(t, func(t *testing.T) { // the informer lists again while the server answers
		s := lag(t, consistency.Scope{})
		changed(s, change("152"), "152")
		s.pause = time.Second
		_ = s.writes.EnsureReady(cache.NewObjectName("east", "any"))
		time.Sleep(time.Second / 2)
		s.stubs[0].lists("149")
		s.restores(1, true)
		time.Sleep(5*time.Second - time.Nanosecond)
		s.restores(1, true)
		changed(s, "", "149")
		s.pause = 0
		time.Sleep(time.Nanosecond)
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // the server fails at first, and was restored indeed
		s := lag(t, consistency.Scope{})
		s.restores(1, true)
		changed(s, "", "299")
		time.Sleep(time.Second - time.Nanosecond)
		s.restores(1, true)
		time.Sleep(time.Nanosecond)
		s.restores(1, false)
	})
	bubble(t, func(t *testing.T) { // the server refuses to answer
		s := lag(t, consistency.Scope{})
		s.refuses = true
		s.restores(1, false)
	})
}

// The store finds writes that a restore has undone: the object has its old version, or is no longer being deleted.
func TestUndoneByRestores(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.write("PUT", "cached", "400")
		s.awaits(nightlyName, "cronruns east/cached")
		s.list = listOf("400", partial("cached", "100"))
		time.Sleep(2*time.Second - time.Nanosecond)
		s.awaits(nightlyName, "cronruns east/cached")
		synctest.Wait()
		s.awaits(nightlyName, "cronruns east/cached")
		time.Sleep(time.Nanosecond)
		s.awaits(nightlyName, "cronruns east/cached")
		synctest.Wait()
		s.awaits(nightlyName)
		expect(t, s.queries, "fieldSelector=metadata.name=cached")
	})
}

// A list of all namespaces shows which cached objects a deletion without an answer has removed.
func TestDeletionOfAllNamespaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.list = listOf("400", partial("left", "350"))
		if _, err := s.send(http.MethodDelete, "/apis/stable.example.com/v1/cronruns", nil, ""); err == nil {
			t.Fatal("the deletion has not failed")
		}
		s.ask("cronruns unknown")
		s.awaits(nightlyName, "cronruns unknown", "cronruns east/cached deleted", "cronruns east/left")
	})
}

// The store asks for an object with the selectors of the informer, and again after pauses that double up to 30
// seconds.
func TestAskingForObjects(t *testing.T) {
	bubble(t, func(t *testing.T) {
		scope := consistency.Scope{Selector: labels.SelectorFromSet(labels.Set{"tier": "gold"}), Fields: fields.OneTermEqualSelector("spec.x", "y")}
		s := newStage(t, scope)
		gold := partial("new", "400")
		gold.Labels = map[string]string{"tier": "gold"}
		s.list = listOf("400", gold)
		s.replies("POST", cronrunsPath, gold)
		begun := time.Now()
		var asked []string
		for range 1200 {
			n := len(s.queries)
			if s.writes.EnsureReady(nightlyName) == nil {
				t.Fatal("nothing is awaited")
			}
			synctest.Wait()
			for _, query := range s.queries[n:] {
				asked = append(asked, time.Since(begun).String()+" "+query)
			}
			time.Sleep(100 * time.Millisecond)
		}
		var want []string
		for _, at := range []string{"2s", "4s", "8s", "16s", "32s", "1m2s", "1m32s"} {
			want = append(want, at+" fieldSelector=metadata.name=new,spec.x=y labelSelector=tier=gold")
		}
		expect(t, asked, want...)
	})
}

// A shardOf has the object with one UID.
type shardOf types.UID

func (s shardOf) Matches(obj runtime.Object) (bool, error) {
	return obj.(metav1.Object).GetUID() == types.UID(s), nil
}
func (s shardOf) String() string { return string(s) }

// The store does not await objects of other shards, and asks the server if it does not know the shard of an object.
func TestShards(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{Shard: shardOf("of mine")})
		s.replies("POST", cronrunsPath, partial("other", "400"))
		s.awaits(nightlyName)
		s.replies("POST", cronrunsPath, partial("mine", "401"))
		s.awaits(nightlyName, "cronruns east/mine")
		s.stubs[0].lists("401", partial("mine", "401"))
		s.awaits(nightlyName)

		unknown := partial("unknown", "500")
		unknown.UID = ""
		s.writes.WroteAt(cronRuns, unknown)
		s.awaits(nightlyName, "cronruns east/unknown")
		s.list = listOf("500", partial("unknown", "500"))
		time.Sleep(2 * time.Second)
		s.awaits(nightlyName, "cronruns east/unknown")
		synctest.Wait()
		s.awaits(nightlyName)
		s.restores(0, false)
		expect(t, s.queries, "fieldSelector=metadata.name=unknown shardSelector=of mine")
	})
}

// A new leader finds the writes that its caches lack in the events after the versions that they have reached.
func TestChangesForNewLeaders(t *testing.T) {
	event := func(name, version string) string {
		return fmt.Sprintf(`{"type": %q, "object": {"metadata": {"resourceVersion": %q}}}`, name, version)
	}
	for _, test := range []struct {
		name    string
		watches []string
		want    string // the version that the cache must reach
		since   []string
	}{
		{"an addition", []string{event("ADDED", "210") + event("BOOKMARK", "220")}, "210", []string{"200"}},
		{"a change", []string{event("MODIFIED", "211") + event("BOOKMARK", "220")}, "211", []string{"200"}},
		{"a deletion", []string{event("DELETED", "212") + event("BOOKMARK", "221")}, "212", []string{"200"}},
		{"the last of several", []string{event("ADDED", "210") + event("DELETED", "215") + event("BOOKMARK", "220")}, "215", []string{"200"}},
		{"more than was asked for", []string{event("ADDED", "219") + event("ADDED", "230")}, "220", []string{"200"}},
		{"a watch that ends", []string{event("ADDED", "210") + event("BOOKMARK", "212"), event("BOOKMARK", "220")}, "210", []string{"200", "212"}},
		{"a watch that breaks", []string{event("ADDED", "210") + `{"type`, event("ADDED", "220")}, "220", []string{"200", "210"}},
		{"a version that is too old", []string{"410"}, "220", []string{"200"}},
		{"an error in place of events", []string{event("ADDED", "210") + event("ERROR", "")}, "220", []string{"200"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, consistency.Scope{Selector: labels.SelectorFromSet(labels.Set{"tier": "gold"})})
				s.list, s.watches, s.stubs[0].received = listOf("220"), test.watches, "200"
				s.learn()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				begun := time.Now()
				err := s.writes.WaitUntilCurrent(ctx)
				var stale *consistency.StaleError
				if !errors.As(err, &stale) || len(stale.Writes) != 1 || stale.Writes[0].Version != test.want || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want a wait for version %s", err, test.want)
				} else if since := stale.Writes[0].Since; since.Before(begun) || stale.Writes[0].Resource != cronRuns {
					t.Errorf("got %v of %v", since, stale.Writes[0].Resource)
				}
				want := []string{"labelSelector=tier=gold limit=1"}
				for _, since := range test.since {
					want = append(want, "allowWatchBookmarks=true labelSelector=tier=gold resourceVersion="+since+" timeoutSeconds=3 watch=true")
				}
				expect(t, s.queries, want...)

				s.queries = nil
				s.stubs[0].lists("220") // all changes
				s.current()
				expect(t, s.queries, "labelSelector=tier=gold limit=1")
			})
		})
	}
}

// learn sends a watch, so that the store knows the path of the resource.
func (s *stage) learn() {
	s.Helper()
	s.must(s.send(http.MethodGet, cronrunsPath+"?watch=true", nil, ""))
	s.queries, s.paths = nil, nil
}

// A new leader waits for first lists and for lists after restores, but not for an informer or a server that fails.
func TestNewLeadersThatCannotWait(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(*stage)
		want    string
	}{
		{"the first list", func(s *stage) { s.stubs[0].listing = true }, "no longer the leader: the cache lacks writes: cronruns.stable.example.com in the first list"},
		{"a list after a restore", func(s *stage) { s.write("PUT", "cached", "99") },
			"no longer the leader: the cache lacks writes: cronruns.stable.example.com in the next list, because the server's versions went back, since 1s"},
		{"an informer that has ended", func(s *stage) { s.stubs[0].ended = true }, "own writes of cronruns.stable.example.com cannot be awaited: its informer has stopped"},
		{"no list", func(s *stage) { s.list = nil }, `cannot list cronruns.stable.example.com: Get "http://server/apis/stable.example.com/v1/cronruns?limit=1": unexpected EOF`},
		{"no watch", func(*stage) {}, `cannot watch cronruns.stable.example.com: Get "http://server/apis/stable.example.com/v1/cronruns?allowWatchBookmarks=true&resourceVersion=200&timeoutSeconds=3&watch=true": no more watches`},
		{"a watch that the server refuses", func(s *stage) { s.watches = []string{"503"} }, "cannot watch cronruns.stable.example.com: the server answers with status "},
		{"watches without events", func(s *stage) { s.watches, s.pause = []string{""}, 600*time.Millisecond }, "no longer the leader"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, consistency.Scope{})
				s.list = listOf("220")
				s.learn()
				test.prepare(s)
				if text, _ := s.wait(); !strings.HasPrefix(text, test.want) {
					t.Errorf("got error %q, want %q", text, test.want)
				}
			})
		})
	}
	// A cache without a version must reach the version of the server.
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.stubs[0].indexer = unversioned{s.stubs[0].indexer}
		s.list = listOf("220")
		s.learn()
		if text, _ := s.wait(); !strings.Contains(text, "cronruns.stable.example.com at version 220 since ") {
			t.Errorf("got error %q", text)
		}
		expect(t, s.queries, "limit=1")
		s.restores(0, false)
		s.write("PUT", "cached", "400")
		_, _ = s.wait()
		s.restores(1, true)
	})
	// The wait for a list after a restore ends.
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.list = listOf("160")
		s.learn()
		s.write("POST", "new", "150")
		s.stubs[0].lists("160", partial("new", "150"))
		s.current()
	})
	// A list for a new leader reveals a restore.
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.list, s.watches = listOf("220"), []string{`{"type": "ADDED", "object": {"metadata": {"resourceVersion": "220"}}}`}
		s.write("PUT", "cached", "400")
		_, _ = s.wait()
		s.restores(1, true)
	})
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.list = listOf("180")
		s.learn()
		_, _ = s.wait()
		s.restores(1, true)
	})
}

// An answer to a list that breaks off, or is no list, is an error for a new leader.
func TestListsThatCannotBeRead(t *testing.T) {
	for name, answer := range map[string]*response{
		"breaks off": {200, jsonType, `{"metadata": {"resourceVersion": "200"}}`, io.ErrUnexpectedEOF},
		"is no JSON": {200, jsonType, `{"metadata": {"resourceVersion": "200"}`, nil},
	} {
		bubble(t, func(t *testing.T) {
			s := newStage(t, consistency.Scope{})
			s.list = listOf("200")
			learned := false
			s.answer = func(request *http.Request) (*response, error) {
				if learned {
					return answer, nil
				}
				return s.answerTo(request)
			}
			s.learn()
			learned = true
			if text, _ := s.wait(); !strings.HasPrefix(text, "cannot list cronruns.stable.example.com: ") {
				t.Errorf("%s: got error %q", name, text)
			}
		})
	}
}

// unversioned is a cache that does not know its version.
type unversioned struct{ cache.Indexer }

func (unversioned) LastStoreSyncResourceVersion() string { return "" }

// An informer that watches namespaces separately is current if it is current in each of them.
func TestNewLeadersOfNamespaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		received := map[string]string{"east": "300", "west": "150"}
		s := newStage(t, consistency.Scope{Namespaces: []string{"east", "west"}, Received: func(namespace string) string { return received[namespace] }})
		s.list, s.watches = listOf("300"), slices.Repeat([]string{`{"type": "ADDED", "object": {"metadata": {"resourceVersion": "250"}}} {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "300"}}}`}, 2)
		s.learn()
		for range 3 {
			s.awaits(cache.NewObjectName("", "any"))
			time.Sleep(5 * time.Second) // settling
		}
		text, err := s.wait()
		var stale *consistency.StaleError
		if !errors.As(err, &stale) || len(stale.Writes) != 1 || stale.Writes[0].Version != "250" {
			t.Errorf("got error %s, want a wait for version 250 in west", text)
		}
		slices.Sort(s.paths)
		expect(t, s.paths, "/apis/stable.example.com/v1/namespaces/east/cronruns", "/apis/stable.example.com/v1/namespaces/west/cronruns", "/apis/stable.example.com/v1/namespaces/west/cronruns")
		slices.Sort(s.queries)
		expect(t, s.queries, "allowWatchBookmarks=true resourceVersion=150 timeoutSeconds=3 watch=true", "limit=1", "limit=1")
		received["west"] = "300"
		begun := time.Now()
		s.current()
		if waited := time.Since(begun); waited < 5*time.Second {
			t.Errorf("waited %v for the cache, want at least 5s", waited)
		}
		received["west"] = "140" // a list that lags, or a restore
		_, err = s.wait()
		if !errors.As(err, &stale) || len(stale.Writes) != 1 || !stale.Writes[0].Restored {
			t.Errorf("got error %v, want a wait for one list", err)
		}
		received["west"] = "300"
		s.current()
		s.restores(1, false)
		s.list = listOf("299")
		if text, _ := s.wait(); !strings.Contains(text, "in the next list") {
			t.Errorf("got error %q, want a wait for lists after a restore", text)
		}
	})
}

// current waits until the caches are current. This fails after an hour.
func (s *stage) current() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Hour)
	defer cancel()
	s.must(nil, s.writes.WaitUntilCurrent(ctx))
}

// wait calls WaitUntilCurrent for a second, at the end of which it looks for the last time.
func (s *stage) wait() (string, error) {
	ctx, cancel := context.WithTimeoutCause(s.Context(), time.Second+time.Millisecond, errors.New("no longer the leader"))
	defer cancel()
	err := s.writes.WaitUntilCurrent(ctx)
	return fmt.Sprint(err), err
}

// The list for an object that a cache lacks reveals restores, too.
func TestVersionsOfObjects(t *testing.T) {
	for _, test := range []struct {
		name     string
		list     *metav1.PartialObjectMetadataList
		restored string // the version, "" for none
	}{
		{"an object that the cache should have had before", listOf("400", partial("cached", "250")), "249"},
		{"a version before that of the cache", listOf("299", partial("cached", "301")), "299"},
		{"an object that the cache cannot have yet", listOf("400", partial("cached", "301")), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, consistency.Scope{})
				s.write("PUT", "cached", "250") // the informer has received version 300, and the cache has reached 200
				s.restores(0, false)
				s.stubs[0].lists("300", partial("cached", "100"))
				s.list = test.list
				s.awaits(nightlyName, "cronruns east/cached")
				synctest.Wait()
				said := 0
				if test.restored != "" {
					said = 1
				}
				s.restores(said, test.restored != "")
				if want := `resourceVersion="` + test.restored + `"`; said > 0 && !strings.Contains(s.log.String(), want) {
					t.Errorf("logged %s, want %s", s.log, want)
				}
			})
		})
	}
}

// A Status without UID after a deletion is about the object of the earlier write.
func TestDeletionWithoutUID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		s.write("POST", "new", "400")
		s.reply = `{"kind": "Status", "apiVersion": "v1", "status": "Success"}`
		s.must(s.send("DELETE", cronrunsPath+"/new", nil, ""))
		s.awaits(nightlyName, "cronruns east/new deleted")
		s.stubs[0].lists("400", partial("new", "400"))
		s.awaits(nightlyName, "cronruns east/new deleted")
		s.stubs[0].lists("401")
		s.awaits(nightlyName)
	})
}

// The deletion of an object with a UID is carried out if a list shows a later object of the same name, but not if it
// shows the object.
func TestDeletionOfUID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		later := partial("cached", "400")
		later.UID = "of another"
		s.list = listOf("400", partial("cached", "100"))
		if _, err := s.send(http.MethodDelete, cronrunsPath+"/cached", http.Header{"Content-Type": {jsonType}}, `{"preconditions": {"uid": "of cached"}}`); err == nil {
			t.Fatal("the write has not failed")
		}
		s.ask("cronruns east/cached unknown")
		s.list = listOf("400", later)
		s.awaits(nightlyName, "cronruns east/cached unknown")
		time.Sleep(2 * time.Second)
		s.awaits(nightlyName, "cronruns east/cached unknown")
		synctest.Wait()
		cached := cache.NewObjectName("east", "cached")
		s.awaits(cached, "cronruns east/cached deleted")
		s.stubs[0].lists("400", later)
		s.awaits(cached)
	})
}

// A write with unknown outcome tells the store where to list the objects that caches lack.
func TestSourceOfUnknownOutcome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gold := partial("new", "400")
		gold.Labels = map[string]string{"tier": "gold"}
		s := newStage(t, consistency.Scope{Selector: labels.SelectorFromSet(gold.Labels)})
		s.list = listOf("400", gold)
		s.lose("new")
		s.awaits(nightlyName, "cronruns east/new unknown", "cronruns east/new")
		time.Sleep(2 * time.Second)
		s.awaits(nightlyName, "cronruns east/new unknown", "cronruns east/new")
		synctest.Wait()
		if want := "fieldSelector=metadata.name=new labelSelector=tier=gold"; !slices.Contains(s.queries, want) {
			t.Errorf("got requests %q, want also %q", s.queries, want)
		}
	})
}

// The owners named in a write with unknown outcome await the listed objects, although these have lost the owners, and
// the removal of cached objects that are not listed.
func TestOwnersOfUnknownOutcome(t *testing.T) {
	orphan := func(name, version string) *metav1.PartialObjectMetadata {
		object := partial(name, version)
		object.OwnerReferences = nil
		return object
	}
	ending := orphan("cached", "100")
	ending.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	for _, test := range []struct {
		name   string
		cached *metav1.PartialObjectMetadata
		list   *metav1.PartialObjectMetadataList
		want   string
	}{
		{"listed", orphan("cached", "100"), listOf("400", orphan("cached", "400")), "cronruns east/cached"},
		{"not listed", orphan("cached", "100"), listOf("400"), "cronruns east/cached deleted"},
		{"not listed, and being deleted in the cache", ending, listOf("400"), "cronruns east/cached deleted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, consistency.Scope{})
				s.stubs[0].lists("300", test.cached)
				s.list = test.list
				s.lose("cached")
				s.awaits(nightlyName, "cronruns east/cached unknown", test.want)
			})
		})
	}
}

// The outcome of an update of an object without a namespace is known from its version.
func TestUnknownOutcomeWithoutNamespace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		object, name := partial("cached", "400"), cache.NewObjectName("", "cached")
		object.Namespace = ""
		s.list = listOf("400", object)
		if _, err := s.send(http.MethodPut, "/apis/stable.example.com/v1/cronruns/cached", nil, encoded(t, jsonType, partial("cached", "100"))); err == nil {
			t.Fatal("the write has not failed")
		}
		s.awaits(name, "cronruns cached unknown")
		time.Sleep(time.Second)
		s.awaits(name, "cronruns cached unknown")
		synctest.Wait()
		s.awaits(name, "cronruns cached")
	})
}

// Writes noted for an owner are awaited in the caches for its namespace, unless their informers have stopped or a
// restore has undone the writes.
func TestOwnersInStages(t *testing.T) {
	owner := types.NamespacedName(nightlyName)
	received := map[string]string{"east": "300", "west": "100"}
	oneByOne := consistency.Scope{Namespaces: []string{"east", "west"}, Received: func(namespace string) string { return received[namespace] }}
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{}, consistency.Scope{Namespaces: []string{"west"}}, oneByOne)
		_ = s.stubs[1].indexer.Replace(nil, "100")
		s.awaits(nightlyName)
		time.Sleep(5 * time.Second) // settling
		owners := s.writes.Owners()
		owners.WroteAt(owner, "1", cronRuns, "200")
		s.awaits(nightlyName)
		owners.WroteAt(owner, "1", cronRuns, "201")
		s.awaits(nightlyName, "cronruns east/")
		_ = s.stubs[0].indexer.Replace(nil, "201")
		s.awaits(nightlyName)
		owners.WroteAt(types.NamespacedName{Name: "nightly"}, "1", cronRuns, "150") // later than the version of "west"
		s.awaits(cache.ObjectName{Name: "nightly"}, "cronruns")
		s.stubs[1].ended = true
		s.awaits(cache.ObjectName{Name: "nightly"}, "cronruns")
		s.stubs[2].ended = true
		s.awaits(cache.ObjectName{Name: "nightly"})
		owners.WroteAt(owner, "1", cronRuns, "400")
		s.awaits(nightlyName, "cronruns east/")
		s.stubs[0].listing = true
		s.awaits(nightlyName)
	})
	bubble(t, func(t *testing.T) {
		s := newStage(t, consistency.Scope{})
		owners := s.writes.Owners()
		owners.WroteAt(owner, "1", cronRuns, "310")
		owners.WroteAt(owner, "1", cronTabs, "320")
		s.stubs[0].ended = true
		s.untracked(nightlyName, "own writes of cronruns.stable.example.com cannot be awaited: its informer has stopped")
	})
	for _, noted := range []string{"249", "251"} {
		bubble(t, func(t *testing.T) {
			s := newStage(t, consistency.Scope{})
			s.writes.Owners().WroteAt(owner, "1", cronRuns, noted)
			s.awaits(nightlyName, "cronruns east/")
			s.stubs[0].lists("250") // as after a restore
			_ = s.writes.EnsureReady(nightlyName)
			time.Sleep(time.Minute)
			s.awaits(nightlyName)
		})
	}
}

// If an informer watches its namespaces separately, only the version received from the namespace of the write counts.
func TestReceivedVersions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		v := newStore(t)
		received := "1"
		v.watch(cronRuns, consistency.Scope{Namespaces: []string{"east"}, Received: func(string) string { return received }}).lists("10")
		v.writes.WroteAt(cronRuns, partial("new", "2")) // not in the cache
		for range 3 {
			v.awaits(nightlyName, "cronruns east/new")
			time.Sleep(time.Hour)
		}
		received = "2"
		v.ready(nightlyName)
	})
}
