package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// print writes diagnostics in the format of --format.
func (in *invocation) print(diags diag.List) {
	_ = in.named(diags).Write(in.stderr, in.style())
}

// reader returns the environment of the person who reads the messages, with the directory for names of files: the
// current one, or the one of kube_codegen.sh, which runs the command in the directory of the types.
func (in *invocation) reader() load.Environment {
	env := in.env
	env.Dir = env.At(in.script)
	return env
}

// named returns the diagnostics with file names relative to the current directory.
func (in *invocation) named(diags diag.List) diag.List {
	env := in.reader()
	named := make(diag.List, len(diags))
	for i, d := range diags {
		if in.command.settings != nil {
			d = d.Renamed(in.command.settings)
		}
		one := *d
		one.Message, one.Hint = env.Shorten(d.Message), env.Shorten(d.Advice(in.takes))
		named[i] = &one
	}
	return named
}

// takes reports whether the user can set a flag: a flag of the command, or of the function of kube_codegen.sh that
// called it.
func (in *invocation) takes(flag string) bool {
	if in.script != "" {
		return slices.Contains(scriptFlags, flag)
	}
	if in.flags == nil || diag.Setting(flag).OfOther() {
		return true
	}
	f := in.flags.Lookup(flag)
	return f != nil && (!f.Hidden || isInFile(f)) // the help or kubegen.yaml has it
}

// scriptFlags lists the flags of the functions of kube_codegen.sh.
var scriptFlags = []string{
	"applyconfig-externals", "applyconfig-name", "applyconfig-openapi-schema", "boilerplate", "clientset-name", "extra-peer-dir",
	"extra-pkgs", "informers-name", "lint-rules", "listers-name", "one-input-api", "output-dir", "output-model-name-file", "output-pkg",
	"plural-exceptions", "prefers-protobuf", "report-filename", "update-report", "versioned-name", "with-applyconfig", "with-watch",
}

// fail prints joined errors, without duplicates.
func (in *invocation) fail(err error) int {
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	var diags diag.List
	diags.AddError(err)
	in.tell(diags)
	return exitError
}

// printJSON writes a value as JSON. The stream remembers write errors.
func printJSON(w *stream, value any, indent string) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	_ = encoder.Encode(value)
}

// misused reports a command that could not start, with advice, in the given format of messages.
func (in *invocation) misused(format, message, advice string) int {
	in.format = format
	var diags diag.List
	diags.Errorf(token.Position{}, "%s", message).Suggest("%s", advice)
	in.tell(diags)
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

// note prints a note about the run.
func (in *invocation) note(format string, args ...any) {
	var diags diag.List
	diags.Notef(token.Position{}, format, args...)
	in.tell(diags)
}

// say prints a line of the output of -v. In JSON, it is a note.
func (in *invocation) say(format string, args ...any) {
	if in.format == "json" {
		in.note("%s", strings.TrimSpace(fmt.Sprintf(format, args...)))
		return
	}
	fmt.Fprintf(in.stderr, format+"\n", args...)
}

// tellTerminal prints a line about the end of a run, only on a terminal.
func (in *invocation) tellTerminal(text string) {
	if _, ok := terminal(in.stderr); ok && in.format == "text" {
		fmt.Fprintf(in.stderr, "%s: %s\n", in.command.program(), text)
	}
}

// tell prints diagnostics about the command line. In text, those without a position begin with the name of the command.
func (in *invocation) tell(diags diag.List) {
	style := in.style()
	style.Program = in.command.program()
	_ = in.named(diags).Write(in.stderr, style)
}

// style returns the style of diagnostics. Annotations for GitHub name files by their path in the repository.
func (in *invocation) style() diag.Style {
	style := diag.Style{Format: in.format}
	style.Dir = in.reader().Dir
	if root := in.env.Getenv("GITHUB_WORKSPACE"); in.format == "github" && root != "" {
		style.Dir = root
	}
	style.Color = in.colors(in.stderr)
	return style
}

// colors reports whether output to w is colored.
func (in *invocation) colors(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && in.env.Getenv("NO_COLOR") == "" // https://no-color.org
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
