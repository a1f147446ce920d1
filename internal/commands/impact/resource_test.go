package impact

import (
	"fmt"
	"testing"
)

func TestMoved(t *testing.T) {
	file := func(name, text string) File {
		return File{Name: name, Content: []byte("package v1\n\ntype " + name + "Interface interface{ Get() }\n\n" + text)}
	}
	gentype := func(resource string) string {
		return "func newCrons(c *StableV1Client, namespace string) *crons {\n\treturn &crons{\n\t\tgentype.NewClientWithListAndApply[*v1.Cron, *v1.CronList, *apply.Cron](\n\t\t\t\"" + resource + "\",\n"
	}
	direct := func(resource string) string {
		return "\terr = c.client.Get().\n\t\tNamespace(c.ns).\n\t\tResource(\"" + resource + "\").\n\t\tName(name)"
	}
	for _, test := range []struct {
		name          string
		before, after File
		want          string
	}{
		{"the same", file("Cron", gentype("crons")), file("Cron", gentype("crons")), "[]"},
		{"other", file("Cron", gentype("crons")), file("Cron", gentype("cron")), "[CronInterface crons cron 8]"},
		{"written in the older way", file("Cron", direct("crons")), file("Cron", gentype("cron")), "[CronInterface crons cron 8]"},
		{"the older way means the same", file("Cron", direct("crons")), file("Cron", gentype("crons")), "[]"},
		{"another kind", file("Cron", gentype("crons")), file("Job", gentype("jobs")), "[]"},
		{"in a lister", file("Cron", "v1.Resource(\"cron\")"), file("Cron", "v1.Resource(\"crons\")"), "[]"},
		{"of the fake", file("Cron", "gentype.NewFakeClient[*v1.Cron](\n\"crons\")"), file("Cron", "gentype.NewFakeClient[*v1.Cron](\n\"cron\")"), "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := []string{}
			for _, c := range Moved([]File{test.before}, []File{test.after}) {
				if c.Difference != URLChanged {
					t.Errorf("the kind is %v", c.Difference)
				}
				got = append(got, fmt.Sprint(c.Symbol, " ", c.Was, " ", c.Is, " ", c.Line))
			}
			if fmt.Sprint(got) != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}
