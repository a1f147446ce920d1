//go:build pin

// This file is never built. It keeps in go.mod what TestMigration generates clients for, what these clients import,
// and what TestDeepCopy copies.

package migration

import (
	_ "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/config/cainjector/v1alpha1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/config/controller/v1alpha1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/config/webhook/v1alpha1"
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
	_ "github.com/openkruise/kruise-api/apps/v1alpha1"
	_ "github.com/openkruise/kruise-api/apps/v1beta1"
	_ "github.com/openkruise/kruise-api/policy/v1alpha1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	_ "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	_ "github.com/vmware-tanzu/velero/pkg/apis/velero/v2alpha1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/client-go/applyconfigurations"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	_ "k8s.io/metrics/pkg/apis/metrics/v1"
	_ "k8s.io/sample-apiserver/pkg/apiserver"
	_ "k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	_ "sigs.k8s.io/gateway-api/apis/v1"
	_ "sigs.k8s.io/gateway-api/apisx/v1alpha1"
	_ "sigs.k8s.io/kueue/apis/visibility/v1beta1"
	_ "sigs.k8s.io/kueue/apis/visibility/v1beta2"
)
