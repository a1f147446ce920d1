package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// kubegenCommand returns a directory with a command kubegen, which is this test binary; see TestMain.
func kubegenCommand(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), "kubegen"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
		t.Skip("symlinks cannot be created here: ", err)
	}
	return dir
}

// inShell runs a script in a shell with kubegen on the PATH, in a directory with packages, and returns what it prints.
func inShell(t *testing.T, script string, shell ...string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "apis", "stable", "v1", "types.go"), nil)
	writeFile(t, filepath.Join(dir, "hack", "my header.txt"), nil)
	run := exec.CommandContext(t.Context(), shell[0], append(shell[1:], script)...)
	run.Dir = dir
	run.Env = append(os.Environ(), "HOME="+dir, "PATH="+kubegenCommand(t)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%s:\n%s\n%v", shell[0], out, err)
	}
	return string(out)
}

// The script for bash, with words as readline splits them.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is needed: ", err)
	}
	got := inShell(t, `
kubegen completion bash >completion
source ./completion
at() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_kubegen
	printf '<%s>' "${COMPREPLY[@]}"
	echo
}
at kubegen li
at kubegen ver
at kubegen --format = j
at kubegen --format =
at kubegen markers genclient : noS
at kubegen markers +genclient : nonN
at kubegen --verify --format js
at kubegen list ./apis/st
at kubegen --boilerplate hack/my
at kubegen --boilerplate hack/my\\\ h
at kubegen nothing
complete -p kubegen
`, bash, "--norc", "-c")
	want := `<list>
<verify><version>
<json>
<text><json><github>
<noStatus>
<nonNamespaced>
<json>
<./apis/stable/>
<hack/my\ header.txt>
<hack/my\ header.txt>
<>
complete -o default -F _kubegen kubegen
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// fish says what it completes.
func TestFish(t *testing.T) {
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("fish is not installed")
	}
	got := inShell(t, `
kubegen completion fish | source
for line in 'kubegen li' 'kubegen ver' 'kubegen --only=lister,inf' 'kubegen markers +genclient:noSt' 'kubegen --only lister list' 'kubegen list --format ' 'kubegen ./apis/st' 'kubegen nothing'
	echo "[$line]"
	complete --do-complete $line | string replace --regex '\t.*' ''
end
true
`, fish, "--no-config", "-c")
	want := `[kubegen li]
list
[kubegen ver]
verify
version
[kubegen --only=lister,inf]
--only=lister,informer
[kubegen markers +genclient:noSt]
+genclient:noStatus
[kubegen --only lister list]
[kubegen list --format ]
json
table
[kubegen ./apis/st]
./apis/stable/
[kubegen nothing]
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// PowerShell says what it completes.
func TestPowerShell(t *testing.T) {
	pwsh, err := exec.LookPath("pwsh")
	if err != nil {
		t.Skip("PowerShell is not installed")
	}
	got := inShell(t, `
kubegen completion powershell | Out-String | Invoke-Expression
foreach ($line in 'kubegen li', 'kubegen ver', 'kubegen list --format ', 'kubegen ./apis/st') {
	"[$line]"
	[System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null).CompletionMatches | ForEach-Object { $_.CompletionText }
}
`, pwsh, "-NoProfile", "-Command")
	want := "[kubegen li]\nlist\n[kubegen ver]\nverify\nversion\n[kubegen list --format ]\ntable\njson\n[kubegen ./apis/st]\n./apis/stable/\n"
	if got = strings.ReplaceAll(got, "\r", ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
