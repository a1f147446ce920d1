// Command cache fills the cache of an informer with Pods from a server in the same process, which sends them as JSON,
// and prints the memory of the cache and the time until it is full. The Pods have the length, and the managedFields, of
// Pods of a Deployment.
//
//	go run ./cache [-pods 10000] full|without-managed-fields|slice
//
// The form "slice" has the fields of the example podcache, and no managedFields.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	slicev1 "github.com/kubegen/kubegen/examples/podcache/pods/core/v1"
	"github.com/kubegen/kubegen/test/bench/chart"
)

func main() {
	pods := flag.Int("pods", 10000, "number of Pods")
	flag.Parse()
	figures, err := measure(chart.Form(flag.Arg(0)), *pods)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(figures)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cache:", err)
		os.Exit(1)
	}
}

// measure fills a cache with Pods in a form.
func measure(form chart.Form, pods int) (*chart.Filled, error) {
	server := httptest.NewServer(serve(pods))
	defer server.Close()
	informer, err := newInformer(server.URL, form)
	if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	defer close(stop)
	before, start := heap(), time.Now()
	go informer.Run(stop)
	wait(informer)
	took := time.Since(start)
	used := heap() - before
	if n := len(informer.GetStore().ListKeys()); n != pods {
		return nil, fmt.Errorf("%d objects are in the cache, want %d", n, pods)
	}
	size, managed, err := sizes()
	return &chart.Filled{Heap: float64(used) / 1e6, Sync: took.Seconds(), Pods: pods, Size: size, Managed: managed}, err
}

func wait(informer cache.SharedIndexInformer) {
	for !informer.HasSynced() {
		time.Sleep(time.Millisecond)
	}
}

// heap returns the memory of reachable objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees objects with finalizers
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// newInformer returns an informer for the Pods of a server in the given form.
func newInformer(host string, form chart.Form) (cache.SharedIndexInformer, error) {
	var pod, list kruntime.Object = &corev1.Pod{}, &corev1.PodList{}
	switch form {
	case chart.Full, chart.WithoutManagedFields:
	case chart.Slice:
		pod, list = &slicev1.Pod{}, &slicev1.PodList{}
	default:
		return nil, errors.New("the argument must be full, without-managed-fields or slice")
	}
	scheme, version := kruntime.NewScheme(), corev1.SchemeGroupVersion
	scheme.AddKnownTypeWithName(version.WithKind("Pod"), pod)
	scheme.AddKnownTypeWithName(version.WithKind("PodList"), list)
	metav1.AddToGroupVersion(scheme, version)
	client, err := rest.RESTClientFor(&rest.Config{Host: host, APIPath: "/api", ContentConfig: rest.ContentConfig{
		GroupVersion: &version, NegotiatedSerializer: serializer.NewCodecFactory(scheme).WithoutConversion()}})
	if err != nil {
		return nil, err
	}
	lists := cache.NewFilteredListWatchFromClient(client, "pods", metav1.NamespaceAll, func(*metav1.ListOptions) {})
	informer := cache.NewSharedIndexInformer(lists, pod, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if form == chart.Full {
		return informer, nil
	}
	return informer, informer.SetTransform(func(obj any) (any, error) { // that of WithoutManagedFields
		if object, ok := obj.(metav1.Object); ok && object.GetManagedFields() != nil {
			object.SetManagedFields(nil)
		}
		return obj, nil
	})
}

// template is the JSON of a Pod, with the names of variables between @ characters.
//
//go:embed pod.json
var template []byte

// compact returns the template as servers send JSON, without space.
func compact() string {
	var text bytes.Buffer
	if err := json.Compact(&text, template); err != nil {
		panic(err)
	}
	return text.String()
}

// sizes returns the length of a Pod as JSON, and of its managedFields.
func sizes() (pod, managed int, err error) {
	var read struct {
		Metadata struct{ ManagedFields json.RawMessage }
	}
	text := variables(0).Replace(compact())
	err = json.Unmarshal([]byte(text), &read)
	return len(text), len(read.Metadata.ManagedFields), err
}

// serve returns a server with Pods. It answers only watches that begin with a list, which informers send by default
// since client-go v0.35.
func serve(pods int) http.Handler {
	template := compact()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("sendInitialEvents") != "true" {
			http.Error(w, "only watches that begin with a list are served", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		for i := range pods {
			fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", variables(i).Replace(template))
		}
		metadata := fmt.Sprintf(`{"resourceVersion":"%d","annotations":{%q:"true"}}`, version(pods), metav1.InitialEventsAnnotationKey)
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":%s}}`+"\n", metadata)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
}

// variables returns the values of variables for a Pod. There are ten Pods of each ReplicaSet and thirty on each node.
func variables(i int) *strings.Replacer {
	node := i % 333
	return strings.NewReplacer("@NAME@", fmt.Sprintf("%05x", i), "@TEAM@", fmt.Sprint(i/10), "@UID@", fmt.Sprintf("%012x", i),
		"@OWNER@", fmt.Sprintf("%012x", i/10), "@VERSION@", fmt.Sprint(version(i)), "@NODE@", fmt.Sprint(node),
		"@HOST@", fmt.Sprintf("%d.%d", node/250, node%250), "@IP@", fmt.Sprintf("10.%d.%d.%d", 128+i/62500, i/250%250, i%250),
		"@CONTAINER@", fmt.Sprintf("%07x", i))
}

func version(i int) int { return 81234567 + i }
