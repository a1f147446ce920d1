package applyconfiguration

import (
	"testing"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
)

// unread is a model.Reader that finds no package.
type unread struct{ model.Reader }

func (unread) WhyMissing(string) (why, commands string) { return "it is not here", "" }

// TestUnread reports fields with types whose package cannot be read. In packages of other modules, which compile,
// nobody would notice that apply configurations lack the fields.
func TestUnread(t *testing.T) {
	for _, test := range []struct {
		foreign, classic bool
		want             diag.Severity
	}{
		{true, false, diag.Error},
		{true, true, diag.Warning},
		{false, false, diag.Warning}, // the types do not compile
	} {
		var policy model.Policy
		policy.NoAdvice = test.classic
		missing := &model.Type{Kind: model.Unknown, Name: model.TypeRef{Path: "example.com/missing", Name: "Status"}}
		found := reportOmitted([]*model.StructType{{
			TypeRef: model.TypeRef{Path: "example.org/widgets/v1", Name: "WidgetSpec"},
			Package: &model.Package{Foreign: test.foreign},
			Fields:  []*model.Field{{Name: "Status", Tag: `json:"status"`, Type: missing}},
		}}, unread{}, policy)
		if len(found) != 1 || found[0].Severity != test.want {
			t.Errorf("%+v: got %v", test, found)
		}
	}
}
