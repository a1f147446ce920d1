package render

import "testing"

func TestSafeName(t *testing.T) {
	siblings := []*file{{API: &API{path: "group/v1/interface.go"}}}
	for name, want := range map[string]string{
		"crontab.go":      "crontab.go",
		"test.go":         "test.go",
		"windows.go":      "windows.go", // a condition only behind an underscore
		"fake_crontab.go": "fake_crontab.go",

		"fake_test.go":        "fake_test_generated.go",
		"fake_windows.go":     "fake_windows_generated.go",
		"fake_arm64.go":       "fake_arm64_generated.go",
		"job_linux_amd64.go":  "job_linux_amd64_generated.go",
		"fake_unix.go":        "fake_unix.go", // a build tag, but none by file name
		"interface.go":        "interface_generated.go",
		"my-group_client.go":  "my-group_client.go",
		"_hidden.go":          "_hidden_generated.go",
		"fake_wasm_client.go": "fake_wasm_client.go",
	} {
		if got := safeName(name, siblings); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
