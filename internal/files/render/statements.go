package render

import (
	"strconv"

	"github.com/kubegen/kubegen/internal/terms/model"
	"github.com/kubegen/kubegen/internal/text/gofile"
)

// Statements writes the statements of a function in a package of types.
type Statements struct {
	*Package
	text  gofile.Builder
	inUse map[string]int // number of variables in scope, by the name of the first
}

// NewStatements returns Statements without any.
func NewStatements(p *Package) Statements { return Statements{Package: p, inUse: map[string]int{}} }

// Code returns the statements written so far.
func (s *Statements) Code() gofile.Code { return s.text.Code() }

// Linef adds a line of code. Arguments are as for gofile.Codef, or of type Place.
func (s *Statements) Linef(format gofile.Code, args ...any) {
	for i, arg := range args {
		if p, ok := arg.(Place); ok {
			args[i] = p.Code()
		}
	}
	s.text.Add(gofile.Codef(format+"\n", args...))
}

// Enter returns the name of a new variable: name, with a number if such a variable is in scope. For i, the next names
// are j and k. Leave ends its scope.
func (s *Statements) Enter(name string) gofile.Code {
	s.inUse[name]++
	switch n := s.inUse[name]; {
	case name == "i" && n <= len("ijk"):
		return gofile.Local("ijk"[n-1 : n])
	case n > 1:
		return gofile.Local(name + strconv.Itoa(n))
	}
	return gofile.Local(name)
}

// Leave ends the scope of the last variable that Enter returned for a name.
func (s *Statements) Leave(name string) { s.inUse[name]-- }

// Zero returns the zero value of a predeclared type.
func Zero(name string) gofile.Code {
	switch name {
	case "string":
		return `""`
	case "bool":
		return "false"
	}
	return "0"
}

// Place is an expression for a value: Base, dereferenced Stars times.
type Place struct {
	Base  gofile.Code
	Stars int
}

// Code returns the expression.
func (p Place) Code() gofile.Code {
	code := p.Base
	for range p.Stars {
		code = "*" + code
	}
	return code
}

// Operand returns the value as an expression that can be indexed or have its methods called.
func (p Place) Operand() gofile.Code {
	if p.Stars == 0 {
		return p.Base
	}
	return "(" + p.Code() + ")"
}

// Member returns a field or method of the value. Go dereferences one pointer implicitly.
func (p Place) Member(name gofile.Code) gofile.Code {
	if p.Stars == 1 {
		return p.Base + "." + name
	}
	return p.Operand() + "." + name
}

// Index returns an element of the value.
func (p Place) Index(i gofile.Code) Place { return Place{Base: p.Operand() + "[" + i + "]"} }

// Slice returns all elements of an array.
func (p Place) Slice() gofile.Code { return p.Operand() + "[:]" }

// Address returns a pointer to the value.
func (p Place) Address() gofile.Code {
	if p.Stars == 0 {
		return "&" + p.Base
	}
	return Place{p.Base, p.Stars - 1}.Code()
}

// Pointee returns the target of a pointer. A declared pointer type has no methods, so it is dereferenced explicitly.
func (p Place) Pointee(t *model.Type) Place {
	if t.Kind == model.Named {
		return Place{Base: "(*" + p.Code() + ")"}
	}
	return Place{p.Base, p.Stars + 1}
}
