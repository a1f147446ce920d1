package fakeapi

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A shard selects objects by the hash of a field of their metadata, which is in one of its ranges.
type shard struct {
	field  string
	ranges []hashRange
}

// A hashRange is a range of hashes, from the first one to the last one, which is not in the range. Both are hexadecimal
// numbers with a prefix.
type hashRange struct{ from, to string }

// String returns the shard in the form of a server.
func (s *shard) String() string {
	var calls []string
	for _, r := range s.ranges {
		calls = append(calls, fmt.Sprintf("shardRange(%s, '%s', '%s')", s.field, r.from, r.to))
	}
	return strings.Join(calls, " || ")
}

// matches reports whether an object is in the shard. Every object is in a nil shard.
func (s *shard) matches(o *object) bool {
	if s == nil {
		return true
	}
	value := o.namespace()
	if s.field == "object.metadata.uid" {
		value = o.uid()
	}
	sum := fnv.New64a()
	sum.Write([]byte(value))
	hash := fmt.Sprintf("0x%016x", sum.Sum64())
	for _, r := range s.ranges {
		if !hexLess(hash, r.from) && hexLess(hash, r.to) {
			return true
		}
	}
	return false
}

// hexLess compares numbers of 16 digits, or with 2^64.
func hexLess(x, y string) bool {
	return len(x) < len(y) || len(x) == len(y) && x < y
}

// shard returns the shard that the current list or watch selects, or nil. Options have a selector of shards since v0.36
// of apimachinery.
func (a *API) shard(opts metav1.ListOptions) (*shard, error) {
	var text string
	if field := reflect.ValueOf(opts).FieldByName("ShardSelector"); field.IsValid() {
		text = field.String()
	}
	if a.client != nil && a.client.fake == nil {
		text = a.client.shard
	}
	if text == "" {
		return nil, nil
	}
	s := &shard{}
	if err := s.parse(text); err != nil {
		return nil, fmt.Errorf("invalid shard selector: %w", err)
	}
	return s, nil
}

// parse reads a selector: calls of shardRange in CEL, joined by ||. The syntax of these is also Go's, except for
// single quotes.
func (s *shard) parse(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("empty shard selector is not allowed; omit the parameter for unfiltered lists")
	}
	expr, err := parser.ParseExpr(strings.ReplaceAll(strings.TrimSpace(text), "'", `"`))
	if err != nil {
		return fmt.Errorf("CEL parse error: %w", err)
	}
	return s.add(expr)
}

// add adds the ranges of an expression.
func (s *shard) add(expr ast.Expr) error {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return s.add(expr.X)
	case *ast.BinaryExpr:
		if expr.Op != token.LOR {
			return unsupportedFunction("_" + expr.Op.String() + "_")
		}
		if err := s.add(expr.X); err != nil {
			return err
		}
		return s.add(expr.Y)
	case *ast.CallExpr:
		if name := pathOf(expr.Fun); name != "shardRange" {
			return unsupportedFunction(name[strings.LastIndex(name, ".")+1:])
		}
		return s.addRange(expr.Args)
	}
	return errors.New("unexpected expression; expected shardRange() call or || operator")
}

func unsupportedFunction(name string) error {
	return fmt.Errorf("unsupported function %q; only shardRange() and || are allowed", name)
}

// addRange adds the range of a call.
func (s *shard) addRange(args []ast.Expr) error {
	if len(args) != 3 {
		return fmt.Errorf("shardRange() requires exactly 3 arguments, got %d", len(args))
	}
	field := pathOf(args[0])
	switch field {
	case "object.metadata.uid", "object.metadata.namespace":
	case "":
		return errors.New("shardRange() first argument: expected field path (e.g. object.metadata.uid)")
	default:
		return fmt.Errorf("unsupported field path %q; supported: object.metadata.uid, object.metadata.namespace", field)
	}
	from, err := hexNumber(args[1], "hexStart")
	if err != nil {
		return err
	}
	to, err := hexNumber(args[2], "hexEnd")
	if err != nil {
		return err
	}
	if !hexLess(from, to) {
		return fmt.Errorf("shard range start %s must be less than end %s", from, to)
	}
	if len(s.ranges) > 0 && s.field != field {
		return fmt.Errorf("all shard ranges must use the same field, got %q and %q", s.field, field)
	}
	s.field, s.ranges = field, append(s.ranges, hashRange{from, to})
	return nil
}

// pathOf returns the path of a field, or "".
func pathOf(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		if operand := pathOf(expr.X); operand != "" {
			return operand + "." + expr.Sel.Name
		}
	}
	return ""
}

// hexNumber returns a bound of a range.
func hexNumber(expr ast.Expr, name string) (string, error) {
	literal, ok := expr.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", fmt.Errorf("%s must be a string literal (e.g. '0xff')", name)
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return "", err
	}
	digits, ok := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return "", fmt.Errorf("%s must have '0x' prefix, got %q", name, text)
	case digits == "":
		return "", fmt.Errorf("%s: hex value is required after '0x'", name)
	case len(digits) > 17:
		return "", fmt.Errorf("%s: hex value too long (%d chars, max 17): %q", name, len(digits), digits)
	}
	if rest := strings.TrimLeft(digits, "0123456789abcdef"); rest != "" {
		r, _ := utf8.DecodeRuneInString(rest)
		return "", fmt.Errorf("%s: invalid hex character %q in %q", name, string(r), text)
	}
	switch {
	case len(digits) == 17 && text != "0x10000000000000000":
		return "", fmt.Errorf("%s: 17-digit hex value must be '0x10000000000000000' (2^64), got %q", name, text)
	case len(digits) < 16:
		return "", fmt.Errorf(
			"%s must be a 0x-prefixed 16-digit hex value, got %q (did you mean %q?)", name, text, "0x"+strings.Repeat("0", 16-len(digits))+digits,
		)
	}
	return text, nil
}
