package fakeapi_test

import (
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// What dynamic clients get has its kind, in lists, events and bookmarks, too. In lists, so has what typed clients get.
func TestKindsOfResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, client := newWorld(t)
		c := api.Dynamic().Resource(crontabs).Namespace("team")
		events := must(c.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}))(t)
		defer events.Stop()
		bookmark := next(t, events)
		equal(t, "bookmark", bookmark.Type, watch.Bookmark)
		equal(t, "version of the bookmark", bookmark.Object.(*unstructured.Unstructured).GetResourceVersion(), "1")

		typed := crontab("a")
		must(client.StableV1().CronTabs("team").Create(t.Context(), typed, metav1.CreateOptions{}))(t)
		added := next(t, events).Object.(*unstructured.Unstructured)
		got := must(c.Get(t.Context(), "a", metav1.GetOptions{}))(t)
		list := must(c.List(t.Context(), metav1.ListOptions{}))(t)
		for what, o := range map[string]*unstructured.Unstructured{"bookmark": bookmark.Object.(*unstructured.Unstructured), "event": added, "get": got, "item": &list.Items[0]} {
			equal(t, "kind of "+what, o.GroupVersionKind().String(), "stable.example.com/v1, Kind=CronTab")
		}
		equal(t, "kind of the list", list.GroupVersionKind().String(), "stable.example.com/v1, Kind=CronTabList")
		equal(t, "version of the list", list.GetResourceVersion(), got.GetResourceVersion())
		items := must(client.StableV1().CronTabs("team").List(t.Context(), metav1.ListOptions{}))(t).Items
		equal(t, "kind of a typed item", items[0].Kind, "CronTab")
		equal(t, "kind of a typed object", must(client.StableV1().CronTabs("team").Get(t.Context(), "a", metav1.GetOptions{}))(t).Kind, "")
	})
}

func TestDynamicDeleteCollection(t *testing.T) {
	api, client := newWorld(t)
	for _, name := range []string{"a", "b"} {
		must(client.StableV1().CronTabs("team").Create(t.Context(), crontab(name), metav1.CreateOptions{}))(t)
	}
	c := api.Dynamic().Resource(crontabs).Namespace("team")
	if err := c.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=a"}); err != nil {
		t.Fatal(err)
	}
	equal(t, "left", len(must(c.List(t.Context(), metav1.ListOptions{}))(t).Items), 1)
}

// Managed fields are those that a client sends, if it does, and times are whole seconds.
func TestManagedFieldsOfRequests(t *testing.T) {
	api, client := newWorld(t)
	tabs := client.StableV1().CronTabs("team")
	created := must(tabs.Create(t.Context(), crontab("a"), metav1.CreateOptions{FieldManager: "author"}))(t)
	again := must(tabs.Create(t.Context(), crontab("b"), metav1.CreateOptions{FieldManager: "author"}))(t) // of the same shape
	for _, ct := range []metav1.Object{created, again} {
		entries := ct.GetManagedFields()
		if len(entries) != 1 || entries[0].Manager != "author" || entries[0].Time == nil || entries[0].Time.Nanosecond() != 0 {
			t.Fatalf("managed fields %+v", entries)
		}
	}
	created.Spec.Image = "other"
	updated := must(tabs.Update(t.Context(), created, metav1.UpdateOptions{FieldManager: "editor"}))(t)
	equal(t, "managers", len(updated.ManagedFields), 2)
	for _, entry := range updated.ManagedFields {
		equal(t, "nanoseconds", entry.Time.Nanosecond(), 0)
	}
	updated.ManagedFields = []metav1.ManagedFieldsEntry{{}}
	reset := must(tabs.Update(t.Context(), updated, metav1.UpdateOptions{FieldManager: "editor"}))(t)
	equal(t, "managers after a reset", len(reset.ManagedFields), 0)

	status := must(api.Dynamic().Resource(crontabs).Namespace("team").Get(t.Context(), "b", metav1.GetOptions{}))(t)
	for path, value := range map[string]any{"spec.image": "ignored", "status.replicas": int64(3)} {
		if err := unstructured.SetNestedField(status.Object, value, strings.Split(path, ".")...); err != nil {
			t.Fatal(err)
		}
	}
	status = must(api.Dynamic().Resource(crontabs).Namespace("team").UpdateStatus(t.Context(), status, metav1.UpdateOptions{FieldManager: "controller"}))(t)
	for _, entry := range status.GetManagedFields() {
		if entry.Manager == "controller" {
			equal(t, "what the controller owns", entry.FieldsV1.String(), `{"f:status":{".":{},"f:replicas":{}}}`)
			equal(t, "subresource", entry.Subresource, "status")
		}
	}
	equal(t, "managers of spec and status", len(status.GetManagedFields()), 2)
}
