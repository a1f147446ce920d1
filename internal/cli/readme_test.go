package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/markers"
)

// TestReadme checks that the README's tables have every marker and every flag of kubegen.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	for _, def := range markers.Definitions {
		if !strings.Contains(readme, "`+"+def.Name+"`") && !strings.Contains(readme, "`+"+def.Name+"=") {
			t.Errorf("the README does not mention +%s", def.Name)
		}
	}
	Kubegen.flagSet(newOptions(Kubegen)).VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !strings.Contains(readme, "`--"+f.Name+"`") && !strings.Contains(readme, "`-"+f.Name+"`") {
			t.Errorf("the README does not mention --%s", f.Name)
		}
	})
}
