package keep

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
)

// format is the version of the annotation's format. A change that earlier releases cannot read increases it; later
// releases read all formats.
//
// The annotation is a document in JSON, which is compressed if it is long:
//
//	{"format":1,"kind":"Widget","versions":{"v1":{".spec":{"=level":3,".ports":[[{"number":80},{"=name":"http"}],[{"number":81}]]}}}}
//
// versions has the fields of each version that others lack, in objects like the version's own: "=" and the name of a
// field is its value, "." and a name is what is kept below it. The key of an element of a map counts as a name. The
// elements of a list are in order, each with the JSON by which it is found again, without empty values: its keys, or
// else the whole element in the version that lacks the fields. A field without JSON has "-" and its name in Go.
// omitted lists the versions with fields that did not fit.
const format = 1

type document struct {
	Format   int             `json:"format"`
	Kind     string          `json:"kind"`
	Versions map[string]node `json:"versions,omitempty"`
	Omitted  []string        `json:"omitted,omitempty"`
}

const (
	compressed    = "gzip:"  // before a compressed document in base64
	compressAbove = 16 << 10 // bytes of a document
	maxDocument   = 8 << 20  // bytes of a compressed document that is read; API servers accept requests of 3 MiB
)

// read reads the annotation of an object. An annotation that is no document, or copied from another kind, counts as
// none; later means that it has a later format.
func read(text, kind string) (d *document, later bool) {
	d = new(document)
	if packed, ok := strings.CutPrefix(text, compressed); ok {
		text = unpack(packed)
	}
	if text == "" || len(text) > maxDocument || json.Unmarshal([]byte(text), d) != nil || d.Format != format || d.Kind != kind {
		later = d.Format > format
		d = new(document)
	}
	d.Format, d.Kind = format, kind
	if d.Versions == nil {
		d.Versions = map[string]node{}
	}
	return d, later
}

func (d *document) isEmpty() bool { return len(d.Versions) == 0 && len(d.Omitted) == 0 }

// write returns the value of the annotation. A document that is too long to be read again is not compressed, so that
// it does not fit.
func (d *document) write() (string, error) {
	text, err := json.Marshal(d)
	if err != nil || len(text) <= compressAbove || len(text) > maxDocument {
		return string(text), err
	}
	var packed strings.Builder
	packed.WriteString(compressed)
	encoder := base64.NewEncoder(base64.StdEncoding, &packed)
	w := gzip.NewWriter(encoder)
	_, _ = w.Write(text) // a strings.Builder has no errors
	_ = w.Close()
	_ = encoder.Close()
	return packed.String(), nil
}

// unpack returns a compressed document, or "" if it cannot be read.
func unpack(packed string) string {
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		return ""
	}
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.LimitReader(r, maxDocument+1)); err != nil {
		return ""
	}
	return text.String()
}

// decodeNode returns the fields in JSON by their names in the format, or nil if it has another form.
func decodeNode(text json.RawMessage) (found map[string]json.RawMessage) {
	if len(text) == 0 || json.Unmarshal(text, &found) != nil {
		return nil
	}
	return found
}
