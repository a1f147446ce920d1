//go:build go1.25

package consistency_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/kubegen/kubegen/consistency"
)

// These tests check how a store handles unknown outcomes.

// The store asks the server again, after pauses, until the server answers.
func TestAskingAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		begun := time.Now()
		var asked []string
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodPut {
				return nil, io.ErrUnexpectedEOF
			}
			asked = append(asked, time.Since(begun).String())
			if got := request.Header; got.Get("Authorization") != "Bearer current" || got.Get("Content-Type") != "" || request.ContentLength > 0 || request.Body != nil ||
				got.Get("Impersonate-User") != "jane" ||
				got.Get("Accept") != "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json" {
				t.Errorf("got a list with headers %v and %d bytes", got, request.ContentLength)
			}
			switch len(asked) {
			case 1:
				return nil, io.ErrUnexpectedEOF
			case 2:
				return &response{200, jsonType, `{"kind"`, nil}, nil
			case 3:
				return &response{200, jsonType, `{}`, io.ErrUnexpectedEOF}, nil
			case 4:
				return &response{401, jsonType, `{}`, nil}, nil
			case 5:
				<-request.Context().Done()
				if limit := time.Since(begun).String(); limit != "41s" {
					t.Errorf("an answer is awaited until %s", limit)
				}
				return nil, request.Context().Err()
			case 8:
				return &response{200, jsonType, `{"items": [{"metadata": {"namespace": "east", "name": "a", "uid": "1", "resourceVersion": "1000"}}]}`, nil}, nil
			}
			return &response{500, jsonType, `{}`, nil}, nil
		}}
		c.token = "current"
		header := http.Header{"Authorization": {"Bearer of that time"}, "Impersonate-User": {"jane"}, "Content-Type": {jsonType}}
		if _, err := raw.send(http.MethodPut, cronrunsPath+"/a", header, "{}"); err == nil {
			t.Fatal("the write has not failed")
		}
		for range 3000 {
			_ = c.writes.EnsureReady(cache.NewObjectName("east", "a"))
			synctest.Wait()
			if len(asked) < 8 {
				c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a unknown")
			} else {
				c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a")
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		expect(t, asked, "1s", "3s", "7s", "15s", "31s", "1m0s", "1m30s", "2m0s")
	})
}

// A store that is not allowed to list stops waiting after twice the time that the server may take to carry out the
// write, and logs the answer.
func TestForbiddenToAsk(t *testing.T) {
	for _, code := range []int{401, 403, 404} {
		bubble(t, func(t *testing.T) {
			c := newView(t)
			raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
				if request.Method == http.MethodGet {
					return &response{code, jsonType, `{}`, nil}, nil
				}
				return &response{500, jsonType, `{}`, nil}, nil
			}}
			raw.must(raw.send(http.MethodPut, cronrunsPath+"/a", nil, ""))
			c.awaits(nightlyName, "cronruns east/a unknown")
			begun := time.Now()
			c.ready(nightlyName)
			if waited := time.Since(begun); waited != 2*time.Minute {
				t.Errorf("waited %v", waited)
			}
			text := c.log.String()
			for _, want := range []string{
				`"The server does not tell the outcome of a write: it is not awaited any more" err="the server answers with status `, `resource="cronruns.stable.example.com" object="east/a"`,
				"east/a with unknown outcome (the server answers with status ",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("logged %q, want %q", text, want)
				}
			}
		})
	}
}

// An unknown outcome that nobody asks about is forgotten, but not until the server can no longer carry out the write
// and five minutes have passed, also since the last request.
func TestForgottenOutcomes(t *testing.T) {
	for _, test := range []struct {
		asked, idle time.Duration // how long the store asks the server, and then does not
		want        []string
	}{
		{0, 5*time.Minute + 30*time.Second, []string{"cronruns east/a unknown"}},
		{0, 6*time.Minute + time.Second, nil},
		{9 * time.Minute, 5 * time.Minute, []string{"cronruns east/a unknown"}},
		{9 * time.Minute, 6 * time.Minute, nil},
	} {
		bubble(t, func(t *testing.T) {
			c := newView(t)
			a, b := cache.NewObjectName("east", "a"), cache.NewObjectName("east", "b")
			failed := c.answers(502, "text/html", "no")
			c.must(failed.send(http.MethodPut, cronrunsPath+"/a", nil, "{}"))
			for begun := time.Now(); time.Since(begun) < test.asked; time.Sleep(time.Second) {
				c.awaits(a, "cronruns east/a unknown")
				synctest.Wait()
			}
			time.Sleep(test.idle)
			c.must(failed.send(http.MethodPut, cronrunsPath+"/b", nil, "{}"))
			c.awaits(a, test.want...)
			c.awaits(b, "cronruns east/b unknown")
			synctest.Wait()
		})
	}
}

// An unknown outcome is not forgotten while the server is asked for it.
func TestForgottenWhileAsking(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		a := cache.NewObjectName("east", "a")
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				time.Sleep(time.Second)
			}
			return &response{502, "text/html", "no", nil}, nil
		}}
		c.must(raw.send(http.MethodPut, cronrunsPath+"/a", nil, "{}"))
		time.Sleep(time.Hour)
		c.awaits(a, "cronruns east/a unknown")
		c.must(raw.send(http.MethodPut, cronrunsPath+"/b", nil, "{}"))
		c.awaits(a, "cronruns east/a unknown")
		time.Sleep(time.Minute)
	})
}

// A server that has too many requests does not refuse to tell an outcome.
func TestTooManyToAsk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		a := cache.NewObjectName("east", "a")
		busy := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				return &response{429, jsonType, "{}", nil}, nil
			}
			return &response{500, jsonType, "{}", nil}, nil
		}}
		c.must(busy.send(http.MethodPut, cronrunsPath+"/a", nil, "{}"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := c.writes.WaitUntilReady(ctx, a); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v", err)
		}
		synctest.Wait()
	})
}

// A lost apply names the owners in its body, which is YAML.
func TestOwnersInYAML(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		for body, want := range map[string][]string{
			"metadata: {ownerReferences: [{name: nightly}]}": {"cronruns east/a unknown"},
			"metadata: {ownerReferences: [{name: other}]}":   nil,
			"metadata: [": {"cronruns east/a unknown"},
		} {
			header := http.Header{"Content-Type": {string(types.ApplyYAMLPatchType)}}
			c.must(c.answers(500, jsonType, "{}").send(http.MethodPatch, cronrunsPath+"/a", header, body))
			c.awaits(nightlyName, want...)
			c.writes.Clear(cache.NewObjectName("east", "a"))
			synctest.Wait()
		}
	})
}

// A cached object that a list does not contain has been deleted, unless it is newer than the list.
func TestGoneSinceTheList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		indexer := c.runs.indexer
		for name, version := range map[string]string{"old": "999", "same": "1000", "listed": "998", "newer": "1001"} {
			c.must(nil, indexer.Add(partial(name, version)))
		}
		west := partial("old", "999")
		west.Namespace = "west"
		c.must(nil, indexer.Add(west))
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				list := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{*partial("listed", "998")}}
				if request.URL.RawQuery != "" {
					list.Items = nil
				}
				list.ResourceVersion = "1000"
				return &response{200, jsonType, encoded(t, jsonType, list), nil}, nil
			}
			return &response{500, jsonType, `{}`, nil}, nil
		}}
		raw.must(raw.send(http.MethodDelete, cronrunsPath, nil, ""))
		c.ask("cronruns east/ unknown")
		c.awaits(nightlyName, "cronruns east/ unknown", "cronruns east/old deleted", "cronruns east/same deleted")
		c.awaits(cache.NewObjectName("west", "nightly"))
		c.writes.Clear(nightlyName)

		raw.must(raw.send(http.MethodDelete, cronrunsPath+"/old", nil, "")) // the list contains only this object
		c.ask("cronruns east/old unknown")
		c.awaits(nightlyName, "cronruns east/old deleted")
		c.must(nil, indexer.Delete(partial("old", "1002")))
		c.awaits(nightlyName)
	})
}

// Among many unknown outcomes, the write that the server can carry out last counts.
func TestLastOfManyOutcomes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		answer := &response{502, "text/html", "no", nil} // from a proxy: the outcome is unknown for a minute
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				return &response{200, jsonType, "{}", nil}, nil
			}
			return answer, nil
		}}
		begun := time.Now()
		for i := range 101 {
			c.must(raw.send(http.MethodPut, fmt.Sprint(cronrunsPath, "/", i), nil, ""))
			answer = &response{500, jsonType, `{"kind": "Status", "apiVersion": "v1"}`, nil}
		}
		c.awaits(nightlyName, "cronruns east/ unknown")
		c.ready(nightlyName)
		if waited := time.Since(begun); waited != time.Minute {
			t.Errorf("waited %v, want a minute", waited)
		}
		if _, err := (rawClient{c, "http://server", func(*http.Request) (*response, error) {
			return &response{500, jsonType, "", io.ErrNoProgress}, nil
		}}).send(http.MethodPut, cronrunsPath+"/a", nil, ""); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("got error %v of the answer", err)
		}
	})
}

// A write without namespace may concern all namespaces. A resource without informers concerns none. A request that
// was not sent has no effect.
func TestUnknownOutcomeOf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		failed := c.answers(500, jsonType, "{}")
		c.must(failed.send(http.MethodPut, "/apis/stable.example.com/v1/crontabclasses/a", nil, ""))
		c.awaits(nightlyName)
		refused := rawClient{c, "http://server", func(*http.Request) (*response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}}
		if _, err := refused.send(http.MethodPut, cronrunsPath+"/a", nil, ""); err == nil {
			t.Error("the write has not failed")
		}
		c.awaits(nightlyName)
		c.must(failed.send(http.MethodPut, "/apis/stable.example.com/v1/cronruns/a", nil, "")) // as if cluster-scoped
		c.awaits(nightlyName, "cronruns a unknown")
		c.awaits(cache.NewObjectName("", "b"), "cronruns a unknown")
		c.writes.Clear(nightlyName)
		c.awaits(nightlyName)
		reset := rawClient{c, "http://server", func(*http.Request) (*response, error) { return nil, &net.OpError{Op: "read", Err: errors.New("reset")} }}
		if _, err := reset.send(http.MethodPut, cronrunsPath+"/a", nil, ""); err == nil {
			t.Error("the write has not failed")
		}
		c.awaits(nightlyName, "cronruns east/a unknown")
		synctest.Wait()
	})
}

// One of two unknown outcomes may be known before the other. One list shows both outcomes for the same object.
func TestTwoUnknownOutcomes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		var lists atomic.Int32
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			switch {
			case request.Method != http.MethodGet:
				return &response{500, jsonType, `{"kind": "Status", "apiVersion": "v1"}`, nil}, nil
			case strings.Contains(request.URL.Path, "/west/"):
				return &response{500, jsonType, "{}", nil}, nil
			}
			lists.Add(1)
			return &response{200, jsonType, "{}", nil}, nil
		}}
		c.must(raw.send(http.MethodPut, strings.Replace(cronrunsPath, "east", "west", 1)+"/a", nil, ""))
		c.must(raw.send(http.MethodPut, cronrunsPath+"/a", nil, ""))
		c.must(raw.send(http.MethodPut, cronrunsPath+"/b", nil, ""))
		c.must(raw.send(http.MethodPut, "/apis/stable.example.com/v1/namespaces/east/crontabs/b", nil, ""))
		c.awaits(nightlyName, "cronruns east/a unknown", "cronruns east/b unknown", "crontabs east/b unknown")
		begun := time.Now()
		c.ready(nightlyName)
		if waited := time.Since(begun); waited != 10*time.Second {
			t.Errorf("waited %v, want the time in which storage may carry out what the server has given up", waited)
		}
		if n := lists.Load(); n != 3*4 {
			t.Errorf("got %d lists, want 12: each after 1, 3, 7 and 10 seconds", n)
		}
		c.awaits(cache.NewObjectName("west", "nightly"), "cronruns west/a unknown")
		synctest.Wait()

		begun = time.Now()
		for i := range 100 {
			c.must(raw.send(http.MethodPut, fmt.Sprint(cronrunsPath, "/", i), nil, ""))
			time.Sleep(time.Millisecond)
		}
		if n := len(strings.Split(c.writes.EnsureReady(nightlyName).Error(), ",")); n != 100 {
			t.Errorf("%d outcomes are unknown, want 100", n)
		}
		time.Sleep(500 * time.Millisecond)
		c.must(raw.send(http.MethodPut, cronrunsPath+"/100", nil, "")) // from now on, one list replaces all
		c.awaits(nightlyName, "cronruns east/ unknown")
		var stale *consistency.StaleError
		if err := c.writes.EnsureReady(nightlyName); !errors.As(err, &stale) || !stale.Writes[0].Since.Equal(begun) {
			t.Errorf("got %v, want since %v", err, begun)
		}
		c.must(raw.send(http.MethodPut, cronrunsPath+"/101", nil, ""))
		c.awaits(nightlyName, "cronruns east/ unknown", "cronruns east/101 unknown")
		c.writes.Clear(nightlyName)
		time.Sleep(time.Minute)
		if n := lists.Load(); n != 3*4 {
			t.Errorf("got %d lists, want none for what was cleared", n-3*4)
		}
	})
}

// A JSON patch that may change owners concerns all objects of the namespace. One that does not concerns the object.
func TestJSONPatchesWithoutAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		other := cache.NewObjectName("east", "other")
		failed := c.answers(500, jsonType, "{}")
		patch := http.Header{"Content-Type": {string(types.JSONPatchType)}}
		c.must(failed.send(http.MethodPatch, cronrunsPath+"/a", patch, `[{"op":"remove","path":"/spec/image"}]`))
		c.awaits(other)
		c.awaits(cache.NewObjectName("east", "a"), "cronruns east/a unknown")
		c.must(failed.send(http.MethodPatch, cronrunsPath+"/a", patch, `[{"op":"remove","path":"/metadata/ownerReferences"}]`))
		c.awaits(other, "cronruns east/a unknown")
		c.writes.Clear(other)
		c.writes.Clear(cache.NewObjectName("east", "a"))
	})
}

// The outcome of a write to a server behind a proxy is asked of that server.
func TestOutcomesBehindProxies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newView(t)
		var listed record
		raw := rawClient{c, "http://server", func(request *http.Request) (*response, error) {
			if request.Method == http.MethodGet {
				listed.add(request.URL.Path)
				return &response{200, jsonType, `{"metadata":{"resourceVersion":"1000"},"items":[]}`, nil}, nil
			}
			return &response{500, jsonType, "{}", nil}, nil
		}}
		const proxy = "/api/v1/namespaces/south/services/server/proxy"
		c.must(raw.send(http.MethodPut, proxy+cronrunsPath+"/a", nil, "{}"))
		a := cache.NewObjectName("east", "a")
		c.awaits(a, "cronruns east/a unknown")
		time.Sleep(2 * time.Second)
		_ = c.writes.EnsureReady(a)
		synctest.Wait()
		expect(t, listed.sorted(), proxy+cronrunsPath)
		c.writes.Clear(a)
	})
}
