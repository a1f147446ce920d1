package webhook

import (
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// readMarkers reads markers without "kubebuilder:", each on a line.
func readMarkers(t *testing.T, texts ...string) []model.Marker {
	t.Helper()
	var lines []markers.Line
	for i, text := range texts {
		lines = append(lines, markers.Line{Text: "+kubebuilder:" + text, Pos: token.Position{Line: i + 1}})
	}
	found, diags := markers.ReadFile(lines, markers.Webhooks)
	if len(diags) > 0 {
		t.Fatal(said(diags))
	}
	return found
}

// said formats messages with their lines.
func said(diags diag.List) string {
	var lines []string
	for _, d := range diags {
		lines = append(lines, fmt.Sprintf("%d: %s", d.Pos.Line, d.Message))
	}
	return strings.Join(lines, "; ")
}

// usual are arguments of a marker.
const usual = "path=/p,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=x,verbs=create," +
	"versions=v1,name=n,admissionReviewVersions=v1"

// with returns a marker with some arguments, and with the usual ones for the others.
func with(t *testing.T, arguments string) model.Marker {
	t.Helper()
	marker := "webhook:" + arguments
	for argument := range strings.SplitSeq(usual, ",") {
		if name, _, _ := strings.Cut(argument, "="); !strings.Contains(","+arguments, ","+name+"=") {
			marker += "," + argument
		}
	}
	return readMarkers(t, strings.Replace(marker, ":,", ":", 1))[0]
}

// TestRead compares the fields of a webhook that differ from a webhook with the usual arguments, or the messages.
func TestRead(t *testing.T) {
	before, _ := read(with(t, ""), new(diag.List))
	for _, test := range []struct{ name, arguments, want string }{
		{"usual", "", ""},
		{"lists", "groups=core;b,resources=y;x/status,versions=v1;v2,verbs=update;Delete;*",
			`rules [{"apiGroups":["","b"],"apiVersions":["v1","v2"],"operations":["UPDATE","DELETE","*"],"resources":["y","x/status"]}]`},
		{"policies", "failurePolicy=IGNORE,matchPolicy=exact,sideEffects=noneondryrun,timeoutSeconds=30",
			`failurePolicy "Ignore", matchPolicy "Exact", sideEffects "NoneOnDryRun", timeoutSeconds 30`},
		{"another failure policy", "failurePolicy=other", `failurePolicy "other"`},
		{"another match policy", "matchPolicy=other", "1: unknown matchPolicy=other of +kubebuilder:webhook"},
		{"side effects", "sideEffects=some", "1: sideEffects=Some of +kubebuilder:webhook: servers only accept None and NoneOnDryRun"},
		{"too long", "timeoutSeconds=31", "1: timeoutSeconds=31 of +kubebuilder:webhook must be between 1 and 30"},
		{"no time", "timeoutSeconds=0", ""},
		{"reinvocation", "mutating=true,reinvocationPolicy=ifneeded", `reinvocationPolicy "IfNeeded"`},
		{"reinvocation by a validating one", "reinvocationPolicy=ifneeded", ""},
		{"reinvocation of another form", "mutating=true,reinvocationPolicy=other", ""},
		{"service", "serviceName=s,serviceNamespace=n,servicePort=8443",
			`clientConfig {"service":{"name":"s","namespace":"n","path":"/p","port":8443}}`},
		{"URL", `url="https://example.com/p",path=""`, `clientConfig {"url":"https://example.com/p"}`},
		{"URL and path", `url="https://example.com/p"`, "1: +kubebuilder:webhook must have either path= or url="},
		{"neither", `path=""`, "1: +kubebuilder:webhook must have either path= or url="},
		{"no versions of reviews", "admissionReviewVersions={}", "1: admissionReviewVersions= of +kubebuilder:webhook is empty"},
		{"webhook versions", "webhookVersions=v1;v2", "1: webhookVersions=v2 of +kubebuilder:webhook: only v1 is known"},
		{"patch", "patch=`{\"failurePolicy\":null,\"timeoutSeconds\":3.0}`", "timeoutSeconds 3, no failurePolicy"},
		{"patch by a mutating one", "mutating=true,patch=`{\"reinvocationPolicy\":\"Never\"}`", `reinvocationPolicy "Never"`},
		{"wrong patch", "patch=`{\"timeOut\":3}`", "1: patch= of +kubebuilder:webhook: unknown field timeOut"},
		{"refused after a patch", "patch=`{\"$patch\":\"delete\"}`",
			"1: sideEffects= of +kubebuilder:webhook: servers only accept None and NoneOnDryRun; " +
				"1: admissionReviewVersions= of +kubebuilder:webhook is empty; " +
				"1: the clientConfig of +kubebuilder:webhook must have either url or service after the patch"},
		{"two clients after a patch", "patch=`{\"clientConfig\":{\"url\":\"https://example.com\"}}`",
			"1: the clientConfig of +kubebuilder:webhook must have either url or service after the patch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var diags diag.List
			after, ok := read(with(t, test.arguments), &diags)
			got := differences(before.object, after.object)
			if !ok || len(diags) > 0 {
				got = said(diags)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// differences returns the fields of an object that are not in another one, in JSON.
func differences(before, after map[string]any) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if inJSON(before[key]) != inJSON(after[key]) {
			all = append(all, key+" "+inJSON(after[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[key]; !ok {
			all = append(all, "no "+key)
		}
	}
	return strings.Join(all, ", ")
}

// inJSON returns a value in JSON.
func inJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// TestConfigurations compares the kinds, names and webhooks of configurations, for the markers of two packages.
func TestConfigurations(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second []string
		want          string
	}{
		{"none", nil, nil, ""},
		{"both kinds", []string{"a", "mutating b"}, []string{"c"},
			"MutatingWebhookConfiguration mutating-webhook-configuration b; " +
				"ValidatingWebhookConfiguration validating-webhook-configuration a c"},
		{"sorted", []string{"c", "b"}, []string{"a"}, "ValidatingWebhookConfiguration validating-webhook-configuration a b c"},
		{"named", []string{"a", "configuration v"}, nil, "ValidatingWebhookConfiguration v a"},
		{"named by both", []string{"a", "configuration v"}, []string{"configuration w"}, "ValidatingWebhookConfiguration w a"},
		{"name of nothing", []string{"configuration v"}, nil, ""},
		{"named twice", []string{"a", "configuration v", "configuration w"}, nil,
			"3: the package has a second +kubebuilder:webhookconfiguration with mutating=false"},
		{"the same name", []string{"b", "a"}, []string{"a"}, `1: two webhooks of a configuration have the name "a": servers refuse it`},
		{"the same name in each", []string{"a", "mutating a"}, nil,
			"MutatingWebhookConfiguration mutating-webhook-configuration a; " +
				"ValidatingWebhookConfiguration validating-webhook-configuration a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			packages := [][]model.Marker{markersOf(t, test.first), markersOf(t, test.second)}
			content, diags := configurations(packages, "# header\n")
			objects, ok := yamltext.ReadManifest(content)
			var all []string
			for _, object := range objects {
				text := fmt.Sprint(object["kind"], " ", object["metadata"].(map[string]any)["name"])
				for _, hook := range object["webhooks"].([]any) {
					text += fmt.Sprint(" ", hook.(map[string]any)["name"])
				}
				all = append(all, text)
			}
			got := strings.Join(all, "; ")
			if len(diags) > 0 {
				got = said(diags)
			}
			if !ok || got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// markersOf reads markers of webhooks, "NAME" or "mutating NAME", and of configurations, "configuration NAME".
func markersOf(t *testing.T, texts []string) []model.Marker {
	t.Helper()
	var all []string
	for _, text := range texts {
		if name, ok := strings.CutPrefix(text, "configuration "); ok {
			all = append(all, "webhookconfiguration:mutating=false,name="+name)
			continue
		}
		name, mutating := strings.CutPrefix(text, "mutating ")
		marker := strings.Replace(usual, "name=n", "name="+name, 1)
		if mutating {
			marker = strings.Replace(marker, "mutating=false", "mutating=true", 1)
		}
		all = append(all, "webhook:"+marker)
	}
	return readMarkers(t, all...)
}
