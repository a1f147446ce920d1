package rbac

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
)

// A marked rule is a marker +kubebuilder:rbac in a comment of a Go file.
type marked struct {
	rule                rbacv1.PolicyRule
	roleName, namespace string
	at                  string // file and line
}

const rbacMarker = "+kubebuilder:rbac:"

// FindMarkers reads the markers +kubebuilder:rbac in the Go files of directories and their subdirectories, from which
// controller-gen or kubegen generated the roles. Findings about a rule then name the markers that grant a part of it.
// Tests, and directories that the go command ignores, are not read.
func (r *Roles) FindMarkers(dirs ...string) error {
	var found []marked
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			base := entry.Name()
			switch {
			case entry.IsDir() && name != dir && (strings.HasPrefix(
				base, ".",
			) || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor"):
				return filepath.SkipDir
			case entry.IsDir(), filepath.Ext(base) != ".go", strings.HasSuffix(base, "_test.go"):
				return nil
			}
			in, err := markersIn(name)
			found = append(found, in...)
			return err
		})
		if err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.markers = append(r.markers, found...)
	return nil
}

// markersIn returns the markers in a Go file.
func markersIn(name string) (found []marked, err error) {
	text, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(text, []byte(rbacMarker)) {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			line, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), rbacMarker)
			if !ok {
				continue
			}
			m := marked{at: fmt.Sprintf("%s:%d", name, fset.Position(comment.Pos()).Line)}
			for key, values := range arguments(line) {
				switch key {
				case "groups":
					m.rule.APIGroups = values
					if i := slices.Index(values, "core"); i >= 0 {
						values[i] = ""
					}
				case "resources":
					m.rule.Resources = values
				case "resourceNames":
					m.rule.ResourceNames = values
				case "urls":
					m.rule.NonResourceURLs = values
				case "verbs":
					m.rule.Verbs = values
				case "roleName":
					m.roleName = values[0]
				case "namespace":
					m.namespace = values[0]
				}
			}
			if invalid(m.rule, m.namespace != "") == "" {
				found = append(found, m)
			}
		}
	}
	return found, nil
}

// arguments returns the lists in the arguments of a marker: groups=apps;batch,verbs={get,list}
func arguments(text string) map[string][]string {
	found := map[string][]string{}
	quote, depth, start := rune(0), 0, 0
	add := func(end int) {
		key, value, _ := strings.Cut(text[start:end], "=")
		inner, isList := strings.CutPrefix(strings.TrimSpace(value), "{")
		separator := func(c rune) bool { return c == ';' || isList && c == ',' }
		for _, one := range strings.FieldsFunc(strings.TrimSuffix(inner, "}"), separator) {
			found[strings.TrimSpace(key)] = append(found[strings.TrimSpace(key)], strings.Trim(strings.TrimSpace(one), "\"`'"))
		}
		start = end + 1
	}
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			add(i)
		}
	}
	add(len(text))
	return found
}

// granting returns the positions of the markers that grant a part of a rule of a role.
func (r *Roles) granting(of *rule, part rbacv1.PolicyRule) (positions []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.markers {
		kind, name, _ := strings.Cut(of.role, " ")
		if (m.namespace != "") != (kind == "Role") || m.roleName != "" && m.roleName != name {
			continue
		}
		rule := m.rule
		if len(part.ResourceNames) == 0 { // of a request
			rule = unnamed(rule)
		}
		grants := func(one rbacv1.PolicyRule) bool {
			allowed, _ := validation.Covers([]rbacv1.PolicyRule{rule}, []rbacv1.PolicyRule{one})
			return allowed
		}
		if slices.ContainsFunc(validation.BreakdownRule(part), grants) && !slices.Contains(positions, m.at) {
			positions = append(positions, m.at)
		}
	}
	return positions
}
