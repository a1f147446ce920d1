package fakeapi_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

func TestUpdateErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*stablev1.CronTab)
		opts   metav1.UpdateOptions
		reason metav1.StatusReason
		text   string
	}{
		{"not there", func(ct *stablev1.CronTab) { ct.Name = "two" }, metav1.UpdateOptions{}, metav1.StatusReasonNotFound, `crontabs.stable.example.com "two" not found`},
		{"no name", func(ct *stablev1.CronTab) { ct.Name = "" }, metav1.UpdateOptions{}, metav1.StatusReasonUnknown, "resource name may not be empty"},
		{"no version", func(ct *stablev1.CronTab) { ct.ResourceVersion = "" }, metav1.UpdateOptions{}, metav1.StatusReasonInvalid, "metadata.resourceVersion: Invalid value: 0: must be specified for an update"},
		{"another version", func(ct *stablev1.CronTab) { ct.ResourceVersion = "1" }, metav1.UpdateOptions{}, metav1.StatusReasonConflict, "the object has been modified; please apply your changes to the latest version and try again"},
		{"malformed version", func(ct *stablev1.CronTab) { ct.ResourceVersion = "a" }, metav1.UpdateOptions{}, metav1.StatusReasonUnknown, `parsing "a": invalid syntax`},
		{"another UID", func(ct *stablev1.CronTab) { ct.UID = "other" }, metav1.UpdateOptions{}, metav1.StatusReasonConflict, "Precondition failed: UID in precondition: other"},
		{"another namespace", func(ct *stablev1.CronTab) { ct.Namespace = "other" }, metav1.UpdateOptions{}, metav1.StatusReasonBadRequest, "the namespace of the provided object does not match"},
		{"malformed label", func(ct *stablev1.CronTab) { ct.Labels = map[string]string{"a b": ""} }, metav1.UpdateOptions{}, metav1.StatusReasonInvalid, "metadata.labels: Invalid value"},
		{"negative replicas", func(ct *stablev1.CronTab) { ct.Spec.Replicas = new(int32(-1)) }, metav1.UpdateOptions{}, metav1.StatusReasonInvalid, ".spec.replicas"},
		{"malformed options", nil, metav1.UpdateOptions{DryRun: []string{"some"}}, metav1.StatusReasonInvalid, "UpdateOptions.meta.k8s.io"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, client := newWorld(t, fakeapi.WithObjects(crontab("one")))
			c := client.StableV1().CronTabs("team")
			before := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
			ct := before.DeepCopy()
			ct.Spec.Image = "alpine"
			if test.change != nil {
				test.change(ct)
			}
			_, err := c.Update(t.Context(), ct, test.opts)
			reason(t, err, test.reason, test.text)
			_, err = c.UpdateStatus(t.Context(), ct, test.opts)
			if test.name != "malformed label" && test.name != "negative replicas" { // which only the status is looked at for
				reason(t, err, test.reason, test.text)
			}
			after := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
			equal(t, "spec", after.Spec, before.Spec)
		})
	}
}

// TestUpdateKeeps checks what an update cannot change.
func TestUpdateKeeps(t *testing.T) {
	_, client := newWorld(t, fakeapi.WithObjects(crontab("one", func(ct *stablev1.CronTab) { ct.Status.Replicas = 2 })))
	c := client.StableV1().CronTabs("team")
	old := must(c.Get(t.Context(), "one", metav1.GetOptions{}))(t)
	ct := old.DeepCopy()
	ct.Generation, ct.CreationTimestamp, ct.UID, ct.Status.Replicas = 70, metav1.Unix(0, 0), "", 3
	ct.Labels = map[string]string{"a": "b"}
	ct = must(c.Update(t.Context(), ct, metav1.UpdateOptions{}))(t)
	if ct.Generation != 1 || !ct.CreationTimestamp.Equal(&old.CreationTimestamp) || ct.UID != old.UID || ct.Status.Replicas != 2 || ct.Labels["a"] != "b" {
		t.Errorf("updated %+v", ct)
	}

	ct.Spec.Suspend = true
	ct = must(c.Update(t.Context(), ct, metav1.UpdateOptions{FieldManager: "other"}))(t)
	equal(t, "generation", ct.Generation, 2)
	var managers []string
	for _, entry := range ct.ManagedFields {
		managers = append(managers, entry.Manager)
	}
	equal(t, "managers", managers, []string{"fakeapi.test", "other"})
}

// TestStandardKinds checks what differs between kinds of Kubernetes and custom resources.
func TestStandardKinds(t *testing.T) {
	api := fakeapi.New()
	client := newKubernetes(api)
	ctx := t.Context()

	cm := must(client.CoreV1().ConfigMaps("team").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"a": "b"}}, metav1.CreateOptions{}))(t)
	equal(t, "generation of a ConfigMap", cm.Generation, 0)
	old := cm.ResourceVersion
	cm.ResourceVersion, cm.Data["a"] = "", "c"
	cm = must(client.CoreV1().ConfigMaps("team").Update(ctx, cm, metav1.UpdateOptions{}))(t) // without a version
	if cm.ResourceVersion == old || cm.Data["a"] != "c" {
		t.Errorf("updated %+v", cm)
	}

	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "one"}}}}
	pod.Status.Phase = corev1.PodRunning
	pod = must(client.CoreV1().Pods("team").Create(ctx, pod, metav1.CreateOptions{}))(t)
	if pod.Generation != 1 || pod.Status.Phase != "" {
		t.Errorf("created %+v", pod)
	}
	pod.Status.Phase, pod.Spec.NodeName, pod.Labels["a"] = corev1.PodRunning, "n", "c"
	pod = must(client.CoreV1().Pods("team").UpdateStatus(ctx, pod, metav1.UpdateOptions{}))(t)
	if pod.Generation != 1 || pod.Status.Phase != corev1.PodRunning || pod.Spec.NodeName != "" || pod.Labels["a"] != "c" {
		t.Errorf("updated %+v", pod)
	}
	pod = must(client.CoreV1().Pods("team").Patch(ctx, "a", "application/strategic-merge-patch+json", []byte(`{"spec":{"containers":[{"name":"two"}]}}`), metav1.PatchOptions{}))(t)
	if len(pod.Spec.Containers) != 2 || pod.Generation != 2 {
		t.Errorf("patched %+v", pod)
	}
	list := must(client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"}))(t)
	if len(list.Items) != 1 || list.Items[0].Kind != "" {
		t.Errorf("list %+v", list)
	}
	must(client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}))(t)
	for selector, n := range map[string]int{"spec.unschedulable=false": 1, "spec.unschedulable=true": 0, "spec.unschedulable!=true,metadata.name=n": 1} {
		equal(t, selector, len(must(client.CoreV1().Nodes().List(ctx, metav1.ListOptions{FieldSelector: selector}))(t).Items), n)
	}
	_, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.hostname=a"})
	reason(t, err, metav1.StatusReasonBadRequest, "field label not supported: spec.hostname")
}

// An update cannot change what is set for good, neither for custom resources nor for the kinds of Kubernetes.
func TestUpdateCannotChange(t *testing.T) {
	api, client := newWorld(t, fakeapi.WithObjects(crontab("a"), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "c"}}))
	a := must(client.StableV1().CronTabs("team").Get(t.Context(), "a", metav1.GetOptions{}))(t)
	a.DeletionGracePeriodSeconds = new(int64(30))
	_, err := client.StableV1().CronTabs("team").Update(t.Context(), a, metav1.UpdateOptions{})
	reason(t, err, metav1.StatusReasonInvalid, "metadata.deletionGracePeriodSeconds")
	maps := newKubernetes(api).CoreV1().ConfigMaps("team")
	c := must(maps.Get(t.Context(), "c", metav1.GetOptions{}))(t)
	c.DeletionGracePeriodSeconds = new(int64(30))
	_, err = maps.Update(t.Context(), c, metav1.UpdateOptions{})
	reason(t, err, metav1.StatusReasonInvalid, "metadata.deletionGracePeriodSeconds")
}

// A value of another type than the field's is refused, whichever request brings it.
func TestMistakenTypes(t *testing.T) {
	api, _ := newWorld(t, fakeapi.WithObjects(crontab("a")))
	c := api.Dynamic().Resource(crontabs).Namespace("team")
	for patch, text := range map[string]string{
		`{"spec":{"suspend":"yes"}}`:             `spec.suspend in body must be of type boolean: "string"`,
		`{"spec":{"image":true}}`:                `spec.image in body must be of type string: "boolean"`,
		`{"spec":{"replicas":4294967296}}`:       "",
		`{"apiVersion":"stable.example.com/v2"}`: "",
	} {
		_, err := c.Patch(t.Context(), "a", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if err == nil {
			t.Errorf("%s is accepted", patch)
		} else if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want %q", patch, err, text)
		}
	}
	_, err := c.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"status":{"conditions":"many"}}`), metav1.PatchOptions{}, "status")
	reason(t, err, metav1.StatusReasonInvalid, "status.conditions")
}
