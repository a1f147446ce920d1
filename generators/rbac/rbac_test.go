package rbac

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/terms/markers"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/yamltext"
)

// read reads +kubebuilder:rbac markers with some arguments.
func read(t *testing.T, arguments ...string) []model.Marker {
	t.Helper()
	var lines []markers.Line
	for _, text := range arguments {
		lines = append(lines, markers.Line{Text: "+" + markers.RBACMarker + ":" + text})
	}
	found, diags := markers.ReadFile(lines, markers.Roles)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return found
}

// unquoted removes quotes around words in JSON.
var unquoted = strings.NewReplacer(`""`, `""`, `"`, "")

// TestRoles compares the roles of markers, whose arguments are separated by spaces, as KIND NAMESPACE/NAME RULE...
func TestRoles(t *testing.T) {
	for _, test := range []struct{ name, markers, want string }{
		{"sorted", "groups=b;a,resources=x,verbs=watch;get;get", "ClusterRole /usual {apiGroups:[a,b],resources:[x],verbs:[get,watch]}"},
		{"each resource", "groups=a,resources=y;x,verbs=get", "ClusterRole /usual {apiGroups:[a],resources:[x,y],verbs:[get]}"},
		{"core", "groups=core;pods,resources=x,verbs=get", `ClusterRole /usual {apiGroups:["",pods],resources:[x],verbs:[get]}`},
		{"URLs", "urls=/metrics;/healthz,verbs=get", "ClusterRole /usual {nonResourceURLs:[/healthz,/metrics],verbs:[get]}"},
		{"names", "groups=a,resources=x,resourceNames=n;m,verbs=get",
			"ClusterRole /usual {apiGroups:[a],resourceNames:[m,n],resources:[x],verbs:[get]}"},
		{"all verbs", "groups=a,resources=x,verbs=get;*", "ClusterRole /usual {apiGroups:[a],resources:[x],verbs:[*]}"},
		{"verbs merged", "groups=a,resources=x,verbs=get groups=a,resources=x,verbs=list",
			"ClusterRole /usual {apiGroups:[a],resources:[x],verbs:[get,list]}"},
		{"resources merged", "groups=a,resources=x,verbs=get groups=a,resources=y,verbs=get",
			"ClusterRole /usual {apiGroups:[a],resources:[x,y],verbs:[get]}"},
		{"groups merged", "groups=a,resources=x,verbs=get groups=b,resources=x,verbs=get",
			"ClusterRole /usual {apiGroups:[a,b],resources:[x],verbs:[get]}"},
		{"URLs merged", "urls=/a,verbs=get urls=/b,verbs=get", "ClusterRole /usual {nonResourceURLs:[/a,/b],verbs:[get]}"},
		{"URLs and resources", "groups=a,resources=x,verbs=get urls=/b,verbs=get",
			"ClusterRole /usual {nonResourceURLs:[/b],verbs:[get]} {apiGroups:[a],resources:[x],verbs:[get]}"},
		{"names not merged", "groups=a,resources=x,resourceNames=n,verbs=get groups=a,resources=x,resourceNames=m,verbs=get",
			"ClusterRole /usual {apiGroups:[a],resourceNames:[m],resources:[x],verbs:[get]} {apiGroups:[a],resourceNames:[n],resources:[x],verbs:[get]}"},
		{"two differences", "groups=a,resources=x,verbs=get groups=b,resources=y,verbs=get",
			"ClusterRole /usual {apiGroups:[a],resources:[x],verbs:[get]} {apiGroups:[b],resources:[y],verbs:[get]}"},
		{"verbs before resources", "groups=a,resources=x;y,verbs=get groups=a,resources=x,verbs=list",
			"ClusterRole /usual {apiGroups:[a],resources:[x],verbs:[get,list]} {apiGroups:[a],resources:[y],verbs:[get]}"},
		{"resources after verbs", "groups=a,resources=x;y,verbs=get groups=a,resources=x;y,verbs=list",
			"ClusterRole /usual {apiGroups:[a],resources:[x,y],verbs:[get,list]}"},
		{"a role", "groups=a,resources=x,verbs=get,roleName=r,namespace=n groups=a,resources=x,verbs=list,roleName=r",
			"ClusterRole /r {apiGroups:[a],resources:[x],verbs:[list]}; Role n/r {apiGroups:[a],resources:[x],verbs:[get]}"},
		{"sorted roles", "urls=/a,verbs=get,namespace=z urls=/a,verbs=get,roleName=b urls=/a,verbs=get,roleName=a urls=/a,verbs=get,namespace=y",
			"ClusterRole /a {nonResourceURLs:[/a],verbs:[get]}; ClusterRole /b {nonResourceURLs:[/a],verbs:[get]}; " +
				"Role y/usual {nonResourceURLs:[/a],verbs:[get]}; Role z/usual {nonResourceURLs:[/a],verbs:[get]}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			content := Generator{roleName: "usual"}.roles(read(t, strings.Fields(test.markers)...), "# header\n")
			objects, ok := yamltext.ReadManifest(content)
			if !ok || !strings.HasPrefix(string(content), "# header\n---\n") {
				t.Fatalf("not a manifest:\n%s", content)
			}
			var roles []string
			for _, role := range objects {
				metadata, rules := role["metadata"].(map[string]any), ""
				for _, rule := range role["rules"].([]any) {
					text, _ := json.Marshal(rule)
					rules += " " + string(text)
				}
				namespace, _ := metadata["namespace"].(string)
				roles = append(roles, fmt.Sprint(role["kind"], " ", namespace, "/", metadata["name"], unquoted.Replace(rules)))
			}
			if got := strings.Join(roles, "; "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	if content := (Generator{}).roles([]model.Marker{{Name: markers.WebhookMarker}}, "# header\n"); content != nil {
		t.Errorf("without markers: got\n%s", content)
	}
}
