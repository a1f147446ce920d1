package model

// Reader reads types of an API, and of the packages that it imports, for the generators that need them.
type Reader interface {
	// Packages returns the packages of the API, ordered by path. Kinds returns their kinds, whose Version is not set
	// yet.
	Packages() []*Package
	Kinds() []*Resource

	// Structs reads the named types. It returns the structs among them and all structs that these contain, in the order
	// of discovery. Structs returned by an earlier call are omitted. Types that do not exist are skipped. If a type has
	// infinite size, it is reported and the result is empty.
	Structs(types ...TypeRef) []*StructType

	// Files returns the names of the Go files of the packages that exist, by import path. One call for all packages is
	// faster than a call for each.
	Files(importPaths ...string) map[string][]string
	// WhyMissing returns the reason why a package was not found, and the commands that make it available. Both may be
	// "".
	WhyMissing(importPath string) (why, commands string)
}

// Types holds the structs that a generator reads.
type Types struct {
	All []*StructType // for API.Structs
	Own []*StructType // structs of the API's packages with generated files of their own, for Version.Structs
}
