// Command openapiserver compares the OpenAPI documents that k8s.io/sample-apiserver and an API server with kueue's
// visibility API serve with the definitions in the package theirs, and with those in the package ours.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"

	"example.com/migration/ours"
	"example.com/migration/theirs"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/generic"
	registry "k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1"
	"k8s.io/sample-apiserver/pkg/apiserver"
	"sigs.k8s.io/kueue/apis/visibility/v1beta1"
	"sigs.k8s.io/kueue/apis/visibility/v1beta2"
)

func main() {
	want, got := documents(theirs.GetOpenAPIDefinitions), documents(ours.GetOpenAPIDefinitions)
	if different := differences(want, got); len(different) > 0 {
		log.Fatal("differences:\n", different)
	}
	name := v1alpha1.FlunderSpec{}.OpenAPIModelName()
	edited := documents(func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		all := ours.GetOpenAPIDefinitions(ref)
		definition := all[name]
		definition.Schema.Description += " Edited."
		all[name] = definition
		return all
	})
	different := differences(want, edited)
	if !slices.Contains(different, "wardle /openapi/v2") || !slices.Contains(different, "wardle apis/"+v1alpha1.SchemeGroupVersion.String()) {
		log.Fatal("an edited definition differs only in ", different)
	}
	fmt.Println(len(want), "documents compared")
}

// differences returns the names of the documents that are not equal, or that one of both lacks.
func differences(a, b map[string]any) (names []string) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(a[name], b[name]) {
			names = append(names, name)
		}
	}
	return names
}

// documents returns all OpenAPI documents that the servers serve with some definitions, by their names.
func documents(definitions common.GetOpenAPIDefinitions) map[string]any {
	found := map[string]any{}
	wardle := configOf(definitions, apiserver.Scheme, apiserver.Codecs)
	wardle.RESTOptionsGetter = withoutStorage{}
	server, err := (&apiserver.Config{GenericConfig: wardle}).Complete().New()
	if err != nil {
		log.Fatal(err)
	}
	addDocuments(found, "wardle", server.GenericAPIServer, v1alpha1.SchemeGroupVersion.Group, "v1alpha1", "v1beta1")

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, v1beta2.AddToScheme} {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	codecs := serializer.NewCodecFactory(scheme)
	visibility, err := configOf(definitions, scheme, codecs).Complete().New("visibility", genericapiserver.NewEmptyDelegate())
	if err != nil {
		log.Fatal(err)
	}
	group := v1beta2.GroupVersion.Group
	info := genericapiserver.NewDefaultAPIGroupInfo(group, scheme, runtime.NewParameterCodec(scheme), codecs)
	info.PrioritizedVersions = []schema.GroupVersion{v1beta2.GroupVersion, v1beta1.GroupVersion}
	for _, version := range info.PrioritizedVersions {
		info.VersionedResourcesStorageMap[version.Version] = map[string]registry.Storage{
			"clusterqueues": queue{}, "clusterqueues/pendingworkloads": pending{},
			"localqueues": queue{true}, "localqueues/pendingworkloads": pending{queue{true}},
		}
	}
	if err := visibility.InstallAPIGroups(&info); err != nil {
		log.Fatal(err)
	}
	addDocuments(found, "visibility", visibility, group, "v1beta1", "v1beta2")
	return found
}

// configOf returns the configuration of a server.
func configOf(definitions common.GetOpenAPIDefinitions, scheme *runtime.Scheme, codecs serializer.CodecFactory) *genericapiserver.RecommendedConfig {
	namer, config := openapi.NewDefinitionNamer(scheme), genericapiserver.NewRecommendedConfig(codecs)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &rest.Config{}
	return config
}

// addDocuments adds the documents of a server, which must include those of the versions of a group.
func addDocuments(found map[string]any, of string, server *genericapiserver.GenericAPIServer, group string, versions ...string) {
	server.PrepareRun()
	listening := httptest.NewServer(server.Handler)
	defer listening.Close()
	var index struct {
		Paths map[string]struct {
			URL string `json:"serverRelativeURL"`
		}
	}
	found[of+" /openapi/v2"] = get(listening.URL+"/openapi/v2", new(any))
	get(listening.URL+"/openapi/v3", &index)
	for name, at := range index.Paths {
		found[of+" "+name] = get(listening.URL+at.URL, new(any))
	}
	for _, version := range versions {
		if name := of + " apis/" + group + "/" + version; found[name] == nil {
			log.Fatalf("no document %s", name)
		}
	}
}

// queue is the storage of a queue, and pending of its workloads, with the methods of kueue's that documents depend on.
type queue struct{ namespaced bool }

func (queue) New() runtime.Object     { return &v1beta2.PendingWorkloadsSummary{} }
func (queue) Destroy()                {}
func (q queue) NamespaceScoped() bool { return q.namespaced }
func (queue) GetSingularName() string { return "queue" }

type pending struct{ queue }

func (pending) Get(context.Context, string, runtime.Object) (runtime.Object, error) {
	return pending{}.New(), nil
}
func (pending) NewGetOptions() (runtime.Object, bool, string) {
	return &v1beta2.PendingWorkloadOptions{}, false, ""
}

// get decodes a document into a value and returns it.
func get(url string, into any) any {
	response, err := http.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s: %v\n%s", url, response.Status, err, text)
	}
	return into
}

// withoutStorage lets a server start without etcd. Its documents do not depend on objects.
type withoutStorage struct{}

func (withoutStorage) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	return generic.RESTOptions{
		StorageConfig: &storagebackend.ConfigForResource{GroupResource: resource},
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object,
			func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers,
		) (storage.Interface, factory.DestroyFunc, error) {
			return struct{ storage.Interface }{}, func() {}, nil
		},
		ResourcePrefix: resource.Resource,
	}, nil
}
