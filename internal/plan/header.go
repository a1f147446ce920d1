package plan

import (
	"bytes"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/input"
)

// readHeader reads the file, named by a flag, with the text that starts every generated file; the name "" stands for no text. It removes
// the word YEAR, which other tools replace with the current year, because output depends only on input.
func readHeader(e environment.Environment, flag, name string) (gofile.Code, error) {
	if name == "" {
		return "", nil
	}
	text, err := input.Named(e.At(name), maxHeader)
	if err != nil {
		return "", diag.Failf("%s: %w", diag.Setting(flag), err)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // output must not depend on git's line ends
	text = bytes.ReplaceAll(text, []byte("YEAR "), nil)
	header, err := gofile.Header(string(bytes.ReplaceAll(text, []byte("YEAR"), nil)))
	if err != nil {
		return "", diag.Failf("%s: %s %w", diag.Setting(flag), name, err)
	}
	return header, nil
}
