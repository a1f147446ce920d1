package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestAction runs what action.yml and .pre-commit-hooks.yaml say, with a go command that prints its arguments.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to run the action with")
	}
	read := func(name string, into any) {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	read("action.yml", &action)
	var hooks []struct{ Entry string }
	read(".pre-commit-hooks.yaml", &hooks)
	if len(action.Runs.Steps) != 3 || len(hooks) != 3 {
		t.Fatalf("%d steps and %d hooks", len(action.Runs.Steps), len(hooks))
	}
	step, breaking, lint := action.Runs.Steps[0], action.Runs.Steps[1], action.Runs.Steps[2]
	if want := "${{ inputs.lint }}"; lint.Env["ARGUMENTS"] != want {
		t.Errorf("the linter has the variables %v", lint.Env)
	}
	for i, input := range []string{"arguments", "breaking"} {
		env := action.Runs.Steps[i].Env
		if env["COMMAND"] != "${{ inputs.command }}" || env["ARGUMENTS"] != "${{ inputs."+input+" }}" {
			t.Errorf("step %d has the variables %v", i, env)
		}
	}
	usual := action.Inputs["command"].Default
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho \"$#: $*\"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ script, command, arguments, want string }{
		{step.Run, usual, "--output-dir gen ./apis/... ./more/*", "9: tool kubegen --verify --format github --output-dir gen ./apis/... ./more/*\n"},
		{step.Run, usual, action.Inputs["arguments"].Default, "5: tool kubegen --verify --format github\n"},
		{step.Run, "go tool -modfile=tools/go.mod kubegen", ".", "7: tool -modfile=tools/go.mod kubegen --verify --format github .\n"},
		{breaking.Run, usual, "HEAD:crds crds", "7: tool kubegen breaking --format github HEAD:crds crds\n"},
		{hooks[0].Entry, "", "", "3: tool kubegen --verify\n"},
		{lint.Run, "", "-c .golangci-kal.yml ./...", "7: tool apilint -format github -c .golangci-kal.yml ./...\n"},
		{hooks[1].Entry, "", "", "3: tool kubegen breaking\n"},
		{hooks[2].Entry, "", "", "2: tool apilint\n"},
	} {
		run := exec.Command(bash, "-e", "-c", test.script)
		run.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "COMMAND="+test.command, "ARGUMENTS="+test.arguments)
		out, err := run.Output()
		if string(out) != test.want || run.ProcessState.ExitCode() != 1 {
			t.Errorf("%s\nwith %q and %q printed %q, want %q (%v)", strings.TrimSpace(test.script), test.command, test.arguments, out, test.want, err)
		}
	}
}
