package fakeapi_test

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/fake"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	"github.com/kubegen/kubegen/fakeapi"
)

func Example() {
	ct := &stablev1.CronTab{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "backup", Finalizers: []string{"example.com/cleanup"}},
		Spec:       stablev1.CronTabSpec{CronSpec: "0 3 * * *", Image: "backup:v1"},
	}
	api := fakeapi.New(
		fakeapi.WithAPI(fake.API{}),
		fakeapi.WithObjects(ct),
	)
	client := fake.NewClientset()
	api.Attach(&client.Fake, scheme.Scheme)

	ctx := context.Background()
	crontabs := client.StableV1().CronTabs("team")
	mine, _ := crontabs.Get(ctx, "backup", metav1.GetOptions{})
	theirs := mine.DeepCopy()

	mine.Spec.Image = "backup:v2"
	mine, _ = crontabs.Update(ctx, mine, metav1.UpdateOptions{})
	fmt.Println("generation", mine.Generation)

	theirs.Spec.Image = "backup:v3"
	_, err := crontabs.Update(ctx, theirs, metav1.UpdateOptions{})
	fmt.Println("conflict:", apierrors.IsConflict(err))

	_ = crontabs.Delete(ctx, "backup", metav1.DeleteOptions{})
	mine, _ = crontabs.Get(ctx, "backup", metav1.GetOptions{})
	fmt.Println("waits for", mine.Finalizers)

	mine.Finalizers = nil
	_, _ = crontabs.Update(ctx, mine, metav1.UpdateOptions{})
	_, err = crontabs.Get(ctx, "backup", metav1.GetOptions{})
	fmt.Println("gone:", apierrors.IsNotFound(err))
	// Output:
	// generation 2
	// conflict: true
	// waits for [example.com/cleanup]
	// gone: true
}

// A conflict that no other client of the test causes.
func ExampleAPI_Conflict() {
	api := fakeapi.New(
		fakeapi.WithAPI(fake.API{}),
		fakeapi.WithObjects(&stablev1.CronTabClass{ObjectMeta: metav1.ObjectMeta{Name: "nightly"}}),
	)
	client := fake.NewClientset()
	api.Attach(&client.Fake, scheme.Scheme)
	api.Conflict(fakeapi.Requests{Verb: "update", Resource: "crontabclasses"}, 1)

	ctx := context.Background()
	classes := client.StableV1().CronTabClasses()
	for {
		class, _ := classes.Get(ctx, "nightly", metav1.GetOptions{})
		class.Spec.DefaultImage = "busybox"
		_, err := classes.Update(ctx, class, metav1.UpdateOptions{})
		fmt.Println("conflict:", apierrors.IsConflict(err))
		if err == nil {
			break
		}
	}
	// Output:
	// conflict: true
	// conflict: false
}
