package fakeapi

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
)

// document returns the discovery document at a path, or nil.
func (a *API) document(path string) any {
	path = strings.Trim(path, "/")
	kind := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{Kind: kind, APIVersion: "v1"} }
	switch path {
	case "healthz", "livez", "readyz", "healthz/ping", "livez/ping", "readyz/ping":
		return text("ok")
	case "api":
		return &metav1.APIVersions{TypeMeta: kind("APIVersions"), Versions: []string{"v1"}}
	case "apis":
		return &metav1.APIGroupList{TypeMeta: kind("APIGroupList"), Groups: a.apiGroups()}
	case "version":
		return &apiversion.Info{Major: "1", Minor: "0", GitVersion: "v1.0.0-fakeapi"}
	}
	prefix, groupVersion, _ := strings.Cut(path, "/")
	if core := groupVersion == "v1"; core != (prefix == "api") || !core && prefix != "apis" {
		return nil
	}
	for _, list := range a.groups {
		if list.GroupVersion == groupVersion {
			list = list.DeepCopy()
			list.TypeMeta = kind("APIResourceList")
			a.orderVerbs(list)
			return list
		}
	}
	for _, group := range a.apiGroups() {
		if group.Name == groupVersion {
			group.TypeMeta = kind("APIGroup")
			return &group
		}
	}
	return nil
}

// apiGroups returns the groups with a name, sorted. The versions of each group are in order of preference.
func (a *API) apiGroups() []metav1.APIGroup {
	var groups []metav1.APIGroup
	for _, list := range a.groups {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || gv.Group == "" {
			continue
		}
		if len(groups) == 0 || groups[len(groups)-1].Name != gv.Group {
			groups = append(groups, metav1.APIGroup{Name: gv.Group})
		}
		g := &groups[len(groups)-1]
		g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version})
	}
	for i := range groups {
		slices.SortFunc(groups[i].Versions, func(x, y metav1.GroupVersionForDiscovery) int {
			return apiversion.CompareKubeAwareVersionStrings(y.Version, x.Version)
		})
		groups[i].PreferredVersion = groups[i].Versions[0]
	}
	return groups
}

// customVerbs are the verbs of custom resources in the order used by servers.
var customVerbs = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}

// orderVerbs sorts the verbs of custom resources in the order of customVerbs.
func (a *API) orderVerbs(list *metav1.APIResourceList) {
	gv, _ := schema.ParseGroupVersion(list.GroupVersion)
	for _, in := range list.APIResources {
		if r := a.resources[gv.WithResource(in.Name)]; r != nil && !r.standard {
			slices.SortStableFunc(in.Verbs, func(x, y string) int {
				return cmp.Compare(slices.Index(customVerbs, x), slices.Index(customVerbs, y))
			})
		}
	}
}
