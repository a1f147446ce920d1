package crontabtypes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
)

// What helpers and informers send, and with which context, on clients that record it. The answers are those of the
// test.

type contextClients struct {
	*fake.Clientset
	*contexts
}

// contexts counts the requests with the context of the test, and those with another one.
type contexts struct{ right, wrong atomic.Int32 }

func (c *contexts) see(ctx context.Context) {
	if ctx != nil && ctx.Value(contextKey{}) == "mine" {
		c.right.Add(1)
	} else {
		c.wrong.Add(1)
	}
}

type contextStable struct {
	stablev1.StableV1Interface
	*contexts
}

type contextCronRuns struct {
	stablev1.CronRunInterface
	*contexts
}

type contextCronTabs struct {
	stablev1.CronTabInterface
	*contexts
}

type contextClasses struct {
	stablev1.CronTabClassInterface
	*contexts
}

func (c contextClients) StableV1() stablev1.StableV1Interface {
	return contextStable{c.Clientset.StableV1(), c.contexts}
}

func (c contextStable) CronRuns(namespace string) stablev1.CronRunInterface {
	return contextCronRuns{c.StableV1Interface.CronRuns(namespace), c.contexts}
}

func (c contextStable) CronTabs(namespace string) stablev1.CronTabInterface {
	return contextCronTabs{c.StableV1Interface.CronTabs(namespace), c.contexts}
}

func (c contextStable) CronTabClasses() stablev1.CronTabClassInterface {
	return contextClasses{c.StableV1Interface.CronTabClasses(), c.contexts}
}

func (c contextCronRuns) List(ctx context.Context, opts metav1.ListOptions) (*v1.CronRunList, error) {
	c.see(ctx)
	return c.CronRunInterface.List(ctx, opts)
}

func (c contextCronRuns) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	c.see(ctx)
	return c.CronRunInterface.Watch(ctx, opts)
}

func (c contextCronTabs) List(ctx context.Context, opts metav1.ListOptions) (*v1.CronTabList, error) {
	c.see(ctx)
	return c.CronTabInterface.List(ctx, opts)
}

func (c contextCronTabs) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	c.see(ctx)
	return c.CronTabInterface.Watch(ctx, opts)
}

func (c contextCronTabs) Get(ctx context.Context, name string, opts metav1.GetOptions) (*v1.CronTab, error) {
	c.see(ctx)
	return c.CronTabInterface.Get(ctx, name, opts)
}

func (c contextCronTabs) Update(ctx context.Context, object *v1.CronTab, opts metav1.UpdateOptions) (*v1.CronTab, error) {
	c.see(ctx)
	return c.CronTabInterface.Update(ctx, object, opts)
}

func (c contextClasses) List(ctx context.Context, opts metav1.ListOptions) (*v1.CronTabClassList, error) {
	c.see(ctx)
	return c.CronTabClassInterface.List(ctx, opts)
}

func (c contextClasses) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	c.see(ctx)
	return c.CronTabClassInterface.Watch(ctx, opts)
}

func (c contextClasses) Get(ctx context.Context, name string, opts metav1.GetOptions) (*v1.CronTabClass, error) {
	c.see(ctx)
	return c.CronTabClassInterface.Get(ctx, name, opts)
}

func (c contextClasses) Update(ctx context.Context, object *v1.CronTabClass, opts metav1.UpdateOptions) (*v1.CronTabClass, error) {
	c.see(ctx)
	return c.CronTabClassInterface.Update(ctx, object, opts)
}

// The context of the caller is that of the requests.
func TestContexts(t *testing.T) {
	for name, options := range map[string][]informers.SharedInformerOption{
		"all namespaces": nil, "one namespace": {informers.WithNamespacesFor[*v1.CronTab]("east")}, "two namespaces": {informers.WithNamespacesFor[*v1.CronTab]("east", "west")},
	} {
		bubble(t, func(t *testing.T) {
			client := contextClients{fake.NewSimpleClientset(population()...), &contexts{}}
			factory := informers.NewSharedInformerFactoryWithOptions(versioned.Interface(client), 0, options...)
			stable := factory.Stable().V1()
			stable.CronRuns().Informer()
			stable.CronTabs().Informer()
			stable.CronTabClasses().Informer()
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), contextKey{}, "mine"))
			factory.StartWithContext(ctx)
			synctest.Wait()
			cancel()
			factory.Shutdown()
			want := int32(6)
			if name == "two namespaces" {
				want = 8
			}
			if client.right.Load() != want || client.wrong.Load() > 0 {
				t.Errorf("%s: got %d requests with the context and %d without, want %d", name, client.right.Load(), client.wrong.Load(), want)
			}
		})
	}

	bubble(t, func(t *testing.T) {
		client := contextClients{fake.NewSimpleClientset(append(population(), newCronTab("east", "nightly"))...), &contexts{}}
		ctx := context.WithValue(t.Context(), contextKey{}, "mine")
		crontabs := client.StableV1().CronTabs("east")
		for _, err := range stablev1.EachCronTab(ctx, crontabs, metav1.ListOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		changed, err := stablev1.UpdateCronTab(ctx, crontabs, "nightly", func(c *v1.CronTab) error { c.Spec.Image = "image:v2"; return nil })
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() {
			changed.Spec.Image = "image:v3"
			_, _ = client.Clientset.StableV1().CronTabs("east").Update(ctx, changed, metav1.UpdateOptions{})
		})
		found, err := stablev1.WaitForCronTab(ctx, crontabs, "nightly", func(c *v1.CronTab) (bool, error) { return c.Spec.Image == "image:v3", nil })
		if err != nil || found.Name != "nightly" {
			t.Errorf("got %v, %v", found, err)
		}
		if found, err := stablev1.WaitForCronTab(ctx, crontabs, "nightly", func(*v1.CronTab) (bool, error) { return true, nil }); err != nil || found == nil {
			t.Errorf("got %v, %v", found, err)
		}
		if _, err := stablev1.UpdateCronTabClass(ctx, client.StableV1().CronTabClasses(), "gold", func(c *v1.CronTabClass) error { c.Spec.DefaultImage = "image:v2"; return nil }); err != nil {
			t.Fatal(err)
		}
		if client.right.Load() != 8 || client.wrong.Load() > 0 {
			t.Errorf("helpers sent %d requests with the context and %d without, want 8", client.right.Load(), client.wrong.Load())
		}
	})
}

// answers is a client for CronTabs whose answers a test gives.
type answers struct {
	stablev1.CronTabInterface
	list    func(metav1.ListOptions) (*v1.CronTabList, error)
	watches func(metav1.ListOptions) (watch.Interface, error)
}

func (a *answers) List(_ context.Context, opts metav1.ListOptions) (*v1.CronTabList, error) {
	return a.list(opts)
}

func (a *answers) Watch(_ context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return a.watches(opts)
}

// page returns a page of a list.
func page(token string, names ...string) *v1.CronTabList {
	list := &v1.CronTabList{ListMeta: metav1.ListMeta{Continue: token, ResourceVersion: "10"}}
	for _, name := range names {
		list.Items = append(list.Items, *newCronTab("east", name))
	}
	return list
}

// expired is the error that the version of a list has expired, with a token for the rest.
func expired(token string) error {
	err := apierrors.NewResourceExpired("expired")
	err.ErrStatus.Continue = token
	return err
}

// Each goes on after an expired page, but not after two in a row.
func TestEachResumes(t *testing.T) {
	for _, test := range []struct {
		pages []any // lists and errors
		want  string
	}{
		{[]any{expired("1"), page("2", "a"), expired("3"), page("", "b")}, `a b [ 1 2 3]`},
		{[]any{page("1", "a"), expired("2"), expired("3"), page("", "b")}, `a expired [ 1 2]`},
		{[]any{page("1"), page("2", "a", "b"), expired(""), page("", "c")}, `a b expired [ 1 2]`},
		{[]any{page("1", "a"), errors.New("refused"), page("", "b")}, `a refused [ 1]`},
	} {
		var got, tokens []string
		client := &answers{list: func(opts metav1.ListOptions) (*v1.CronTabList, error) {
			answer := test.pages[len(tokens)]
			tokens = append(tokens, opts.Continue)
			if err, ok := answer.(error); ok {
				return nil, err
			}
			return answer.(*v1.CronTabList), nil
		}}
		for crontab, err := range stablev1.EachCronTab(t.Context(), client, metav1.ListOptions{}) {
			if err != nil {
				if got = append(got, err.Error()); crontab != nil {
					t.Errorf("got %v with error %v", crontab, err)
				}
			} else {
				got = append(got, crontab.Name)
			}
		}
		if text := strings.Join(append(got, fmt.Sprint(tokens)), " "); text != test.want {
			t.Errorf("got %s, want %s", text, test.want)
		}
	}
	client := &answers{list: func(metav1.ListOptions) (*v1.CronTabList, error) { return page("", "a", "b", "c"), nil }}
	seen := 0
	for range stablev1.EachCronTab(t.Context(), client, metav1.ListOptions{}) {
		seen++
		break // in the middle of a page
	}
	if seen != 1 {
		t.Errorf("saw %d objects before the break", seen)
	}
}

// The helpers of classes read, change and wait for classes.
func TestClassHelpers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		client := fake.NewSimpleClientset(population()...)
		classes := client.StableV1().CronTabClasses()
		var names []string
		for class, err := range stablev1.EachCronTabClass(ctx, classes, metav1.ListOptions{LabelSelector: "tier", Limit: 7}) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, class.Name)
		}
		expect(t, names, "gold")
		setImage := func(c *v1.CronTabClass) error { c.Spec.DefaultImage = "image:v2"; return nil }
		updated, err := stablev1.UpdateCronTabClass(ctx, classes, "gold", setImage)
		if err != nil || updated.Spec.DefaultImage != "image:v2" {
			t.Errorf("got %v, %v", updated, err)
		}
		if updated, err := stablev1.UpdateCronTabClass(ctx, classes, "none", setImage); !apierrors.IsNotFound(err) || updated != nil {
			t.Errorf("got %v, %v", updated, err)
		}
		found, err := stablev1.WaitForCronTabClass(ctx, classes, "gold", func(c *v1.CronTabClass) (bool, error) { return c.Spec.DefaultImage == "image:v2", nil })
		if err != nil || found.Name != "gold" {
			t.Errorf("got %v, %v", found, err)
		}
		// The status has a helper of its own.
		if updated, err := stablev1.UpdateCronTabStatus(ctx, client.StableV1().CronTabs("east"), "none", func(*v1.CronTab) error { return nil }); !apierrors.IsNotFound(err) || updated != nil {
			t.Errorf("got %v, %v", updated, err)
		}
	})
}

// An empty value in place of nil is no change, and the error at the end has both causes.
func TestUpdateEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		crontabs := client.StableV1().CronTabs("east")
		if _, err := stablev1.UpdateCronTab(t.Context(), crontabs, "nightly", func(c *v1.CronTab) error { c.Labels = map[string]string{}; return nil }); err != nil {
			t.Fatal(err)
		}
		expect(t, requests(client, "update"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		conflict := &conflicting{T: t, CronTabInterface: crontabs}
		_, err := stablev1.UpdateCronTab(ctx, conflict, "nightly", func(c *v1.CronTab) error { c.Spec.Image = "image:v2"; return nil })
		if want := "context canceled (" + conflict.err.Error() + ")"; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	})
}

// Only a conflict makes an update begin again: any other error ends it at once, as it is.
func TestUpdateEndsWithOtherErrors(t *testing.T) {
	crontabs := v1.Resource("crontabs")
	for _, refusal := range []error{
		errors.New("no route to host"), context.DeadlineExceeded,
		apierrors.NewBadRequest("bad"), apierrors.NewUnauthorized("who?"), apierrors.NewForbidden(crontabs, "nightly", nil), apierrors.NewNotFound(crontabs, "nightly"),
		apierrors.NewAlreadyExists(crontabs, "nightly"), apierrors.NewInvalid(v1.Kind("CronTab"), "nightly", nil), apierrors.NewResourceExpired("old"),
		apierrors.NewTooManyRequests("busy", 1), apierrors.NewInternalError(errors.New("broken")), apierrors.NewServiceUnavailable("restarting"),
		apierrors.NewServerTimeout(crontabs, "update", 1), apierrors.NewTimeoutError("slow", 1),
	} {
		bubble(t, func(t *testing.T) {
			changes := 0
			for _, update := range []func(stablev1.CronTabInterface, func(*v1.CronTab) error) (*v1.CronTab, error){
				func(client stablev1.CronTabInterface, change func(*v1.CronTab) error) (*v1.CronTab, error) {
					return stablev1.UpdateCronTab(t.Context(), client, "nightly", change)
				},
				func(client stablev1.CronTabInterface, change func(*v1.CronTab) error) (*v1.CronTab, error) {
					return stablev1.UpdateCronTabStatus(t.Context(), client, "nightly", change)
				},
			} {
				client := &refusing{T: t, CronTabInterface: fake.NewSimpleClientset(newCronTab("east", "nightly")).StableV1().CronTabs("east"), err: refusal}
				begun := time.Now()
				updated, err := update(client, func(c *v1.CronTab) error { changes++; c.Status.Replicas++; return nil })
				if err != refusal || updated != nil {
					t.Errorf("got %v, %v, want the error of the update, %v", updated, err, refusal)
				}
				if client.updates != 1 || time.Since(begun) > 0 {
					t.Errorf("%v: sent %d updates in %v, want one", refusal, client.updates, time.Since(begun))
				}
			}
			if changes != 2 {
				t.Errorf("%v: called the function %d times, want once for each helper", refusal, changes)
			}
		})
	}
}

// refusing answers each update with an error.
type refusing struct {
	*testing.T
	stablev1.CronTabInterface
	err     error
	updates int
}

func (r *refusing) Update(context.Context, *v1.CronTab, metav1.UpdateOptions) (*v1.CronTab, error) {
	if r.updates++; r.updates > 10 {
		r.Fatalf("the updates do not end after error %v", r.err)
	}
	return nil, r.err
}

func (r *refusing) UpdateStatus(ctx context.Context, c *v1.CronTab, opts metav1.UpdateOptions) (*v1.CronTab, error) {
	return r.Update(ctx, c, opts)
}

// conflicting answers each update with a conflict.
type conflicting struct {
	*testing.T
	stablev1.CronTabInterface
	err     error
	updates int
}

func (c *conflicting) Update(context.Context, *v1.CronTab, metav1.UpdateOptions) (*v1.CronTab, error) {
	if c.updates++; c.updates > 10 {
		c.Fatal("the updates do not end after conflicts")
	}
	c.err = apierrors.NewConflict(v1.Resource("crontabs"), "nightly", errors.New("another writer"))
	return nil, c.err
}

// A wait selects its object, and begins again after delays that grow up to half a minute or so, anew after a watch
// that lasted.
func TestWaitDelays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		var delays []time.Duration
		last := time.Now()
		refused := errors.New("refused")
		client := &answers{}
		client.list = func(opts metav1.ListOptions) (*v1.CronTabList, error) {
			if opts.FieldSelector != "metadata.name=nightly" {
				t.Errorf("got a list of %q", opts.FieldSelector)
			}
			delays = append(delays, time.Since(last))
			last = time.Now()
			if n := len(delays); n == 20 || n == 21 {
				return page(""), nil
			}
			return nil, refused
		}
		client.watches = func(opts metav1.ListOptions) (watch.Interface, error) {
			if opts.FieldSelector != "metadata.name=nightly" || opts.ResourceVersion != "10" {
				t.Errorf("got a watch of %q from %s", opts.FieldSelector, opts.ResourceVersion)
			}
			watcher := watch.NewFake()
			length := 10 * time.Second
			if len(delays) == 21 {
				length = time.Minute
			}
			go func() {
				time.Sleep(length)
				last = time.Now()
				watcher.Stop()
			}()
			return watcher, nil
		}
		crontab, err := stablev1.WaitForCronTab(ctx, client, "nightly", func(*v1.CronTab) (bool, error) { return false, nil })
		if want := "waiting for nightly: context deadline exceeded; the last error was: refused"; crontab != nil || err == nil || err.Error() != want {
			t.Errorf("got %v and error %v, want %s", crontab, err, want)
		}
		if longest := slices.Max(delays); longest > 45*time.Second || longest < 25*time.Second {
			t.Errorf("the longest delay is %v", longest)
		}
		if first := delays[1]; first < 100*time.Millisecond || first > 150*time.Millisecond {
			t.Errorf("the first delay is %v", first)
		}
		if delays[20] < 25*time.Second {
			t.Errorf("the delay after a watch of ten seconds is %v, want that of before", delays[20])
		}
		if delays[21] < 100*time.Millisecond || delays[21] > 150*time.Millisecond {
			t.Errorf("the delay after a watch of a minute is %v, want the first again", delays[21])
		}
		jitter := false
		for _, delay := range delays[1:5] {
			jitter = jitter || delay%(10*time.Millisecond) != 0
		}
		if !jitter {
			t.Errorf("the delays %v are the same for everybody", delays[1:5])
		}
	})
}

// A wait ends with an error event that will stay, goes on after another, and does not see bookmarks.
func TestWaitEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, test := range []struct {
			events func(*watch.FakeWatcher)
			want   string
		}{
			{func(w *watch.FakeWatcher) {
				w.Error(&apierrors.NewForbidden(v1.Resource("crontabs"), "nightly", errors.New("no role")).ErrStatus)
			}, `v1; error crontabs.stable.example.com "nightly" is forbidden: no role after 1 watches`},
			{func(w *watch.FakeWatcher) { w.Error(&apierrors.NewResourceExpired("too old").ErrStatus) }, `v1 v1; error waiting for nightly: context deadline exceeded after 2 watches`},
			{func(w *watch.FakeWatcher) {
				bookmark := newCronTab("east", "nightly")
				bookmark.Spec.Image = "bookmark"
				w.Action(watch.Bookmark, bookmark)
				w.Modify(newCronTab("east", "nightly"))
				w.Stop()
			}, `v1 v1 v1; error waiting for nightly: context deadline exceeded after 2 watches`},
			{func(w *watch.FakeWatcher) {
				broken := newCronTab("east", "nightly")
				broken.Spec.Image = "broken"
				w.Modify(broken)
			}, `v1 broken; error broken after 1 watches`},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			watches := 0
			client := &answers{
				list: func(metav1.ListOptions) (*v1.CronTabList, error) { return page("", "nightly", "other"), nil },
				watches: func(metav1.ListOptions) (watch.Interface, error) {
					watcher := watch.NewFake()
					if watches++; watches == 1 {
						go test.events(watcher)
					}
					return watcher, nil
				},
			}
			var seen []string
			_, err := stablev1.WaitForCronTab(ctx, client, "nightly", func(c *v1.CronTab) (bool, error) {
				image := strings.TrimPrefix(c.Spec.Image, "image:")
				if seen = append(seen, image); image == "broken" {
					return false, errors.New(image)
				}
				return false, nil
			})
			if got := fmt.Sprintf("%s; error %v after %d watches", strings.Join(seen, " "), err, watches); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			cancel()
		}
		ctx, cancel := context.WithCancel(t.Context())
		client := &answers{list: func(metav1.ListOptions) (*v1.CronTabList, error) {
			cancel()
			return nil, fmt.Errorf("no connection: %w", ctx.Err())
		}}
		_, err := stablev1.WaitForCronTab(ctx, client, "nightly", func(*v1.CronTab) (bool, error) { return false, nil })
		if err == nil || err.Error() != "waiting for nightly: context canceled" {
			t.Errorf("got error %v of a list that the context ended", err)
		}
		redirected := &answers{list: func(metav1.ListOptions) (*v1.CronTabList, error) {
			return nil, apierrors.NewGenericServerResponse(302, "list", v1.Resource("crontabs"), "", "", 0, true)
		}}
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := stablev1.WaitForCronTab(ctx, redirected, "nightly", func(*v1.CronTab) (bool, error) { return false, nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v after a redirection", err)
		}
	})
}
