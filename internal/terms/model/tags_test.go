package model

import (
	"reflect"
	"strings"
	"testing"
)

func TestNoJSONTag(t *testing.T) {
	for tag, wrong := range map[string]bool{
		``: false, ` `: false, `yaml:"a"`: false, `yaml:"a" xml:"b,attr"`: false, `yaml:"a\"b"`: false, `yaml:"a"xml:"b"`: false,
		`json:name`: true, `json: "name"`: true, `json "name"`: true, `json:"name`: true, `"name"`: true, `name`: true, `yaml:"a" json=name`: true, `:"a"`: true, "json:`name`": true,
	} {
		if got := NoJSONTag(reflect.StructTag(tag)); strings.Contains(got, "malformed") != wrong {
			t.Errorf("%s: %s", tag, got)
		}
		if _, ok := reflect.StructTag(tag).Lookup("json"); ok {
			t.Errorf("%s has a JSON tag", tag)
		}
	}
}
