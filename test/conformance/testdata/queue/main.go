// Queue prints which queue the informers of a release of client-go have between their watch and their cache: the type
// whose method calls an index function, which informers do when they store an object.
package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stored := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "stored"}}
	source := &cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
			return &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{stored}}, nil
		},
		WatchFunc: func(opts metav1.ListOptions) (watch.Interface, error) {
			if opts.SendInitialEvents != nil {
				return nil, errors.New("not supported") // so the informer lists
			}
			return watch.NewFake(), nil
		},
	}
	stacks := make(chan []byte, 10)
	informer := cache.NewSharedIndexInformer(source, &stored, 0, cache.Indexers{"queue": func(any) ([]string, error) {
		stacks <- debug.Stack()
		return nil, nil
	}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go informer.RunWithContext(ctx)
	fmt.Println(string(regexp.MustCompile(`\w+FIFO`).Find(<-stacks)))
}
