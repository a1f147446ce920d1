package controller

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"k8s.io/component-base/metrics/legacyregistry"
)

// Handler serves /metrics and, for the kubelet, /healthz and /readyz, each of which fails when its check does.
func Handler(healthy, ready func(*http.Request) error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", legacyregistry.Handler())
	for path, check := range map[string]func(*http.Request) error{"/healthz": healthy, "/readyz": ready} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if err := check(r); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			_, _ = w.Write([]byte("ok"))
		})
	}
	return mux
}

// Serve answers requests until ctx ends, and then those that it has begun to read, for 5 seconds at most. It returns an error
// if it ends before ctx does, or cannot end in that time.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	shutdown := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		shutdown <- server.Shutdown(ctx)
	})()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-shutdown
}
