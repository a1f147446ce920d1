package apilint

import (
	"bytes"
	"encoding/json"
	"go/token"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf16"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// The part of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		Successful    bool          `json:"executionSuccessful"`
		Notifications []sarifResult `json:"toolExecutionNotifications,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId,omitempty"` // not of a notification
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"` // behind the last character
	}
	sarifFix struct {
		Changes []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
)

// writeSARIF writes a result as SARIF, with file names relative to a directory. What is said about the run is in
// notifications.
func writeSARIF(w io.Writer, dir string, found *result) error {
	s := &sarif{dir: dir, texts: map[string][]byte{}}
	run := sarifRun{Results: []sarifResult{}, ColumnKind: "utf16CodeUnits", Tool: sarifTool{sarifDriver{
		Name: "apilint", InformationURI: "https://github.com/kubegen/kubegen", Rules: []sarifRule{},
	}}}
	invocation := sarifInvocation{Successful: !found.about.HasErrors()}
	for _, d := range found.about {
		invocation.Notifications = append(invocation.Notifications, s.result(d))
	}
	run.Invocations = []sarifInvocation{invocation}
	for _, f := range found.findings {
		one := s.result(f.Diagnostic)
		if one.RuleID = f.linter; f.Check != "" {
			one.RuleID = f.Check
		}
		if len(f.fix) > 0 {
			one.Fixes = []sarifFix{s.fix(f.fix)}
		}
		run.Results = append(run.Results, one)
		if !slices.Contains(run.Tool.Driver.Rules, sarifRule{one.RuleID}) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{one.RuleID})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarif converts findings.
type sarif struct {
	dir   string
	texts map[string][]byte // of files
}

func (s *sarif) result(d *diag.Diagnostic) sarifResult {
	text := d.Message
	if d.Hint != "" {
		text += " (" + d.Hint + ")"
	}
	one := sarifResult{Level: d.Severity.String(), Message: sarifText{text}}
	if d.Pos.IsValid() {
		region := sarifRegion{StartLine: d.Pos.Line}
		if d.Pos.Column > 0 {
			region.StartColumn = s.column(d.Pos)
		}
		one.Locations = []sarifLocation{{sarifPhysical{s.artifact(d.Pos.Filename), region}}}
	}
	return one
}

func (s *sarif) artifact(file string) sarifArtifact {
	name := diag.Relative(s.dir, file)
	if filepath.IsAbs(file) && name == filepath.ToSlash(file) { // elsewhere
		return sarifArtifact{(&url.URL{Scheme: "file", Path: name}).String()}
	}
	return sarifArtifact{(&url.URL{Path: name}).String()}
}

// fix returns edits with the regions that they replace, in the order of files.
func (s *sarif) fix(edits []edit) (fix sarifFix) {
	for _, e := range edits {
		artifact := s.artifact(e.file)
		i := slices.IndexFunc(fix.Changes, func(c sarifChange) bool { return c.Artifact == artifact })
		if i < 0 {
			i = len(fix.Changes)
			fix.Changes = append(fix.Changes, sarifChange{Artifact: artifact})
		}
		replacement := sarifReplacement{Deleted: s.region(e)}
		if e.text != "" {
			replacement.Inserted = &sarifText{e.in(s.text(e.file))}
		}
		fix.Changes[i].Replacements = append(fix.Changes[i].Replacements, replacement)
	}
	return fix
}

// region returns what an edit replaces. It is empty, with both ends at the same place, if the edit inserts.
func (s *sarif) region(e edit) sarifRegion {
	text := s.text(e.file)
	at := func(offset int) token.Position {
		before := text[:min(offset, len(text))]
		line := bytes.LastIndexByte(before, '\n') + 1
		return token.Position{Filename: e.file, Line: bytes.Count(before, []byte("\n")) + 1, Column: len(before) - line + 1}
	}
	from, to := at(e.start), at(e.end)
	return sarifRegion{from.Line, s.column(from), to.Line, s.column(to)}
}

// column returns the column of a position in code units of UTF-16, which viewers count.
func (s *sarif) column(pos token.Position) int {
	lines := bytes.SplitAfterN(s.text(pos.Filename), []byte("\n"), pos.Line+1)
	if pos.Line > len(lines) {
		return pos.Column
	}
	line := lines[pos.Line-1]
	return len(utf16.Encode([]rune(string(line[:min(pos.Column-1, len(line))])))) + 1
}

// text returns the contents of a file, or nothing if it cannot be read.
func (s *sarif) text(file string) []byte {
	text, ok := s.texts[file]
	if !ok {
		text, _ = os.ReadFile(file)
		s.texts[file] = text
	}
	return text
}
