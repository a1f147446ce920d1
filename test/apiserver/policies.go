package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
)

// readPolicies reads a file with ValidatingAdmissionPolicies and their bindings, with the defaults that kube-apiserver
// sets.
func readPolicies(file string) (policies []runtime.Object, err error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for documents := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return policies, nil
		}
		if err != nil {
			return nil, err
		}
		o, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		switch o := o.(type) {
		case *admissionregistrationv1.ValidatingAdmissionPolicy:
			setDefaults(o.Spec.MatchConstraints)
		case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
			setDefaults(o.Spec.MatchResources)
		default:
			return nil, fmt.Errorf("a %T, where a ValidatingAdmissionPolicy or a binding is expected", o)
		}
		policies = append(policies, o)
	}
}

func setDefaults(match *admissionregistrationv1.MatchResources) {
	if match == nil {
		return
	}
	equivalent := admissionregistrationv1.Equivalent
	match.MatchPolicy = cmp.Or(match.MatchPolicy, &equivalent)
	match.NamespaceSelector = cmp.Or(match.NamespaceSelector, &metav1.LabelSelector{})
	match.ObjectSelector = cmp.Or(match.ObjectSelector, &metav1.LabelSelector{})
}

// admit makes a server apply policies to requests: by the admission plugin of kube-apiserver, which finds them in a
// fake clientset, because the server does not serve their API. It finds any namespace there, too.
func admit(config *genericapiserver.Config, policies []runtime.Object) error {
	if len(policies) == 0 {
		return nil
	}
	plugin, err := validating.NewPlugin(nil)
	if err != nil {
		return err
	}
	client := fake.NewClientset(policies...)
	client.PrependReactor("get", "namespaces", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: action.(clienttesting.GetAction).GetName()}}, nil
	})
	params, err := dynamic.NewForConfig(config.LoopbackClientConfig)
	if err != nil {
		return err
	}
	found := informers.NewSharedInformerFactory(client, 0)
	initializer.New(
		client, params, found, config.Authorization.Authorizer, utilfeature.DefaultFeatureGate, config.EffectiveVersion, config.DrainedNotify(),
		meta.NewDefaultRESTMapper(nil),
	).Initialize(plugin)
	if err := admission.ValidateInitialization(plugin); err != nil {
		return err
	}
	found.Start(config.DrainedNotify())
	config.AdmissionControl = plugin
	return nil
}
