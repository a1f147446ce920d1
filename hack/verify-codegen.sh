#!/usr/bin/env bash
# Checks that the generated code and manifests of the examples and test/e2e are up to date. If not, it prints the
# differences and exits with 1. It changes nothing. The commands are the same as in the go:generate lines there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# check DIRECTORY KUBEGEN... checks the generated code of a directory with this command.
check() {
	local directory=$1 stale=0
	shift
	cd "$root/$directory"
	"$@" --verify || stale=1
	if ((stale)); then
		echo "verify-codegen: out of date or not checked, see above; run: make generate" >&2
	fi
	return "$stale"
}

failed=0
api=(--with-deepcopy --with-register --with-crds=crds --output-dir generated ./apis/...)
check examples/crontab-types go run github.com/kubegen/kubegen/cmd/kubegen --with-consistency --with-conversion "${api[@]}" || failed=1
check examples/crontab-controller go run github.com/kubegen/kubegen/cmd/kubegen --only rbac --with-rbac ./... || failed=1
check examples/certificates go run github.com/kubegen/kubegen/cmd/kubegen || failed=1
check examples/podcache go run github.com/kubegen/kubegen/cmd/kubegen || failed=1
check test/e2e go tool kubegen --with-watch=false --with-install=crds --with-rbac=rbac "${api[@]/.\/apis/./apis/cluster}" || failed=1
check test/e2e go tool kubegen --with-deepcopy --with-conversion --with-crds=apis/sites/crds ./apis/sites/... || failed=1
exit "$failed"
