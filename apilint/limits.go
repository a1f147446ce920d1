package apilint

import (
	"errors"
	"fmt"
)

// limits are how many findings golangci-lint shows after exclusions, and this command of kube-api-linter's. It shows
// all of kubegen's.
type limits struct {
	MaxPerLinter *int   `yaml:"max-issues-per-linter"` // nil for 50; 0 for any number
	MaxSame      *int   `yaml:"max-same-issues"`       // nil for 3; 0 for any number
	UniqByLine   *bool  `yaml:"uniq-by-line"`          // nil for true
	NewFromRev   string `yaml:"new-from-rev"`

	New       bool   `yaml:"new"`
	FromBase  string `yaml:"new-from-merge-base"`
	FromPatch string `yaml:"new-from-patch"`
}

// check refuses settings that select findings in a way that this command does not have.
func (l limits) check() error {
	if l.New || l.FromBase != "" || l.FromPatch != "" {
		return errors.New("issues.new, new-from-merge-base and new-from-patch are not read (use --since REVISION)")
	}
	return nil
}

// limit returns the findings within the limits, and the number of the others.
func (l limits) limit(findings []finding) (shown []finding, hidden int) {
	total, same, lines := 0, map[string]int{}, map[string]bool{}
	for _, f := range findings {
		if f.linter == conventionsName {
			line := fmt.Sprint(f.Pos.Filename, ":", f.Pos.Line)
			if (l.UniqByLine == nil || *l.UniqByLine) && lines[line] {
				hidden++
				continue
			}
			lines[line] = true
			same[f.Message]++
			if exceeds(same[f.Message], l.MaxSame, 3) {
				hidden++
				continue
			}
			total++
			if exceeds(total, l.MaxPerLinter, 50) {
				hidden++
				continue
			}
		}
		shown = append(shown, f)
	}
	return shown, hidden
}

// exceeds reports whether n exceeds a limit. There is none if limit is 0 or less.
func exceeds(n int, limit *int, byDefault int) bool {
	if limit != nil {
		byDefault = *limit
	}
	return byDefault > 0 && n > byDefault
}
