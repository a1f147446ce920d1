package markers

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/kubegen/kubegen/internal/text/diag"
)

// FuzzMarkers reads arbitrary comments. Nothing may panic, every position must be that of a "+", and every message must
// be one line.
func FuzzMarkers(f *testing.F) {
	f.Add("// +genclient\n// +genclient:method=GetScale,verb=get,subresource=scale,result=Scale")
	f.Add("/*\n * +genclient:skipVerbs=get,,list\n\t+groupName=\n*/")
	f.Add("// + genclient\r\n// +genclient:nonNamespace // for all\n//+k8s:client-gen=maybe")
	f.Add("// +kubebuilder:resource:path=\"geese\",shortName={g,`gs`},categories=all;birds\n// +kubebuilder:object:root=x")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "\r", "") // go/parser removes these from comments, but counts them in positions
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "types.go", text+"\npackage p\n", parser.ParseComments)
		if err != nil {
			return
		}
		var errs diag.List
		for i := range 4 {
			target, mode := Target(i/2), Mode(i%2)
			found, mistakes := Read(fset, target, mode, file.Comments...)
			errs = append(errs, mistakes...)
			for _, m := range found {
				if !strings.HasPrefix(text[m.Pos.Offset:], "+") {
					t.Errorf("+%s is not at %v", m.Name, m.Pos)
				}
				switch byName[m.Name].Type {
				case Verbs:
					ParseVerbs(m, mode, &errs)
				case Method:
					_, mistakes = ParseMethod(m, mode)
					errs = append(errs, mistakes...)
				}
			}
		}
		for _, d := range errs {
			var b strings.Builder
			_ = diag.List{d}.Write(&b, diag.Style{})
			if line := b.String(); strings.Count(line, "\n") != 1 || !d.Pos.IsValid() || !strings.HasPrefix(text[d.Pos.Offset:], "+") {
				t.Errorf("not a line about a marker: %q", line)
			}
		}
	})
}
