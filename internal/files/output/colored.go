package output

import (
	"bytes"
	"io"
)

// Colored passes on diffs in the colors of git. Each write must be the diff of one file, as by Diff.
type Colored struct{ io.Writer }

func (c Colored) Write(diff []byte) (int, error) {
	const bold, reset = "\x1b[1m", "\x1b[m"
	var b bytes.Buffer
	colors := map[byte]string{} // by the first byte of a line, until the hunks begin
	for line := range bytes.Lines(diff) {
		if line[0] == '@' {
			colors = map[byte]string{'@': "\x1b[36m", '+': "\x1b[32m", '-': "\x1b[31m", ' ': "", '\\': ""}
		}
		color, inHunk := colors[line[0]]
		if !inHunk {
			color = bold
		}
		b.WriteString(color)
		b.Write(bytes.TrimSuffix(line, []byte("\n")))
		if color != "" {
			b.WriteString(reset)
		}
		b.WriteByte('\n')
	}
	if _, err := c.Writer.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(diff), nil
}
