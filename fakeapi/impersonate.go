package fakeapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
)

// A sender is the user of a client, who may do everything as an administrator.
type sender struct {
	user  authenticationv1.UserInfo
	admin bool
}

// The groups that a server knows.
const (
	masters         = "system:masters"
	authenticated   = "system:authenticated"
	unauthenticated = "system:unauthenticated"
)

// wanted returns the user in the headers for impersonation, without a name if there are none.
func wanted(header http.Header) (user authenticationv1.UserInfo, err error) {
	user.Username, user.UID = header.Get(authenticationv1.ImpersonateUserHeader), header.Get(authenticationv1.ImpersonateUIDHeader)
	user.Groups = append(user.Groups, header[authenticationv1.ImpersonateGroupHeader]...)
	var extra map[string][]string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		key, ok := strings.CutPrefix(name, authenticationv1.ImpersonateUserExtraHeaderPrefix)
		if !ok {
			continue
		}
		key = strings.ToLower(key)
		if plain, err := url.PathUnescape(key); err == nil {
			key = plain
		}
		if extra == nil {
			user.Extra, extra = map[string]authenticationv1.ExtraValue{}, map[string][]string{}
		}
		extra[key] = append(extra[key], header[name]...)
		user.Extra[key] = extra[key]
	}
	if user.Username == "" && (user.UID != "" || len(user.Groups) > 0 || extra != nil) {
		return user, apierrors.NewBadRequest(fmt.Sprintf(
			`requested &user.DefaultInfo{Name:"", UID:%q, Groups:%#v, Extra:%#v} without impersonating a user name`, user.UID, user.Groups, extra))
	}
	return user, nil
}

// A mode is a way to impersonate a user, named by its verbs. The verb of the mode "" is impersonate.
type mode string

const (
	ofNode    mode = "arbitrary-node"
	ofAccount mode = "serviceaccount"
	ofUser    mode = "user-info"
	ofAny     mode = ""
)

// modesFor returns the modes for a user, in the order of a server since v1.36: before the verb impersonate, the verbs
// of the kind of user count. fakeapi does not know the mode for the node of a service account's pod.
func modesFor(user authenticationv1.UserInfo) []mode {
	onlyName := user.UID == "" && len(user.Groups)+len(user.Extra) == 0
	namespace, _ := accountOf(user.Username)
	switch isNode, isAccount := nodeOf(user.Username) != "", namespace != ""; {
	case !isNode && !isAccount:
		return []mode{ofUser, ofAny}
	case !onlyName:
		return []mode{ofAny}
	case isNode:
		return []mode{ofNode, ofAny}
	}
	return []mode{ofAccount, ofAny}
}

// impersonate returns the user who carries out a request of a sender, by the headers for impersonation, or the error of
// a server if the sender may not impersonate this user.
func (a *API) impersonate(by sender, header http.Header, on authorizationv1.SubjectAccessReviewSpec) (sender, error) {
	user, err := wanted(header)
	if user.Username == "" || err != nil || a.authorize == nil {
		return by, err
	}
	modes := modesFor(user)
	a.mu.Lock()
	last, known := a.modes[by.user.Username]
	a.mu.Unlock()
	if known && last == modes[len(modes)-1] { // a server begins with the mode of the last success
		slices.Reverse(modes)
	}
	var first error
	for _, m := range modes {
		err := a.permitMode(by, user, m, on)
		if err == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.modes[by.user.Username] = m
			return sender{user: m.completed(user)}, nil
		}
		first = cmp.Or(first, err)
	}
	return by, first
}

// permitMode returns the error of a server if a sender may not impersonate a user in a mode.
func (a *API) permitMode(by sender, user authenticationv1.UserInfo, m mode, on authorizationv1.SubjectAccessReviewSpec) error {
	verb, group := "impersonate", ""
	if m != ofAny {
		verb, group = "impersonate:"+string(m), authenticationv1.GroupName
		if err := a.permit(by, withVerb(on, "impersonate-on:"+string(m)+":")); err != nil {
			return err
		}
	}
	attributes := func(group, resource, name string) *authorizationv1.ResourceAttributes {
		return &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Version: "v1", Resource: resource, Name: name}
	}
	needed := []*authorizationv1.ResourceAttributes{attributes(group, "users", user.Username)}
	if namespace, name := accountOf(user.Username); namespace != "" {
		needed[0].Resource, needed[0].Namespace, needed[0].Name = "serviceaccounts", namespace, name
	} else if m == ofNode {
		needed[0].Resource, needed[0].Name = "nodes", nodeOf(user.Username)
	}
	if user.UID != "" {
		needed = append(needed, attributes(authenticationv1.GroupName, "uids", user.UID))
	}
	groups := user.Groups
	if m != ofAny && slices.Contains(groups, masters) {
		groups = []string{masters} // refused before others are checked
	}
	for _, name := range groups {
		needed = append(needed, attributes(group, "groups", name))
	}
	for _, key := range slices.Sorted(maps.Keys(user.Extra)) {
		for _, value := range user.Extra[key] {
			extra := attributes(authenticationv1.GroupName, "userextras", value)
			extra.Subresource = key
			needed = append(needed, extra)
		}
	}
	for _, r := range needed {
		spec := authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: r}
		if m != ofAny && r.Resource == "groups" && r.Name == masters {
			return forbid(by, spec, "impersonating the system:masters group is not allowed")
		}
		if err := a.permit(by, spec); err != nil {
			return err
		}
	}
	return nil
}

// withVerb returns the attributes of a request with a verb that begins with a prefix.
func withVerb(spec authorizationv1.SubjectAccessReviewSpec, prefix string) authorizationv1.SubjectAccessReviewSpec {
	spec = *spec.DeepCopy()
	if spec.ResourceAttributes != nil {
		spec.ResourceAttributes.Verb = prefix + spec.ResourceAttributes.Verb
	} else {
		spec.NonResourceAttributes.Verb = prefix + spec.NonResourceAttributes.Verb
	}
	return spec
}

// completed returns an impersonated user with the groups that a server adds.
func (m mode) completed(user authenticationv1.UserInfo) authenticationv1.UserInfo {
	namespace, _ := accountOf(user.Username)
	switch {
	case m == ofNode:
		user.Groups = []string{"system:nodes"}
	case namespace != "" && len(user.Groups) == 0:
		user.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
	}
	all := authenticated
	if user.Username == "system:anonymous" || slices.Contains(user.Groups, unauthenticated) {
		all = unauthenticated
	}
	if !slices.Contains(user.Groups, all) {
		user.Groups = append(user.Groups, all)
	}
	return user
}

// accountOf returns the namespace and name of a service account from its user name, or "" for other users.
func accountOf(user string) (namespace, name string) {
	account, ok := strings.CutPrefix(user, "system:serviceaccount:")
	namespace, name, both := strings.Cut(account, ":")
	if !ok || !both || len(validation.ValidateNamespaceName(namespace, false)) > 0 ||
		len(validation.ValidateServiceAccountName(name, false)) > 0 {
		return "", ""
	}
	return namespace, name
}

// nodeOf returns the name of a node from its user name, or "" for other users.
func nodeOf(user string) string {
	name, ok := strings.CutPrefix(user, "system:node:")
	if !ok || len(validation.NameIsDNSSubdomain(name, false)) > 0 {
		return ""
	}
	return name
}
