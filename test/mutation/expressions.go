package mutation

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// condition returns a condition, which a mutant negates, and likewise the parts of a conjunction or disjunction.
func (m *mutator) condition(e ast.Expr) string {
	if !isBool(types.Default(m.typeOf(e))) || m.pkg.info.Types[e].Value != nil {
		return m.expr(e)
	}
	id := m.new("negate", e)
	text := m.expr(e)
	if id == 0 {
		return text
	}
	return fmt.Sprintf("mutant_.Not(%d, %s)", id, text)
}

// value returns an expression, in place of whose value a mutant has the zero value, or the other bool.
func (m *mutator) value(e ast.Expr) string {
	of := m.pkg.info.Types[e]
	switch {
	case of.Value != nil:
		return m.constant(e, of.Type)
	case of.IsNil(), of.IsType():
		return m.rawOf(e)
	case m.isAlwaysZero(e):
		return m.expr(e)
	case isBool(types.Default(m.typeOf(e))):
		return m.condition(e)
	}
	if literal, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return m.expr(literal)
	}
	if _, ok := m.typeOf(e).(*types.Tuple); ok {
		return m.expr(e)
	}
	id := m.new("zero", e)
	text := m.expr(e)
	if id == 0 {
		return text
	}
	return fmt.Sprintf("mutant_.Zero(%d, %s)", id, text)
}

// isAlwaysZero reports whether an expression is the zero value: a struct without fields, or a variable that is
// declared and never set.
func (m *mutator) isAlwaysZero(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		_, isStruct := m.typeOf(e).Underlying().(*types.Struct)
		return isStruct && len(e.Elts) == 0
	case *ast.Ident:
		return m.pkg.neverSet()[m.pkg.info.Uses[e]]
	}
	return false
}

// neverSet returns the variables of functions that are declared without a value and never set.
func (p *goPackage) neverSet() map[types.Object]bool {
	if p.unset != nil {
		return p.unset
	}
	p.unset = map[types.Object]bool{}
	set := map[types.Object]bool{}
	mark := func(e ast.Expr) {
		if ident, ok := ast.Unparen(e).(*ast.Ident); ok {
			set[p.info.ObjectOf(ident)] = true
		}
	}
	for _, file := range p.files {
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.ValueSpec:
				for _, name := range n.Names {
					if object := p.info.Defs[name]; object != nil && n.Values == nil && object.Parent() != p.types.Scope() {
						p.unset[object] = true
					}
				}
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					mark(e)
				}
			case *ast.UnaryExpr: // as its address
				mark(n.X)
			case *ast.SelectorExpr: // of a field to set, or with a method that may
				mark(n.X)
			}
			return true
		})
	}
	for object := range set {
		delete(p.unset, object)
	}
	return p.unset
}

// operand returns an expression of which only constants and results of calls are zeroed: variables of conditions and
// the like are not.
func (m *mutator) operand(e ast.Expr) string {
	_, call := ast.Unparen(e).(*ast.CallExpr)
	if of := m.pkg.info.Types[e]; of.Value != nil || call && !of.IsType() {
		return m.value(e)
	}
	return m.expr(e)
}

// constant returns a constant of a type, in place of which a mutant has another value.
func (m *mutator) constant(e ast.Expr, t types.Type) string {
	t = types.Default(t)
	of, text := m.pkg.info.Types[e].Value, m.rawOf(e)
	spelled, ok := m.spell(t)
	switch {
	case !ok:
		return text
	case of.Kind() == constant.Bool:
		if !isBool(t) {
			return text
		}
		return m.choose("negate", e, text, "mutant_.Not(%d, %s)", text)
	}
	text = m.siblingConstant(e, t, spelled, text)
	if !isZero(of) {
		return m.choose("zero", e, text, "mutant_.Zero[%[2]s](%[1]d, %[3]s)", spelled, text)
	}
	other := "1"
	if of.Kind() == constant.String {
		other = `"mutant"`
	}
	return m.choose("set", e, text, "mutant_.Put[%[2]s](%[1]d, %[3]s, "+other+")", spelled, text)
}

// siblingConstant returns a constant of the package, in place of which a mutant has the next one of its type.
func (m *mutator) siblingConstant(e ast.Expr, t types.Type, spelled, text string) string {
	ident, ok := e.(*ast.Ident)
	if !ok {
		return text
	}
	sibling := m.sibling(m.pkg.info.Uses[ident])
	if sibling == nil {
		return text
	}
	return m.choose("use "+sibling.Name()+" as", e, text, "mutant_.Pick[%[2]s](%[1]d, %[3]s, "+sibling.Name()+")", spelled, text)
}

// sibling returns the next constant or function of the package that has the same type, in order of the source.
func (m *mutator) sibling(object types.Object) types.Object {
	scope := m.pkg.types.Scope()
	if object == nil || object.Parent() != scope {
		return nil
	}
	var all []types.Object
	for _, name := range scope.Names() {
		if other := scope.Lookup(name); sameSort(object, other) && types.Identical(object.Type(), other.Type()) {
			all = append(all, other)
		}
	}
	return next(all, object, func(o types.Object) int { return int(o.Pos()) })
}

// sameSort reports whether two objects are constants, or functions.
func sameSort(a, b types.Object) bool {
	switch a.(type) {
	case *types.Const:
		_, ok := b.(*types.Const)
		return ok && b.Name() != "_"
	case *types.Func:
		_, ok := b.(*types.Func)
		return ok
	}
	return false
}

// next returns the object after one in an order, after the last one the first, or nil if there is but one.
func next[T comparable](all []T, of T, position func(T) int) T {
	var none T
	slices.SortStableFunc(all, func(a, b T) int { return position(a) - position(b) })
	i := slices.Index(all, of)
	if i < 0 || len(all) < 2 {
		return none
	}
	return all[(i+1)%len(all)]
}

// expr returns an expression, changed inside.
func (m *mutator) expr(e ast.Expr) string {
	if of := m.pkg.info.Types[e]; of.IsType() || of.Value != nil {
		return m.rawOf(e)
	}
	switch e := e.(type) {
	case *ast.Ident:
		if _, ok := m.pkg.info.Uses[e].(*types.Func); ok {
			if sibling := m.sibling(m.pkg.info.Uses[e]); sibling != nil && m.pkg.info.Uses[e].Type().(*types.Signature).TypeParams() == nil {
				return m.choose("use "+sibling.Name()+" as", e, e.Name, "mutant_.Pick(%d, %s, "+sibling.Name()+")", e.Name)
			}
		}
	case *ast.ParenExpr:
		return "(" + m.expr(e.X) + ")"
	case *ast.SelectorExpr:
		return m.selector(e)
	case *ast.IndexExpr:
		if _, ok := m.typeOf(e.X).Underlying().(*types.Signature); !ok {
			return m.expr(e.X) + "[" + m.operand(e.Index) + "]"
		}
	case *ast.CallExpr:
		return m.call(e)
	case *ast.StarExpr:
		return "*" + m.expr(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return "<-" + m.operand(e.X)
		}
		return e.Op.String() + m.expr(e.X)
	case *ast.BinaryExpr:
		side := m.operand
		if e.Op == token.LAND || e.Op == token.LOR {
			side = m.condition
		}
		return side(e.X) + " " + e.Op.String() + " " + side(e.Y)
	case *ast.TypeAssertExpr:
		return m.expr(e.X) + m.raw(e.X.End(), e.End())
	case *ast.FuncLit:
		return m.raw(e.Pos(), e.Body.Pos()) + m.function(m.typeOf(e).(*types.Signature), e.Body)
	case *ast.CompositeLit:
		return m.composite(e)
	}
	return m.rawOf(e)
}

// selector returns a field, in place of which a mutant has the next one of its type, or likewise a method.
func (m *mutator) selector(e *ast.SelectorExpr) string {
	selection := m.pkg.info.Selections[e]
	if selection == nil {
		return m.rawOf(e)
	}
	operand := m.expr(e.X)
	text := operand + "." + e.Sel.Name
	switch selection.Kind() {
	case types.FieldVal:
		sibling := m.siblingField(selection)
		switch {
		case sibling == "":
		case m.pkg.info.Types[e].Addressable():
			return m.choose("use "+sibling+" as", e, text, "*mutant_.Pick(%d, &%s, &%s.%s)", text, operand, sibling)
		default:
			return m.choose("use "+sibling+" as", e, text, "mutant_.Pick(%d, %s, %s.%s)", text, operand, sibling)
		}
	case types.MethodVal:
		if sibling := m.siblingMethod(selection); sibling != "" {
			return m.choose("use "+sibling+" as", e, text, "mutant_.Pick(%d, %s, %s.%s)", text, operand, sibling)
		}
	}
	return text
}

func (m *mutator) siblingField(selection *types.Selection) string {
	t := selection.Recv()
	var of *types.Struct
	for _, i := range selection.Index() {
		if pointer, ok := t.Underlying().(*types.Pointer); ok {
			t = pointer.Elem()
		}
		of = t.Underlying().(*types.Struct)
		t = of.Field(i).Type()
	}
	var all []*types.Var
	for field := range of.Fields() {
		if m.visible(field) && types.Identical(field.Type(), selection.Type()) {
			all = append(all, field)
		}
	}
	if sibling := next(all, selection.Obj().(*types.Var), func(field *types.Var) int { return int(field.Pos()) }); sibling != nil {
		return sibling.Name()
	}
	return ""
}

func (m *mutator) siblingMethod(selection *types.Selection) string {
	methods := types.NewMethodSet(selection.Recv())
	if !types.IsInterface(selection.Recv()) {
		if _, ok := selection.Recv().(*types.Pointer); !ok {
			methods = types.NewMethodSet(types.NewPointer(selection.Recv()))
		}
	}
	var names []string
	for i := range methods.Len() {
		method := methods.At(i)
		if m.visible(method.Obj()) && types.Identical(withoutReceiver(method.Type()), withoutReceiver(selection.Type())) {
			names = append(names, method.Obj().Name())
		}
	}
	return next(names, selection.Obj().Name(), func(name string) int { return slices.Index(names, name) })
}

func withoutReceiver(t types.Type) types.Type {
	signature := t.(*types.Signature)
	return types.NewSignatureType(nil, nil, nil, signature.Params(), signature.Results(), signature.Variadic())
}

func (m *mutator) visible(object types.Object) bool {
	return object.Exported() || object.Pkg() == m.pkg.types
}

// composite returns a literal, in which mutants have zero values, or not all elements of a slice.
func (m *mutator) composite(e *ast.CompositeLit) string {
	var spelled string
	t := m.typeOf(e)
	prefix := ""
	if e.Type != nil {
		spelled = m.rawOf(e.Type)
	} else {
		if pointer, ok := t.(*types.Pointer); ok {
			t, prefix = pointer.Elem(), "&"
		}
		var ok bool
		if spelled, ok = m.spell(t); !ok {
			return m.rawOf(e)
		}
	}
	_, isMap := t.Underlying().(*types.Map)
	_, isSlice := t.Underlying().(*types.Slice)
	var drops []int
	text, at := prefix+spelled+"{", e.Lbrace+1
	for _, element := range e.Elts {
		text += m.raw(at, element.Pos())
		at = element.End()
		if isSlice {
			drops = append(drops, m.new("drop", element))
		}
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			key := m.rawOf(pair.Key)
			if isMap {
				key = m.operand(pair.Key)
			}
			text += key + ": " + m.value(pair.Value)
		} else {
			text += m.value(element)
		}
	}
	text += m.raw(at, e.End())
	for i, id := range drops {
		if id > 0 { // the elements that are dropped are never two
			text = fmt.Sprintf("mutant_.Drop(%d, %d, %s)", id, i, text)
		}
	}
	return text
}

// plainCall returns a call that is deferred or started: only its operands are changed.
func (m *mutator) plainCall(e *ast.CallExpr) string {
	return m.expr(e.Fun) + "(" + m.values(e.Args) + ")"
}

func (m *mutator) call(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	switch of := m.pkg.info.Types[fun]; {
	case of.IsType():
		return m.rawOf(e.Fun) + "(" + m.expr(e.Args[0]) + ")"
	case of.IsBuiltin():
		return m.builtin(e)
	}
	signature, ok := m.typeOf(fun).Underlying().(*types.Signature)
	if !ok {
		return m.rawOf(e)
	}
	method, isMethod := fun.(*ast.SelectorExpr)
	isMethod = isMethod && m.pkg.info.Selections[method] != nil && m.pkg.info.Selections[method].Kind() == types.MethodVal

	// The calls that mutants have in place of the call, of variables that have its operands.
	type alternative struct {
		id   int
		text string
	}
	var alternatives []alternative
	add := func(how, text string) {
		if id := m.new(how, e); id > 0 {
			alternatives = append(alternatives, alternative{id, text})
		}
	}
	arguments := make([]string, len(e.Args))
	for i := range e.Args {
		arguments[i] = fmt.Sprintf("mutant_a%d", i)
	}
	ellipsis := ""
	if e.Ellipsis.IsValid() {
		ellipsis = "..."
	}
	list := func(arguments []string) string { return "(" + strings.Join(arguments, ", ") + ellipsis + ")" }

	operands, target := "", ""
	if isMethod {
		target = m.expr(method.X)
		if _, isStruct := m.typeOf(method.X).Underlying().(*types.Struct); !isStruct && strings.Contains(target, "(") {
			operands, target = "mutant_x := "+target+"; ", "mutant_x"
		}
		target += "." + method.Sel.Name
	} else {
		target = m.expr(e.Fun)
	}
	var results []string
	spellable := true
	for i := range signature.Results().Len() {
		text, ok := m.spell(signature.Results().At(i).Type())
		results, spellable = append(results, text), spellable && ok
	}
	var parameters []string
	for i := range e.Args {
		text, ok := m.spell(m.parameter(signature, e, i))
		parameters, spellable = append(parameters, text), spellable && ok
	}
	if spellable {
		var one types.Type
		if len(results) == 1 {
			one = signature.Results().At(0).Type()
		}
		if isMethod {
			receiver := strings.TrimSuffix(target, "."+method.Sel.Name)
			if one != nil && types.Identical(m.typeOf(method.X), one) {
				add("skip "+method.Sel.Name+" in", "return "+receiver)
			}
			if sibling := m.siblingMethod(m.pkg.info.Selections[method]); sibling != "" {
				add("use "+sibling+" in", resultOf(results)+receiver+"."+sibling+list(arguments))
			}
		}
		for i, argument := range e.Args {
			if one != nil && types.Identical(m.typeOf(argument), one) && !m.pkg.info.Types[argument].IsNil() {
				add(fmt.Sprintf("argument %d in place of", i+1), "return "+arguments[i])
			}
			if i > 0 && m.swappable(signature, e, i-1, i) {
				swapped := slices.Clone(arguments)
				swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
				add(fmt.Sprintf("swap arguments %d and %d of", i, i+1), resultOf(results)+target+list(swapped))
			}
			if signature.Variadic() && i >= signature.Params().Len()-1 && ellipsis == "" {
				add(fmt.Sprintf("drop argument %d of", i+1), resultOf(results)+target+list(slices.Delete(slices.Clone(arguments), i, i+1)))
			}
		}
	}
	var values []string
	for _, argument := range e.Args {
		values = append(values, m.value(argument))
	}
	if len(alternatives) == 0 {
		if operands != "" {
			target = strings.TrimSuffix(strings.TrimPrefix(operands, "mutant_x := "), "; ") + "." + method.Sel.Name
		}
		return target + list(values)
	}
	for i := range values {
		operands += fmt.Sprintf("var %s %s = %s; ", arguments[i], parameters[i], values[i])
	}
	text := fmt.Sprintf("func() (%s) { %sswitch { ", strings.Join(results, ", "), operands)
	for _, other := range alternatives {
		text += fmt.Sprintf("case mutant_.On(%d): %s; ", other.id, other.text)
	}
	return text + "default: " + resultOf(results) + target + list(arguments) + " } }()"
}

func resultOf(results []string) string {
	if len(results) > 0 {
		return "return "
	}
	return ""
}

// parameter returns the type of the parameter for an argument.
func (m *mutator) parameter(signature *types.Signature, e *ast.CallExpr, i int) types.Type {
	if last := signature.Params().Len() - 1; signature.Variadic() && i >= last {
		slice := signature.Params().At(last).Type()
		if e.Ellipsis.IsValid() {
			return slice
		}
		return slice.Underlying().(*types.Slice).Elem()
	}
	if i >= signature.Params().Len() {
		return nil // f(g()), where g has several results
	}
	return signature.Params().At(i).Type()
}

// swappable reports whether two arguments have the same type and are passed as the same type.
func (m *mutator) swappable(signature *types.Signature, e *ast.CallExpr, i, j int) bool {
	a, b := m.pkg.info.Types[e.Args[i]], m.pkg.info.Types[e.Args[j]]
	if a.IsNil() || b.IsNil() || e.Ellipsis.IsValid() && j == len(e.Args)-1 || m.rawOf(e.Args[i]) == m.rawOf(e.Args[j]) {
		return false
	}
	return types.Identical(types.Default(a.Type), types.Default(b.Type)) &&
		types.Identical(m.parameter(signature, e, i), m.parameter(signature, e, j))
}

func (m *mutator) builtin(e *ast.CallExpr) string {
	var texts []string
	for i, argument := range e.Args {
		switch {
		case m.pkg.info.Types[argument].IsType():
			texts = append(texts, m.rawOf(argument))
		case i == 0:
			texts = append(texts, m.operand(argument))
		default:
			texts = append(texts, m.value(argument))
		}
	}
	ellipsis := ""
	if e.Ellipsis.IsValid() {
		ellipsis = "..."
	}
	return m.rawOf(e.Fun) + "(" + strings.Join(texts, ", ") + ellipsis + ")"
}
