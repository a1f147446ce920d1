package diag

import "testing"

func TestNearest(t *testing.T) {
	verbs := []string{"get", "list", "watch", "create", "update", "updateStatus", "patch", "apply", "delete", "deleteCollection"}
	for _, test := range []struct {
		word string
		from []string
		want string // "" for none
	}{
		{"gett", verbs, "get"},
		{"gte", verbs, "get"},
		{"WATCH", verbs, "watch"},
		{"updatestatus", verbs, "updateStatus"},
		{"deletecollections", verbs, "deleteCollection"},
		{"post", verbs, ""},
		{"", verbs, ""},
		{"x", []string{"y"}, ""},
		{"v", []string{"v"}, "v"},
		{"vl", []string{"v1"}, "v1"},
		{"stabel", []string{"batch", "stable"}, "stable"},
		{"ac", []string{"ab", "ad"}, "ab"},
		{"anything", nil, ""},
	} {
		got, ok := Nearest(test.word, test.from)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Nearest(%q, %q) = %q, %v; want %q", test.word, test.from, got, ok, test.want)
		}
	}
}
