package diag

import (
	"encoding/json"
	"go/token"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	at := func(line, column int) token.Position {
		return token.Position{Filename: "/src/a,b/types.go", Line: line, Column: column}
	}
	var list List
	list.Notef(token.Position{}, "looked at x")
	list.Warnf(at(7, 0), "100%% odd").WithRelated(at(3, 4))
	list.Errorf(at(2, 5), "this <- is\nwrong").Suggest("do: that")
	list.Errorf(at(2, 5), "this <- is\nwrong").Suggest("do: that")
	for _, test := range []struct {
		style Style
		want  []string
	}{
		{Style{Dir: "/src"}, []string{
			"a,b/types.go:2:5: error: this <- is; wrong (do: that)",
			"a,b/types.go:7: warning: 100% odd (see a,b/types.go:3:4)",
			"note: looked at x",
		}},
		{Style{Color: true, Dir: "/src/a,b"}, []string{
			"\x1b[1mtypes.go:2:5:\x1b[0m \x1b[1;31merror:\x1b[0m this <- is; wrong \x1b[2m(do: that)\x1b[0m",
			"\x1b[1mtypes.go:7:\x1b[0m \x1b[1;33mwarning:\x1b[0m 100% odd (see types.go:3:4)",
			"\x1b[1;36mnote:\x1b[0m looked at x",
		}},
		{Style{Format: "json", Color: true, Dir: "/src"}, []string{
			`{"severity":"error","file":"a,b/types.go","line":2,"column":5,"message":"this <- is; wrong","hint":"do: that"}`,
			`{"severity":"warning","file":"a,b/types.go","line":7,"message":"100% odd","related":{"file":"a,b/types.go","line":3,"column":4}}`,
			`{"severity":"note","message":"looked at x"}`,
		}},
		{Style{Format: "github", Color: true}, []string{
			"::error file=/src/a%2Cb/types.go,line=2,col=5,title=kubegen::this <- is; wrong (do: that)",
			"::warning file=/src/a%2Cb/types.go,line=7,title=kubegen::100%25 odd (see /src/a,b/types.go:3:4)",
			"::notice title=kubegen::looked at x",
		}},
	} {
		var b strings.Builder
		if err := list.Write(&b, test.style); err != nil {
			t.Fatal(err)
		}
		if want := strings.Join(test.want, "\n") + "\n"; b.String() != want {
			t.Errorf("%+v: got\n%s\nwant\n%s", test.style, b.String(), want)
		}
		for line := range strings.Lines(b.String()) {
			if test.style.Format == "json" && !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %s", line)
			}
		}
		if test.style.Format == "json" {
			var again strings.Builder
			read, err := ReadJSON(strings.NewReader(b.String()))
			if err == nil {
				err = read.Write(&again, Style{Format: "json"})
			}
			if err != nil || again.String() != b.String() {
				t.Errorf("read: %v, got\n%s\nwant\n%s", err, again.String(), b.String())
			}
		}
	}
	for _, text := range []string{`{"severity":"odd"}`, `{"severity":`, "x"} {
		if _, err := ReadJSON(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
