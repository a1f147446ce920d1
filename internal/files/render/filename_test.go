package render

import (
	"slices"
	"strings"
	"testing"
)

func TestSafeName(t *testing.T) {
	siblings := []string{"interface.go", "client.go", "client_generated.go", "client_generated2.go"}
	for name, want := range map[string]string{
		"crontab.go":      "crontab.go",
		"test.go":         "test.go",
		"windows.go":      "windows.go", // a constraint only after an underscore
		"fake_crontab.go": "fake_crontab.go",

		"fake_test.go":        "fake_test_generated.go",
		"fake_windows.go":     "fake_windows_generated.go",
		"fake_arm64.go":       "fake_arm64_generated.go",
		"job_linux_amd64.go":  "job_linux_amd64_generated.go",
		"fake_unix.go":        "fake_unix.go", // "unix" is a build tag, but not a constraint in file names
		"interface.go":        "interface_generated.go",
		"client.go":           "client_generated3.go",
		"my-group_client.go":  "my-group_client.go",
		"_hidden.go":          "_hidden_generated.go",
		"fake_wasm_client.go": "fake_wasm_client.go",

		strings.Repeat("x", 197) + ".go":        strings.Repeat("x", 197) + ".go",
		strings.Repeat("x", 198) + ".go":        strings.Repeat("x", 180) + "_d95dbb0e853e13df.go",
		strings.Repeat("x", 198) + "_linux.go":  strings.Repeat("x", 180) + "_167a0f65a48a0914.go",
		"x" + strings.Repeat("é", 99) + "yz.go": "x" + strings.Repeat("é", 89) + "_d7f3aa15eecd9a10.go",
	} {
		if got := safeName(name, func(name string) bool { return slices.Contains(siblings, name) }); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
