package crontabtypes_test

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions"
	stablev1informers "github.com/kubegen/kubegen/examples/crontab-types/generated/informers/externalversions/stable/v1"
)

// failLists makes list requests for a resource fail with the error that fail returns, unless that is nil.
func failLists(client *fake.Clientset, resource string, fail func() error) {
	client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		err := fail()
		return err != nil, nil, err
	})
}

func forbidden(resource string) error {
	return apierrors.NewForbidden(schema.GroupResource{Group: "stable.example.com", Resource: resource}, "", errors.New("no role"))
}

func absent(resource string) error {
	return apierrors.NewGenericServerResponse(404, "list", schema.GroupResource{Group: "stable.example.com", Resource: resource}, "", "", 0, true)
}

// waiting returns a context with a deadline for a wait, and the buffer to which the wait logs.
func waiting(t *testing.T, limit time.Duration) (context.Context, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(log)))
	ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logger), limit)
	t.Cleanup(cancel)
	return ctx, log
}

func TestWaitForCachesSaysWhy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		failLists(client, "crontabs", func() error { return forbidden("crontabs") })
		failLists(client, "cronruns", func() error { return absent("cronruns") })
		factory := informers.NewSharedInformerFactory(client, 0)
		stable := factory.Stable().V1()
		for _, informer := range []cache.SharedIndexInformer{stable.CronTabs().Informer(), stable.CronRuns().Informer(), stable.CronTabClasses().Informer()} {
			quiet(t, informer) // sets the informer's only error handler; the wait must learn of errors without it
		}
		run(t, factory)
		ctx, log := waiting(t, 200*time.Second)
		err := informers.WaitForCaches(ctx, factory)
		if err == nil {
			t.Fatal("got no error, although lists fail")
		}
		expect(t, strings.Split(err.Error(), "\n"),
			"waiting for caches: context deadline exceeded",
			"cronruns.stable.example.com/v1: the server does not have the resource: the server could not find the requested resource (list cronruns.stable.example.com)",
			`crontabs.stable.example.com/v1: crontabs.stable.example.com is forbidden: no role`)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, new(apierrors.APIStatus)) {
			t.Errorf("%v does not wrap the errors that it names", err)
		}
		expect(t, regexp.MustCompile(`waited="\w+"`).FindAllString(log.String(), -1), `waited="5s"`, `waited="15s"`, `waited="35s"`,
			`waited="1m15s"`, `waited="2m15s"`, `waited="3m15s"`)
		for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
			if !strings.Contains(line, "] \"Waiting for caches\" waited=") || !strings.Contains(line, "\" missing=[") ||
				!strings.Contains(line, "crontabs.stable.example.com is forbidden: no role") || strings.Contains(line, "crontabclasses") {
				t.Errorf("got log line %q, want what is missing and why", line)
			}
		}
	})
}

func TestWaitForCachesEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset(newCronTab("east", "nightly"))
		failures := 3
		failLists(client, "crontabs", func() error {
			if failures--; failures >= 0 {
				return forbidden("crontabs")
			}
			return nil
		})
		factory := informers.NewSharedInformerFactory(client, 0)
		crontabs := factory.Stable().V1().CronTabs()
		quiet(t, crontabs.Informer())
		run(t, factory)
		ctx, _ := waiting(t, time.Hour)
		if err := informers.WaitForCaches(ctx, factory); err != nil {
			t.Fatal(err)
		}
		if failures >= 0 {
			t.Error("the wait has ended before the list was answered")
		}
		one, err := crontabs.Lister().CronTabs("east").Get("nightly")
		expectKeys(t, []*v1.CronTab{one}, err, "east/nightly")
	})
}

// TestWaitForCachesWithoutErrors checks the reasons for caches that are not full if no request has failed: a server
// that does not respond, and an informer that does not belong to the factory.
func TestWaitForCachesWithoutErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		answer := make(chan bool)
		silent := func() error { <-answer; return nil }
		failLists(client, "crontabs", silent)
		failLists(client, "cronruns", silent)
		defer close(answer)
		factory := informers.NewSharedInformerFactory(client, 0)
		factory.Stable().V1().CronTabs().Informer()
		factory.InformerFor(&v1.CronRun{}, func(client versioned.Interface, resync time.Duration) cache.SharedIndexInformer {
			return stablev1informers.NewCronRunInformer(client, metav1.NamespaceAll, resync, cache.Indexers{})
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		factory.StartWithContext(ctx)
		cancel(errors.New("the program ends"))
		why := func(factory informers.SharedInformerFactory) []string {
			return strings.Split(informers.WaitForCaches(ctx, factory).Error(), "\n")
		}
		expect(t, why(factory), "waiting for caches: the program ends", "*v1.CronRun: the reason is not known",
			"crontabs.stable.example.com/v1: the server has not sent all objects yet")
		type wrapped struct {
			informers.SharedInformerFactory
		}
		expect(t, why(wrapped{factory}), "waiting for caches: the program ends", "*v1.CronRun: the reason is not known",
			"*v1.CronTab: the reason is not known")
	})
}

// TestWaitForCachesAfterTheEnd checks that the end of the informers is not reported as the reason why their caches are
// not full.
func TestWaitForCachesAfterTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		ctx, cancel := context.WithCancel(t.Context())
		lists := 0
		failLists(client, "crontabs", func() error {
			if lists++; lists == 1 {
				return forbidden("crontabs")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		factory := informers.NewSharedInformerFactory(client, 0)
		quiet(t, factory.Stable().V1().CronTabs().Informer())
		factory.StartWithContext(ctx)
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait() // also waits for the list, unlike Shutdown
		factory.Shutdown()
		if err := informers.WaitForCaches(ctx, factory); !apierrors.IsForbidden(err) || lists != 2 {
			t.Errorf("got error %v after %d lists, want that of the list that was answered", err, lists)
		}
	})
}

// TestWaitForCachesOfNoInformers checks that only started informers are waited for.
func TestWaitForCachesOfNoInformers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		failLists(client, "crontabs", func() error { return forbidden("crontabs") })
		factory := informers.NewSharedInformerFactory(client, 0)
		factory.Stable().V1().CronTabClasses().Informer()
		run(t, factory)
		factory.Stable().V1().CronTabs().Informer()
		ctx, log := waiting(t, time.Hour)
		if err := informers.WaitForCaches(ctx, factory); err != nil || log.Len() > 0 {
			t.Errorf("got error %v and log %q, although the only started informer has synced", err, log)
		}
	})
}
