package output

import (
	"fmt"
	"testing"
)

// benchTree returns a tree of 800 files of 5 KB in 40 directories, which is about the size of the code for k8s.io/api.
func benchTree(dir, mark string) Tree {
	t := Tree{Dir: dir, Mark: mark, Stale: everything}
	body := make([]byte, 5<<10)
	for i := range body {
		body[i] = 'x'
		if i%60 == 59 {
			body[i] = '\n'
		}
	}
	for i := range 800 {
		content := fmt.Appendf(nil, "/*\nLicence\n*/\n\n%s\n\npackage p\n\n// %s%d\n/*\n%s*/\n", mark, mark, i, body)
		t.Files = append(t.Files, File{Path: fmt.Sprintf("group%d/v1/file%d.go", i%40, i), Content: content})
	}
	return t
}

func BenchmarkPlan(b *testing.B) {
	for _, bench := range []struct{ name, mark string }{{"unchanged", "a"}, {"update", "b"}} {
		b.Run(bench.name, func(b *testing.B) {
			dir := b.TempDir()
			commitAll(b, benchTree(dir, "a"))
			tree := benchTree(dir, bench.mark)
			for b.Loop() {
				planned(b, tree)
			}
		})
	}
}

func BenchmarkCommit(b *testing.B) {
	dir := b.TempDir()
	full, empty := benchTree(dir, "a"), Tree{Dir: dir, Mark: mark, Stale: everything}
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			commitAll(b, empty)
			changes := planned(b, full)
			b.StartTimer()
			must(b, Commit(b.Context(), changes))
		}
	})
	b.Run("update", func(b *testing.B) {
		commitAll(b, full)
		next, last := benchTree(dir, "b"), full
		for b.Loop() {
			b.StopTimer()
			changes := planned(b, next)
			b.StartTimer()
			must(b, Commit(b.Context(), changes))
			next, last = last, next
		}
	})
	b.Run("delete", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			commitAll(b, full)
			changes := planned(b, empty)
			b.StartTimer()
			must(b, Commit(b.Context(), changes))
		}
	})
}
