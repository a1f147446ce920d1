package main

import (
	"context"
	"os"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/component-helpers/auth/rbac/validation"
	"sigs.k8s.io/yaml"
)

// readRules returns the rules of the ClusterRole in a file, or none if it is "".
func readRules(file string) ([]rbacv1.PolicyRule, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var role rbacv1.ClusterRole
	err = yaml.UnmarshalStrict(text, &role)
	return role.Rules, err
}

// newAuthorizer returns an authorizer that allows everything to the administrator, and the rules to all others.
func newAuthorizer(rules []rbacv1.PolicyRule) authorizer.AuthorizerFunc {
	return func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if slices.Contains(a.GetUser().GetGroups(), user.SystemPrivilegedGroup) {
			return authorizer.DecisionAllow, "", nil
		}
		rule := rbacv1.PolicyRule{Verbs: []string{a.GetVerb()}, NonResourceURLs: []string{a.GetPath()}}
		if a.IsResourceRequest() {
			resource := a.GetResource()
			if a.GetSubresource() != "" {
				resource += "/" + a.GetSubresource()
			}
			rule = rbacv1.PolicyRule{
				Verbs: []string{a.GetVerb()}, APIGroups: []string{a.GetAPIGroup()}, Resources: []string{resource}, ResourceNames: []string{a.GetName()},
			}
		}
		if allowed, _ := validation.Covers(rules, []rbacv1.PolicyRule{rule}); allowed {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	}
}
