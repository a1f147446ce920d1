package yamltext

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// values returns the values of documents in JSON.
func values(documents []Document) (all []string) {
	var value func(n *yaml.Node) any
	value = func(n *yaml.Node) any {
		switch n.Kind {
		case yaml.DocumentNode, yaml.AliasNode:
			if n.Alias != nil {
				return value(n.Alias)
			}
			return value(n.Content[0])
		case yaml.SequenceNode:
			list := []any{}
			for _, element := range n.Content {
				list = append(list, value(element))
			}
			return list
		case yaml.MappingNode:
			object := map[string]any{}
			for i := 0; i < len(n.Content); i += 2 {
				object[n.Content[i].Value] = value(n.Content[i+1])
			}
			return object
		}
		if n.Tag == "!!str" {
			return n.Value
		}
		return json.RawMessage(n.Value)
	}
	for _, d := range documents {
		text, err := json.Marshal(value(d.Node))
		all = append(all, string(text))
		if err != nil {
			all = append(all, err.Error())
		}
		for _, m := range append(d.Mistakes, d.Misread...) {
			all = append(all, fmt.Sprintf("%d:%d: %s", m.Line, m.Column, m.Message))
		}
	}
	return all
}

// TestRead reads documents as kubectl does.
func TestRead(t *testing.T) {
	for text, want := range map[string][]string{
		"a: {x: 1, y: 2}\n":                                {`{"a":{"true":2,"x":1}}`, "1:11: the name y is read as true"},
		"a: &a {x: 1, z: 2}\nb: {<<: *a, z: 3}\n":          {`{"a":{"x":1,"z":2},"b":{"x":1,"z":3}}`},
		"a: &a {x: 1}\nb: {x: 3, <<: *a}\n":                {`{"a":{"x":1},"b":{"x":1}}`},
		"a: &a {x: 1}\nb: &b {x: 2}\nc:\n  <<: [*a, *b]\n": {`{"a":{"x":1},"b":{"x":2},"c":{"x":1}}`},
		"y: [n, True, 'no', y]\n'n': off\n":                {`{"n":false,"true":[false,true,"no",true]}`, "1:5: the value n is read as false", "1:20: the value y is read as true", "1:1: the name y is read as true"},
		"1.0: &a {True: 1, true1: 2, 2: 3}\nb: {<<: *a}\n": {`{"1":{"2":3,"true":1,"true1":2},"b":{"2":3,"true":1,"true1":2}}`, "1:10: the name True is read as true", "1:1: the name 1.0 is read as 1"},
		"a: {\"<<\": 1}\n":                                 {`{"a":{"\u003c\u003c":1}}`},
		"a: &a\n  <<: *a\n":                                {`{"a":{}}`, "2:7: the mapping is merged into itself"},
		"a: {<<: [1]}\n":                                   {`{"a":{}}`, "1:10: a merge key, <<, needs a mapping or a list of mappings"},
		"a: 1\nb: 2\na: 3\n":                               {`{"a":3,"b":2}`, `3:1: duplicate key "a", first in line 1`},
		"1: a\n'1': b\n":                                   {`{"1":"b"}`, `2:1: duplicate key "1", first in line 1`},
		"a: .nan\n":                                        {`{"a":0}`, "1:4: JSON has no number .nan"},
		"? [a]\n: 1\n":                                     {`{}`, "1:3: a key must be text"},
		"~: 1\n":                                           {`{"null":1}`, "1:1: a key cannot be null"},
		"a: !!int x\n":                                     {`{"a":"x"}`, `1:4: "x" is not of type !!int`},
		"a: [0x10, 0o17, 017, 1_000, -0b11, 1e3, 1.50, 9007199254740993, 18446744073709551615]": {`{"a":[16,15,15,1000,-3,1000,1.5,9007199254740993,18446744073709551615]}`},
		"a: [on, 'on', !!str on, 2001-01-01, !!binary YQ==, !!float 1, 1:30, \"\", null, ~, ]":  {`{"a":[true,"on","on","2001-01-01","a",1,"1:30","",null,null]}`, "1:5: the value on is read as true"},
		"a: 1\n---\nb: 1\n":                       {`{"a":1}`, `{"b":1}`},
		`{"a": "\ud83d\ude80 \/"}`:                {`{"a":"🚀 /"}`},
		"{\"a\": 1}\n---\n{\"b\": 2}\n{\"c\": 3}": {`{"a":1}`, `{"b":2}`, `{"c":3}`},
		"{\"a\": 1,\n \"ä\": 2, \"a\": 3}":        {`{"a":3,"ä":2}`, `2:10: duplicate key "a", first in line 1`},
		"{\"a\": [1.0, 1e400]}":                   {`{"a":[1.0,0]}`, "1:13: the number 1e400 is out of range"},
		"{a: 1}\n---\nb: 1\n":                     {`{"a":1}`, `{"b":1}`},
	} {
		documents, err := Read([]byte(text))
		if got := values(documents); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s, %v, want %s", text, strings.Join(got, " | "), err, strings.Join(want, " | "))
		}
	}
}

// TestReadMistakes reads what is neither YAML nor JSON.
func TestReadMistakes(t *testing.T) {
	_, err := Read([]byte("{\"a\": 1,\n  \"b\": ]}"))
	if m := (Mistake{}); !errors.As(err, &m) || m.Line != 2 {
		t.Errorf("got %#v", err)
	}
	if _, err := Read([]byte("a: [")); err == nil {
		t.Error("no error")
	}
	if _, err := Read([]byte(strings.Repeat("{\"a\":", 20_000))); err == nil {
		t.Error("no error for what is nested too deep")
	}
}

// TestRepeated reads aliases that repeat very many values, and one inside its own anchor.
func TestRepeated(t *testing.T) {
	list := "a0: &a0 [" + strings.Repeat("1, ", 1000) + "]\n"
	object := "a0: &a0 {"
	for i := range 1000 {
		object += fmt.Sprintf("k%d: 1, ", i)
	}
	object += "}\n"
	var nested, flat, merged strings.Builder
	for i := range 20 {
		fmt.Fprintf(&nested, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	for i := range 1000 {
		fmt.Fprintf(&flat, "b%d: *a0\n", i)
		fmt.Fprintf(&merged, "b%d: {<<: *a0}\n", i)
	}
	for text, line := range map[string]int{
		"{a: &a [1], b: *a}": 0, "a: &a [*a, *a]": 0, list + list: 0,
		list + nested.String(): 9, list + flat.String(): 501, object + merged.String(): 251,
	} {
		_, err := Read([]byte(text))
		if m := (Mistake{}); errors.As(err, &m) != (line > 0) || m.Line != line {
			t.Errorf("%.40q: got %v in line %d, want line %d", text, err, m.Line, line)
		}
	}
}
