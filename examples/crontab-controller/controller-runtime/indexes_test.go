package main

import (
	"context"
	"os"
	"strings"
	"testing"

	v1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	"github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/scheme"
	listersv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/listers/stable/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// indexes is the code that docs/indexes.md shows.
func indexes(ctx context.Context, manager ctrl.Manager, crontabs *v1.CronTabList) error {
	err := manager.GetFieldIndexer().IndexField(ctx, &v1.CronTab{}, listersv1.CronTabByImage,
		func(obj client.Object) []string { return listersv1.CronTabByImageKeys(obj.(*v1.CronTab)) })
	if err != nil {
		return err
	}
	err = manager.GetClient().List(ctx, crontabs, client.MatchingFields{listersv1.CronTabByImage: "nginx"})
	return err
}

// indexed is a Manager whose client has the indexes that the test adds.
type indexed struct {
	ctrl.Manager
	*fake.ClientBuilder
}

func (m *indexed) GetFieldIndexer() client.FieldIndexer { return m }
func (m *indexed) GetClient() client.Client             { return m.Build() }
func (m *indexed) IndexField(_ context.Context, object client.Object, field string, keys client.IndexerFunc) error {
	m.WithIndex(object, field, keys)
	return nil
}

func TestIndexes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/indexes.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("indexes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	block := ""
	for part := range strings.SplitSeq(string(page), "```go\n") {
		if code, _, _ := strings.Cut(part, "```"); strings.Contains(code, "GetFieldIndexer") {
			block = code
		}
	}
	if block == "" || !strings.Contains(string(source), "\t"+strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n\t")) {
		t.Errorf("not the code of docs/indexes.md:\n%s", block)
	}

	var found v1.CronTabList
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(
		&v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: v1.CronTabSpec{Image: "nginx"}},
		&v1.CronTab{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "nightly"}, Spec: v1.CronTabSpec{Image: "backup"}},
	)
	if err := indexes(t.Context(), &indexed{ClientBuilder: builder}, &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Items) != 1 || found.Items[0].Name != "web" {
		t.Errorf("found %v", found.Items)
	}
}
