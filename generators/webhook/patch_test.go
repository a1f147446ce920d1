package webhook

import "testing"

// TestApplyPatch compares the fields of a webhook that a patch changes, or the error.
func TestApplyPatch(t *testing.T) {
	for _, test := range []struct{ name, patch, want string }{
		{"nothing", `{}`, ""},
		{"text", `{"failurePolicy": "Ignore"}`, `failurePolicy "Ignore"`},
		{"null", `{"failurePolicy": null}`, "no failurePolicy"},
		{"required field", `{"name": null}`, `name ""`},
		{"number", `{"timeoutSeconds": 2.5e1}`, "timeoutSeconds 25"},
		{"inner field", `{"clientConfig": {"caBundle": "Cg=="}}`,
			`clientConfig {"caBundle":"Cg==","service":{"name":"s","namespace":"m","path":"/p"}}`},
		{"inner null", `{"clientConfig": {"service": {"path": null, "name": null}}}`,
			`clientConfig {"service":{"name":"","namespace":"m"}}`},
		{"replaced object", `{"clientConfig": {"$patch": "replace", "url": "https://a"}}`, `clientConfig {"url":"https://a"}`},
		{"deleted object", `{"clientConfig": {"$patch": "delete", "url": "https://a"}}`, "clientConfig {}"},
		{"retained keys", `{"clientConfig": {"$retainKeys": ["url"], "url": "https://a", "service": null}}`,
			`clientConfig {"url":"https://a"}`},
		{"list", `{"rules": [{"resources": ["y"], "scope": "Namespaced"}]}`, `rules [{"resources":["y"],"scope":"Namespaced"}]`},
		{"empty list", `{"admissionReviewVersions": []}`, "no admissionReviewVersions"},
		{"labels", `{"namespaceSelector": {"matchLabels": {"a": "b", "c": null}}}`, `namespaceSelector {"matchLabels":{"a":"b"}}`},
		{"no labels", `{"namespaceSelector": {"matchLabels": {}}}`, "namespaceSelector {}"},
		{"conditions", `{"matchConditions": [{"name": "a", "expression": "true"}, {}]}`,
			`matchConditions [{"expression":"true","name":"a"},{"expression":"","name":""}]`},
		{"expressions", `{"objectSelector": {"matchExpressions": [{"key": "a"}]}}`,
			`objectSelector {"matchExpressions":[{"key":"a","operator":""}]}`},
		{"data with line breaks", `{"clientConfig": {"caBundle": "Cg\n=="}}`,
			`clientConfig {"caBundle":"Cg==","service":{"name":"s","namespace":"m","path":"/p"}}`},
		{"empty data", `{"clientConfig": {"caBundle": ""}}`, ""},
		{"not JSON", `{timeoutSeconds: 1}`, "it is not JSON: invalid character 't' looking for beginning of object key string"},
		{"two values", `{} {}`, "it is not JSON: invalid character '{' after top-level value"},
		{"a list", `[]`, "it must be an object"},
		{"unknown field", `{"TimeoutSeconds": null}`, "unknown field TimeoutSeconds"},
		{"unknown inner field", `{"rules": [{"verbs": ["create"]}]}`, "unknown field rules[0].verbs"},
		{"field of a mutating webhook", `{"reinvocationPolicy": "Never"}`, "unknown field reinvocationPolicy"},
		{"text for a number", `{"timeoutSeconds": "5"}`, "timeoutSeconds: it is a string instead of an integer"},
		{"fraction", `{"timeoutSeconds": 5.5}`, "timeoutSeconds: it is a number instead of an integer"},
		{"large number", `{"timeoutSeconds": 2147483648}`, "timeoutSeconds: it is out of the range of int32"},
		{"not base64", `{"clientConfig": {"caBundle": "?"}}`, "clientConfig.caBundle must be a string in base64"},
		{"object for a text", `{"failurePolicy": {}}`, "failurePolicy: it is an object instead of a string"},
		{"label of another form", `{"objectSelector": {"matchLabels": {"a": 1}}}`, "objectSelector.matchLabels.a: it is an integer instead of a string"},
		{"null in a list", `{"objectSelector": {"matchExpressions": [null]}}`,
			"objectSelector.matchExpressions[0]: it is null instead of an object"},
		{"list for an object", `{"clientConfig": []}`, "clientConfig: it is an array instead of an object"},
		{"list for data", `{"clientConfig": {"caBundle": []}}`, "clientConfig.caBundle: it is an array instead of a string"},
		{"unknown directive", `{"$patch": "merge"}`, "$patch must be replace or delete"},
		{"directive in a list", `{"matchConditions": [{"name": "a", "$patch": "delete"}]}`,
			"matchConditions[0].$patch is not supported: $patch and $retainKeys are, in objects that exist without the patch"},
		{"order of elements", `{"$setElementOrder/matchConditions": []}`,
			"$setElementOrder/matchConditions is not supported: $patch and $retainKeys are, in objects that exist without the patch"},
		{"not retained", `{"clientConfig": {"$retainKeys": ["url"], "caBundle": "Cg=="}}`, "clientConfig.$retainKeys lacks caBundle"},
		{"retained keys of another form", `{"clientConfig": {"$retainKeys": "url"}}`,
			"clientConfig.$retainKeys must be a list of strings"},
	} {
		t.Run(test.name, func(t *testing.T) {
			webhook := func() map[string]any {
				return map[string]any{
					"name": "n", "failurePolicy": "Fail", "admissionReviewVersions": []any{"v1"},
					"rules":        []any{map[string]any{"resources": []any{"x"}}},
					"clientConfig": map[string]any{"service": map[string]any{"name": "s", "namespace": "m", "path": "/p"}},
				}
			}
			patched := webhook()
			got := ""
			if _, err := applyPatch(patched, test.patch, schemaOf()[false]); err != nil {
				got = err.Error()
			} else {
				got = differences(webhook(), patched)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
