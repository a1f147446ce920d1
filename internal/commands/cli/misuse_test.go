package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kubegen/kubegen/internal/moduletest"
	"github.com/kubegen/kubegen/internal/terms/markers"
)

// misuse is a marker at a place in a package.
type misuse struct {
	text, place string
	valid       bool

	file         string // position, see writeMisused
	line, column int
	refused      bool
	reports      []string
}

// placeOf matches a place in testdata/misuse: a name and, after it, the targets of the markers that have an effect
// there. File is for the markers that controller-gen reads for packages, Package for other markers of packages.
var placeOf = regexp.MustCompile(`\[([a-z ]+)\]((?: [A-Z][a-z]+)*)`)

// writeMisused writes a package with markers that are not refused yet.
func writeMisused(t *testing.T, dir, name string, all []*misuse) {
	for _, file := range []string{"types.go", "other.go"} {
		text, err := os.ReadFile(filepath.Join("testdata/misuse", file))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("apis", name, "v1", file)
		var lines []string
		for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "NAME", name), "\n") {
			at := placeOf.FindStringSubmatchIndex(line)
			if at == nil {
				lines = append(lines, line)
				continue
			}
			before := len(lines)
			for _, m := range all {
				if m.place == line[at[2]:at[3]] && !m.refused {
					lines = append(lines, line[:at[0]]+m.text+line[at[1]:])
					m.file, m.line, m.column, m.reports = path, len(lines), at[0]+1, nil
				}
			}
			if len(lines) == before {
				lines = append(lines, line[:at[0]]+"text"+line[at[1]:])
			}
		}
		writeFile(t, filepath.Join(dir, path), []byte(strings.Join(lines, "\n")))
	}
}

// TestMisuse runs kubegen for packages with the markers of manifests and apply configurations in all places, with
// misspelled names and with wrong values. Each marker without an effect is an error or warning with its position and
// advice, once. A marker with an effect has none.
func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/api\n"))
	moduletest.Complete(t, dir)
	packages := misusedPackages(t)
	const command = "kubegen --format json --dry-run --only deepcopy,crd,rbac,webhook --gates Foo --applyconfig-markers ./apis/..."
	for refused := true; refused; { // errors prevent other reports
		refused = false
		at := map[string]*misuse{}
		for name, all := range packages {
			writeMisused(t, dir, name, all)
			for _, m := range all {
				if !m.refused {
					at[fmt.Sprint(m.file, m.line)] = m
				}
			}
		}
		env := environment(t, dir)
		_, _, stderr := runCommand(t, &env, command)
		for line := range strings.Lines(stderr) {
			var d struct {
				Severity, File, Hint string
				Line, Column         int
			}
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatal(err, line)
			}
			if d.Severity == "note" { // about a valid rule
				continue
			}
			m := at[fmt.Sprint(d.File, d.Line)]
			if m == nil {
				t.Errorf("unexpected: %s", line)
				continue
			}
			m.reports = append(m.reports, line)
			if d.Column < m.column || d.Column > m.column+len(m.text) || d.Hint == "" {
				t.Errorf("%s: not at column %d, or without advice: %s", m.text, m.column, line)
			}
			if d.Severity == "error" {
				m.refused, refused = true, true
			}
		}
	}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		for _, m := range packages[name] {
			n++
			if len(m.reports) != 1 && !(m.valid && len(m.reports) == 0) || m.valid && len(m.reports) > 0 && !strings.HasPrefix(m.text, "+openshift:validation:") &&
				m.text != "+kubebuilder:ac:generate=true" { // which has an effect only in packages with the marker
				t.Errorf("%s at [%s], valid: %v, is reported %d times\n%s", m.text, m.place, m.valid, len(m.reports), strings.Join(m.reports, ""))
			}
		}
	}
	t.Logf("%d markers", n)
}

// places returns the places in testdata/misuse with their targets.
func places(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, file := range []string{"types.go", "other.go"} {
		text, err := os.ReadFile(filepath.Join("testdata/misuse", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range placeOf.FindAllStringSubmatch(string(text), -1) {
			found[match[1]] = match[2]
		}
	}
	return found
}

// hasEffect reports whether a marker has an effect at a place with targets.
func hasEffect(def markers.Definition, targets string) bool {
	has := func(target string) bool { return strings.Contains(targets, target) }
	switch {
	case def.Effect&markers.Applied != 0 && has("File"):
		return !def.Has(markers.Type) || !has("Type")
	case def.Has(markers.Type) && (has("Kind") || has("Type") && def.OfSchemas() && !def.LeavesOut()):
		return true
	}
	return def.Has(markers.File) && has("File") || def.Has(markers.Package) && has("Package") || def.Has(markers.Field) && has("Field") || def.Has(markers.Constant) && has("Constant")
}

// misusedPackages returns all misuses by the names of their packages.
func misusedPackages(t *testing.T) map[string][]*misuse {
	packages := map[string][]*misuse{"plain": nil}
	places := places(t)
	alone := func(m *misuse) { // names differ from those of other packages
		name := fmt.Sprintf("p%d", len(packages))
		m.text = strings.NewReplacer("groups=apps", "groups="+name, "name=vcrontab", "name="+name, "name=mutating", "name="+name).Replace(m.text)
		packages[name] = []*misuse{m}
	}
	for _, def := range markers.All {
		if def.Effect&(markers.Roles|markers.Webhooks|markers.Applied) == 0 && def.Tools != markers.OpenShift && def.Name != markers.GateMarker {
			continue
		}
		example := strings.Replace(def.Example(), "a;b", "a", 1)
		together := fmt.Sprintf("p%d", len(packages))
		packages[together] = nil
		usual := ""
		for _, place := range slices.Sorted(maps.Keys(places)) {
			m := &misuse{text: example, place: place, valid: hasEffect(def, places[place])}
			if !m.valid {
				packages[together] = append(packages[together], m)
				continue
			}
			if alone(m); slices.Contains([]string{"kind", "free"}, place) {
				usual = place
			}
		}
		switch def.Name { // whose values fit no kind
		case markers.AwareMarker + "Enum":
			usual = "field"
		case markers.AwareMarker + "MaxItems":
			usual = "list field"
		}
		for i, letter := range def.Name {
			if unicode.IsLetter(letter) {
				packages[together] = append(packages[together], &misuse{text: "+" + def.Name[:i] + strings.TrimPrefix(example, "+"+def.Name[:i+1]), place: usual})
			}
		}
		for _, text := range wrongValues(def, example) {
			alone(&misuse{text: text, place: usual})
		}
	}
	return packages
}

// wrongValues returns an example of a marker with wrong values and arguments.
func wrongValues(def markers.Definition, example string) []string {
	name := "+" + def.Name
	switch def.Type {
	case markers.Boolean:
		return []string{name + "=", name + "=maybe", name + `="true"`, name + "=1", name + "=true,false", example + " // comment"}
	case markers.String, markers.Strings:
		return []string{name, name + "=", name + `="a`, name + `="a" b`, name + ":a=b"}
	}
	found := []string{name, name + ":", name + "=", name + ":x", name + "=" + strings.TrimPrefix(example, name+":"), example + ",,", example + ",frobnicate=1", example + `,"`}
	if def.Has(markers.File) {
		found = append(found, example+",", example+" x=y")
	}
	sample := map[string]string{"matchPolicy": "Exact", "webhookVersions": "v1", "reinvocationPolicy": "Never", "timeoutSeconds": "5", "requiredFeatureGate": "Foo"}
	for _, arg := range def.Arguments {
		written := regexp.MustCompile(`[:,]` + arg.Name + `=("[^"]*"|[^,]*)`).FindString(example)
		key, value := arg.Name+"=", cmp.Or(sample[arg.Name], "a")
		with := func(text string) string { return example + "," + text }
		if written != "" {
			_, value, _ = strings.Cut(written, "=")
			with = func(text string) string { return strings.Replace(example, written, written[:1]+text, 1) }
			found = append(found, with(arg.Name[1:]+"="+value), with(key+value+","+key+value))
			if !arg.Optional {
				found = append(found, strings.NewReplacer(":,", ":").Replace(strings.Replace(example, written, written[:1], 1)))
			}
		} else {
			found = append(found, with(arg.Name[1:]+"="+value))
			if arg.Type == markers.Int {
				value = "5"
			}
			if arg.Name != "url" && arg.Name != "patch" {
				found = append(found, with(key+value+","+key+value))
			}
		}
		found = append(found, with(key), with(arg.Name), with(key+`"a`))
		switch arg.Type {
		case markers.Int:
			found = append(found, with(key+"a"), with(key+"1.5"), with(key+"99999999999999999999"))
		case markers.Boolean:
			found = append(found, with(key+"maybe"), with(key+"1"))
		case markers.Strings:
			found = append(found, with(key+"{a"), with(key+"a,b"))
		case markers.String:
			found = append(found, with(key+"{a,b}"), with(key+"a;b"))
		}
	}
	return found
}
