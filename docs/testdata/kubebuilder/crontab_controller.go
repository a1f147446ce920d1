// Package controller is the reconciler of a kubebuilder project, which docs/testing.md tests.
package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	stablev1 "example.com/crontabs/api/v1"
)

type CronTabReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

func (r *CronTabReconciler) Reconcile(ctx context.Context, rq ctrl.Request) (ctrl.Result, error) {
	ct := &stablev1.CronTab{}
	if err := r.Get(ctx, rq.NamespacedName, ct); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ct.Status.Replicas = *ct.Spec.Replicas // which is 1 by default
	return ctrl.Result{}, r.Status().Update(ctx, ct)
}
