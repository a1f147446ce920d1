package model

// Reader reads the types of an API and of the packages that it imports, when a family asks for them.
type Reader interface {
	// Packages returns the packages of the API, ordered by path, and Kinds their kinds. These have no Version yet.
	Packages() []*Package
	Kinds() []*Resource

	// Structs reads the declared types with these names. It returns those that are structs, and all structs that they consist
	// of, as far as they have not been returned before, in the order in which they were found. Types that do not exist are
	// skipped; types of infinite size are reported, and then there are no structs.
	Structs(types ...TypeRef) []*StructType

	// Files returns the names of the Go files of each package that exists, by import path. Asking for all packages at once is
	// faster.
	Files(importPaths ...string) map[string][]string
	// WhyMissing returns why a package could not be found, and the commands with which it would be; both may be "".
	WhyMissing(importPath string) (why, commands string)
}

// Types are the structs that a family reads.
type Types struct {
	All []*StructType // for API.Structs
	Own []*StructType // the ones with generated files of their own, for Version.Structs; their packages belong to the API
}
