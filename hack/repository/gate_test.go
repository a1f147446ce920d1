package repository

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGate checks that the README names each command of .ci/run, in a line of its own.
func TestGate(t *testing.T) {
	gate, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^hack/.*$`).FindAllString(string(gate), -1)
	if len(commands) == 0 {
		t.Fatal(".ci/run has no commands")
	}
	for _, command := range commands {
		if !strings.Contains(string(readme), "\n"+command+"\n") {
			t.Errorf("the README does not name %s", command)
		}
	}
}
