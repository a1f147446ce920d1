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

// Code is Go source text of the generator's own: constants of the program, and text from outside that a function of
// this package has made a comment, a literal or an identifier. Nothing else converts a string to Code, which TestCode
// checks, so that no text from outside becomes code by being forgotten at one place.
type Code string

// refused begins and ends text that cannot be what the generator makes of it. Format then returns Refused: text from
// outside never contains the character.
const refused = "\x00"

// refuse returns code with which Format fails.
func refuse(what, text string) Code {
	return Code(refused + what + " " + strconv.QuoteToGraphic(text) + refused)
}

// Refused is the error for text from outside that cannot be what it stands for in a file, such as an identifier.
type Refused struct {
	File string // name of the file
	Text string // what it is not, and the text
}

func (r Refused) Error() string {
	return fmt.Sprintf("%s cannot be written: %s", r.File, r.Text)
}

// refusedIn returns an error if a file contains text that was refused.
func (f *File) refusedIn(text Code) error {
	if _, after, ok := strings.Cut(string(text), refused); ok {
		what, _, _ := strings.Cut(after, refused)
		return Refused{f.Name, what}
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

// partOfName returns part of an identifier, or a text that stands for one.
func partOfName(text string) Code {
	if !isWord(text) {
		return refuse("no identifier:", text)
	}
	return Code(text)
}

// notInWord reports whether a character cannot be part of an identifier.
func notInWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Quote returns a string literal. Characters that hide what it says, such as those for the direction of text, are
// escaped.
func Quote(text string) Code { return Code(quote(text)) }

func quote(text string) string {
	return strings.ReplaceAll(strconv.Quote(text), reserved, `\u01c3`)
}

// QuoteLines returns a string literal of several lines if that can contain the text.
func QuoteLines(text string) Code {
	if !fitsRaw(text) {
		return Quote(text)
	}
	return "`" + Code(text) + "`"
}

// fitsRaw reports whether a raw string can contain a text, and shows what it is.
func fitsRaw(text string) bool {
	return !strings.Contains(text, "`") && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && hides(r) })
}

// hides reports whether Go source cannot have a character, or whether it ends a line, hides what that says, or is
// reserved.
func hides(r rune) bool {
	return r == utf8.RuneError || r == reservedRune || !unicode.IsPrint(r) && r != '\t'
}

// Literal returns a literal that is written as in Go: a string or a number.
func Literal(text string) Code {
	_, err := strconv.ParseInt(text, 0, 64)
	if err != nil && (text == "" || !isLiteral(text)) {
		return refuse("no literal:", text)
	}
	return Code(text)
}

// Length returns the length of an array, which is a number or a constant.
func Length(text string) Code { return partOfName(text) }

// Tag returns the tag of a field, with one key. A raw string cannot contain every value, so that some tags are in
// double quotes.
func Tag(key Code, value string) Code {
	tag := string(key) + ":" + strconv.Quote(value)
	if !fitsRaw(tag) || strings.Contains(tag, "\n") {
		return Quote(tag)
	}
	return Code("`" + tag + "`")
}

// Codef returns code in the manner of fmt.Sprintf. With the verb %s, an argument is Code or an identifier; with %q,
// text becomes a literal.
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

// outside is text from outside among the arguments of Codef.
type outside string

// Format writes the text as the verb demands.
func (o outside) Format(f fmt.State, verb rune) {
	code := Name(string(o))
	if verb == 'q' {
		code = Quote(string(o))
	}
	_, _ = io.WriteString(f, string(code))
}

// Trimmed returns code without space around it.
func Trimmed(code Code) Code { return Code(strings.TrimSpace(string(code))) }

// WithoutPrefix returns code without a prefix.
func WithoutPrefix(code, prefix Code) Code {
	return Code(strings.TrimPrefix(string(code), string(prefix)))
}

// Join joins code.
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

// Code returns what was added.
func (b *Builder) Code() Code { return Code(b.text.String()) }

// Comment returns the lines of a comment with a text, each after an indent and with a line break at the end. No line
// is a marker or a directive, and none has characters that end it or hide what it says.
func Comment(indent Code, text string) Code {
	var b Builder
	for _, line := range CommentLines(text) {
		b.Add(Code(strings.TrimRight(string(indent)+"// "+line, " ")), "\n")
	}
	return b.Code()
}

// CommentLines returns the lines of a comment with a text as Comment does, without comment signs.
func CommentLines(text string) (lines []string) {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, harmless(line))
	}
	return lines
}

// harmless returns a line without what would have a meaning in a comment.
func harmless(line string) string {
	line = strings.TrimRight(printable(line), " \t")
	line = strings.ReplaceAll(line, "/*line ", "/* line ") // a directive of the compiler
	return harmlessStart(line)
}

// harmlessStart returns the text at the start of a comment so that it is no marker.
func harmlessStart(line string) string {
	if rest := strings.TrimLeft(line, " \t*/"); strings.HasPrefix(rest, "+") {
		return line[:len(line)-len(rest)] + `\` + rest
	}
	return line
}

// printable replaces characters that Go source cannot have, that end a line or that hide what it says.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if hides(r) {
			return ' '
		}
		return r
	}, text)
}

// Marker returns the line of a marker, given without the plus sign: a name, and what the marker's syntax makes of a
// value. The line has an indent and ends with a line break. Whoever gives a value quotes it as the syntax requires; a
// marker that would not be in one line is refused.
func Marker(indent Code, text string) Code {
	if text == "" || constraint.IsPlusBuild("// +"+text) || strings.ContainsFunc(text, func(r rune) bool { return r == '\t' || hides(r) }) || strings.ContainsAny(text[:1], " +*/") {
		return refuse("no marker:", text)
	}
	return indent + "// +" + Code(text) + "\n"
}

// Mark returns a comment in one line, given with its sign.
func Mark(line string) Code {
	return Comment("", strings.TrimPrefix(line, "// "))
}
