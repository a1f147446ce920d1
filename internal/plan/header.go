package plan

import (
	"bytes"
	"regexp"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// readHeader reads the file with the header of every generated file; the name "" means no header. In the header, year
// replaces the word YEAR. Other tools insert the current year, but output of kubegen only depends on its input, so the
// word is removed if year is "". Unless anyYear is set, other texts than years are errors.
func readHeader(e load.Environment, flag, name, year string, anyYear bool) (gofile.Code, error) {
	if year != "" && !anyYear && !isYear.MatchString(year) {
		return "", diag.Errorf("%s: %q is not a year, such as 2026 or 2024-2026", diag.Setting("year"), diag.Value(year))
	}
	if name == "" {
		return "", nil
	}
	text, err := load.ReadNamed(e.At(name), maxHeader)
	if err != nil {
		return "", diag.Errorf("%s: %w", diag.Setting(flag), err)
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
		return "", diag.Errorf("%s: %s %w", diag.Setting(flag), diag.Value(name), err)
	}
	return header, nil
}

var isYear = regexp.MustCompile(`^[0-9]{4}([-, ]+[0-9]{4})*$`)
