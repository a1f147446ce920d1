#!/usr/bin/env bash
# Runs all checks and tests: gofmt, go vet, staticcheck, unit, golden and example tests with the race detector, whether
# the committed generated code is current, that code against a real API server, and conformance with client-go. With
# arguments, only the steps named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

lint() {
	local unformatted module
	unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
	if [ -n "$unformatted" ]; then
		printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted" >&2
		return 1
	fi
	for module in . test/conformance test/apiserver test/e2e bench; do
		(cd "$module" && go vet ./... && go tool -modfile="$root/hack/tools/go.mod" staticcheck ./...)
	done
}
unit() { go test -race ./...; }
verify() { hack/verify-codegen.sh; }
e2e() { (cd test/e2e && go test -race -count=1 -timeout 15m ./...); }
conformance() { (cd test/conformance && go test -count=1 -timeout 60m -v ./...); }

for step in "${@:-lint unit verify e2e conformance}"; do
	for name in $step; do
		echo "=== $name"
		SECONDS=0
		"$name"
		echo "=== $name passed in ${SECONDS} s"
	done
done
