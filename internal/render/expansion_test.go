package render

import "testing"

func TestDeclaredNames(t *testing.T) {
	files := map[string][]byte{
		"a.go": []byte("package p\n// type Comment int\ntype Type int\ntype (\n\tGrouped = int\n)\nfunc (Type) Method() {}\n"),
		"b.go": []byte("package p\nvar x, Value = 1, 2\nfunc Func() { type Local int }\nconst Const = 1\n"),
		"c.go": []byte("package p\ntype Whole int\nfunc (broken"),
	}
	names := declaredNames(files)
	for name, want := range map[string]bool{
		"Type": true, "Grouped": true, "Value": true, "Func": true, "Const": true, "Whole": true, "Type.Method": true,
		"Comment": false, "Method": false, "Local": false, "p": false, "Elsewhere": false,
	} {
		if got := names[name]; got != want {
			t.Errorf("declared %s: %v, want %v", name, got, want)
		}
	}
}
