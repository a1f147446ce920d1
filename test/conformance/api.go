package conformance

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"
)

// Report is the difference between the exported APIs of two sets of packages. All lists are sorted.
type Report struct {
	Packages int // packages of the old set
	Symbols  int // exported constants, variables, functions, types, methods and fields in them

	Missing      []string // packages and symbols that only the old set has
	Changed      []string // symbols with another type, value or tag
	Incompatible []string // incompatible changes as reported by apidiff
	Added        []string // packages and symbols that only the new set has
}

// String is the report in one line.
func (r Report) String() string {
	return fmt.Sprintf("%d packages, %d exported symbols compared: %d missing, %d changed, %d incompatible, %d added",
		r.Packages, r.Symbols, len(r.Missing), len(r.Changed), len(r.Incompatible), len(r.Added))
}

// Differences lists the incompatibilities of the new set with the old one, one per line.
func (r Report) Differences() []string {
	return slices.Concat(prefixed("missing ", r.Missing), prefixed("changed ", r.Changed), prefixed("incompatible ", r.Incompatible))
}

func prefixed(prefix string, names []string) []string {
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = prefix + name
	}
	return lines
}

// Load type-checks the packages matching the patterns in the module in dir, and returns them by import path. Packages
// that do not build are omitted and reported in the error.
func Load(dir string, patterns ...string) (map[string]*types.Package, error) {
	return load(dir, packages.NeedName|packages.NeedTypes, patterns...)
}

// LoadSource is Load for packages whose dependencies are used once: it type-checks them instead of compiling them into
// the build cache.
func LoadSource(dir string, patterns ...string) (map[string]*types.Package, error) {
	return load(dir, packages.NeedName|packages.NeedTypes|packages.NeedSyntax|packages.NeedImports|packages.NeedDeps, patterns...)
}

func load(dir string, mode packages.LoadMode, patterns ...string) (map[string]*types.Package, error) {
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: goEnv()}, patterns...)
	if err != nil {
		return nil, err
	}
	found := map[string]*types.Package{}
	var errs []error
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			errs = append(errs, fmt.Errorf("%s: %w", pkg.PkgPath, err))
		}
		if len(pkg.Errors) == 0 {
			found[pkg.PkgPath] = pkg.Types
		}
	}
	return found, errors.Join(errs...)
}

// Compare compares both sets in two ways. Symbol by symbol, declarations must be the same, including type arguments and
// struct tags. And apidiff decides whether code written for the old set still compiles: it considers more
// (assignability, comparability, unexported methods) but also less, because it treats any two types of the same name in
// other packages as the same, whatever their type arguments.
func Compare(before, after map[string]*types.Package) Report {
	report := Report{Packages: len(before)}
	for path, oldPkg := range before {
		oldSymbols := symbols(oldPkg)
		report.Symbols += len(oldSymbols)
		newPkg, ok := after[path]
		if !ok {
			report.Missing = append(report.Missing, "package "+path)
			continue
		}
		newSymbols := symbols(newPkg)
		for name, was := range oldSymbols {
			if is, ok := newSymbols[name]; !ok {
				report.Missing = append(report.Missing, path+"."+name)
			} else if was != is {
				report.Changed = append(report.Changed, fmt.Sprintf("%s.%s: was %s, is %s", path, name, was, is))
			}
		}
		for name := range newSymbols {
			if _, ok := oldSymbols[name]; !ok {
				report.Added = append(report.Added, path+"."+name)
			}
		}
		for _, change := range apidiff.Changes(oldPkg, newPkg).Changes {
			if !change.Compatible {
				report.Incompatible = append(report.Incompatible, path+": "+change.Message)
			}
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			report.Added = append(report.Added, "package "+path)
		}
	}
	slices.Sort(report.Missing)
	slices.Sort(report.Changed)
	slices.Sort(report.Incompatible)
	slices.Sort(report.Added)
	return report
}

// symbols returns descriptions of all exported symbols of pkg: "Name", "Type.Method", "Type.Field".
func symbols(pkg *types.Package) map[string]string {
	found := map[string]string{}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			found[name] = fmt.Sprintf("const %s = %s", typeString(obj.Type()), obj.Val().ExactString())
		case *types.Var:
			found[name] = "var " + typeString(obj.Type())
		case *types.Func:
			found[name] = typeString(obj.Type())
		case *types.TypeName:
			describeType(found, obj)
		}
	}
	return found
}

func describeType(found map[string]string, obj *types.TypeName) {
	named, ok := obj.Type().(*types.Named)
	if !ok || obj.IsAlias() {
		found[obj.Name()] = "type = " + typeString(types.Unalias(obj.Type()))
		return
	}
	kind := typeString(named.Underlying())
	switch under := named.Underlying().(type) {
	case *types.Interface:
		kind = "interface"
	case *types.Struct:
		kind = "struct"
		for i := range under.NumFields() {
			field := under.Field(i)
			if !field.Exported() {
				continue
			}
			what := "field"
			if field.Embedded() {
				what = "embedded field"
			}
			found[obj.Name()+"."+field.Name()] = fmt.Sprintf("%s %s %q", what, typeString(field.Type()), under.Tag(i))
		}
	}
	found[obj.Name()] = "type " + constraints(named.TypeParams()) + kind

	// A pointer to an interface has no methods; a pointer to any other type has those of the value.
	methods := types.NewMethodSet(named)
	receiver := ""
	if !types.IsInterface(named) {
		methods = types.NewMethodSet(types.NewPointer(named))
		receiver = "(pointer receiver) "
	}
	values := types.NewMethodSet(named)
	for method := range methods.Methods() {
		if !method.Obj().Exported() {
			continue
		}
		description := typeString(method.Type())
		if values.Lookup(method.Obj().Pkg(), method.Obj().Name()) == nil {
			description = receiver + description
		}
		found[obj.Name()+"."+method.Obj().Name()] = description
	}
}

// typeString formats t with full import paths, without the names of parameters and results.
func typeString(t types.Type) string {
	prefix := ""
	if sig, ok := t.(*types.Signature); ok {
		prefix = constraints(sig.TypeParams())
		t = types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic())
	}
	// any and interface{} are one type in two spellings.
	return prefix + strings.ReplaceAll(types.TypeString(t, nil), "interface{}", "any")
}

func constraints(params *types.TypeParamList) string {
	if params.Len() == 0 {
		return ""
	}
	var found []string
	for param := range params.TypeParams() {
		found = append(found, typeString(param.Constraint()))
	}
	return "[" + strings.Join(found, ", ") + "] "
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
	}
	return types.NewTuple(vars...)
}
