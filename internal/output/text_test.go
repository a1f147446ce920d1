package output

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/origin"

	"github.com/kubegen/kubegen/internal/parallel"
)

// TestStore checks that contents are returned unchanged, compressed or not, in whatever order they are requested.
func TestStore(t *testing.T) {
	const each = 100 << 10
	for _, store := range []*Store{{}, {Plain: 5 * each}, {Plain: 1 << 30}} {
		var texts []Text
		content := func(i int) []byte {
			if i%10 == 3 {
				return []byte{}
			}
			return []byte(strings.Repeat(fmt.Sprintf("%d ", i), i*100))
		}
		for i := 0; i < 100; i += 10 {
			var contents [][]byte
			for j := range 10 {
				contents = append(contents, content(i+j))
			}
			texts = append(texts, store.Keep(contents...)...)
		}
		var order []int
		for i := range 300 {
			order = append(order, i*37%100)
		}
		parallel.Each(order, func(i int) {
			if got := texts[i].Bytes(); !texts[i].Exists() || got == nil || !bytes.Equal(got, content(i)) {
				t.Errorf("with %d bytes as they are, the content of file %d is %.20q", store.Plain, i, got)
			}
		})
		if len(store.Keep()) != 0 {
			t.Error("nothing is something")
		}
	}
	if none := (Text{}); none.Exists() || none.Bytes() != nil {
		t.Error("no file has a content")
	}
}

// TestSnapshotKeep checks that a Snapshot returns the same Text for a content that it already has, so that Plan need
// not read the file.
func TestSnapshotKeep(t *testing.T) {
	enter(t, "out/v1/same.go", generated("same"), "out/v1/old.go", generated("old"), "out/same.go", generated("else"))
	for _, store := range []*Store{{}, {Plain: 1 << 20}} {
		s, err := store.Read("out", origin.Mark{Line: mark})
		must(t, err)
		names := []string{"new.go", "old.go", "same.go"}
		var contents [][]byte
		want := Tree{Dir: "out", Mark: mark, Snapshot: s}
		for _, text := range []string{"new", "now", "same"} {
			contents = append(contents, []byte(generated(text)))
		}
		for i, text := range s.Keep("v1", names, contents) {
			equal(t, names[i], text.Bytes(), contents[i])
			if same := text == s.Content("v1/"+names[i]); same != (names[i] == "same.go") {
				t.Errorf("%s is the Text on disk: %v", names[i], same)
			}
			want.Files = append(want.Files, File{Path: "v1/" + names[i], Content: text})
		}
		equal(t, "changes", list(planned(t, want)), []string{"create out/v1/new.go", "update out/v1/old.go"})
	}
}
