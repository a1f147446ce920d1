package gotypes

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"slices"

	"github.com/kubegen/kubegen/internal/source/load"
	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/diag"
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

// limits refuses declared types that are infinite or too large.
type limits struct {
	fset      *token.FileSet         // nil for an outline, which reports nothing: the reader that needs a type does
	open      []opened               // nested declarations being read
	large     map[*ast.TypeSpec]bool // generic types and aliases already reported by once
	sizes     map[*model.Type]int    // of aliases and type arguments; see sizeOf
	count     map[*ast.TypeSpec]int  // instances of generic types
	instances int                    // number of all instances
	limited   bool                   // see first
	checked   map[any]bool           // by reportRecursive; see identity
	refused   diag.List
}

// opened is a declared type being read. For an alias, typ is a placeholder.
type opened struct {
	spec *ast.TypeSpec
	typ  *model.Type
}

func newLimits(fset *token.FileSet) limits {
	return limits{
		fset: fset, large: map[*ast.TypeSpec]bool{}, sizes: map[*model.Type]int{}, count: map[*ast.TypeSpec]int{},
		checked: map[any]bool{},
	}
}

// sizeOf returns the number of types in the text of a type.
func (l *limits) sizeOf(t *model.Type) int {
	if size, ok := l.sizes[t]; ok {
		return size
	}
	l.sizes[t] = endless
	size := 1
	for _, part := range t.Inner() {
		if more := l.sizeOf(part); more < endless-size {
			size += more
		} else {
			size = endless
		}
	}
	l.sizes[t] = size
	return size
}

// alias refuses an alias of a type without a name that is too large to be expanded at each use.
func (l *limits) alias(spec *ast.TypeSpec, t *model.Type) {
	delete(l.sizes, t)
	size := l.sizeOf(t)
	if size <= model.MaxParts {
		return
	}
	if size < endless {
		l.once(spec, fmt.Sprintf("the alias %%s stands for more than %d types", model.MaxParts), "declare types in place of aliases")
	}
	*t = *l.unknown(t)
}

// unknown marks a type as unknown and oversized, so that enclosing types are not reported as well.
func (l *limits) unknown(t *model.Type) *model.Type {
	*t = model.Type{Name: t.Name}
	l.sizes[t] = endless
	return t
}

// arguments refuses an instance of a generic type whose type arguments are too large.
func (l *limits) arguments(n names, at context) bool {
	length, deepest := 0, 0
	for _, arg := range at.args {
		switch size := l.sizeOf(arg); {
		case size == endless:
			return true
		case size > model.MaxParts:
			deepest = maxNesting + 1
		default:
			length += len(arg.Identity())
			deepest = max(deepest, nesting(arg))
		}
	}
	if length <= maxKey && deepest <= maxNesting {
		return false
	}
	switch {
	case l.large[at.spec]:
	case n.refersToItself(at.scope):
		l.once(at.spec, "the generic type %s instantiates itself endlessly", "instantiate it only with its own type parameters")
	default:
		l.first(at.spec, fmt.Sprintf(
			"the type arguments of the generic type %%s are nested more than %d deep, or have more than %d parts", maxNesting, model.MaxParts,
		),
			"declare types in place of type arguments")
	}
	return true
}

// instance counts an instance, and refuses it if there are too many. It reports the generic type with most instances.
func (l *limits) instance(spec *ast.TypeSpec) bool {
	l.count[spec]++
	if l.instances++; l.instances <= maxInstances {
		return false
	}
	for other, n := range l.count {
		if most := l.count[spec]; n > most || n == most && other.Pos() < spec.Pos() {
			spec = other
		}
	}
	l.first(
		spec, fmt.Sprintf("the generic type %%s has %d of more than %d instances of generic types", l.count[spec], maxInstances),
		"use fewer type arguments",
	)
	return true
}

// first refuses a generic type, unless another one was refused before, which may be the reason.
func (l *limits) first(spec *ast.TypeSpec, format, hint string) {
	if !l.limited {
		l.once(spec, format, hint)
	}
	l.limited, l.large[spec] = true, true
}

// once refuses a declared type. It reports each type once.
func (l *limits) once(spec *ast.TypeSpec, format, hint string) {
	if !l.large[spec] {
		l.refuse(spec, format, hint)
	}
	l.large[spec] = true
}

// depth reports a type expression that is nested too deeply.
func (l *limits) depth(depth int, pos token.Pos) bool {
	if depth <= maxDepth {
		return false
	}
	if l.fset != nil {
		l.refused.Errorf(l.fset.Position(pos), "this type is within more than %d others that have no names", maxDepth).
			Suggest("declare some of them")
	}
	return true
}

// refuse reports a declared type that is infinite or too large.
func (l *limits) refuse(spec *ast.TypeSpec, format, hint string) {
	if l.fset != nil {
		l.refused.Errorf(l.fset.Position(spec.Name.Pos()), format, spec.Name.Name).Suggest("%s", hint)
	}
}

// enter begins to read a declared type, and leave ends it.
func (l *limits) enter(spec *ast.TypeSpec, typ *model.Type) {
	l.open = append(l.open, opened{spec, typ})
}

func (l *limits) leave() { l.open = l.open[:len(l.open)-1] }

// aliasCycle reports an alias that refers to itself only through aliases.
func (l *limits) aliasCycle(known *model.Type) {
	i := slices.IndexFunc(l.open, func(o opened) bool { return o.typ == known })
	if i < 0 || slices.ContainsFunc(l.open[i:], func(o opened) bool { return !o.spec.Assign.IsValid() }) {
		return
	}
	l.refuse(l.open[i].spec, "the alias %s refers to itself", "declare a defined type")
}

// refersToItself reports whether the declaration of a type mentions the type, directly or through others.
func (n names) refersToItself(of scope) bool {
	seen := map[*ast.TypeSpec]bool{}
	queue := []*ast.TypeSpec{of.spec}
	for next := 0; next < len(queue); next++ {
		for name := range load.Nodes[*ast.Ident](queue[next].Type) {
			other, ok := n.Lookup(of.src, name.Name)
			switch {
			case !ok || other.Type == nil || seen[other.Type]:
			case other.Type == of.spec:
				return true
			default:
				seen[other.Type] = true
				queue = append(queue, other.Type)
			}
		}
	}
	return false
}

// nesting returns the number of nested levels in a type argument.
func nesting(t *model.Type) int {
	deepest := 0
	for _, part := range t.Inner() {
		deepest = max(deepest, nesting(part))
	}
	if t.Name.Name == "" || len(t.Args) > 0 {
		deepest++
	}
	return deepest
}
