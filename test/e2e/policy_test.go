package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// pagePolicy is the start of the rule in the policy of docs/versions.md.
const pagePolicy = "apiVersions: [v1beta1]"

// policyOf returns the option for a server with the ValidatingAdmissionPolicy of docs/versions.md, in which texts are
// replaced.
func policyOf(t *testing.T, oldnew ...string) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/versions.md")
	must(t, err)
	found := regexp.MustCompile("(?ms)^```yaml file=[^\n]*\n(apiVersion: admissionregistration.*?)^```$").FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/versions.md has no ValidatingAdmissionPolicy")
	}
	policy := string(found[1])
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(policy, oldnew[i]) {
			t.Fatalf("the policy of docs/versions.md has no %q", oldnew[i])
		}
		policy = strings.Replace(policy, oldnew[i], oldnew[i+1], 1)
	}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	must(t, os.WriteFile(file, []byte(policy), 0o600))
	return []string{"--policies", file}
}

// forged has fields that are too long, or that need another version.
const forged = `{"format":1,"kind":"Site","versions":{"v1":{".spec":{"=comment":"forged comment"}},"v1alpha1":{".spec":{"=legacy":"forged"}}}}`

// forgeries are requests that write the annotation of a Site with a comment and with a legacy field.
var forgeries = map[string]func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error{
	"create": func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
		o.SetName("new")
		o.SetResourceVersion("")
		o.SetAnnotations(map[string]string{siteData: forged})
		_, err := in.Create(ctx, o, metav1.CreateOptions{})
		return err
	},
	"create by apply": func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
		o.SetName("new")
		return applyAnnotation(ctx, in, o)
	},
	"update": func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
		o.SetAnnotations(map[string]string{siteData: forged})
		_, err := in.Update(ctx, o, metav1.UpdateOptions{})
		return err
	},
	"update without it": func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
		o.SetAnnotations(nil)
		_, err := in.Update(ctx, o, metav1.UpdateOptions{})
		return err
	},
	"merge patch": func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
		patch := compact(map[string]any{"metadata": map[string]any{"annotations": map[string]any{siteData: forged}}})
		_, err := in.Patch(ctx, o.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	},
	"JSON patch": func(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
		patch := compact([]any{map[string]any{"op": "remove", "path": "/metadata/annotations/" + strings.Replace(siteData, "/", "~1", 1)}})
		_, err := in.Patch(ctx, o.GetName(), types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
		return err
	},
	"apply": applyAnnotation,
}

func applyAnnotation(ctx context.Context, in dynamic.ResourceInterface, o *unstructured.Unstructured) error {
	applied := &unstructured.Unstructured{Object: map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind()}}
	applied.SetName(o.GetName())
	applied.SetAnnotations(map[string]string{siteData: forged})
	_, err := in.Apply(ctx, o.GetName(), applied, metav1.ApplyOptions{FieldManager: "forger", Force: true})
	return err
}

// TestPolicy has the policy of docs/versions.md, for all versions, on a server: it refuses each request that writes
// the annotation, but for those of the named identity, and no other one. The server applies it as kube-apiserver
// does, by the same admission plugin.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for i, stored := range siteVersions {
		t.Run(stored, func(t *testing.T) {
			t.Parallel()
			server, config, _ := newSiteServer(t, stored, siteHandler(), policyOf(t, pagePolicy, `apiVersions: ["*"]`)...)
			loseNothing(t, "server", server, i, *losslessSites/6)
			name := newForged(t, server)
			for _, version := range siteVersions {
				in := server.Resource(siteVersion(version).WithResource("sites")).Namespace("policy")
				for verb, forge := range forgeries {
					o, err := in.Get(t.Context(), name, metav1.GetOptions{})
					must(t, err)
					if err := forge(t.Context(), in, o); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "must be as it was read") {
						t.Errorf("%s in %s: %v", verb, version, err)
					}
				}
				// The status subresource changes no annotation.
				patch := compact(map[string]any{"metadata": map[string]any{"annotations": map[string]any{siteData: forged}}})
				if _, err := in.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
					t.Errorf("status in %s: %v", version, err)
				}
			}
			if comment := commentOf(t, server, name); comment != "kept" {
				t.Errorf("the comment is %q", comment)
			}
			config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:velero:velero", Groups: []string{"system:masters"}}
			in := connectDynamic(t, config).Resource(siteVersion("v1beta1").WithResource("sites")).Namespace("policy")
			o, err := in.Get(t.Context(), name, metav1.GetOptions{})
			must(t, err)
			if err := forgeries["create"](t.Context(), in, o); err != nil {
				t.Errorf("create by the named identity: %v", err)
			}
		})
	}
}

// TestPolicyVersions has the policy of docs/versions.md with the versions there, and with what the page warns of.
func TestPolicyVersions(t *testing.T) {
	t.Parallel()
	serve := func(t *testing.T, oldnew ...string) (in func(version string) dynamic.ResourceInterface, site func(version, spec string) *unstructured.Unstructured) {
		server, _, _ := newSiteServer(t, "v1", siteHandler(), policyOf(t, oldnew...)...)
		return func(version string) dynamic.ResourceInterface {
				return server.Resource(siteVersion(version).WithResource("sites")).Namespace("policy")
			}, func(version, spec string) *unstructured.Unstructured {
				o := &unstructured.Unstructured{}
				must(t, json.Unmarshal(fmt.Appendf(nil, `{"apiVersion":"web.example.com/%s","kind":"Site","metadata":{"name":"site"},"spec":%s}`, version, spec), &o.Object))
				return o
			}
	}
	const tooLong = `{"comment":"forged comment"}`
	t.Run("v1beta1", func(t *testing.T) {
		t.Parallel()
		in, site := serve(t)
		// A manager moves to v1, and leaves out a field of v1beta1, and then moves back, and leaves out one of v1.
		for i, step := range []struct {
			version, port string
			refused       bool
		}{
			{"v1beta1", `{"number":1,"alias":"a"}`, false}, {"v1", `{"number":1}`, false}, {"v1", `{"number":1,"note":"n"}`, false}, {"v1beta1", `{"number":1}`, true},
		} {
			_, err := in(step.version).Apply(t.Context(), "site", site(step.version, `{"ports":[`+step.port+`]}`), metav1.ApplyOptions{FieldManager: "one"})
			if apierrors.IsForbidden(err) != step.refused || err != nil && !step.refused {
				t.Errorf("apply %d, in %s: %v", i, step.version, err)
			}
		}
		o, err := in("v1beta1").Get(t.Context(), "site", metav1.GetOptions{})
		must(t, err)
		if err := forgeries["update"](t.Context(), in("v1beta1"), o); !apierrors.IsForbidden(err) {
			t.Error(err)
		}
	})
	t.Run("v1", func(t *testing.T) {
		t.Parallel()
		in, site := serve(t, pagePolicy, "apiVersions: [v1]")
		if _, err := in("v1").Create(t.Context(), site("v1", tooLong), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
			t.Errorf("the comment is not too long: %v", err)
		}
		o, err := in("v1beta1").Create(t.Context(), site("v1beta1", `{}`), metav1.CreateOptions{})
		must(t, err)
		must(t, forgeries["update"](t.Context(), in("v1beta1"), o))
		o, err = in("v1").Get(t.Context(), "site", metav1.GetOptions{})
		must(t, err)
		if comment, _, _ := unstructured.NestedString(o.Object, "spec", "comment"); comment != "forged comment" {
			t.Errorf("the comment %q is not past the rule of v1", comment)
		}
	})
	t.Run("equivalent to v1beta1", func(t *testing.T) {
		t.Parallel()
		in, site := serve(t, "matchPolicy: Exact", "matchPolicy: Equivalent")
		if _, err := in("v1").Create(t.Context(), site("v1", `{"comment":"c"}`), metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("a request in v1 is not converted: %v", err)
		}
	})
}

// newForged creates a Site with kept fields of v1 and of v1alpha1, and returns its name.
func newForged(t *testing.T, server dynamic.Interface) string {
	t.Helper()
	in := func(version string) dynamic.ResourceInterface {
		return server.Resource(siteVersion(version).WithResource("sites")).Namespace("policy")
	}
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"comment": "kept"}}}
	o.SetGroupVersionKind(siteVersion("v1").WithKind("Site"))
	o.SetName("site")
	_, err := in("v1").Create(t.Context(), o, metav1.CreateOptions{})
	must(t, err)
	_, err = in("v1alpha1").Patch(t.Context(), "site", types.MergePatchType, []byte(`{"spec":{"legacy":"kept"}}`), metav1.PatchOptions{})
	must(t, err)
	return "site"
}

func commentOf(t *testing.T, server dynamic.Interface, name string) string {
	t.Helper()
	o, err := server.Resource(siteVersion("v1").WithResource("sites")).Namespace("policy").Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	comment, _, _ := unstructured.NestedString(o.Object, "spec", "comment")
	return comment
}
