package importer

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestGoTypeName(t *testing.T) {
	for text, want := range map[string]string{
		"spec":          "Spec",
		"privateKey":    "PrivateKey",
		"CronTab":       "CronTab",
		"x-kubernetes":  "XKubernetes",
		"a.b/c_d":       "ABCD",
		"2fa":           "X2fa",
		"-1":            "X1",
		"http2Port":     "Http2Port",
		"éa":            "Éa",
		"日本":            "X日本",
		"ßa":            "Xßa", // has no upper case
		"":              "X",
		"--":            "X",
		"a\xffb":        "AB",
		"apiVersion ":   "ApiVersion",
		"spec.replicas": "SpecReplicas",
	} {
		if got := GoTypeName(text); got != want {
			t.Errorf("%q is named %s, want %s", text, got, want)
		} else if !IsTypeName(got) {
			t.Errorf("%q is named %s, which cannot be the name of a type", text, got)
		}
	}
}

func TestIsTypeName(t *testing.T) {
	for text, want := range map[string]bool{
		"Spec": true, "Spec_1": true, "X日本": true, "spec": false, "_Spec": false, "1Spec": false, "A.B": false, "A-B": false, "": false, "func": false, "日本": false,
	} {
		if got := IsTypeName(text); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}

// TestNamesOf checks names, written as NAME=TEXT, for the texts in both orders.
func TestNamesOf(t *testing.T) {
	for name, want := range map[string]string{
		"different":                     "A=a B=b",
		"lower camel case has priority": "AB=aB AB_df63=a-b",
		"none in lower camel case":      "AB_df63=a-b AB_f50c=a.b",
		"taken":                         "A=a Taken_=taken",
		"taken, and two":                "Taken_8a8f=-taken Taken_0828=taken",
	} {
		t.Run(name, func(t *testing.T) {
			var texts []string
			names := map[string]string{}
			for _, pair := range strings.Fields(want) {
				name, text, _ := strings.Cut(pair, "=")
				names[text] = name
				texts = append(texts, text)
			}
			for range 2 {
				if got := namesOf(texts, func(name string) bool { return name == "Taken" }); !maps.Equal(got, names) {
					t.Errorf("%q: got %v, want %v", texts, got, names)
				}
				slices.Reverse(texts)
			}
		})
	}
}

// TestWords names types after their paths.
func TestWords(t *testing.T) {
	for path, want := range map[string]string{
		"CronTab":              "CronTab",
		"CronTab spec":         "CronTab Spec",
		"CronTab spec []":      "CronTab Spec",
		"CronTab spec {} []":   "CronTab Spec Item",
		"CronTab spec [] {}":   "CronTab Spec Value",
		"CronTab a-b [] [] cD": "CronTab AB Item CD",
	} {
		if got := strings.Join(schemaPath(strings.Fields(path)).words(), " "); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestDirectories compares directories of groups, and the Go names of groups for these.
func TestDirectories(t *testing.T) {
	for _, test := range []struct{ group, dir, goName string }{
		{"", "core", "Core"},
		{"batch", "batch", "Batch"},
		{"cert-manager.io", "cert-manager", "CertManager"},
		{"vendor.example.com", "vendor.example.com", "VendorExampleCom"},
		{"3scale.net", "3scale", "X3scale"},
	} {
		if got := Label(test.group); got != test.dir || GoName(got) != test.goName {
			t.Errorf("%s: got %s, %s; want %s, %s", test.group, got, GoName(got), test.dir, test.goName)
		}
	}
}

func TestPackageName(t *testing.T) {
	for version, want := range map[string]string{"v1": "v1", "v1-beta": "v1beta", "2024-01": "v202401", "main": "vmain", "type": "vtype"} {
		if got := packageName(version); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}
