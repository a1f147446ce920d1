package chart

import (
	"errors"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// source is a file of a chart. Lines are counted from 0.
type source struct {
	path  string   // absolute
	lines []string // as they are, without line breaks
	// shown are the lines as YAML: an action that prints a constant is replaced by the constant, another one inside a
	// line by a letter, and a line of nothing but other actions is empty.
	shown   []string
	actions []action // that are neither comments nor constants
	depth   []int    // number of blocks of the template, such as {{ if }}, around the beginning of each line
}

// action is an action of a template, {{ ... }}.
type action struct {
	line   int
	prints bool // rather than controls what is printed
}

// Characters that stand for an action while a file is read: on its first line, and on its other lines.
const (
	inAction   = "\x01"
	afterBreak = "\x02"
)

var (
	errOpen    = errors.New("{{ without }}")
	errControl = errors.New("a control character") // that is not YAML
	opensLine  = regexp.MustCompile(afterBreak + "+")
	isAction   = regexp.MustCompile(inAction + "+")
	// firstWord matches the first word of an action.
	firstWord = regexp.MustCompile(`^\{\{-?\s*(\w*)`)
)

// readSource reads a file, which is a template or plain YAML. The error is about the last line of the source.
func readSource(path, text string, template bool) (*source, error) {
	s := &source{path: path, lines: strings.Split(text, "\n")}
	if !template {
		s.shown, s.depth = s.lines, make([]int, len(s.lines)+1)
		return s, nil
	}
	if at := strings.IndexAny(text, inAction+afterBreak); at >= 0 {
		s.lines = s.lines[:strings.Count(text[:at], "\n")+1]
		return s, errControl
	}
	var shown strings.Builder
	line, depth := 0, 0
	put := func(text, as string) {
		n := strings.Count(text, "\n")
		for range n {
			s.depth = append(s.depth, depth)
		}
		line += n
		shown.WriteString(as)
	}
	s.depth = append(s.depth, 0)
	for text != "" {
		at := strings.Index(text, "{{")
		if at < 0 {
			put(text, text)
			break
		}
		put(text[:at], text[:at])
		end := endOfAction(text[at:])
		if end < 0 {
			s.lines = s.lines[:line+1]
			return s, errOpen
		}
		written := text[at : at+end]
		text = text[at+end:]
		breaks := strings.Repeat("\n", strings.Count(written, "\n"))
		if isComment(written) {
			put(written, breaks)
			continue
		}
		if constant, ok := constantOf(written); ok {
			put(written, constant+breaks)
			continue
		}
		word := firstWord.FindStringSubmatch(written)[1]
		a := action{line: line, prints: true}
		switch word {
		case "if", "with", "range", "define", "block":
			depth, a.prints = depth+1, false
		case "end":
			depth, a.prints = max(depth-1, 0), false
		case "else":
			a.prints = false
		}
		s.actions = append(s.actions, a)
		put(written, inAction+strings.ReplaceAll(breaks, "\n", "\n"+afterBreak))
	}
	s.depth = append(s.depth, depth)
	for _, text := range strings.Split(shown.String(), "\n") {
		if strings.Trim(text, " \t\r"+inAction+afterBreak) == "" && strings.ContainsAny(text, inAction+afterBreak) {
			text = ""
		}
		s.shown = append(s.shown, isAction.ReplaceAllString(opensLine.ReplaceAllString(text, " "), "x"))
	}
	return s, nil
}

// at returns the position of a line.
func (s *source) at(line int) token.Position {
	text := ""
	if line < len(s.lines) {
		text = s.lines[line]
	}
	return token.Position{Filename: s.path, Line: line + 1, Column: 1 + len(text) - len(strings.TrimLeft(text, " \t"))}
}

// endOfAction returns the length of the action at the beginning of a text, or -1 if it does not end.
func endOfAction(text string) int {
	if isComment(text) {
		end := strings.Index(text, "*/")
		closed := strings.Index(text[max(end, 0):], "}}")
		if end < 0 || closed < 0 {
			return -1
		}
		return end + closed + len("}}")
	}
	for i := len("{{"); i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "}}"):
			return i + len("}}")
		case c == '"' || c == '`' || c == '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
		}
	}
	return -1
}

// isComment reports whether an action is a comment.
func isComment(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(text[len("{{"):], "-"), " \t\r\n"), "/*")
}

// constantOf returns what an action prints, if that is a constant on one line and the action leaves white space alone.
func constantOf(text string) (string, bool) {
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{{"), "}}"))
	if inner == "" || inner[0] != '"' && inner[0] != '`' {
		return "", false
	}
	constant, err := strconv.Unquote(inner)
	return constant, err == nil && !strings.Contains(constant, "\n") && !strings.Contains(text, "\n")
}

// escape makes a template print a text.
func escape(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// textsIn returns the texts in an action or in a line of actions: constants, and the text outside of actions.
func textsIn(line string) (texts []string) {
	for line != "" {
		at := strings.Index(line, "{{")
		end := -1
		if at >= 0 {
			end = endOfAction(line[at:])
		}
		if end < 0 {
			return append(texts, line)
		}
		texts = append(texts, line[:at])
		for _, quoted := range constants.FindAllString(line[at:at+end], -1) {
			if text, err := strconv.Unquote(quoted); err == nil {
				texts = append(texts, text)
			}
		}
		line = line[at+end:]
	}
	return texts
}

var constants = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
