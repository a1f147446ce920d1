package impact_test

import (
	"testing"

	"github.com/kubegen/kubegen/internal/commands/impact"
)

// TestDescribe looks at what is said of symbols that a type of a package which is not found may have.
func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		change impact.Change
		want   string
	}{
		{impact.Change{Difference: impact.Removed, Symbol: "T.Get", Was: "func()"}, "T.Get: removed; was func()"},
		{impact.Change{Difference: impact.Removed, Symbol: "T.Get", Was: "func()", Unless: "example.com/dep.Meta"},
			"T.Get: removed, unless an embedded example.com/dep.Meta of a package that is not found has it; was func()"},
		{impact.Change{Difference: impact.MethodAdded, Symbol: "I.Get", Is: "func()", Unless: "example.com/dep.I"},
			"I.Get: added to the interface, which breaks its other implementations, unless an embedded example.com/dep.I of a package that is not found has it; is func()"},
	} {
		if got := test.change.Describe(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
