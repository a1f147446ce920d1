// Package ownwrites shows how three approaches keep a controller from acting on caches that are older than its own
// writes.
package ownwrites

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	runtimelog "sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

type groupResource = schema.GroupResource

// The behavior of an approach in a case, in the words of docs/consistency.md.
const (
	waits    = "waits"
	old      = "acts on the old state"
	forEver  = "waits for ever"
	refusing = "refuses the write"
)

// A world is an API server with the CronTab nightly and a child, and a controller that reaches it through a network.
type world struct {
	testing.TB
	api     *fakeapi.API
	network *network
	approach
	leads  bool   // the controller must become the leader before it reads
	before string // the state at the beginning
}

// cases are the rows of the table in docs/consistency.md.
var cases = []struct {
	name    string
	options options
	objects func(child *v1.CronRun)             // changes the child
	network func(*network)                      // changes the network
	do      func(*world, context.Context) error // runs while the events of watches are delayed
	want    func(*world) string                 // the expected state in a read; if nil, the state of the server
}{
	{
		name: "A child is created under a name that the server chooses.",
		do: func(w *world, ctx context.Context) error {
			child := owned("")
			child.GenerateName = "nightly-"
			return w.create(ctx, child)
		},
	}, {
		name: "The status of the owner is patched.",
		do:   func(w *world, ctx context.Context) error { return w.report(ctx, 7) },
	}, {
		name: "A child is deleted; the server is older than 1.38.",
		do:   func(w *world, ctx context.Context) error { return w.delete(ctx, "child") },
	}, {
		name:    "A child is deleted; the server has Kubernetes 1.38 and answers with the version.",
		network: func(n *network) { n.versions = true },
		do:      func(w *world, ctx context.Context) error { return w.delete(ctx, "child") },
	}, {
		name:    "A child is deleted and created again under the same name.",
		network: func(n *network) { n.versions = true },
		do: func(w *world, ctx context.Context) error {
			return errors.Join(w.delete(ctx, "child"), w.create(ctx, owned("child")))
		},
	}, {
		name: "All children are deleted by one request.",
		do:   func(w *world, ctx context.Context) error { return w.deleteAll(ctx) },
	}, {
		name: "A patch removes the owner of a child.",
		do:   func(w *world, ctx context.Context) error { return w.disown(ctx, "child") },
	}, {
		name:    "A write by another worker has not been answered yet.",
		network: func(n *network) { n.slow = 10 * time.Second },
		do: func(w *world, ctx context.Context) error {
			go func() { must(w, w.create(ctx, owned("slow"))) }()
			synctest.Wait()
			return nil
		},
	}, {
		name:    "The answer to a write is lost.",
		network: func(n *network) { n.lost = true },
		do: func(w *world, ctx context.Context) error {
			if err := w.create(ctx, owned("lost")); err == nil {
				w.Error("the answer was not lost")
			}
			return nil
		},
	}, {
		name:    "The server carries out a write after the client has given up.",
		network: func(n *network) { n.late = 20 * time.Second },
		do: func(w *world, ctx context.Context) error {
			if err := w.create(ctx, owned("late")); err == nil {
				w.Error("the client has not given up")
			}
			return nil
		},
	}, {
		name:    "The field selector of the informer excludes the child that is created.",
		options: options{fields.OneTermNotEqualSelector("metadata.name", "excluded")},
		do:      func(w *world, ctx context.Context) error { return w.create(ctx, owned("excluded")) },
		want:    func(w *world) string { return w.before },
	}, {
		name: "Another client deletes the child that was created, and the informer lists again.",
		do: func(w *world, ctx context.Context) error {
			err := w.create(ctx, owned("short"))
			must(w, w.elsewhere().CronRuns(namespace).Delete(ctx, "short", metav1.DeleteOptions{}))
			w.api.ExpireVersions()
			w.network.breakWatches()
			return err
		},
	}, {
		name: "The server is restored from a backup before the write.",
		do: func(w *world, ctx context.Context) error {
			w.restore()
			return w.report(ctx, 7)
		},
	}, {
		name: "The server is restored from a backup that lacks the write.",
		do: func(w *world, ctx context.Context) error {
			err := w.report(ctx, 7)
			w.restore()
			return err
		},
	}, {
		name: "A new leader begins; its caches lack the last write of its predecessor.",
		do: func(w *world, ctx context.Context) error {
			w.leads = true
			_, err := w.elsewhere().CronRuns(namespace).Create(ctx, owned("of-predecessor"), metav1.CreateOptions{})
			return err
		},
	},
}

// owned returns a child of nightly.
func owned(name string) *v1.CronRun {
	child := run(name)
	child.OwnerReferences = []metav1.OwnerReference{{APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: "nightly", UID: "1"}}
	return child
}

// TestTable checks that the table in docs/consistency.md is true for each approach.
func TestTable(t *testing.T) {
	silence()
	page, err := os.ReadFile("../consistency.md")
	must(t, err)
	for _, c := range cases {
		row := "| " + c.name + " |"
		for _, a := range approaches {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, a.make, c.options)
				if c.network != nil {
					c.network(w.network)
				}
				want := w.present
				if c.want != nil {
					want = func() string { return c.want(w) }
				}
				row += " " + w.judge(func() error { return c.do(w, t.Context()) }, want) + " |"
			})
		}
		if !bytes.Contains(page, []byte("\n"+row+"\n")) {
			t.Errorf("docs/consistency.md lacks the row\n%s", row)
		}
	}
}

// silence discards the log messages of reflectors and controller-runtime about broken watches.
func silence() {
	klog.SetLogger(logr.Discard())
	runtimelog.SetLogger(logr.Discard())
}

func newWorld(tb testing.TB, make func(testing.TB, *rest.Config, options) approach, o options) *world {
	w := &world{TB: tb, network: newNetwork(), api: newServer()}
	w.network.use(tb, w.api)
	for i := range 20 { // a restore goes back by these versions
		w.touch(i)
	}
	w.approach = make(tb, w.network.config(), o)
	w.before = w.present()
	if got := w.read(); got != w.before {
		tb.Fatalf("the first read shows %q, want %q", got, w.before)
	}
	return w
}

func newServer() *fakeapi.API {
	crontab := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "nightly", UID: "1"}, Spec: v1.CronTabSpec{CronSpec: "0 3 * * *", Image: "image"}}
	return fakeapi.New(fakeapi.WithAPI(fake.API{}), fakeapi.WithObjects(crontab, owned("child")))
}

// restore restores the server to its initial state. Informers list again when the events of watches are no longer
// delayed.
func (w *world) restore() {
	former := w.api
	w.api = newServer()
	w.network.use(w, w.api)
	former.EndWatches()
	w.network.breakWatches()
}

// elsewhere returns a client that reaches the server without the network.
func (w *world) elsewhere() stablev1.StableV1Interface {
	return versioned.NewForConfigOrDie(w.api.RESTConfig()).StableV1()
}

func (w *world) touch(i int) {
	w.Helper()
	change := fmt.Appendf(nil, `{"spec":{"image":"image-%d"}}`, i)
	_, err := w.elsewhere().CronTabs(namespace).Patch(w.Context(), "nightly", types.MergePatchType, change, metav1.PatchOptions{})
	must(w, err)
}

// present returns the state of the server.
func (w *world) present() string {
	w.Helper()
	crontab, err := w.elsewhere().CronTabs(namespace).Get(w.Context(), "nightly", metav1.GetOptions{})
	must(w, err)
	list, err := w.elsewhere().CronRuns(namespace).List(w.Context(), metav1.ListOptions{})
	must(w, err)
	var runs []string
	for i := range list.Items {
		if isOwned(&list.Items[i]) {
			runs = append(runs, list.Items[i].Name)
		}
	}
	return state(crontab, runs, nil)
}

// read returns the state that the controller reads within a second, or "" if it reads none.
func (w *world) read() string {
	ctx, cancel := context.WithTimeout(w.Context(), time.Second)
	defer cancel()
	if w.leads {
		if w.lead(ctx) != nil {
			return ""
		}
		w.leads = false
	}
	return state(w.approach.read(ctx))
}

// judge describes the reads of the controller after do: for half a minute while the events of watches are delayed,
// and for up to five minutes after that.
func (w *world) judge(do func() error, want func() string) string {
	w.network.hold()
	if do() != nil {
		return refusing
	}
	verdict := waits
	for range 30 {
		if got := w.read(); got != "" && got != want() {
			verdict = old
		}
		time.Sleep(time.Second)
	}
	w.network.release()
	for range 300 {
		switch got := w.read(); {
		case got == want():
			return verdict
		case got != "":
			verdict = old
		}
		time.Sleep(time.Second)
	}
	if verdict == waits {
		return forEver
	}
	w.Errorf("reads show %q, want %q", w.read(), want())
	return verdict
}

// BenchmarkReconciles measures reconciles that read the caches and write twice. It alternates between generated
// clients without and with each approach, and controller-runtime's client without and with its own.
func BenchmarkReconciles(b *testing.B) {
	silence()
	sides := []struct {
		name string
		of   int // the index of the side to compare with
		make func(testing.TB, *rest.Config, options) approach
	}{
		{"plain", 0, func(tb testing.TB, config *rest.Config, o options) approach { return newPlain(tb, config, o) }},
		{"kubegen", 0, newGenerated},
		{"client-go", 0, newNoted},
		{"cached", 3, func(tb testing.TB, config *rest.Config, o options) approach { return newCached(tb, config, o, false) }},
		{"controller-runtime", 3, newBlocking},
	}
	const turn = 20
	spent := make([]time.Duration, len(sides))
	var worlds []*world
	for _, side := range sides {
		worlds = append(worlds, newWorld(b, side.make, options{}))
	}
	n := 0
	for b.Loop() {
		for i, w := range worlds {
			for j := range turn {
				spent[i] += w.reconcile(n + j + 1)
			}
		}
		n += turn
	}
	b.ReportMetric(0, "ns/op")
	for i, side := range sides {
		b.ReportMetric(float64(spent[i].Microseconds())/float64(n), "µs/"+side.name)
		if side.of != i {
			b.ReportMetric(100*(float64(spent[i])/float64(spent[side.of])-1), "%more/"+side.name)
		}
	}
}

// reconcile returns the duration of two reconciles, without the time until events arrive.
func (w *world) reconcile(i int) time.Duration {
	ctx := w.Context()
	name := fmt.Sprint("run-", i)
	spent := time.Duration(0)
	step := func(want string, writes ...func() error) {
		begun := time.Now()
		got := state(w.approach.read(ctx))
		for _, write := range writes {
			must(w, write())
		}
		spent += time.Since(begun)
		if want != "" && got != want {
			w.Fatalf("read %q, want %q", got, want)
		}
	}
	until := func(want string) {
		for state(w.approach.read(ctx)) != want {
			time.Sleep(20 * time.Microsecond)
		}
	}
	step("", func() error { return w.create(ctx, owned(name)) }, func() error { return w.report(ctx, i) })
	with := fmt.Sprintf("%d: child %s", i, name)
	until(with)
	step(with, func() error { return w.disown(ctx, name) }, func() error { return w.delete(ctx, name) })
	until(fmt.Sprintf("%d: child", i))
	return spent
}
