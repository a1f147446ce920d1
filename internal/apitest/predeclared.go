package apitest

import "go/types"

// predeclared declares a predeclared name, as something that does not keep most packages from compiling. It returns the
// name.
func (s *source) predeclared() string {
	name := s.oneOf(types.Universe.Names()...)
	switch name {
	case "nil", "any", "comparable": // which the package needs
	case "error":
		s.printf("\ntype error interface{ Error() string }\n")
	default:
		form := "\ntype %s int\n"
		if _, isType := types.Universe.Lookup(name).(*types.TypeName); !isType {
			form = s.oneOf(form, "\ntype %s struct{}\n", "\nfunc %s() {}\n", "\nconst %s = 1\n", "\nvar %s = 1\n")
		} else if name == "int" {
			form = "\ntype %s uint\n"
		}
		s.printf(form, name)
	}
	return name
}

// Predeclared returns the text of a file of a package. It declares a predeclared name at the top level, as a field,
// method, type parameter or import, or as a type of a field. Other declarations of the package may need Go's, so that
// it does not compile.
func Predeclared(seed uint64, pkg string) (text, name string) {
	s := newSource(seed, 23)
	s.printf("package %s\n", pkg)
	name = s.oneOf(types.Universe.Names()...)
	value := s.oneOf("bool", "[]byte", "map[string]string", "*Inner", "[]Inner", "map[string][]Inner", "[2]*Inner")
	switch s.IntN(9) {
	case 0, 1, 2:
		name = s.predeclared()
	case 3:
		s.printf("\ntype %s %s\n", name, s.oneOf("[]Inner", "struct{ A *bool }", "*Inner", "bool"))
		s.printf("\ntype Outer struct{ F %s; G []%[1]s; H *%[1]s }\n", name)
	case 4:
		s.printf("\ntype Outer struct{ %s %s }\n", name, value)
	case 5:
		s.printf("\ntype Outer struct{ A %s }\n\nfunc (Outer) %s() {}\n", value, name)
	case 6:
		s.printf("\ntype Box[%s interface{ ~string | ~bool }] struct{ A []%[1]s; B *%[1]s }\n\ntype Outer struct{ A Box[bool] }\n", name)
	case 7:
		s.printf("\nimport %s \"time\"\n\ntype Outer struct{ A *%[1]s.Time; B []%[1]s.Duration }\n", name)
	case 8:
		s.printf("\ntype Outer struct{ A %s }\n\nfunc (%s Outer) Do() {}\n\nfunc Sort(%[2]s []string) {}\n", value, name)
	}
	s.printf("\ntype Inner struct{ A *bool; B []byte }\n")
	return s.text.String(), name
}
