package cluster

import (
	"context"
	"errors"

	"github.com/kubegen/kubegen/examples/crontab-controller/controller"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
)

// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// NewEventRecorder returns a recorder for the events that "kubectl describe" shows. It works until ctx ends. Events are
// also logged. On a server without the events API, they are only logged.
func NewEventRecorder(ctx context.Context, client kubernetes.Interface) (events.EventRecorder, error) {
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	context.AfterFunc(ctx, broadcaster.Shutdown)
	_, err := broadcaster.StartLogging(klog.FromContext(ctx))
	switch _, missing := client.Discovery().ServerResourcesForGroupVersion(eventsv1.SchemeGroupVersion.String()); {
	case missing == nil:
		err = errors.Join(err, broadcaster.StartRecordingToSinkWithContext(ctx))
	case !apierrors.IsNotFound(missing):
		err = errors.Join(err, missing)
	}
	return broadcaster.NewRecorder(scheme.Scheme, controller.Name), err
}
