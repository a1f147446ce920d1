// Command certificates keeps a Certificate of cert-manager for each host that it is given, and prints when one is
// ready. The types and clients are imported from a CustomResourceDefinition: go.mod requires nothing of cert-manager.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	applyv1 "github.com/kubegen/kubegen/examples/certificates/certmanager/applyconfiguration/cert-manager/v1"
	v1 "github.com/kubegen/kubegen/examples/certificates/certmanager/cert-manager/v1"
	"github.com/kubegen/kubegen/examples/certificates/certmanager/clientset/versioned"
	"github.com/kubegen/kubegen/examples/certificates/certmanager/informers/externalversions"
)

//go:generate go run github.com/kubegen/kubegen/cmd/kubegen

func main() {
	kubeconfig := flag.String("kubeconfig", clientcmd.RecommendedHomeFile, "kubeconfig file")
	issuer := flag.String("issuer", "letsencrypt", "name of the issuer")
	namespace := flag.String("namespace", "default", "namespace of the certificates")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := keep(ctx, config, *namespace, *issuer, flag.Args(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// keep applies a Certificate for each host, and again whenever one changes, until the context ends.
func keep(ctx context.Context, config *rest.Config, namespace, issuer string, hosts []string, out io.Writer) error {
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	certificates := client.CertManagerV1().Certificates(namespace)
	apply := func(host string) error {
		_, err := certificates.Apply(ctx, wanted(host, namespace, issuer), metav1.ApplyOptions{FieldManager: "certificates", Force: true})
		return err
	}
	for _, host := range hosts {
		if err := apply(host); err != nil {
			return fmt.Errorf("certificate for %s: %w", host, err)
		}
	}
	factory := externalversions.NewSharedInformerFactoryWithOptions(
		client, 0, externalversions.WithNamespace(namespace), externalversions.WithoutManagedFields(),
	)
	changed := func(object any) {
		certificate := object.(*v1.Certificate)
		if isReady(certificate) {
			fmt.Fprintf(out, "%s is ready until %s\n", certificate.Name, certificate.Status.NotAfter.UTC().Format("2006-01-02"))
		}
		for _, host := range hosts {
			if nameOf(host) == certificate.Name {
				if err := apply(host); err != nil && ctx.Err() == nil {
					log.Printf("certificate for %s: %v", host, err)
				}
			}
		}
	}
	_, err = factory.CertManager().V1().Certificates().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, object any) { changed(object) },
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// nameOf returns the name of the Certificate for a host.
func nameOf(host string) string { return strings.ReplaceAll(host, "*", "wildcard") }

// wanted returns the Certificate for a host.
func wanted(host, namespace, issuer string) *applyv1.CertificateApplyConfiguration {
	return applyv1.Certificate(nameOf(host), namespace).WithSpec(applyv1.CertificateSpec().
		WithSecretName(nameOf(host) + "-tls").
		WithDnsNames(host).
		WithIssuerRef(applyv1.CertificateSpecIssuerRef().WithName(issuer).WithKind("ClusterIssuer")).
		WithPrivateKey(applyv1.CertificateSpecPrivateKey().WithAlgorithm(v1.CertificateSpecPrivateKeyAlgorithmECDSA).WithSize(256)))
}

// isReady reports whether the condition Ready of a Certificate is true.
func isReady(certificate *v1.Certificate) bool {
	if certificate.Status == nil || certificate.Status.NotAfter == nil {
		return false
	}
	for _, condition := range certificate.Status.Conditions {
		if condition.Type == "Ready" && condition.Status == v1.CertificateStatusConditionsStatusTrue {
			return true
		}
	}
	return false
}
