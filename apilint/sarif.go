package apilint

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"

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
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
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
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
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
	}
)

// writeSARIF writes findings as SARIF, with file names relative to a directory.
func writeSARIF(w io.Writer, dir string, findings []finding) error {
	run := sarifRun{Results: []sarifResult{}, Tool: sarifTool{sarifDriver{
		Name: "apilint", InformationURI: "https://github.com/kubegen/kubegen", Rules: []sarifRule{},
	}}}
	for _, f := range findings {
		rule, text := f.linter, f.Message
		if f.Check != "" {
			rule = f.Check
		}
		if f.Hint != "" {
			text += " (" + f.Hint + ")"
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: rule, Level: f.Severity.String(), Message: sarifMessage{text},
			Locations: []sarifLocation{{sarifPhysical{
				sarifArtifact{filepath.ToSlash(diag.Relative(dir, f.Pos.Filename))}, sarifRegion{f.Pos.Line, f.Pos.Column},
			}}},
		})
		if !slices.Contains(run.Tool.Driver.Rules, sarifRule{rule}) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
