package yamltext

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Mapping is a mapping that writes its entries itself. Write reports whether there are any.
type Mapping interface {
	Write(w *Writer, indent int) bool
}

// Value writes a value decoded by encoding/json as the value of the current entry, at the same indent. Numbers may be
// json.Number, int, int64 or float64, and there may be Mappings. For a document that is a mapping, indent is -2.
func (w *Writer) Value(indent int, value any) {
	inner := indent
	if w.inLine {
		inner += 2
	}
	switch v := value.(type) {
	case nil:
		w.Plain("null")
	case bool:
		w.Bool(v)
	case string:
		w.String(indent, v)
	case json.Number:
		w.Number(v.String())
	case int:
		w.Number(strconv.Itoa(v))
	case int64:
		w.Number(strconv.FormatInt(v, 10))
	case float64:
		text, _ := json.Marshal(v) // as in JSON
		w.Number(string(text))
	case []any:
		if len(v) == 0 {
			w.Plain("[]")
			return
		}
		if w.Indented {
			inner = indent + 2
		}
		for _, element := range v {
			w.Item(inner)
			w.Value(inner, element)
		}
	case map[string]any:
		if len(v) == 0 {
			w.Plain("{}")
			return
		}
		inner = indent + 2
		for _, key := range slices.SortedFunc(maps.Keys(v), CompareKeys) {
			w.Key(inner, key)
			w.Value(inner, v[key])
		}
	case Mapping:
		if !v.Write(w, indent+2) {
			w.Plain("{}")
		}
	}
}
