package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var mutants = flag.Bool("mutants", false, "remove all parts, not only every third one")

// TestMutants removes, one by one, the parts of the controller that are needed only because of how a server behaves.
// Each time, the tests that run on an API server in memory must fail.
func TestMutants(t *testing.T) {
	const life, hang, leader = "^TestRuns|^TestOthers", "^TestHangingRequest", "^TestLeaseIsLost"
	for i, mutant := range []struct{ name, file, old, new, tests string }{
		{"no finalizer", "controller/reconcile.go", "} else if !hasFinalizer {", "} else if false {", life},
		{"the finalizer stays", "controller/reconcile.go", "return c.setFinalizers(ctx, crontab, slices.DeleteFunc(slices.Clone(crontab.Finalizers), isOwn))", "_ = isOwn; return nil", life},
		{"runs are not deleted", "controller/reconcile.go", "return c.delete(ctx, runs)\n\t}\n\t// The", "return nil\n\t}\n\t// The", life},
		{"no status", "controller/reconcile.go", "_, err = c.client.StableV1().CronTabs(crontab.Namespace).UpdateStatus(ctx, crontab, metav1.UpdateOptions{FieldManager: Name})", "", life},
		{"the status by Update", "controller/reconcile.go", ".UpdateStatus(ctx, crontab,", ".Update(ctx, crontab,", life},
		{"no second try after a conflict", "controller/worker.go", "\t\tlogger.Info(\"Reconciling again\", \"reason\", err.Error())\n\t\tc.queue.AddRateLimited(name)\n", "", life},
		{"whatever version there is", "controller/reconcile.go", "changed.Finalizers = finalizers\n", "changed.Finalizers = finalizers\n\tchanged.ResourceVersion = \"\"\n", life},
		{"the cache is never behind", "controller/reconcile.go", "c.writes.EnsureReady(name)", "error(nil)", life},
		{"work goes on without the lease", "controller/worker.go", "klog.NewContext(lease, logger)", "klog.NewContext(context.WithoutCancel(lease), logger)", hang},
		{"no timeout", "controller/worker.go", "(klog.NewContext(lease, logger), reconcileTimeout)", "(klog.NewContext(lease, logger), time.Hour)", hang},
		{"no deadline at the end", "controller/worker.go", "\tdefer time.AfterFunc(grace, abandon).Stop()\n", "", hang},
		{"the lease never expires", "cluster/leader.go", "l.expiry.Reset(leaseDuration - retryPeriod - time.Since(sent))", "_ = sent", leader},
		{"the lease begins with the answer", "cluster/leader.go", "leaseDuration - retryPeriod - time.Since(sent)", "leaseDuration - retryPeriod - 0*time.Since(sent)", leader},
		{"whoever's lease is released", "cluster/leader.go", "record.HolderIdentity == l.Identity()", "true", leader},
		{"an empty cache will do", "controller/worker.go", "err != nil && ctx.Err() == nil {", "err != nil && false {", "^TestCache"},
	} {
		if i%3 != 2 && !*mutants {
			continue
		}
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			file, err := filepath.Abs(mutant.file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(text, []byte(mutant.old)) != 1 {
				t.Fatalf("%s does not have %q once", mutant.file, mutant.old)
			}
			changed := filepath.Join(t.TempDir(), filepath.Base(mutant.file))
			if err := os.WriteFile(changed, bytes.Replace(text, []byte(mutant.old), []byte(mutant.new), 1), 0o644); err != nil {
				t.Fatal(err)
			}
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
			if err != nil {
				t.Fatal(err)
			}
			overlayFile := filepath.Join(t.TempDir(), "overlay.json")
			if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
				t.Fatal(err)
			}
			// TestReconcile is never run, because it compares individual requests. Elections have jitter, so each test
			// runs several times. A test that does not end counts as failed.
			out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlayFile, "-vet=off", "-run", mutant.tests, "-count", "5", "-timeout", "1m", filepath.Dir(file)).CombinedOutput()
			var exit *exec.ExitError
			switch {
			case err == nil:
				t.Errorf("the tests pass\n%s", out)
			case !errors.As(err, &exit) || !bytes.Contains(out, []byte("--- FAIL: ")) && !bytes.Contains(out, []byte("panic: test timed out")):
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
