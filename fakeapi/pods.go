package fakeapi

import (
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	pods            = schema.GroupResource{Resource: "pods"}
	serviceAccounts = schema.GroupResource{Resource: "serviceaccounts"}
)

// unlisted has subresources of Kubernetes itself that only hand-written client methods use.
var unlisted = map[schema.GroupResource]map[string]metav1.APIResource{
	pods: {
		"binding":  {Kind: "Binding", Verbs: metav1.Verbs{"create"}},
		"eviction": {Kind: "Eviction", Verbs: metav1.Verbs{"create"}},
	},
	{Resource: "namespaces"}: {"finalize": {Kind: "Namespace", Verbs: metav1.Verbs{"create", "update"}}},
}

// createSubresource performs the action of creating a subresource, such as an eviction.
func (a *API) createSubresource(r *resource, rq request, obj runtime.Object, opts metav1.CreateOptions) (runtime.Object, *object, error) {
	switch {
	case r.gvr.GroupResource() == pods && rq.subresource == "eviction":
		return &metav1.Status{Status: metav1.StatusSuccess}, nil, a.evict(r, rq, obj)
	case r.gvr.GroupResource() == pods && rq.subresource == "binding":
		return &metav1.Status{Status: metav1.StatusSuccess}, nil, a.bind(r, rq, obj, opts)
	case r.gvr.GroupResource() == serviceAccounts && rq.subresource == "token":
		token, err := a.token(r, rq, obj)
		return token, nil, err
	}
	d, err := newDraft(r, obj, a.validation(opts.FieldValidation))
	if err != nil {
		return nil, nil, err
	}
	o, err := a.update(r, rq, d, metav1.UpdateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager})
	return nil, o, err
}

// contentOf returns the JSON form of an object sent by a client.
func contentOf(obj runtime.Object) (map[string]any, error) {
	if u, ok := obj.(runtime.Unstructured); ok {
		return u.UnstructuredContent(), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
}

// evict deletes a pod. It ignores PodDisruptionBudgets.
func (a *API) evict(r *resource, rq request, obj runtime.Object) error {
	eviction, err := contentOf(obj)
	if err != nil {
		return err
	}
	var opts metav1.DeleteOptions
	if in, ok := eviction["deleteOptions"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(in, &opts); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
	}
	_, err = a.delete(r, rq.namespace, rq.name, opts)
	return err
}

// bind assigns a pod to a node, as requested by a scheduler.
func (a *API) bind(r *resource, rq request, obj runtime.Object, opts metav1.CreateOptions) error {
	binding, err := contentOf(obj)
	if err != nil {
		return err
	}
	node, _, _ := unstructured.NestedString(binding, "target", "name")
	_, err = a.replace(r, change{
		namespace:   rq.namespace,
		name:        rq.name,
		subresource: "binding",
		dryRun:      len(opts.DryRun) > 0,
		next: func(old *draft) (*draft, error) {
			if assigned, _, _ := unstructured.NestedString(old.Object, "spec", "nodeName"); assigned != "" {
				return nil, apierrors.NewConflict(
					schema.GroupResource{Resource: "pods/binding"}, rq.name, fmt.Errorf("pod %s is already assigned to node %q", rq.name, assigned),
				)
			}
			d := old.DeepCopyObject().(*draft)
			d.Object = cloneValue(d.Object).(map[string]any)
			if err := unstructured.SetNestedField(d.Object, node, "spec", "nodeName"); err != nil {
				return nil, err
			}
			return d, setCondition(d, string(corev1.PodScheduled))
		},
	})
	return err
}

// setCondition sets a condition in the status of a draft to true. The draft must not share values with an object.
func setCondition(d *draft, kind string) error {
	conditions, _, err := unstructured.NestedSlice(d.Object, "status", "conditions")
	if err != nil {
		return err
	}
	conditions = append(conditions, map[string]any{"type": kind, "status": "True", "lastTransitionTime": now()})
	return unstructured.SetNestedSlice(d.Object, conditions, "status", "conditions")
}

// token returns a token for a service account. It cannot be used for authentication.
func (a *API) token(r *resource, rq request, obj runtime.Object) (runtime.Object, error) {
	o, err := a.get(r, rq.namespace, rq.name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	in, err := contentOf(obj)
	if err != nil {
		return nil, err
	}
	request := &authenticationv1.TokenRequest{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(in, request); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	lifetime := int64(time.Hour / time.Second)
	if request.Spec.ExpirationSeconds != nil {
		lifetime = *request.Spec.ExpirationSeconds
	}
	request.Spec.ExpirationSeconds = &lifetime
	request.TypeMeta = metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenRequest"}
	request.Name, request.Namespace = o.name(), o.namespace()
	request.CreationTimestamp = metav1.NewTime(time.Now().Truncate(time.Second))
	request.Status = authenticationv1.TokenRequestStatus{
		Token:               fmt.Sprintf("fakeapi:%s:%s:%s", o.namespace(), o.name(), a.newUID()),
		ExpirationTimestamp: metav1.NewTime(time.Now().Add(time.Duration(lifetime) * time.Second).Truncate(time.Second)),
	}
	return request, nil
}

// deleteGracefully starts the deletion of a pod that runs on a node, or shortens its grace period. The kubelet
// completes the deletion with a deletion without a grace period. It reports whether nothing else is to be done.
func (r *resource) deleteGracefully(d *draft, opts metav1.DeleteOptions) bool {
	if !r.standard || r.gvr.GroupResource() != pods {
		return false
	}
	grace := opts.GracePeriodSeconds
	if grace != nil && *grace < 0 {
		second := int64(1)
		grace = &second
	}
	if pending, _ := d.metadata()["deletionGracePeriodSeconds"].(int64); d.metadata()["deletionTimestamp"] != nil {
		if pending == 0 {
			return false
		}
		if grace != nil && *grace < pending {
			ends := d.GetDeletionTimestamp().Add(time.Duration(*grace-pending) * time.Second)
			if now := time.Now(); ends.Before(now) {
				ends = now
			}
			d.metadata()["deletionTimestamp"] = ends.UTC().Format(time.RFC3339)
			d.metadata()["deletionGracePeriodSeconds"] = *grace
			return *grace > 0
		}
		return true
	}
	period := int64(30)
	if terminate, ok, _ := unstructured.NestedInt64(d.Object, "spec", "terminationGracePeriodSeconds"); ok {
		period = terminate
	}
	if grace != nil {
		period = *grace
	}
	node, _, _ := unstructured.NestedString(d.Object, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(d.Object, "status", "phase")
	if node == "" || phase == string(corev1.PodSucceeded) || phase == string(corev1.PodFailed) || period == 0 {
		return false
	}
	d.metadata()["deletionTimestamp"] = time.Now().Add(time.Duration(period) * time.Second).UTC().Format(time.RFC3339)
	d.metadata()["deletionGracePeriodSeconds"] = period
	d.SetGeneration(d.GetGeneration() + 1)
	return true
}
