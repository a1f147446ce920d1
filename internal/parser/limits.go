package parser

import (
	"fmt"
	"go/ast"
	"math"

	"github.com/kubegen/kubegen/internal/model"
)

// The limits keep work and generated code proportional to the size of the input. Few lines can declare types that take more than
// any computer has: aliases and type arguments stand for what they are wherever they are used.
const (
	maxNesting   = 16   // of type arguments within each other
	maxInstances = 1000 // of one generic type
	maxKey       = 4096 // bytes that tell the instances of a generic type apart
)

// endless is the size of a type that is part of itself.
const endless = math.MaxInt

// sizeOf returns of how many types the text for a type is made up.
func (r *typeReader) sizeOf(t *model.Type) int {
	if size, ok := r.sizes[t]; ok {
		return size
	}
	r.sizes[t] = endless
	size := 1
	add := func(part *model.Type) {
		if part == nil {
			return
		}
		if more := r.sizeOf(part); more < endless-size {
			size += more
		} else {
			size = endless
		}
	}
	for _, arg := range t.Args {
		add(arg)
	}
	if t.Name.Name == "" {
		add(t.Key)
		add(t.Elem)
		for _, f := range t.Fields {
			add(f.Type)
		}
	}
	r.sizes[t] = size
	return size
}

// limitAlias reports an alias of a type without a name that is too large to be written wherever the alias is used.
func (r *typeReader) limitAlias(spec *ast.TypeSpec, t *model.Type) {
	delete(r.sizes, t)
	if size := r.sizeOf(t); size > model.MaxParts && size < endless {
		r.limit(spec, fmt.Sprintf("the alias %%s stands for more than %d types", model.MaxParts), "declare types in place of aliases")
		*t = model.Type{Name: t.Name}
	}
}

// tooLarge reports a generic type whose type arguments are too large.
func (r *typeReader) tooLarge(src *source, d decl, args []*model.Type) bool {
	for _, arg := range args {
		if r.sizeOf(arg) > model.MaxParts {
			return r.limitInstance(src, d)
		}
	}
	length := 0
	for _, arg := range args {
		if length += len(describe(arg)); length > maxKey || nesting(arg) > maxNesting {
			return r.limitInstance(src, d)
		}
	}
	return false
}

func (r *typeReader) limitInstance(src *source, d decl) bool {
	if r.refersToItself(src, d) {
		r.limit(d.typ, "the generic type %s instantiates itself endlessly", "instantiate it only with its own type parameters")
	} else {
		r.limit(d.typ, fmt.Sprintf("the generic type %%s is instantiated with types within each other, more than %d levels or %d types of them", maxNesting, model.MaxParts),
			"declare types in place of type arguments")
	}
	return true
}

// tooMany counts one instance more of a generic type, and reports one with too many.
func (r *typeReader) tooMany(src *source, d decl) bool {
	if r.count[d.typ]++; r.count[d.typ] <= maxInstances {
		return false
	}
	r.limit(d.typ, fmt.Sprintf("the generic type %%s has more than %d instances", maxInstances), "instantiate it with fewer types")
	return true
}

// limit refuses a declared type, once.
func (r *typeReader) limit(spec *ast.TypeSpec, format, hint string) {
	if !r.large[spec] {
		r.refuse(spec, format, hint)
	}
	r.large[spec] = true
}

// refersToItself reports whether the declaration of a type mentions the type, directly or through others.
func (r *typeReader) refersToItself(src *source, d decl) bool {
	found := false
	seen := map[*ast.TypeSpec]bool{}
	queue := []*ast.TypeSpec{d.typ}
	for next := 0; next < len(queue); next++ {
		ast.Inspect(queue[next].Type, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				if other, ok := r.lookup(src, name.Name); ok && other.typ != nil {
					found = found || other.typ == d.typ
					if !seen[other.typ] {
						seen[other.typ] = true
						queue = append(queue, other.typ)
					}
				}
			}
			return !found
		})
	}
	return found
}

// nesting returns how deep type arguments are nested.
func nesting(t *model.Type) int {
	deepest := 0
	for ; t != nil; t = t.Elem {
		for _, arg := range t.Args {
			deepest = max(deepest, nesting(arg))
		}
		if t.Name.Name != "" {
			break
		}
		deepest++
	}
	if t != nil && len(t.Args) > 0 {
		deepest++
	}
	return deepest
}
