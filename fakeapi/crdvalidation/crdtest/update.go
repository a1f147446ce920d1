package crdtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Update makes the tests that have failed expect what they got, and writes their suites. All other lines stay; only in
// flow style, the layout becomes the one of package yaml. If a test cannot be updated, which is so for objects in
// directories named valid and invalid, and if an initial object is refused, nothing is written. It returns the names of
// the written files.
func (r *Report) Update() (files []string, err error) {
	changed := map[*suite]map[*test]Result{}
	var suites []*suite
	var errs []error
	for _, result := range r.Results {
		switch {
		case result.Err == nil:
		case result.suite.root == nil || result.Got == "":
			errs = append(errs, fmt.Errorf("%s; it cannot be updated", result))
		default:
			if changed[result.suite] == nil {
				changed[result.suite], suites = map[*test]Result{}, append(suites, result.suite)
			}
			changed[result.suite][result.of] = result
		}
	}
	var texts [][]byte
	for _, s := range suites {
		text, err := s.updated(changed[s])
		texts, errs = append(texts, text), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i, s := range suites {
		if err := os.WriteFile(s.file, texts[i], 0o666); err != nil {
			return files, err
		}
		files = append(files, s.file)
	}
	return files, nil
}

// updated returns the text of a suite whose tests expect their results.
func (s *suite) updated(results map[*test]Result) ([]byte, error) {
	tests := slices.Concat(s.Tests.OnCreate, s.Tests.OnUpdate)
	slices.SortFunc(tests, func(a, b *test) int { return cmp.Compare(b.node.Line, a.node.Line) }) // lines before an edit stay
	lines := slices.Collect(strings.Lines(string(s.text)))
	ok := true
	for _, t := range tests {
		if result, changed := results[t]; changed {
			entry, err := encoded(expectation(result))
			if err != nil {
				return nil, err
			}
			if ok = ok && t.node.Style&yaml.FlowStyle == 0; ok {
				lines = t.edited(lines, string(entry))
			}
			t.node.Content = append(slices.Concat(t.others()...), expectation(result).Content...)
		}
	}
	text := []byte(strings.Join(lines, ""))
	var got, want any
	if !ok || yaml.Unmarshal(text, &got) != nil || s.root.Decode(&want) != nil || !reflect.DeepEqual(got, want) {
		return encoded(s.root)
	}
	return text, nil
}

// expectation returns a mapping with the expected object, or the expected error.
func expectation(result Result) *yaml.Node {
	m := mapping(cmp.Or(result.refusal, "expected"), result.Got)
	if result.refusal == "" {
		m.Content[1].Style = yaml.LiteralStyle
	}
	return m
}

// others returns the keys and values of a test that are no expectations.
func (t *test) others() (pairs [][]*yaml.Node) {
	for pair := range slices.Chunk(t.node.Content, 2) {
		if !isExpectation(pair[0]) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

func isExpectation(key *yaml.Node) bool {
	return slices.Contains([]string{"expected", "expectedError", "expectedStatusError"}, key.Value)
}

// edited returns lines in which an entry replaces the first one of a test that says what is expected, and other such
// ones are removed. If there is none, the entry is added to the test.
func (t *test) edited(lines []string, entry string) []string {
	var old []*yaml.Node
	for pair := range slices.Chunk(t.node.Content, 2) {
		if isExpectation(pair[0]) {
			old = append(old, pair[0])
		}
	}
	last := t.node.Content[len(t.node.Content)-2]
	indent := strings.Repeat(" ", last.Column-1)
	entry = strings.TrimPrefix(strings.ReplaceAll("\n"+strings.TrimSuffix(entry, "\n"), "\n", "\n"+indent), "\n") + "\n"
	entry = strings.ReplaceAll(entry, "\n"+indent+"\n", "\n\n")
	if len(lines) > 0 && strings.HasSuffix(lines[0], "\r\n") {
		entry = strings.ReplaceAll(entry, "\n", "\r\n")
	}
	if len(old) == 0 {
		end := endOf(lines, last)
		if !strings.HasSuffix(lines[end-1], "\n") {
			lines[end-1] += "\n"
		}
		return slices.Insert(lines, end, entry)
	}
	slices.Reverse(old)
	for i, key := range old {
		with := ""
		if i == len(old)-1 { // the entry may begin in the line of a hyphen
			with = lines[key.Line-1][:key.Column-1] + entry[key.Column-1:]
		}
		lines = slices.Replace(lines, key.Line-1, endOf(lines, key), with)
	}
	return lines
}

// endOf returns the index of the line after the value of a key.
func endOf(lines []string, key *yaml.Node) int {
	end := key.Line
	for i := end; i < len(lines); i++ {
		text := strings.TrimLeft(lines[i], " ")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(lines[i])-len(text) < key.Column {
			break
		}
		end = i + 1
	}
	return end
}

// encoded returns a value as YAML.
func encoded(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(value), encoder.Close())
	return text.Bytes(), err
}
