package output

import (
	"bytes"
	"io"
)

// Colored returns a writer that passes on diffs in the colors of git. Each write must consist of whole lines, as in
// Diff.
func Colored(w io.Writer) io.Writer { return &colored{w: w} }

type colored struct {
	w    io.Writer
	body bool // the lines belong to a hunk, not to the header of a file
}

// ECMA-48 escape codes.
const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	reset = "\x1b[m"
)

func (c *colored) Write(text []byte) (int, error) {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		line, end := bytes.CutSuffix(line, []byte("\n"))
		color := c.color(line)
		b.WriteString(color)
		b.Write(line)
		if color != "" {
			b.WriteString(reset)
		}
		if end {
			b.WriteByte('\n')
		}
	}
	if _, err := c.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// color returns the color of a line, or "". A hunk ends at the header of the next file, because its own lines never
// begin with "diff".
func (c *colored) color(line []byte) string {
	switch {
	case bytes.HasPrefix(line, []byte("diff --git ")):
		c.body = false
		return bold
	case bytes.HasPrefix(line, []byte("@@ ")):
		c.body = true
		return cyan
	case !c.body:
		return bold
	case bytes.HasPrefix(line, []byte("+")):
		return green
	case bytes.HasPrefix(line, []byte("-")):
		return red
	}
	return ""
}
