package fakeapi_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	typedv1 "github.com/kubegen/kubegen/examples/crontab-types/generated/clientset/versioned/typed/stable/v1"
	"github.com/kubegen/kubegen/fakeapi"
)

func names(list *stablev1.CronTabList) (names []string) {
	for _, ct := range list.Items {
		names = append(names, ct.Name)
	}
	return names
}

// newList returns a client of five CronTabs.
func newList(t *testing.T) (*fakeapi.API, typedv1.CronTabInterface) {
	var objects []fakeapi.Option
	for i, name := range []string{"e", "a", "d", "b-1", "b"} {
		objects = append(objects, fakeapi.WithObjects(crontab(name, func(ct *stablev1.CronTab) {
			ct.Labels = map[string]string{"parity": []string{"even", "odd"}[i%2]}
			ct.Spec.Image, ct.Spec.Replicas = "image:"+strconv.Itoa(i), new(int32(i))
		})))
	}
	api, client := newWorld(t, objects...)
	return api, client.StableV1().CronTabs("team")
}

func TestListSelects(t *testing.T) {
	_, c := newList(t)
	for _, test := range []struct {
		labels, fields string
		want           []string
		err            string
	}{
		{want: []string{"a", "b", "b-1", "d", "e"}},
		{labels: "parity=odd", want: []string{"a", "b-1"}},
		{labels: "parity notin (odd)", want: []string{"b", "d", "e"}},
		{labels: "parity in (odd,even),!x", want: []string{"a", "b", "b-1", "d", "e"}},
		{labels: "x"},
		{fields: "metadata.name=b", want: []string{"b"}},
		{fields: "metadata.name!=b", want: []string{"a", "b-1", "d", "e"}},
		{fields: "metadata.namespace=team", want: []string{"a", "b", "b-1", "d", "e"}},
		{fields: "metadata.namespace=other"},
		{fields: "spec.image=image:2", want: []string{"d"}},
		{fields: "spec.replicas=0", want: []string{"e"}},
		{fields: "spec.replicas!=0,spec.image!=image:1", want: []string{"b", "b-1", "d"}},
		{labels: "parity=odd", fields: "metadata.name=b"},
		{fields: "spec.suspend=true", err: "field label not supported: spec.suspend"},
	} {
		list, err := c.List(t.Context(), metav1.ListOptions{LabelSelector: test.labels, FieldSelector: test.fields})
		if test.err != "" {
			reason(t, err, metav1.StatusReasonBadRequest, test.err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		equal(t, test.labels+test.fields, names(list), test.want)
	}
}

func TestListPages(t *testing.T) {
	api, c := newList(t)
	first := must(c.List(t.Context(), metav1.ListOptions{Limit: 2}))(t)
	equal(t, "first page", names(first), []string{"a", "b"})
	equal(t, "remaining", first.RemainingItemCount, new(int64(3)))

	// What happens from now on is not for this list.
	for _, name := range []string{"a", "d"} {
		if err := c.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	must(c.Create(t.Context(), crontab("c"), metav1.CreateOptions{}))(t)
	e := must(c.Get(t.Context(), "e", metav1.GetOptions{}))(t)
	e.Spec.Suspend = true
	must(c.Update(t.Context(), e, metav1.UpdateOptions{}))(t)

	second := must(c.List(t.Context(), metav1.ListOptions{Limit: 2, Continue: first.Continue}))(t)
	equal(t, "second page", names(second), []string{"b-1", "d"})
	equal(t, "version", second.ResourceVersion, first.ResourceVersion)
	equal(t, "remaining", second.RemainingItemCount, new(int64(1)))
	third := must(c.List(t.Context(), metav1.ListOptions{Limit: 2, Continue: second.Continue}))(t)
	equal(t, "third page", names(third), []string{"e"})
	if third.Continue != "" || third.RemainingItemCount != nil || third.Items[0].Spec.Suspend {
		t.Errorf("third page %+v", third)
	}

	odd := must(c.List(t.Context(), metav1.ListOptions{Limit: 1, LabelSelector: "parity=even"}))(t)
	equal(t, "even", names(odd), []string{"b"})
	equal(t, "remaining", odd.RemainingItemCount, nil)
	if odd.Continue == "" {
		t.Error("there is no continue token")
	}
	equal(t, "limit of a version", names(must(c.List(t.Context(), metav1.ListOptions{Limit: 2, ResourceVersion: first.ResourceVersion}))(t)), []string{"a", "b"})
	equal(t, "limit of version 0", len(must(c.List(t.Context(), metav1.ListOptions{Limit: 2, ResourceVersion: "0"}))(t).Items), 4)

	api.ExpireVersions()
	_, err := c.List(t.Context(), metav1.ListOptions{Limit: 2, Continue: second.Continue})
	reason(t, err, metav1.StatusReasonExpired, "The provided continue parameter is too old")
	token := err.(apierrors.APIStatus).Status().Continue
	equal(t, "rest", names(must(c.List(t.Context(), metav1.ListOptions{Continue: token}))(t)), []string{"e"})
	for token, text := range map[string]string{"!": "continue key is not valid", "e30": "does not recognize this encoded version"} {
		_, err := c.List(t.Context(), metav1.ListOptions{Continue: token})
		reason(t, err, metav1.StatusReasonBadRequest, text)
	}
	_, err = c.List(t.Context(), metav1.ListOptions{Continue: first.Continue, ResourceVersion: "1"})
	reason(t, err, metav1.StatusReasonBadRequest, "specifying resource version is not allowed when using continue")
}

func TestListVersions(t *testing.T) {
	api, c := newList(t)
	before := must(c.List(t.Context(), metav1.ListOptions{}))(t)
	must(c.Create(t.Context(), crontab("c"), metav1.CreateOptions{}))(t)
	now := must(c.List(t.Context(), metav1.ListOptions{}))(t)
	list := func(match metav1.ResourceVersionMatch, version string) (int, error) {
		list, err := c.List(t.Context(), metav1.ListOptions{ResourceVersionMatch: match, ResourceVersion: version})
		return len(list.Items), err
	}
	const exact, notOlder = metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	equal(t, "exact", must(list(exact, before.ResourceVersion))(t), 5)
	equal(t, "exact, the last", must(list(exact, now.ResourceVersion))(t), 6)
	equal(t, "not older", must(list(notOlder, before.ResourceVersion))(t), 6)
	equal(t, "some version", must(list("", before.ResourceVersion))(t), 6)
	equal(t, "any version", must(list("", "0"))(t), 6)
	for _, test := range []struct {
		match   metav1.ResourceVersionMatch
		version string
		reason  metav1.StatusReason
		text    string
	}{
		{exact, "", metav1.StatusReasonInvalid, "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{exact, "0", metav1.StatusReasonInvalid, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`},
		{"Other", "1", metav1.StatusReasonInvalid, "Unsupported value"},
		{notOlder, "99999", metav1.StatusReasonTimeout, "Too large resource version: 99999, current: " + now.ResourceVersion},
		{exact, "99999", metav1.StatusReasonTimeout, "Too large resource version"},
		{"", "soon", metav1.StatusReasonBadRequest, "invalid resource version: "},
	} {
		_, err := list(test.match, test.version)
		reason(t, err, test.reason, test.text)
	}
	_, err := c.Get(t.Context(), "a", metav1.GetOptions{ResourceVersion: "99999"})
	reason(t, err, metav1.StatusReasonTimeout, "Too large resource version")
	if !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		t.Errorf("the causes of %v are others", err)
	}
	api.ExpireVersions()
	_, err = list(exact, before.ResourceVersion)
	reason(t, err, metav1.StatusReasonExpired, "The resourceVersion for the provided list is too old.")
}

// spoilFields changes the bytes of a set of fields. Since v0.38, they are a string, which nobody can change.
func spoilFields(fields *metav1.FieldsV1) {
	if raw := reflect.ValueOf(fields).Elem().FieldByName("Raw"); raw.IsValid() {
		raw.Bytes()[0] = 'x'
	}
}

// TestResultsAreCopies checks that nobody can change what is stored, or what others see.
func TestResultsAreCopies(t *testing.T) {
	api, c := newList(t)
	spoil := func(ct *stablev1.CronTab) {
		ct.Labels["parity"], *ct.Spec.Replicas, ct.Spec.Image = "spoilt", 99, "spoilt"
		spoilFields(ct.ManagedFields[0].FieldsV1)
		ct.ManagedFields[0].Time.Time = ct.ManagedFields[0].Time.Add(1)
	}
	want := must(c.List(t.Context(), metav1.ListOptions{}))(t)
	list := must(c.List(t.Context(), metav1.ListOptions{}))(t)
	for i := range list.Items {
		spoil(&list.Items[i])
	}
	spoil(must(c.Get(t.Context(), "a", metav1.GetOptions{}))(t))
	dynamic := must(api.Dynamic().Resource(crontabs).Namespace("team").Get(t.Context(), "a", metav1.GetOptions{}))(t)
	dynamic.Object["spec"].(map[string]any)["image"] = "spoilt"
	dynamic.Object["metadata"].(map[string]any)["managedFields"].([]any)[0].(map[string]any)["manager"] = "spoilt"
	partial := must(api.Metadata().Resource(crontabs).Namespace("team").Get(t.Context(), "a", metav1.GetOptions{}))(t)
	partial.Labels["parity"] = "spoilt"
	spoilFields(partial.ManagedFields[0].FieldsV1)
	sent := crontab("sent", func(ct *stablev1.CronTab) { ct.Labels = map[string]string{"a": "b"} })
	created := must(c.Create(t.Context(), sent, metav1.CreateOptions{}))(t)
	sent.Labels["a"], created.Labels["a"] = "spoilt", "spoilt"
	equal(t, "labels", must(c.Get(t.Context(), "sent", metav1.GetOptions{}))(t).Labels["a"], "b")
	if err := c.Delete(t.Context(), "sent", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "list", must(c.List(t.Context(), metav1.ListOptions{}))(t).Items, want.Items)
}

// A list over all namespaces that selects one by metadata.namespace has nothing of others, and pages of it end.
func TestListSelectsNamespace(t *testing.T) {
	_, client := newWorld(t)
	for _, at := range []string{"east/a", "west/a", "west/b"} {
		namespace, name, _ := strings.Cut(at, "/")
		ct := crontab(name)
		ct.Namespace = namespace
		must(client.StableV1().CronTabs(namespace).Create(t.Context(), ct, metav1.CreateOptions{}))(t)
	}
	for selector, want := range map[string][]string{
		"metadata.namespace=west":                  {"west/a", "west/b"},
		"metadata.namespace=west,metadata.name=b":  {"west/b"},
		"metadata.name=a":                          {"east/a", "west/a"},
		"metadata.namespace!=west":                 {"east/a"},
		"metadata.namespace=west,metadata.name!=b": {"west/a"},
		"metadata.namespace=north":                 nil,
	} {
		for _, limit := range []int64{0, 1} {
			var got []string
			opts := metav1.ListOptions{FieldSelector: selector, Limit: limit}
			for range 5 {
				list := must(client.StableV1().CronTabs("").List(t.Context(), opts))(t)
				for _, item := range list.Items {
					got = append(got, item.Namespace+"/"+item.Name)
				}
				if opts.Continue = list.Continue; opts.Continue == "" {
					break
				}
			}
			equal(t, selector, got, want)
		}
	}
}

// TestHistory lists the objects of versions before thousands of writes, of which the API keeps the last ones alone.
func TestHistory(t *testing.T) {
	const kept = 1 << 13 // as in the documentation of fakeapi
	_, client := newWorld(t)
	c := client.StableV1().CronTabs("team")
	latest := must(c.Create(t.Context(), crontab("a"), metav1.CreateOptions{}))(t)
	versions := []string{latest.ResourceVersion}
	for i := range 2*kept + 1 {
		latest.Spec.Image = strconv.Itoa(i)
		latest = must(c.Update(t.Context(), latest, metav1.UpdateOptions{}))(t)
		versions = append(versions, latest.ResourceVersion)
		client.ClearActions()
	}
	exact := func(version string) (*stablev1.CronTabList, error) {
		return c.List(t.Context(), metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	}
	_, err := exact(versions[1])
	reason(t, err, metav1.StatusReasonExpired, "The resourceVersion for the provided list is too old.")
	past := must(exact(versions[len(versions)-1-kept]))(t)
	equal(t, "image before the last writes", past.Items[0].Spec.Image, strconv.Itoa(kept))
}
