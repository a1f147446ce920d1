package repository

import (
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
