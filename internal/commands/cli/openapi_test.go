package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/kubegen/kubegen/internal/moduletest"
)

// TestOpenAPIMachinery generates the definitions for an API server, which fails to start without those of apimachinery.
func TestOpenAPIMachinery(t *testing.T) {
	const (
		all  = "kubegen --only openapi --with-openapi-definitions=gen "
		tool = "gen-openapi --output-file=zz_generated.openapi.go --output-dir=gen --output-pkg=example.com/api/gen "
		part = "// +k8s:openapi-gen=true\npackage v1\n\ntype Part struct {\n\tNames []string `json:\"names\"`\n}\n"
	)
	tests := []struct {
		name, line       string
		kinds, discovery bool // has the types that kinds, and all servers, need
		printed          bool // notes of violations
	}{
		{"kinds", all + "./apis/v1", true, true, false},
		{"kinds with a report", all + "--openapi-report=- ./apis/v1", true, true, true},
		{"kinds and packages of apimachinery", all + "./apis/v1 k8s.io/apimachinery/pkg/apis/meta/v1", true, false, false},
		{"no kinds", all + "./apis/parts", false, false, false},
		{"openapi-gen", tool + "./apis/v1", false, false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, dir, []txtar.File{
				{Name: "go.mod", Data: []byte("module example.com/api\n")},
				{Name: "apis/parts/types.go", Data: []byte("// +k8s:openapi-gen=true\npackage parts\n\ntype Part struct{}\n")},
				{Name: "apis/v1/types.go CronTab stable.example.com/v1"},
				{Name: "apis/v1/doc.go", Data: []byte(part)},
			})
			moduletest.Complete(t, dir)
			env := environment(t, dir)
			code, _, messages := runCommand(t, &env, test.line)
			if code != exitDone {
				t.Fatal(messages)
			}
			text, err := os.ReadFile(filepath.Join(dir, "gen", "zz_generated.openapi.go"))
			if err != nil {
				t.Fatal(err)
			}
			for function, wanted := range map[string]bool{
				"meta_v1_ObjectMeta(ref common.": test.kinds, "meta_v1_APIGroup(ref common.": test.kinds,
				"pkg_version_Info(ref common.": test.discovery, "api_resource_Quantity(ref common.": test.discovery,
			} {
				if got := strings.Contains(string(text), function); got != wanted {
					t.Errorf("%s: got %t", function, got)
				}
			}
			if own := strings.Contains(messages, "example.com/api/apis/v1,Part,Names"); own != test.printed {
				t.Errorf("violations of the module: got %s", messages)
			}
			if strings.Contains(messages, ",k8s.io/apimachinery/") {
				t.Errorf("got violations in apimachinery: %s", messages)
			}
			typeCheck(t, dir)
		})
	}
}
