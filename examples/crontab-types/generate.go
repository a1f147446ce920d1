// Package crontabtypes is an example to copy: an API in the directory apis, and everything that is generated from it.
// The package itself contains only the go:generate lines, and tests that show what the generated code does.
package crontabtypes

//go:generate go tool controller-gen crd paths=./apis/... output:crd:dir=crds
//go:generate go run github.com/kubegen/kubegen/cmd/kubegen --with-deepcopy --with-register --crds crds --output-dir generated ./apis/...
