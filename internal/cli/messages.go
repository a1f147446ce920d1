package cli

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/kubegen/kubegen/internal/diag"
)

// print writes diagnostics as --format says.
func (r *run) print(diags diag.List) {
	r.progress.end()
	_ = r.named(diags).Write(r.stderr, r.style())
}

// named returns diagnostics whose messages name files as seen from the current directory.
func (r *run) named(diags diag.List) diag.List {
	named := make(diag.List, len(diags))
	for i, d := range diags {
		one := *d
		one.Message, one.Hint = r.env.Shorten(d.Message), r.env.Shorten(d.Hint)
		named[i] = &one
	}
	return named
}

// fail prints errors, each line of them once: several trees can have the same trouble.
func (r *run) fail(err error) int {
	var diags diag.List
	for line := range strings.Lines(err.Error()) {
		diags.Errorf(token.Position{}, "%s", strings.TrimSuffix(line, "\n"))
	}
	r.tell("", diags)
	return exitError
}

// announce prints the diagnostics of the flags, errors first. Those without a position begin with the command's name.
func (r *run) announce(diags diag.List) {
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
			r.tell(prefix, diag.List{d})
		}
	}
	r.print(placed)
}

// note prints a note about the run.
func (r *run) note(format string, args ...any) {
	var diags diag.List
	diags.Notef(token.Position{}, format, args...)
	r.tell("note: ", diags)
}

// tell prints what is not about a place in a file: text begins with the name of the command instead.
func (r *run) tell(prefix string, diags diag.List) {
	if r.format == "json" || r.format == "github" {
		r.print(diags)
		return
	}
	r.progress.end()
	printed := map[string]bool{}
	for _, d := range r.named(diags) {
		if !printed[d.Message] {
			fmt.Fprintf(r.stderr, "%s: %s%s\n", r.tool.Name, prefix, d.Message)
		}
		printed[d.Message] = true
	}
}

// style returns how diagnostics are to be written. Annotations name files as GitHub does: by their path in the repository.
func (r *run) style() diag.Style {
	style := diag.Style{Format: r.format}
	style.Dir = r.env.Dir
	if root := r.env.Getenv("GITHUB_WORKSPACE"); r.format == "github" && root != "" {
		style.Dir = root
	}
	_, style.Color = terminal(r.stderr)
	style.Color = style.Color && r.env.Getenv("NO_COLOR") == "" // https://no-color.org
	return style
}

// terminal returns w if it is a terminal that understands more than text.
func terminal(w io.Writer) (io.Writer, bool) {
	under := w
	if s, ok := w.(*stream); ok {
		under = s.w
	}
	f, ok := under.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil, false
	}
	return w, true
}
