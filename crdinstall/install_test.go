package crdinstall

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// established is the definition in crontabs on a server that serves it.
const established = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.stable.example.com"},
	"spec":{"group":"stable.example.com","names":{"plural":"crontabs","kind":"CronTab"},"versions":[{"name":"v1","served":true,"storage":true}]},
	"status":{"storedVersions":["v1"],"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"True"}]}}`

// TestAwaitProtobuf waits for a definition with the config of a program whose typed clients use protobuf.
func TestAwaitProtobuf(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := established
		if strings.HasPrefix(r.URL.Path, "/apis/stable.example.com/") {
			answer = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"stable.example.com/v1","resources":[{"name":"crontabs"}]}`
		}
		w.Header().Set("Content-Type", runtime.ContentTypeJSON)
		if strings.HasPrefix(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
			w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
			answer = "k8s\x00"
		}
		_, _ = fmt.Fprint(w, answer)
	}))
	defer server.Close()
	config := &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeProtobuf}}
	in, err := newInstaller(config, settings{})
	if err != nil {
		t.Fatal(err)
	}
	if lacks, err := in.lacking(t.Context(), "crontabs.stable.example.com"); lacks != "" || err != nil {
		t.Errorf("the definition is not served: %s %v", lacks, err)
	}
}
