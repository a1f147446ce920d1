package fakeapi_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/kubegen/kubegen/fakeapi"
)

// TestLeaderElection runs two candidates of client-go's leader election. One leads until it stops, then the other.
func TestLeaderElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := fakeapi.New()
		leads := make(chan string)
		run := func(ctx context.Context, identity string) {
			lock := &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: "team", Name: "leader"},
				Client:     newKubernetes(api).CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
			}
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { leads <- identity }, OnStoppedLeading: func() {}},
			})
		}
		first, stopFirst := context.WithCancel(t.Context())
		second, stopSecond := context.WithCancel(t.Context())
		defer stopSecond()
		go run(first, "one")
		equal(t, "leader", <-leads, "one")
		go run(second, "two")
		time.Sleep(time.Minute)
		select {
		case leader := <-leads:
			t.Errorf("%s leads as well", leader)
		default:
		}
		lease := must(newKubernetes(api).CoordinationV1().Leases("team").Get(t.Context(), "leader", metav1.GetOptions{}))(t)
		if *lease.Spec.HolderIdentity != "one" || time.Since(lease.Spec.RenewTime.Time) > 3*time.Second {
			t.Errorf("lease %+v", lease.Spec)
		}
		stopFirst()
		equal(t, "leader", <-leads, "two")
	})
}
