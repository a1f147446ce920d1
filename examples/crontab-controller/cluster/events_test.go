package cluster

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
)

// TestEvents checks that events are sent only to a server that has the events API.
func TestEvents(t *testing.T) {
	crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "tidy"}}
	for _, has := range []bool{true, false} {
		received := make(chan *eventsv1.Event, 10)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", runtime.ContentTypeJSON)
			switch {
			case !has:
				if r.Method == http.MethodPost {
					t.Errorf("sent %s to a server without events", r.URL)
				}
				http.NotFound(w, r)
			case r.Method == http.MethodGet:
				_, _ = io.WriteString(w, `{"kind":"APIResourceList","groupVersion":"events.k8s.io/v1","resources":[]}`)
			default:
				body, _ := io.ReadAll(r.Body)
				var event eventsv1.Event
				if err := json.Unmarshal(body, &event); err != nil {
					t.Error(err)
				}
				received <- &event
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write(body)
			}
		}))
		t.Cleanup(server.Close)
		client, err := kubernetes.NewForConfig(&rest.Config{
			Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
		})
		if err != nil {
			t.Fatal(err)
		}
		logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logger), time.Minute)
		t.Cleanup(cancel)
		recorder, err := NewEventRecorder(ctx, client)
		if err != nil {
			t.Fatal(err)
		}
		recorder.Eventf(crontab, nil, corev1.EventTypeNormal, "Created", "Schedule", "Created %s", "tidy-1")
		if has {
			select {
			case event := <-received:
				if event.Regarding.Kind != "CronTab" || event.Regarding.Name != "tidy" || event.Reason != "Created" || event.Note != "Created tidy-1" {
					t.Errorf("got event %+v", event)
				}
			case <-ctx.Done():
				t.Error("no event")
			}
		}
		logged := func() bool {
			return strings.Contains(logger.GetSink().(ktesting.Underlier).GetBuffer().String(), "Created tidy-1")
		}
		for !logged() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		if !logged() {
			t.Error("the event is not in the log")
		}
	}
}
