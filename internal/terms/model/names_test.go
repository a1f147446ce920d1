package model

import (
	"slices"
	"strings"
	"testing"
)

func TestNameGroups(t *testing.T) {
	for _, test := range []struct {
		name    string
		groups  []string // "name", "name=GoName" or "name>dir", in any order
		want    string   // "name GoName dir", ordered by name
		renamed string
	}{
		{"first labels", []string{"stable.example.com", "apps"}, "apps Apps apps, stable.example.com Stable stable", ""},
		{"core", []string{""}, " Core core", ""},
		{"wishes", []string{"stable.example.com=cronTab>cron"}, "stable.example.com CronTab cron", ""},
		{"dashes and digits", []string{"my-group.example.com", "3scale.net"}, "3scale.net X3scale 3scale, my-group.example.com MyGroup my-group", ""},
		{"same first label", []string{"net.b.com", "net.a.com"}, "net.a.com NetA neta, net.b.com NetB netb", "net.a.com net.b.com"},
		{"same labels but the last", []string{"net.a.com", "net.a.org"}, "net.a.com NetACom netacom, net.a.org NetAOrg netaorg", "net.a.com net.a.org"},
		{"one label is not enough for one", []string{"net", "net.a", "net.b"}, "net Net net, net.a NetA neta, net.b NetB netb", "net net.a net.b"},
		{"a wish makes way", []string{"net.a=Net", "net.b"}, "net.a Net net, net.b NetB netb", "net.b"},
		{"wishes that clash stay", []string{"a=Net", "b=Net"}, "a Net a, b Net b", ""},
		{"core and a group called core", []string{"", "core.example.com"}, " Core core, core.example.com CoreExample coreexample", " core.example.com"},
		{"directories clash, names do not", []string{"a.x>api", "b.x>api", "c.x>other"}, "a.x A a, b.x B b, c.x C other", ""},
		{"directories clash but for letter case", []string{"a.x>API", "b.x>api"}, "a.x A a, b.x B b", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			goNames, dirs := map[string]string{}, map[string]string{}
			var groups []*Group
			for _, spec := range test.groups {
				rest, dir, _ := strings.Cut(spec, ">")
				name, goName, _ := strings.Cut(rest, "=")
				goNames[name], dirs[name] = goName, dir
				groups = append(groups, &Group{Name: name})
			}
			var renamed, got []string
			for _, g := range NameGroups(groups, func(g *Group) string { return goNames[g.Name] }, func(g *Group) string { return dirs[g.Name] }) {
				renamed = append(renamed, g.Name)
			}
			for _, g := range groups {
				got = append(got, g.Name+" "+g.GoName+" "+g.Dir)
			}
			if text := strings.Join(got, ", "); text != test.want {
				t.Errorf("got  %q\nwant %q", text, test.want)
			}
			if text := strings.Join(renamed, " "); text != test.renamed {
				t.Errorf("renamed %q, want %q", text, test.renamed)
			}
		})
	}
}

func TestSortVersions(t *testing.T) {
	want := []string{"", "v10", "v2", "v1", "v11beta2", "v2beta2", "v2beta1", "v12alpha1", "v1alpha1", "foo1", "foo10", "v1-rc"}
	reversed := slices.Clone(want)
	slices.Reverse(reversed)
	for _, input := range [][]string{want, reversed, slices.Sorted(slices.Values(want))} {
		var versions []*Version
		for _, name := range input {
			versions = append(versions, &Version{Name: name})
		}
		SortVersions(versions)
		var got []string
		for _, v := range versions {
			got = append(got, v.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is sorted to\n%q, want\n%q", input, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ name, exported, unexported, packageName string }{
		{"CronTab", "CronTab", "cronTab", "crontab"},
		{"v1beta1", "V1beta1", "v1beta1", "v1beta1"},
		{"v1-rc", "V1Rc", "v1-rc", "v1rc"},
		{"batch.example.com", "BatchExampleCom", "batch.example.com", "batch"},
		{"3d", "X3d", "3d", "x3d"},
		{"Type", "Type", "type_", "xtype"},
		{"String", "String", "string", "string"},
		{"Opts", "Opts", "opts", "opts"},
		{"my_group", "My_group", "my_group", "my_group"},
		{"Überfall", "Überfall", "überfall", "überfall"},
		{"...", "", "...", "x"},
	} {
		got := []string{exported(test.name), Unexported(test.name), PackageName(test.name)}
		want := []string{test.exported, test.unexported, test.packageName}
		if !slices.Equal(got, want) {
			t.Errorf("%q: exported, unexported and package are\n%q, want\n%q", test.name, got, want)
		}
	}
}
