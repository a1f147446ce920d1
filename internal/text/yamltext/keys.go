package yamltext

import (
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Repeated returns the keys of a mapping that occur before, each with the first one. Other nodes have none.
func Repeated(n *yaml.Node) map[*yaml.Node]*yaml.Node {
	seen, repeated := map[string]*yaml.Node{}, map[*yaml.Node]*yaml.Node{}
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if key := n.Content[i]; seen[key.Value] == nil {
			seen[key.Value] = key
		} else {
			repeated[key] = seen[key.Value]
		}
	}
	return repeated
}

// CompareKeys orders the keys of a mapping: by character, but numbers inside keys by value, and letters after all other
// characters.
func CompareKeys(a, b string) int {
	switch {
	case a == b:
		return 0
	case less([]rune(a), []rune(b)):
		return -1
	}
	return 1
}

func less(a, b []rune) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		aLetter, bLetter := unicode.IsLetter(a[i]), unicode.IsLetter(b[i])
		switch {
		case aLetter && bLetter:
			return a[i] < b[i]
		case aLetter || bLetter:
			return bLetter
		}
		lead := int64(0)
		if (a[i] == '0' || b[i] == '0') && followsDigit(a, i) {
			lead = 1
		}
		aNumber, aEnd := digits(a, i, lead)
		bNumber, bEnd := digits(b, i, lead)
		switch {
		case aNumber != bNumber:
			return aNumber < bNumber
		case aEnd != bEnd:
			return aEnd < bEnd
		}
		return a[i] < b[i]
	}
	return len(a) < len(b)
}

// followsDigit reports whether the digits before a position contain a digit other than zero.
func followsDigit(text []rune, i int) bool {
	for i--; i >= 0 && unicode.IsDigit(text[i]); i-- {
		if text[i] != '0' {
			return true
		}
	}
	return false
}

// digits returns the number that begins at a position, with the digit lead before it, and the position of its end.
func digits(text []rune, i int, lead int64) (number int64, end int) {
	for number = lead; i < len(text) && unicode.IsDigit(text[i]); i++ {
		number = number*10 + int64(text[i]-'0')
	}
	return number, i
}
