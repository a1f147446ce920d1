package repository

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTimeouts finds calls of go test in hack/test.sh without a time limit of their own: the default of ten minutes
// ends tests on a slow machine.
func TestTimeouts(t *testing.T) {
	n, steps := 0, 0
	for line := range strings.Lines(files(t)["hack/test.sh"]) {
		n++
		code := strings.TrimSpace(line)
		if strings.HasPrefix(code, "#") || !strings.Contains(code, "go test ") {
			continue
		}
		if steps++; !strings.Contains(code, " -timeout ") && !strings.Contains(code, " -fuzztime ") {
			t.Errorf("hack/test.sh:%d: no -timeout: %s", n, code)
		}
	}
	if steps < 10 {
		t.Errorf("found only %d calls of go test", steps)
	}
}

// TestShort finds uses of -short outside the tests of the generator themselves. The step long selects its tests by
// these uses.
func TestShort(t *testing.T) {
	found := 0
	for name, text := range files(t) {
		top, _, _ := strings.Cut(name, "/")
		if ok, _ := filepath.Match("*_test.go", filepath.Base(name)); !ok || top != "docs" && top != "internal" {
			continue
		}
		var in string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "func ") {
				in = strings.TrimPrefix(line, "func ")
			}
			if !strings.Contains(line, "testing.Short()") {
				continue
			}
			if found++; !strings.HasPrefix(in, "Test") && !strings.HasPrefix(in, "Fuzz") {
				t.Errorf("%s: %s asks for -short; let the tests that call it ask", name, strings.TrimSpace(in))
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d uses", found)
	}
}
