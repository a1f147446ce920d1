package gotypes

import (
	"fmt"
	"go/ast"
	"math"

	"github.com/kubegen/kubegen/internal/load"
	"github.com/kubegen/kubegen/internal/model"
)

// The limits keep work and generated code proportional to the size of the input. A few lines can declare types of
// exponential size, because aliases and type arguments are expanded at each use.
const (
	maxNesting   = 16     // levels of nested type arguments
	maxInstances = 10_000 // instances of generic types
	maxKey       = 4096   // bytes of the text that identifies an instance of a generic type
	maxDepth     = 200    // levels of nested types without names
)

// endless is the size of a recursive or refused type.
const endless = math.MaxInt

// sizeOf returns the number of types in the text of a type.
func (r *Reader) sizeOf(t *model.Type) int {
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

// limitAlias refuses an alias of a type without a name that is too large to be expanded at each use.
func (r *Reader) limitAlias(spec *ast.TypeSpec, t *model.Type) {
	delete(r.sizes, t)
	size := r.sizeOf(t)
	if size <= model.MaxParts {
		return
	}
	if size < endless {
		r.limit(spec, fmt.Sprintf("the alias %%s stands for more than %d types", model.MaxParts), "declare types in place of aliases")
	}
	*t = *r.markUnknown(t)
}

// markUnknown marks a type as unknown and oversized, so that enclosing types are not reported as well.
func (r *Reader) markUnknown(t *model.Type) *model.Type {
	*t = model.Type{Name: t.Name}
	r.sizes[t] = endless
	return t
}

// limitInstance refuses an instance of a generic type whose type arguments are too large.
func (r *Reader) limitInstance(src *load.Package, d load.Decl, args []*model.Type) bool {
	length, deepest := 0, 0
	for _, arg := range args {
		switch size := r.sizeOf(arg); {
		case size == endless:
			return true
		case size > model.MaxParts:
			deepest = maxNesting + 1
		default:
			length += len(describe(arg))
			deepest = max(deepest, nesting(arg))
		}
	}
	if length <= maxKey && deepest <= maxNesting {
		return false
	}
	switch {
	case r.large[d.Type]:
	case r.refersToItself(src, d):
		r.limit(d.Type, "the generic type %s instantiates itself endlessly", "instantiate it only with its own type parameters")
	default:
		r.limitOnce(d.Type, fmt.Sprintf("the type arguments of the generic type %%s are nested more than %d deep, or have more than %d parts", maxNesting, model.MaxParts),
			"declare types in place of type arguments")
	}
	return true
}

// limitCount counts an instance, and refuses it if there are too many. It reports the generic type with most instances.
func (r *Reader) limitCount(d load.Decl) bool {
	r.count[d.Type]++
	if r.instances++; r.instances <= maxInstances {
		return false
	}
	for spec, n := range r.count {
		if most := r.count[d.Type]; n > most || n == most && spec.Pos() < d.Type.Pos() {
			d.Type = spec
		}
	}
	r.limitOnce(d.Type, fmt.Sprintf("the generic type %%s has %d of more than %d instances of generic types", r.count[d.Type], maxInstances), "use fewer type arguments")
	return true
}

// limitOnce refuses a generic type, unless another one was refused before, which may be the reason.
func (r *Reader) limitOnce(spec *ast.TypeSpec, format, hint string) {
	if !r.limited {
		r.limit(spec, format, hint)
	}
	r.limited, r.large[spec] = true, true
}

// limit refuses a declared type. It reports each type once.
func (r *Reader) limit(spec *ast.TypeSpec, format, hint string) {
	if !r.large[spec] {
		r.refuse(spec, format, hint)
	}
	r.large[spec] = true
}

// limitDepth reports a type expression that is nested too deeply.
func (r *Reader) limitDepth(at scope, expr ast.Expr) bool {
	if at.depth <= maxDepth {
		return false
	}
	if r.outline != r {
		r.refused.Errorf(r.Fset.Position(expr.Pos()), "this type is within more than %d others that have no names", maxDepth).Suggest("declare some of them")
	}
	return true
}

// refersToItself reports whether the declaration of a type mentions the type, directly or through others.
func (r *Reader) refersToItself(src *load.Package, d load.Decl) bool {
	found := false
	seen := map[*ast.TypeSpec]bool{}
	queue := []*ast.TypeSpec{d.Type}
	for next := 0; next < len(queue); next++ {
		ast.Inspect(queue[next].Type, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				if other, ok := r.Lookup(src, name.Name); ok && other.Type != nil {
					found = found || other.Type == d.Type
					if !seen[other.Type] {
						seen[other.Type] = true
						queue = append(queue, other.Type)
					}
				}
			}
			return !found
		})
	}
	return found
}

// nesting returns the number of nested levels in a type argument.
func nesting(t *model.Type) int {
	deepest := 0
	for _, arg := range t.Args {
		deepest = max(deepest, nesting(arg))
	}
	if t.Name.Name != "" {
		if len(t.Args) > 0 {
			deepest++
		}
		return deepest
	}
	for _, f := range t.Fields {
		deepest = max(deepest, nesting(f.Type))
	}
	if t.Elem != nil {
		deepest = max(deepest, nesting(t.Elem))
	}
	return deepest + 1
}
