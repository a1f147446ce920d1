// Command openapiserver compares the OpenAPI documents that k8s.io/sample-apiserver serves with its own definitions,
// and with those in the package ours.
package main

import (
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/generic"
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
	theirs "k8s.io/sample-apiserver/pkg/generated/openapi"
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
	if !slices.Contains(different, "/openapi/v2") || !slices.Contains(different, "apis/"+v1alpha1.SchemeGroupVersion.String()) {
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

// documents returns all OpenAPI documents that the server serves with some definitions, by their names.
func documents(definitions common.GetOpenAPIDefinitions) map[string]any {
	namer := openapi.NewDefinitionNamer(apiserver.Scheme)
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &rest.Config{}
	config.RESTOptionsGetter = withoutStorage{}
	server, err := (&apiserver.Config{GenericConfig: config}).Complete().New()
	if err != nil {
		log.Fatal(err)
	}
	server.GenericAPIServer.PrepareRun()
	listening := httptest.NewServer(server.GenericAPIServer.Handler)
	defer listening.Close()
	var index struct {
		Paths map[string]struct {
			URL string `json:"serverRelativeURL"`
		}
	}
	found := map[string]any{"/openapi/v2": get(listening.URL+"/openapi/v2", new(any))}
	get(listening.URL+"/openapi/v3", &index)
	for name, at := range index.Paths {
		found[name] = get(listening.URL+at.URL, new(any))
	}
	for _, name := range []string{"apis/wardle.example.com/v1alpha1", "apis/wardle.example.com/v1beta1"} {
		if found[name] == nil {
			log.Fatalf("no document %s", name)
		}
	}
	return found
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
