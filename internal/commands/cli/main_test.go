package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain runs kubegen instead of the tests if the binary has its name, by which tests in shells call it.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == Kubegen.Name {
		os.Exit(Main(Kubegen, os.Args[1:], os.Stdout, os.Stderr))
	}
	m.Run()
}
