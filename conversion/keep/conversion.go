// Package keep stores the fields of a converted object that its new version lacks in an annotation, and restores them
// when the object is converted back. Code that kubegen generates for +kubegen:conversion:restore calls it.
package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Conversion describes a conversion of a kind from a version to another one, of which one is the hub.
type Conversion struct {
	Annotation string // its name
	Kind       string
	From, To   string // versions
	Stored     string // the version in which API servers store objects of the kind
}

// MaxAnnotations is the number of bytes that API servers allow for the names and values of all annotations of an
// object, as package k8s.io/apimachinery/pkg/api/validation defines it.
const MaxAnnotations = 256 << 10

// Carry completes out, which is the converted in. It calls restore, which visits the fields that version From lacks,
// to set them from the annotation of in, unless a function has set them. Then it calls keep, which visits the fields
// that version To lacks, to keep them in the annotation of out. Either may be nil, if there are no such fields. The
// annotation also carries the fields that only other versions have. It ignores and removes an annotation that is not
// its own, and leaves one of a later format as it is, unless there are fields to keep.
//
// API servers cannot read objects whose annotations exceed [MaxAnnotations]. Therefore, fields that do not fit are left
// out, and the annotation says so. Carry returns an error where they would be lost: if To is the stored version, or if
// an object without such fields of version To is converted to it. An object in the stored version is complete,
// whatever its annotation says, so that no object makes a list unreadable.
func Carry[In, Out metav1.Object](c Conversion, in In, out Out, restore func(*Fields, Out, In), keep func(*Fields, In, Out)) error {
	text, annotated := in.GetAnnotations()[c.Annotation]
	data, later := read(text, c.Kind)
	if c.From == c.Stored {
		data.Omitted = nil
	}
	if slices.Contains(data.Omitted, c.To) {
		return fmt.Errorf("the fields that only version %s of %s has were too long for annotation %s, and would be lost "+
			"(write the object in version %[1]s)", c.To, c.Kind, c.Annotation)
	}
	if restore != nil {
		restore(&Fields{restores: true, raw: data.Versions[c.To].raw()}, out, in)
	}
	delete(data.Versions, c.To)
	delete(data.Versions, c.From)
	data.Omitted = slices.DeleteFunc(data.Omitted, func(version string) bool { return version == c.From })
	if keep != nil {
		f := &Fields{errs: new([]error)}
		keep(f, in, out)
		if err := errors.Join(*f.errs...); err != nil {
			return fmt.Errorf("%s: %w", c.Kind, err)
		}
		if len(f.kept) > 0 {
			data.Versions[c.From] = node{kept: f.kept}
		}
	}
	if !annotated && data.isEmpty() || later && data.isEmpty() {
		return nil
	}
	annotations := maps.Clone(out.GetAnnotations()) // in may share the map
	delete(annotations, c.Annotation)
	value, size, err := data.fit(c, annotations)
	if err != nil {
		return err
	}
	if len(data.Omitted) > 0 && c.To == c.Stored {
		return fmt.Errorf("the fields that version %s of %s lacks take %d bytes in annotation %s, and would be lost: "+
			"all annotations may take %d (shorten them)", c.To, c.Kind, size, c.Annotation, MaxAnnotations)
	}
	switch {
	case value != "" && annotations == nil:
		annotations = map[string]string{c.Annotation: value}
	case value != "":
		annotations[c.Annotation] = value
	case len(annotations) == 0:
		annotations = nil
	}
	out.SetAnnotations(annotations)
	return nil
}

// fit returns the value of the annotation, or "" if there is nothing to say. If it does not fit beside other
// annotations, the fields of version From are left out; size is the number of bytes that they would have taken.
func (d *document) fit(c Conversion, others map[string]string) (value string, size int, err error) {
	room := MaxAnnotations - len(c.Annotation)
	for name, other := range others {
		room -= len(name) + len(other)
	}
	for {
		if d.isEmpty() {
			return "", size, nil
		}
		if value, err = d.write(); err != nil {
			return "", size, err
		}
		if len(value) <= room {
			return value, size, nil
		}
		size = max(size, len(value))
		// The annotation of in had room for the fields of other versions, but perhaps in has fewer other annotations.
		version := c.From
		if _, ok := d.Versions[version]; !ok {
			if len(d.Versions) == 0 {
				return "", size, nil
			}
			version = slices.Max(slices.Collect(maps.Keys(d.Versions)))
		}
		delete(d.Versions, version)
		d.Omitted = append(d.Omitted, version)
		slices.Sort(d.Omitted)
	}
}

// node holds fields: read ones, or kept ones.
type node struct {
	text json.RawMessage
	kept map[string]any
}

func (n node) raw() map[string]json.RawMessage { return decodeNode(n.text) }

// MarshalJSON returns fields of other versions as they were read.
func (n node) MarshalJSON() ([]byte, error) {
	if n.kept != nil {
		return json.Marshal(n.kept)
	}
	return n.text, nil
}

// UnmarshalJSON keeps the text.
func (n *node) UnmarshalJSON(text []byte) error {
	n.text = slices.Clone(text)
	return nil
}
