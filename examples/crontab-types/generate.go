// Package crontabtypes is an example to copy: an API in the directory apis, and everything that is generated from it.
// The package itself contains only the go:generate line, and tests that show what the generated code does.
package crontabtypes

//go:generate go run github.com/kubegen/kubegen/cmd/kubegen --with-deepcopy --with-register --with-conversion --with-consistency --with-crds=crds --output-dir generated ./apis/...
