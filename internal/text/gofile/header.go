package gofile

import (
	"errors"
	"fmt"
	"go/build/constraint"
	"go/scanner"
	gotoken "go/token"
	"strings"
)

// Header returns text as a header, which may precede the package clause: comments such as licenses and build
// constraints, followed by a blank line. It is an error if text contains anything else, or other directives, such as
// //go:generate, which the go command runs even in a comment of several lines.
func Header(text string) (Code, error) {
	var s scanner.Scanner
	s.Init(gotoken.NewFileSet().AddFile("", -1, len(text)), []byte(text), func(gotoken.Position, string) {}, 0)
	if _, token, _ := s.Scan(); token != gotoken.EOF || s.ErrorCount > 0 {
		return "", errors.New("must contain only comments; start its lines with //")
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if printable(line) != line {
			return "", fmt.Errorf("has characters that cannot be printed in line %d; delete them", n)
		}
		if err := directiveIn(line); err != nil {
			return "", fmt.Errorf("%w in line %d", err, n)
		}
	}
	if text = strings.TrimRight(text, "\n"); text == "" {
		return "", nil
	}
	return Code(text) + "\n\n", nil
}

// directiveIn returns an error for a line of a header with a directive other than a valid build constraint.
func directiveIn(line string) error {
	if strings.Contains(line, "/*line ") {
		return errors.New("has the directive /*line")
	}
	text := strings.TrimLeft(line, " \t")
	if constraint.IsGoBuild(text) || constraint.IsPlusBuild(text) {
		if _, err := constraint.Parse(text); err != nil {
			return fmt.Errorf("has a wrong build constraint (%w)", err)
		}
		return nil
	}
	for _, directive := range []string{"//go:", "//line ", "//export ", "//extern ", "#cgo "} {
		if rest, ok := strings.CutPrefix(text, directive); ok {
			word, _, _ := strings.Cut(rest, " ")
			if directive != "//go:" {
				word = ""
			}
			return fmt.Errorf("must have no directive other than build constraints, but has %s%s", strings.TrimSpace(directive), word)
		}
	}
	return nil
}
