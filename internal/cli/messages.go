package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/diag"
)

// print writes diagnostics in the format of --format.
func (c *command) print(diags diag.List) {
	c.progress.end()
	_ = c.named(diags).Write(c.stderr, c.style())
}

// named returns the diagnostics with file names relative to the current directory.
func (c *command) named(diags diag.List) diag.List {
	named := make(diag.List, len(diags))
	for i, d := range diags {
		if c.tool.options != nil {
			d = d.Renamed(c.tool.options)
		}
		one := *d
		one.Message, one.Hint = c.env.Shorten(d.Message), c.env.Shorten(d.Advice(c.takes))
		named[i] = &one
	}
	return named
}

// takes reports whether the user can set a flag: a flag of the command, or of the function of kube_codegen.sh that
// called it.
func (c *command) takes(flag string) bool {
	if c.options.script {
		return slices.Contains(scriptFlags, flag)
	}
	return c.declared == nil || c.declared(flag) || strings.Contains(flag, ":")
}

// scriptFlags lists the flags of the functions of kube_codegen.sh.
var scriptFlags = []string{
	"applyconfig-externals", "applyconfig-name", "applyconfig-openapi-schema", "boilerplate", "clientset-name", "extra-peer-dir",
	"informers-name", "lint-rules", "listers-name", "one-input-api", "output-dir", "output-pkg", "plural-exceptions",
	"prefers-protobuf", "versioned-name", "with-applyconfig", "with-watch",
}

// fail prints joined errors, without duplicates.
func (c *command) fail(err error) int {
	var diags diag.List
	diags.AddError(err)
	c.tell("", diags)
	return exitError
}

// printJSON writes a value as JSON.
func printJSON(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}

// misused reports a command that could not start, with advice, in the given format of messages.
func (in *invocation) misused(name, format, message, advice string) int {
	if format == "json" || format == "github" {
		var diags diag.List
		diags.Errorf(token.Position{}, "%s", message).Suggest("%s", advice)
		_ = diags.Write(in.stderr, diag.Style{Format: format})
	} else {
		fmt.Fprintf(in.stderr, "%s: %s (%s)\n", name, message, advice)
	}
	return exitError
}

// formatIn returns the value of --format in arguments, which may be invalid otherwise.
func formatIn(args []string) (format string) {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--format="); ok {
			format = value
		} else if arg == "--format" && i+1 < len(args) {
			format = args[i+1]
		}
	}
	return format
}

// announce prints the diagnostics of the flags, errors first. A diagnostic without a position begins with the command's
// name.
func (c *command) announce(diags diag.List) {
	slices.SortStableFunc(diags, func(a, b *diag.Diagnostic) int { return cmp.Compare(a.Severity, b.Severity) })
	var placed diag.List
	for _, d := range diags {
		prefix := d.Severity.String() + ": "
		if d.Severity == diag.Error {
			prefix = ""
		}
		if d.Pos.IsValid() {
			placed = append(placed, d)
		} else {
			c.tell(prefix, diag.List{d})
		}
	}
	c.print(placed)
}

// note prints a note about the run.
func (c *command) note(format string, args ...any) {
	var diags diag.List
	diags.Notef(token.Position{}, format, args...)
	c.tell("note: ", diags)
}

// say prints a line of the output of -v. In JSON, it is a note.
func (c *command) say(format string, args ...any) {
	if c.format == "json" {
		c.note("%s", strings.TrimSpace(fmt.Sprintf(format, args...)))
		return
	}
	fmt.Fprintf(c.stderr, format+"\n", args...)
}

// tellTerminal prints a line about the end of a run, only on a terminal.
func (c *command) tellTerminal(text string) {
	if _, ok := terminal(c.stderr); ok && c.format == "text" {
		c.progress.end()
		fmt.Fprintf(c.stderr, "%s: %s\n", c.tool.Name, text)
	}
}

// tell prints diagnostics without a position: in text, they begin with the name of the command.
func (c *command) tell(prefix string, diags diag.List) {
	if c.format == "json" || c.format == "github" {
		c.print(diags)
		return
	}
	c.progress.end()
	printed := map[string]bool{}
	for _, d := range c.named(diags) {
		if !printed[d.Message] {
			hint := ""
			if d.Hint != "" {
				hint = " (" + diag.Line(d.Hint) + ")"
			}
			fmt.Fprintf(c.stderr, "%s: %s%s%s\n", c.tool.Name, prefix, diag.Line(d.Message), hint)
		}
		printed[d.Message] = true
	}
}

// style returns the style of diagnostics. Annotations for GitHub name files by their path in the repository.
func (c *command) style() diag.Style {
	style := diag.Style{Format: c.format}
	style.Dir = c.env.Dir
	if root := c.env.Getenv("GITHUB_WORKSPACE"); c.format == "github" && root != "" {
		style.Dir = root
	}
	style.Color = c.colors(c.stderr)
	return style
}

// colors reports whether output to w is colored.
func (c *command) colors(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && c.env.Getenv("NO_COLOR") == "" // https://no-color.org
}

// terminal returns w if it is a terminal that supports escape codes.
func terminal(w io.Writer) (io.Writer, bool) {
	under := w
	if s, ok := w.(*stream); ok {
		under = s.w
	}
	f, ok := under.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return nil, false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil, false
	}
	null, err := os.Stat(os.DevNull) // output is often sent to this device
	return w, err != nil || !os.SameFile(info, null)
}
