package cli

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/kubegen/kubegen/internal/commands/impact"
	"github.com/kubegen/kubegen/internal/files/output"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/text/diag"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// listedChanges is the number of changes that a run lists by default.
const listedChanges = 10

// warnCallers warns about breaking changes, if any. A dry run lists all of them.
func (in *invocation) warnCallers(r *result, b impact.Report, dryRun bool) {
	if len(b) == 0 {
		return
	}
	severity, message := diag.Warning, b.String()
	isOurs := func(o *run.Output) bool { return !o.Plan.Flags.Classic }
	switch _, others := b.Split(impact.MethodAdded); {
	case len(others) == 0:
		severity, message = diag.Note, message+"; only code that implements the interfaces breaks"
	case slices.ContainsFunc(r.outputs, isOurs) && slices.ContainsFunc(r.changes, replacesOther):
		message += "; --classic may keep them"
	}
	var diags diag.List
	if in.format == "json" || in.format == "github" && dryRun { // GitHub limits the number of annotations
		diags = b.Diagnostics(severity)
	}
	diags.Add(severity, token.Position{}, "%s", message)
	if in.tell(diags); in.format != "text" {
		return
	}
	b = b.Collapsed()
	atMost, advice := listedChanges, ""
	if dryRun {
		atMost = b.Total()
	}
	if in.takes("dry-run") {
		advice = "; --dry-run lists all"
	}
	in.listChanges(b, atMost, advice)
}

// listChanges prints the first changes of a report, and the number of the others with advice to see these.
func (in *invocation) listChanges(b impact.Report, atMost int, advice string) {
	for _, line := range b.Lines(atMost) {
		fmt.Fprintf(in.stderr, "\t%s\n", line)
	}
	if more := b.Total() - atMost; more > 0 {
		fmt.Fprintf(in.stderr, "\tand %d more%s\n", more, advice)
	}
}

// replacesOther reports whether a change replaces or deletes a file that another tool than kubegen has generated.
func replacesOther(change output.Change) bool {
	mark := gofile.MarkOf(change.Old)
	return mark != "" && !strings.HasPrefix(mark, gofile.ByKubegen)
}

// bumps returns diagnostics about code that was generated for another client-go than the one of the run. If stale is
// set, because the command leaves the code as it is, they advise to generate it again; otherwise, they are notes.
func (in *invocation) bumps(found []impact.Bump, revision string, stale bool) (diags diag.List) {
	for _, bump := range found {
		if stale {
			bump.Diagnostic(diag.Warning, revision, &diags).Suggest("to generate it again, %s", in.toGenerate())
		} else {
			bump.Diagnostic(diag.Note, revision, &diags)
		}
	}
	return diags
}
