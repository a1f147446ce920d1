package model

// Reader reads types of an API and of the packages that it imports, for the generators that need them.
type Reader interface {
	// Packages returns the packages of the API, ordered by path. Kinds returns their kinds, which have no Version yet.
	Packages() []*Package
	Kinds() []*Resource

	// Structs reads the declared types with the given names. It returns those that are structs, and all structs that
	// are part of them, in the order in which they were found and without those that an earlier call returned. Types
	// that do not exist are skipped. Types of infinite size are reported; then the result is empty.
	Structs(types ...TypeRef) []*StructType

	// Files returns the names of the Go files of the packages that exist, by import path. One call for all packages is
	// faster than several.
	Files(importPaths ...string) map[string][]string
	// WhyMissing returns why a package was not found, and the commands that make it available. Both may be "".
	WhyMissing(importPath string) (why, commands string)
}

// Types holds the structs that a generator reads.
type Types struct {
	All []*StructType // for API.Structs
	Own []*StructType // structs with generated files of their own, for Version.Structs; their packages belong to the API
}
