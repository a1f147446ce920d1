package crdtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubegen/kubegen/fakeapi/crdvalidation"
)

// Places has the places of constraints in Go types: of the markers, or of the fields or types without a marker.
type Places map[placed]string

// placed is a constraint in kubegen's list.
type placed struct{ Definition, Version, Pointer string }

// ReadPlaces reads the output of "kubegen list --long --format json" for a run that writes the manifests.
func ReadPlaces(list []byte) (Places, error) {
	var listed struct {
		Constraints []struct {
			placed
			From struct{ Position string }
		}
	}
	if err := json.Unmarshal(list, &listed); err != nil {
		return nil, fmt.Errorf("this is not kubegen's list: %w; write it with kubegen list --long --format json", err)
	}
	if len(listed.Constraints) == 0 {
		return nil, errors.New("kubegen's list has no constraints; write it with --long, --format json, and --with-crds or --patch-crds")
	}
	places := Places{}
	for _, c := range listed.Constraints {
		places[c.placed] = c.From.Position
	}
	return places, nil
}

// Locate returns a constraint with its place in the Go types as File and Line. If that is not known, they remain those
// in the manifest.
func (p Places) Locate(c Constraint) Constraint {
	if m := position.FindStringSubmatch(p[placed{c.Definition, c.Version, c.pointer}]); m != nil {
		c.File = m[1]
		c.Line, _ = strconv.Atoi(m[2])
	}
	return c
}

// of returns a finding about a field of a definition with the place of its marker, if that is known.
func (p Places) of(d *crdvalidation.Definition, f Finding) Finding {
	before, inSchema, ok := strings.Cut(f.subject, ".openAPIV3Schema")
	if !ok || len(d.Spec.Versions) == 0 {
		return f
	}
	version := d.Spec.Versions[0].Name // servers do not name the version of a schema that all have
	for i, v := range d.Spec.Versions {
		if strings.HasPrefix(before, fmt.Sprintf("spec.versions[%d].", i)) {
			version = v.Name
		}
	}
	for pointer := pointerOf(inSchema); pointer != ""; pointer = pointer[:strings.LastIndex(pointer, "/")] {
		if m := position.FindStringSubmatch(p[placed{d.Name, version, pointer}]); m != nil {
			f.File = m[1]
			f.Line, _ = strconv.Atoi(m[2])
			f.Column, _ = strconv.Atoi(m[3])
			break
		}
	}
	return f
}

// position is a file with line and column.
var position = regexp.MustCompile(`^(.+):(\d+):(\d+)$`)

// pointerToken escapes a name for a JSON Pointer.
var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

// pointerOf returns a path as a JSON Pointer (RFC 6901).
func pointerOf(path string) string {
	var b strings.Builder
	for _, one := range step.FindAllString(path, -1) {
		b.WriteString("/" + pointerToken.Replace(strings.Trim(one, "[]")))
	}
	return b.String()
}
