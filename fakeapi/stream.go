package fakeapi

import (
	"context"
	"encoding/json"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// A stream is the response body of a watch: a sequence of events in JSON. It ends when the watch or the context of the
// request ends, or when it is closed.
type stream struct {
	*io.PipeReader
	watch   watch.Interface
	release func() bool
}

func newStream(ctx context.Context, w watch.Interface) *stream {
	r, events := io.Pipe()
	s := &stream{PipeReader: r, watch: w}
	s.release = context.AfterFunc(ctx, func() {
		events.CloseWithError(ctx.Err())
		w.Stop()
	})
	go func() {
		encoder := json.NewEncoder(events)
		var err error
		for e := range w.ResultChan() {
			if err != nil {
				continue
			}
			if status, ok := e.Object.(*metav1.Status); ok {
				e.Object = withKind(status)
			}
			if err = encoder.Encode(metav1.WatchEvent{Type: string(e.Type), Object: runtime.RawExtension{Object: e.Object}}); err != nil {
				w.Stop()
			}
		}
		s.release()
		events.CloseWithError(err) // io.EOF if err is nil
	}()
	return s
}

// Close ends the watch.
func (s *stream) Close() error {
	s.release()
	s.watch.Stop()
	return s.PipeReader.Close()
}
