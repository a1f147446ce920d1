package e2e

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	webhook "github.com/kubegen/kubegen/examples/crontab-types/conversion"
	"github.com/kubegen/kubegen/fakeapi"
	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
	sitesv1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1"
	sitesv1alpha1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1alpha1"
	sitesv1beta1 "github.com/kubegen/kubegen/test/e2e/apis/sites/v1beta1"
)

// siteVersions are the versions of Site. The hub is v1.
var siteVersions = []string{"v1alpha1", "v1beta1", "v1"}

// siteData is the annotation in which generated functions keep what a version lacks.
const siteData = "web.example.com/conversion-data"

func siteVersion(version string) schema.GroupVersion {
	return schema.GroupVersion{Group: "web.example.com", Version: version}
}

// siteScheme returns a scheme with the types of all versions and the generated functions that convert them.
func siteScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(siteVersion("v1alpha1"), &sitesv1alpha1.Site{}, &sitesv1alpha1.SiteList{})
	scheme.AddKnownTypes(siteVersion("v1beta1"), &sitesv1beta1.Site{}, &sitesv1beta1.SiteList{})
	scheme.AddKnownTypes(siteVersion("v1"), &sitesv1.Site{}, &sitesv1.SiteList{})
	utilruntime.Must(sitesv1alpha1.RegisterConversions(scheme))
	utilruntime.Must(sitesv1beta1.RegisterConversions(scheme))
	return scheme
}

// siteDefinition returns the generated definition of Site with another stored version, and with the address of a
// webhook and its certificate.
func siteDefinition(t *testing.T, stored string, server *httptest.Server) []byte {
	t.Helper()
	text, err := os.ReadFile("apis/sites/crds/web.example.com_sites.yaml")
	must(t, err)
	var definition apiextensionsv1.CustomResourceDefinition
	must(t, yaml.UnmarshalStrict(text, &definition))
	address := server.URL + "/convert"
	definition.Spec.Conversion.Webhook.ClientConfig = &apiextensionsv1.WebhookClientConfig{
		URL: &address, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
	for i := range definition.Spec.Versions {
		definition.Spec.Versions[i].Storage = definition.Spec.Versions[i].Name == stored
	}
	return []byte(compact(definition))
}

// newSites returns clients of an API server and of APIs of fakeapi that serve Sites. Their handler also converts the
// objects of the server. stored is the version of stored objects.
func newSites(t *testing.T, stored string, handler http.Handler) (server dynamic.Interface, fakes map[string]dynamic.Interface) {
	t.Helper()
	server, _, file := newSiteServer(t, stored, handler)
	options, err := crdvalidation.Options(siteScheme(), file)
	must(t, err)
	return server, map[string]dynamic.Interface{
		"functions": connectDynamic(t, fakeapi.New(options...).RESTConfig()),
		"handler":   connectDynamic(t, fakeapi.New(append(options, fakeapi.WithConversion(handler))...).RESTConfig()),
	}
}

// newSiteServer returns a client of an API server that serves Sites, its configuration, and the file with the
// definition. args are of the server.
func newSiteServer(t *testing.T, stored string, handler http.Handler, args ...string) (client dynamic.Interface, config *rest.Config, file string) {
	t.Helper()
	hook := httptest.NewTLSServer(handler)
	t.Cleanup(hook.Close)
	dir := withoutRules(t)
	file = filepath.Join(dir, "sites.yaml")
	must(t, os.WriteFile(file, siteDefinition(t, stored, hook), 0o600))
	config, err := startServer(t, newServer(t.TempDir(), dir, args...)).config()
	must(t, err)
	return connectDynamic(t, config), config, file
}

func connectDynamic(t *testing.T, config *rest.Config) dynamic.Interface {
	t.Helper()
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	return client
}

// siteHandler is the handler of the webhook.
func siteHandler() http.Handler { return webhook.Handler(siteScheme(), siteVersion("v1")) }
