package gofile

import (
	"fmt"
	"go/build/constraint"
	gotoken "go/token"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is Go source text from the generator: constants of the program, and external text that a function of this
// package has converted to a comment, a literal or an identifier. TestCode checks that nothing else converts a string
// to Code, so that external text cannot become code by mistake.
type Code string

// refused encloses text that cannot be converted. Format then returns Refused. External text never contains this
// character.
const refused = "\x00"

// refuse returns code for which Format fails.
func refuse(what, text string) Code {
	return Code(refused + what + " " + strconv.QuoteToGraphic(text) + refused)
}

// refusedIn returns an error if a file contains text that was refused.
func (f *File) refusedIn(text Code) error {
	if _, after, ok := strings.Cut(string(text), refused); ok {
		what, _, _ := strings.Cut(after, refused)
		return Mistake{Cause: Refused, File: f.Name, Name: what}
	}
	return nil
}

// Name returns an identifier.
func Name(text string) Code {
	if !gotoken.IsIdentifier(text) || !isWord(text) {
		return refuse("no identifier:", text)
	}
	return Code(text)
}

// partOfName returns a text that is part of an identifier, or a number.
func partOfName(text string) Code {
	if !isWord(text) {
		return refuse("no identifier:", text)
	}
	return Code(text)
}

// notInWord reports whether a character cannot be part of an identifier.
func notInWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Quote returns a string literal. Characters that hide others, such as those for the direction of text, are escaped.
func Quote(text string) Code { return Code(quote(text)) }

func quote(text string) string { return strings.ReplaceAll(strconv.Quote(text), reserved, `\u01c3`) }

// QuoteAll returns texts as string literals, separated by commas.
func QuoteAll(texts []string) Code {
	var all []Code
	for _, text := range texts {
		all = append(all, Quote(text))
	}
	return Join(all, ", ")
}

// QuoteLines returns a raw string literal, which may have several lines, or a quoted one if a raw one cannot contain
// the text.
func QuoteLines(text string) Code {
	if !fitsRaw(text) {
		return Quote(text)
	}
	return "`" + Code(text) + "`"
}

// fitsRaw reports whether a raw string can contain a text visibly.
func fitsRaw(text string) bool {
	return !strings.Contains(text, "`") && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && hides(r) })
}

// hides reports whether a character is not allowed in Go source, ends a line, hides other characters, or is reserved.
func hides(r rune) bool {
	return r == utf8.RuneError || r == reservedRune || !unicode.IsPrint(r) && r != '\t'
}

// Literal returns a literal that is written as in Go: a string or a number.
func Literal(text string) Code {
	_, err := strconv.ParseInt(text, 0, 64)
	if digits := strings.TrimPrefix(text, "-"); err != nil && digits != "" && '0' <= digits[0] && digits[0] <= '9' { // large or no integer
		_, err = strconv.ParseFloat(text, 64)
	}
	if err != nil && (text == "" || !isLiteral(text)) {
		return refuse("no literal:", text)
	}
	return Code(text)
}

// Length returns the length of an array, which is a number or a constant.
func Length(text string) Code { return partOfName(text) }

// Tag returns the tag of a field with one key. It is in double quotes if a raw string cannot contain the value.
func Tag(key Code, value string) Code {
	tag := string(key) + ":" + strconv.Quote(value)
	if !fitsRaw(tag) || strings.Contains(tag, "\n") {
		return Quote(tag)
	}
	return Code("`" + tag + "`")
}

// Codef formats code like fmt.Sprintf. With the verb %s, an argument must be Code or an identifier. With %q, text
// becomes a literal.
func Codef(format Code, args ...any) Code {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = outside(arg)
		case Code, int, bool:
		default:
			args[i] = refuse("no code:", fmt.Sprint(arg))
		}
	}
	return Code(fmt.Sprintf(string(format), args...))
}

// outside is external text among the arguments of Codef.
type outside string

// Format writes the text as the verb demands.
func (o outside) Format(f fmt.State, verb rune) {
	code := Name(string(o))
	if verb == 'q' {
		code = Quote(string(o))
	}
	_, _ = io.WriteString(f, string(code))
}

// Trimmed returns code without leading and trailing space.
func Trimmed(code Code) Code { return Code(strings.TrimSpace(string(code))) }

// WithoutPrefix returns code without a prefix.
func WithoutPrefix(code, prefix Code) Code {
	return Code(strings.TrimPrefix(string(code), string(prefix)))
}

// Join joins code with a separator.
func Join(list []Code, separator Code) Code {
	var b Builder
	for i, code := range list {
		if i > 0 {
			b.Add(separator)
		}
		b.Add(code)
	}
	return b.Code()
}

// Builder joins code efficiently. The zero Builder is empty.
type Builder struct{ text strings.Builder }

// Add adds code.
func (b *Builder) Add(code ...Code) {
	for _, c := range code {
		b.text.WriteString(string(c))
	}
}

// Code returns the code added so far.
func (b *Builder) Code() Code { return Code(b.text.String()) }

// Comment returns the lines of a comment with a text. Each begins with indent and ends with a line break. No line is a
// marker or a directive, and none contains characters that end it or hide others.
func Comment(indent Code, text string) Code {
	var b Builder
	for _, line := range CommentLines(text) {
		b.Add(Code(strings.TrimRight(string(indent)+"// "+line, " ")), "\n")
	}
	return b.Code()
}

// CommentLines returns the lines of Comment without indent and comment signs.
func CommentLines(text string) (lines []string) {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, harmless(line))
	}
	return lines
}

// harmless returns a line without parts that have a meaning in a comment.
func harmless(line string) string {
	line = strings.TrimRight(printable(line), " \t")
	line = strings.ReplaceAll(line, "/*line ", "/* line ") // a directive of the compiler
	return harmlessStart(line)
}

// harmlessStart escapes the start of a comment that would be a marker.
func harmlessStart(line string) string {
	if rest := strings.TrimLeft(line, " \t*/"); strings.HasPrefix(rest, "+") {
		return line[:len(line)-len(rest)] + `\` + rest
	}
	return line
}

// printable replaces characters that are not allowed in Go source, end a line or hide others.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if hides(r) {
			return ' '
		}
		return r
	}, text)
}

// Marker returns the line of a marker, with an indent and a line break. text has no plus sign; callers quote its value
// as the syntax of the marker requires. A marker that does not fit on one line is refused.
func Marker(indent Code, text string) Code {
	if text == "" || constraint.IsPlusBuild("// +"+text) || strings.ContainsFunc(text, func(r rune) bool { return r == '\t' || hides(r) }) ||
		strings.ContainsAny(text[:1], " +*/") {
		return refuse("no marker:", text)
	}
	return indent + "// +" + Code(text) + "\n"
}

// Mark returns a comment on one line. line begins with a comment sign.
func Mark(line string) Code { return Comment("", strings.TrimPrefix(line, "// ")) }
