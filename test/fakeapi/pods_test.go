package fakeapi_test

import (
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	autoscalingv1apply "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/kubegen/kubegen/fakeapi"
)

// TestPodsEndGracefully checks that a pod on a node is only removed by a deletion without a grace period.
func TestPodsEndGracefully(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pod := func(name, node string, phase corev1.PodPhase) *corev1.Pod {
			return &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
				Spec:       corev1.PodSpec{NodeName: node, TerminationGracePeriodSeconds: new(int64(60))},
				Status:     corev1.PodStatus{Phase: phase},
			}
		}
		api := fakeapi.New(fakeapi.WithObjects(
			pod("running", "n", corev1.PodRunning), pod("pending", "", corev1.PodPending), pod("done", "n", corev1.PodSucceeded), pod("evicted", "", corev1.PodPending),
		))
		pods := newKubernetes(api).CoreV1().Pods("team")
		for _, name := range []string{"running", "pending", "done"} {
			if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := pods.EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "evicted"}}); err != nil {
			t.Fatal(err)
		}
		list := must(pods.List(t.Context(), metav1.ListOptions{}))(t)
		if len(list.Items) != 1 {
			t.Fatalf("pods: %v", list.Items)
		}
		check := func(grace int64, ends time.Time) {
			t.Helper()
			got := must(pods.Get(t.Context(), "running", metav1.GetOptions{}))(t)
			if *got.DeletionGracePeriodSeconds != grace || !got.DeletionTimestamp.Time.Equal(ends) || got.Generation != 2 {
				t.Errorf("deletionTimestamp %v, grace period %d, generation %d; want %v, %d, 2", got.DeletionTimestamp, *got.DeletionGracePeriodSeconds, got.Generation, ends, grace)
			}
		}
		start := time.Now()
		check(60, start.Add(60*time.Second))
		time.Sleep(time.Second)
		for _, test := range []struct {
			period *int64
			grace  int64
			ends   time.Time
		}{{nil, 60, start.Add(60 * time.Second)}, {new(int64(90)), 60, start.Add(60 * time.Second)}, {new(int64(20)), 20, start.Add(20 * time.Second)}} {
			if err := pods.Delete(t.Context(), "running", metav1.DeleteOptions{GracePeriodSeconds: test.period}); err != nil {
				t.Fatal(err)
			}
			check(test.grace, test.ends)
		}
		time.Sleep(5 * time.Second)
		if err := pods.Delete(t.Context(), "running", metav1.DeleteOptions{GracePeriodSeconds: new(int64(-1))}); err != nil {
			t.Fatal(err)
		}
		check(1, time.Now()) // which is later than a second after the first deletion

		must(pods.Create(t.Context(), pod("hurried", "n", corev1.PodRunning), metav1.CreateOptions{}))(t)
		must(pods.UpdateStatus(t.Context(), pod("hurried", "n", corev1.PodRunning), metav1.UpdateOptions{}))(t)
		if err := pods.Delete(t.Context(), "hurried", *metav1.NewDeleteOptions(10)); err != nil {
			t.Fatal(err)
		}
		hurried := must(pods.Get(t.Context(), "hurried", metav1.GetOptions{}))(t)
		equal(t, "grace period", *hurried.DeletionGracePeriodSeconds, 10)
		if err := pods.Delete(t.Context(), "running", *metav1.NewDeleteOptions(0)); err != nil {
			t.Fatal(err)
		}
		_, err := pods.Get(t.Context(), "running", metav1.GetOptions{})
		reason(t, err, metav1.StatusReasonNotFound, "")
	})
}

func TestBinding(t *testing.T) {
	api := fakeapi.New(fakeapi.WithObjects(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p"}}))
	pods := newKubernetes(api).CoreV1().Pods("team")
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
	if err := pods.Bind(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := must(pods.Get(t.Context(), "p", metav1.GetOptions{}))(t)
	if pod.Spec.NodeName != "n" || len(pod.Status.Conditions) != 1 || pod.Status.Conditions[0].Type != corev1.PodScheduled {
		t.Errorf("bound %+v", pod)
	}
	reason(t, pods.Bind(t.Context(), binding, metav1.CreateOptions{}), metav1.StatusReasonConflict, `pod p is already assigned to node "n"`)
}

func TestToken(t *testing.T) {
	client := newKubernetes(fakeapi.New(fakeapi.WithObjects(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s"}})))
	accounts := client.CoreV1().ServiceAccounts("team")
	one := must(accounts.CreateToken(t.Context(), "s", &authenticationv1.TokenRequest{}, metav1.CreateOptions{}))(t)
	two := must(accounts.CreateToken(t.Context(), "s", &authenticationv1.TokenRequest{}, metav1.CreateOptions{}))(t)
	if one.Status.Token == "" || one.Status.Token == two.Status.Token || one.Status.ExpirationTimestamp.Before(new(metav1.Now())) {
		t.Errorf("tokens %+v and %+v", one, two)
	}
	equal(t, "name", one.Namespace+"/"+one.Name, "team/s")
	equal(t, "default lifetime", *one.Spec.ExpirationSeconds, 3600)
	short := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(600))}}
	ends := must(accounts.CreateToken(t.Context(), "s", short, metav1.CreateOptions{}))(t).Status.ExpirationTimestamp
	if !ends.Time.Before(one.Status.ExpirationTimestamp.Add(-time.Minute)) {
		t.Errorf("a token of ten minutes ends at %v, one of an hour at %v", ends, one.Status.ExpirationTimestamp)
	}
	_, err := accounts.CreateToken(t.Context(), "x", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	reason(t, err, metav1.StatusReasonNotFound, `serviceaccounts "x" not found`)
}

// TestStandardScale checks the scale subresource of a kind of Kubernetes, which can be applied.
func TestStandardScale(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "d"}}
	d.Spec.Replicas, d.Spec.Selector = new(int32(2)), &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	deployments := newKubernetes(fakeapi.New(fakeapi.WithObjects(d))).AppsV1().Deployments("team")
	scale := must(deployments.GetScale(t.Context(), "d", metav1.GetOptions{}))(t)
	if scale.Spec.Replicas != 2 || scale.Status.Selector != "a=b" {
		t.Errorf("scale %+v", scale)
	}
	scale.Spec.Replicas = 3
	must(deployments.UpdateScale(t.Context(), "d", scale, metav1.UpdateOptions{FieldManager: "u"}))(t)
	config := autoscalingv1apply.Scale().WithName("d").WithSpec(autoscalingv1apply.ScaleSpec().WithReplicas(4))
	_, err := deployments.ApplyScale(t.Context(), "d", config, metav1.ApplyOptions{FieldManager: "a"})
	reason(t, err, metav1.StatusReasonConflict, "Apply failed with 1 conflict")
	must(deployments.ApplyScale(t.Context(), "d", config, metav1.ApplyOptions{FieldManager: "a", Force: true}))(t)
	got := must(deployments.Get(t.Context(), "d", metav1.GetOptions{}))(t)
	if *got.Spec.Replicas != 4 || got.Generation != 3 {
		t.Errorf("scaled %+v", got)
	}
}

// TestApplyStandard applies to an object of a kind of Kubernetes, with client-go's schema.
func TestApplyStandard(t *testing.T) {
	pods := newKubernetes(fakeapi.New()).CoreV1().Pods("team")
	config := func(container string) *corev1apply.PodApplyConfiguration {
		return corev1apply.Pod("p", "team").WithSpec(corev1apply.PodSpec().WithContainers(corev1apply.Container().WithName(container).WithImage("i")))
	}
	must(pods.Apply(t.Context(), config("a"), metav1.ApplyOptions{FieldManager: "a"}))(t)
	pod := must(pods.Apply(t.Context(), config("b"), metav1.ApplyOptions{FieldManager: "b"}))(t)
	equal(t, "containers", len(pod.Spec.Containers), 2)
	pod = must(pods.Apply(t.Context(), config("b"), metav1.ApplyOptions{FieldManager: "a"}))(t)
	equal(t, "containers", len(pod.Spec.Containers), 1)
}
