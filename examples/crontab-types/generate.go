// Package crontabtypes is an example to copy: the API in apis, and all that is generated from it. It has no code of its
// own; this file says what is generated, and the tests say what the result can do.
package crontabtypes

//go:generate go tool controller-gen crd paths=./apis/... output:crd:dir=crds
//go:generate go run github.com/kubegen/kubegen/cmd/kubegen --with-deepcopy --with-register --crds crds --output-dir generated ./apis/...
