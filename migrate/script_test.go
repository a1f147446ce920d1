package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/commands/project"
)

// scripts have each form that the reader knows.
var scripts = map[string]string{
	"update.sh": "ROOT=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\" && pwd)\nA=(a \"b c\" # d\n  e)\nB=\" \"\nC=()\n" +
		"if true; then\n  deepcopy-gen ./a $B $C ${A[@]} \"${A[@]}\"\n\n  # c\nelse\n  kube::codegen::gen_helpers \\\n    --boilerplate x ./a\nfi\n" +
		"cat <<EOF\ntext\nEOF\n(cd a; client-gen --output-dir <(x) ./a)\n./generate-groups.sh all example.com/api/c example.com/api a:v1 \"$@\"\n" +
		"register-gen ./${X:-a} | tee 'x' > y\nfor i in 1; do lister-gen $i; done\n",
	"Makefile": "A ?= $(B)x\nB = $(shell pwd)\nall: x ## y\n\t@$(CONTROLLER_GEN) object:headerFile=$(A),year=$(YEAR) \\\n\t\tpaths=./...\n" +
		"\tcd $(B) && controller-gen crd paths=./...\nother:\n\tcrd-ref-docs --source-path a --renderer=markdown --output-path=docs/a.md\n",
}

// check proposes a replacement, and reports an error if lines other than those of calls differ.
func check(p *module, name, text string) error {
	name = filepath.Join(p.Root, name)
	files, unread, err := p.Propose([]string{name}, map[string]string{name: text})
	lines := strings.SplitAfter(text, "\n")
	for _, u := range unread {
		if u.Line < 1 || u.Line > len(lines) || strings.Contains(u.Reason, "\n") || len(u.Reason) > 2*maxReason {
			return fmt.Errorf("line %d: %s", u.Line, u.Reason)
		}
	}
	if err != nil || len(files) == 0 {
		return nil
	}
	i := 0
	for _, line := range strings.SplitAfter(files[0].Text, "\n") {
		if trimmed := strings.TrimSpace(line); line == "" || trimmed == ":" || strings.HasPrefix(trimmed, p.Command) {
			continue
		}
		for i < len(lines) && lines[i] != line {
			i++
		}
		if i == len(lines) {
			return fmt.Errorf("the line %q is not one of the script", line)
		}
		i++
	}
	return nil
}

// TestMutatedScripts reads scripts in which pieces are deleted, repeated, moved and replaced: a proposal returns, its
// warnings have lines of the script, and it keeps or deletes whole lines.
func TestMutatedScripts(t *testing.T) {
	p := survey(t, "-- a/v1/types.go --\npackage v1\n")
	pieces := []string{"$", "$(", "${", ")", "}", "\"", "'", "\\\n", "\n", "\r\n", "\t", "<<E", "<(", "#", "=(", "$A", "A=$A$A ", "\xff", "$(A)", "`", "fi\n", "{\n"}
	for seed := range uint64(500) {
		for name, text := range scripts {
			random := rand.New(rand.NewPCG(seed, uint64(len(name))))
			for range 1 + random.IntN(6) {
				i := random.IntN(len(text) + 1)
				j := min(len(text), i+random.IntN(20))
				switch random.IntN(3) {
				case 0:
					text = text[:i] + text[j:]
				case 1:
					text = text[:j] + text[i:]
				case 2:
					text = text[:i] + pieces[random.IntN(len(pieces))] + text[i:]
				}
			}
			if err := check(p, name, text); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, name, err, text)
			}
		}
	}
}

// TestLargeScripts reads scripts of 64 kB that would take quadratic or exponential time or memory.
func TestLargeScripts(t *testing.T) {
	p := survey(t, "")
	large := func(piece string) string { return strings.Repeat(piece, maxText/4/len(piece)) }
	for _, text := range []string{
		large("$("), large("${"), large("<("), large("\"$\n"), large("A=(\n"), large("echo \\\n"), large("\"\n\n\n"), large("cd a\n"), large("deepcopy-gen a\n"),
		large("${a:-"), large("$(dirname "), "A=$(A)$(A)$(A)$(A)\nall:\n\tcontroller-gen $(A)\n", "A=aa\n" + large("A=$A$A\n") + "deepcopy-gen $A\n",
		"A=(a b)\n" + large("A=(${A[@]} ${A[@]})\n"), large("if x; then\n"), "cat <<E1\n" + large("deepcopy-gen ./a\n"), large("go run -x "), large("'"), large("#\n"),
		large("a:\n\tcontroller-gen crd\n"), large("a: b\n\tb\n"), large("for i in a b; do\n"), large("f() {\n"), large("if "), large("a|"),
		large("for i in a b; do\n") + "deepcopy-gen $i\n" + large("done\n"),
	} {
		for _, name := range []string{"update.sh", "Makefile"} {
			if err := check(p, name, text); err != nil {
				t.Errorf("%s, %.20q: %v", name, text, err)
			}
		}
	}
}

// TestScriptsWithoutEnd reads scripts whose last lines do not end. A variable goes that only another script names: it
// is a variable of that one.
func TestScriptsWithoutEnd(t *testing.T) {
	p := survey(t, "-- a/v1/types.go --\npackage v1\n")
	texts := map[string]string{}
	var names []string
	for name, text := range map[string]string{
		"update.sh": "#!/bin/bash\nVERSION=v1\ndeepcopy-gen ./a/v1 --v $VERSION\n", "print.sh": "deepcopy-gen ./a/v1\necho VERSION", "set.sh": "A=1\ndeepcopy-gen ./a/v1",
	} {
		name = filepath.Join(p.Root, name)
		names, texts[name] = append(names, name), text
	}
	slices.Sort(names)
	for range 20 {
		files, unread, err := p.Propose(names, texts)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(files, func(f project.File) bool { return filepath.Base(f.Path) == "update.sh" })
		if i < 0 || files[i].Text != "#!/bin/bash\n"+p.Command+"\n" {
			t.Fatalf("the script is not only a call of kubegen: %v\n%v", files, unread)
		}
	}
}
