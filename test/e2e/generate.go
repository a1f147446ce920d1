package e2e

//go:generate go tool controller-gen crd paths=./apis/... output:crd:dir=crds
//go:generate go tool kubegen --with-deepcopy --with-register --with-watch=false --crds crds --output-dir generated ./apis/...
