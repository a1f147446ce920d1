package plan

import (
	"bytes"
	"go/scanner"
	"go/token"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
)

// readHeader reads the file, named by a flag, with the text that starts every generated file; the name "" stands for no text. It removes
// the word YEAR, which other tools replace with the current year, because output depends only on input. The text must
// contain only comments.
func readHeader(e environment.Environment, flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	text, err := readInput(e.At(name), maxHeader)
	if err != nil {
		return "", diag.Failf("%s: %w", diag.Setting(flag), err)
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(text)), text, func(token.Position, string) {}, 0)
	if _, tok, _ := s.Scan(); tok != token.EOF || s.ErrorCount > 0 {
		return "", diag.Failf("%s: %s must contain only comments; start its lines with //", diag.Setting(flag), name)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // output must not depend on git's line ends
	text = bytes.ReplaceAll(text, []byte("YEAR "), nil)
	return string(bytes.ReplaceAll(text, []byte("YEAR"), nil)), nil
}
