package crdinstall

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// TestRewrite rewrites objects on servers whose lists expire, and on which others change and delete objects. It
// compares the requests, those for objects of a page in any order.
func TestRewrite(t *testing.T) {
	list := func(token string, names ...string) string {
		var items []string
		for _, name := range names {
			items = append(items, fmt.Sprintf(`{"metadata":{"namespace":"n","name":%q}}`, name))
		}
		return fmt.Sprintf(`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{"continue":%q},"items":[%s]}`, token, strings.Join(items, ","))
	}
	status := func(code int, reason, token string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Status","status":"Failure","code":%d,"reason":%q,"message":"no","metadata":{"continue":%q}}`, code, reason, token)
	}
	for _, test := range []struct {
		name    string
		answers map[string][]string // by request, in turn
		want    string
	}{
		{"pages", map[string][]string{"list ": {list("1", "a", "b")}, "list 1": {list("", "c")}}, "list  a b list 1 c: 3"},
		{"an expired page, with the next one", map[string][]string{
			"list ": {list("1", "a")}, "list 1": {status(410, "Expired", "2")}, "list 2": {list("", "b")},
		}, "list  a list 1 list 2 b: 2"},
		{"an expired page", map[string][]string{"list ": {list("1", "a"), list("", "a", "b")}, "list 1": {status(410, "Expired", "")}}, "list  a list 1 list  a b: 3"},
		{"no pages at all", map[string][]string{"list ": {status(410, "Expired", "")}}, "list : 0 no"},
		{"deleted", map[string][]string{"list ": {list("", "a", "b")}, "a": {status(404, "NotFound", "")}}, "list  a b: 1"},
		{"changed too often", map[string][]string{"list ": {list("", "a")}, "a": {status(409, "Conflict", "")}}, "list  a a: 1"},
		{"refused", map[string][]string{"list ": {list("1", "a")}, "a": {status(422, "Invalid", "")}},
			"list  a: 0 object n/a: no; correct or delete it, and install again"},
		{"a webhook that is down", map[string][]string{"list ": {list("", "a")}, "a": {status(500, "InternalError", ""), status(503, "ServiceUnavailable", "")}},
			"list  a a a: 1"},
		{"forbidden", map[string][]string{
			"list ": {list("", "a", "b")}, "a": {status(403, "Forbidden", "")}, "b": {status(403, "Forbidden", "")},
		}, "list  a b: 0 object n/a: no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lock sync.Mutex
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				lock.Lock()
				defer lock.Unlock()
				request := "list " + r.URL.Query().Get("continue")
				answer := `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"x"}}`
				if r.Method == http.MethodPatch {
					request, _ = strings.CutPrefix(r.URL.Path, "/apis/example.com/v1/namespaces/n/widgets/")
				}
				asked = append(asked, request)
				if rest := test.answers[request]; len(rest) > 0 {
					answer, test.answers[request] = rest[0], rest[1:]
				}
				w.Header().Set("Content-Type", "application/json")
				var code int
				if _, after, ok := strings.Cut(answer, `"code":`); ok {
					_, _ = fmt.Sscan(after[:3], &code)
					w.WriteHeader(code)
				}
				_, _ = fmt.Fprint(w, answer)
			}))
			defer server.Close()
			in, err := newInstaller(&rest.Config{Host: server.URL}, settings{timeout: DefaultTimeout})
			if err != nil {
				t.Fatal(err)
			}
			n, err := in.rewrite(t.Context(), decode(t, `{"spec":{"group":"example.com","names":{"plural":"widgets"},"versions":[{"name":"v1","served":true,"storage":true}]}}`))
			for i := 0; i < len(asked); { // the requests of a page
				end := i + 1
				for !strings.HasPrefix(asked[i], "list") && end < len(asked) && !strings.HasPrefix(asked[end], "list") {
					end++
				}
				slices.Sort(asked[i:end])
				i = end
			}
			got := fmt.Sprintf("%s: %d", strings.Join(asked, " "), n)
			if err != nil {
				got += " " + err.Error()
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
