package plan

import (
	"bytes"
	"regexp"

	"github.com/kubegen/kubegen/internal/diag"
	"github.com/kubegen/kubegen/internal/environment"
	"github.com/kubegen/kubegen/internal/gofile"
	"github.com/kubegen/kubegen/internal/input"
)

// readHeader reads the file, named by a flag, with the text that starts every generated file; the name "" stands for no text. A year takes
// the place of the word YEAR in it. Other tools insert the current one; but output depends only on input, so that without a year the word is
// removed.
func readHeader(e environment.Environment, flag, name, year string) (gofile.Code, error) {
	if year != "" && !isYear.MatchString(year) {
		return "", diag.Failf("%s: %q is not a year, such as 2026 or 2024-2026", diag.Setting("year"), year)
	}
	if name == "" {
		return "", nil
	}
	text, err := input.Named(e.At(name), maxHeader)
	if err != nil {
		return "", diag.Failf("%s: %w", diag.Setting(flag), err)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // output must not depend on git's line ends
	if year != "" {
		text = bytes.ReplaceAll(text, []byte("YEAR"), []byte(year))
	}
	for _, word := range []string{"YEAR ", " YEAR", "YEAR"} { // Copyright YEAR The Authors; Copyright YEAR.
		text = bytes.ReplaceAll(text, []byte(word), nil)
	}
	header, err := gofile.Header(string(text))
	if err != nil {
		return "", diag.Failf("%s: %s %w", diag.Setting(flag), name, err)
	}
	return header, nil
}

var isYear = regexp.MustCompile(`^[0-9]{4}([-, ]+[0-9]{4})*$`)
