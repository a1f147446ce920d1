package crdinstall

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
)

// pending is the error of a step that waits for a server.
type pending struct {
	error
	runs bool // the server works on it, so that only the context ends it
}

// repeat does a step until it succeeds, with growing pauses that differ between programs. It returns an error that may
// pass, such as a conflict, if there has been one for the timeout, and any other error at once. If ctx is done, it
// returns the cause and the last of these errors, also if a request has ended because of that.
func (in *installer) repeat(ctx context.Context, step func() error) error {
	pauses := wait.Backoff{Duration: 20 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 10, Cap: time.Second}
	var last error
	for since := (time.Time{}); ; {
		err := step()
		var waits pending
		switch cause := context.Cause(ctx); {
		case err == nil:
			return nil
		case last != nil && cause != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, cause)):
			return fmt.Errorf("%w: %w", cause, last)
		case !passes(err):
			return err
		case since.IsZero() || errors.As(err, &waits) && waits.runs:
			since = time.Now()
		case time.Since(since) > in.timeout:
			return err
		}
		last = err
		if cause := pause(ctx, pauses.Step()); cause != nil {
			return fmt.Errorf("%w: %w", cause, last)
		}
	}
}

// passes reports whether a step may succeed later: it waits, another program has changed the object since it was read,
// or the server or the way to it fails.
func passes(err error) bool {
	var waits pending
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &waits), apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return true
	case errors.As(err, &status):
		code := status.Status().Code
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
	}
	return errors.As(err, new(*net.OpError)) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err) || utilnet.IsHTTP2ConnectionLost(err)
}

// pause waits, and returns the cause if ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
