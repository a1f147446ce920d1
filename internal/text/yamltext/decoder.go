package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxRepeated limits the number of values that the aliases of a document repeat, and maxRepeatedSettings in a file of
// settings. Each value may cause as much work as a written one.
const (
	maxRepeated         = 500_000
	maxRepeatedSettings = 10_000
)

// Decoder reads the documents of a file one after another.
type Decoder struct {
	decoder *yaml.Decoder
	limit   int
}

// NewDecoder returns a Decoder of a file of manifests.
func NewDecoder(text []byte) *Decoder {
	return &Decoder{yaml.NewDecoder(bytes.NewReader(text)), maxRepeated}
}

// NewSettingsDecoder returns a Decoder of a file of settings, whose aliases may repeat less.
func NewSettingsDecoder(text []byte) *Decoder {
	return &Decoder{yaml.NewDecoder(bytes.NewReader(text)), maxRepeatedSettings}
}

// Decode reads the next document. The error is io.EOF after the last one, and a Mistake if aliases repeat too much.
func (d *Decoder) Decode(document *yaml.Node) error {
	if err := d.decoder.Decode(document); err != nil {
		return err
	}
	r := repetition{limit: d.limit, sizes: map[*yaml.Node]int{}}
	if r.size(document); r.at != nil {
		return Mistake{r.at.Line, r.at.Column, fmt.Sprintf("the aliases up to this one repeat more than %d values", d.limit)}
	}
	return nil
}

// repetition counts the values that aliases repeat.
type repetition struct {
	limit, repeated int
	sizes           map[*yaml.Node]int // by anchored node
	at              *yaml.Node         // the alias beyond the limit, if any
}

// size returns the number of values in a node, including repeated ones, or a larger number than the limit. An alias
// inside its own anchor repeats nothing, because no reader follows such an alias for ever.
func (r *repetition) size(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		size := r.sizes[n.Alias]
		if r.repeated += size; r.repeated > r.limit && r.at == nil {
			r.at = n
		}
		return size
	}
	size := 1
	for _, inner := range n.Content {
		size = min(size+r.size(inner), r.limit+1)
	}
	if n.Anchor != "" {
		r.sizes[n] = size
	}
	return size
}

// line matches the line number at the start of an error of the YAML parser.
var line = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// MistakesOf returns what an error of a Decoder, of Read or of a Node's Decode says. Only some are about a column.
func MistakesOf(err error) (all []Mistake) {
	var one Mistake
	var types *yaml.TypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &one):
		return []Mistake{one}
	case errors.As(err, &types):
		for _, message := range types.Errors {
			all = append(all, mistakeOf(message))
		}
		return all
	}
	return []Mistake{mistakeOf(err.Error())}
}

func mistakeOf(message string) Mistake {
	m := line.FindStringSubmatch(message)
	n, _ := strconv.Atoi(m[1])
	return Mistake{Line: max(n, 1), Message: message[len(m[0]):]}
}
