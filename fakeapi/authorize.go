package fakeapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// An Authorizer decides whether a request is allowed. The spec has the user, and either the attributes of the resource
// or the path of the request. It has no selectors. An Authorizer must not call methods of the API.
type Authorizer func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus

// WithAuthorizer makes the API carry out only allowed requests. All clients are the user, except for clients of
// [API.AdminConfig]. Clients with rest.Config.Impersonate need permission to impersonate that user, who then carries
// out the request. A request that is not allowed fails with the reason Forbidden, before anything else in it is
// checked. The package github.com/kubegen/kubegen/fakeapi/rbac has an authorizer for roles.
func WithAuthorizer(user authenticationv1.UserInfo, authorize Authorizer) Option {
	mustHave(authorize != nil, "WithAuthorizer without an authorizer")
	return func(c *config) { c.user, c.authorize = user, authorize }
}

// AdminConfig returns a new configuration like [API.RESTConfig] for clients that may do everything in spite of
// [WithAuthorizer]. Tests use it for their own requests, and RESTConfig for the code under test.
func (a *API) AdminConfig() *rest.Config {
	config := a.RESTConfig()
	config.Transport = transport{a, true}
	return config
}

// permit returns the error of a server if the authorizer does not allow a request of a sender.
func (a *API) permit(by sender, spec authorizationv1.SubjectAccessReviewSpec) error {
	if a.authorize == nil || by.admin {
		return nil
	}
	spec.User, spec.Groups, spec.UID = by.user.Username, by.user.Groups, by.user.UID
	if by.user.Extra != nil {
		spec.Extra = map[string]authorizationv1.ExtraValue{}
		for key, values := range by.user.Extra {
			spec.Extra[key] = authorizationv1.ExtraValue(values)
		}
	}
	if status := a.authorize(spec); !status.Allowed {
		return forbid(by, spec, status.Reason)
	}
	return nil
}

// forbid returns the error of a server about a request of a sender that is not allowed, with the reason, if any.
func forbid(by sender, spec authorizationv1.SubjectAccessReviewSpec, reason string) error {
	spec.User = by.user.Username
	message := escaped.Replace(forbidden(spec))
	if reason != "" {
		message += ": " + reason
	}
	resource := spec.ResourceAttributes
	if resource == nil {
		return apierrors.NewForbidden(schema.GroupResource{}, "", errors.New(message))
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: resource.Group, Resource: resource.Resource}, resource.Name, errors.New(message))
}

// escaped removes characters of HTML from messages, like a server.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// forbidden returns a server's message about a request that is not allowed.
func forbidden(spec authorizationv1.SubjectAccessReviewSpec) string {
	r := spec.ResourceAttributes
	if r == nil {
		return fmt.Sprintf("User %q cannot %s path %q", spec.User, spec.NonResourceAttributes.Verb, spec.NonResourceAttributes.Path)
	}
	resource, scope := r.Resource, "at the cluster scope"
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	if r.Namespace != "" {
		scope = fmt.Sprintf("in the namespace %q", r.Namespace)
	}
	return fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", spec.User, r.Verb, resource, r.Group, scope)
}

// permitHTTP authorizes an HTTP request of a sender, or of the user whom the sender impersonates. If it is not for a
// resource, ok is false.
func (a *API) permitHTTP(by sender, t target, ok bool, rq *http.Request) error {
	spec := authorizationv1.SubjectAccessReviewSpec{}
	if ok {
		spec.ResourceAttributes = t.attributes()
	} else {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: rq.URL.Path, Verb: strings.ToLower(rq.Method)}
	}
	by, err := a.impersonate(by, rq.Header, spec)
	if err != nil {
		return err
	}
	return a.permit(by, spec)
}

// attributes returns the attributes of an HTTP request for a resource.
func (t target) attributes() *authorizationv1.ResourceAttributes {
	subresource, _, _ := strings.Cut(t.subresource, "/")
	return completed(&authorizationv1.ResourceAttributes{
		Verb: t.verb, Group: t.gvr.Group, Version: t.gvr.Version, Resource: t.gvr.Resource, Subresource: subresource, Namespace: t.namespace,
		Name: t.name,
	}, t.selected)
}

// permitAction authorizes a request of a fake clientset.
func (c *client) permitAction(rq request, gvr schema.GroupVersionResource) error {
	name, err := c.checkURL(rq)
	if err != nil {
		return nil // a client would not send the request
	}
	attributes := completed(&authorizationv1.ResourceAttributes{
		Verb: rq.verb, Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource, Subresource: rq.subresource,
		Namespace: rq.namespace, Name: name,
	}, rq.selected)
	return c.api.permit(sender{user: c.api.user}, authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: attributes})
}

// completed completes the attributes of a request for a resource. A namespace in the URL is in itself. Selected is the
// name of the only object that a list can contain, or "".
func completed(attributes *authorizationv1.ResourceAttributes, selected string) *authorizationv1.ResourceAttributes {
	if attributes.Resource == "namespaces" {
		attributes.Namespace = cmp.Or(attributes.Namespace, attributes.Name)
	}
	attributes.Name = cmp.Or(attributes.Name, selected)
	return attributes
}

// selectedName returns the name of the only object that a list can contain, or "".
func selectedName(opts metav1.ListOptions) string {
	selector, err := fields.ParseSelector(opts.FieldSelector)
	if _, malformed := labels.Parse(opts.LabelSelector); malformed != nil || err != nil {
		return ""
	}
	name, _ := selector.RequiresExactMatch("metadata.name")
	//lint:ignore SA1019 client-go v0.34 lacks its successor
	if len(path.IsValidPathSegmentName(name)) > 0 {
		return ""
	}
	return name
}
