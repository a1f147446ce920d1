#!/usr/bin/env bash
# Checks that what examples/crontab-types generates is current: prints what is not, and exits with 1. Changes nothing.
# The commands are those of examples/crontab-types/generate.go.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../examples/crontab-types"

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
stale=0

go tool -modfile=../../hack/tools/go.mod controller-gen crd paths=./apis/... output:crd:dir="$fresh/crds"
diff -ruN crds "$fresh/crds" || stale=1

go run github.com/kubegen/kubegen/cmd/kubegen --verify --with-deepcopy --with-register --crds crds --output-dir generated ./apis/... || stale=1

if ((stale)); then
	echo "verify-codegen: out of date or not checked, see above; run: go generate ./examples/crontab-types" >&2
	exit 1
fi
