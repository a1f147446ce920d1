#!/usr/bin/env bash
# Runs all checks and tests: gofmt, go vet, staticcheck, unit, golden and example tests with the race detector, whether
# the committed generated code is current, and conformance with client-go. With arguments, only the steps named.
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
	for module in . examples/crontab-controller examples/crontab-controller/controller-runtime test/conformance test/apiserver bench; do
		(cd "$module" && go vet ./... && go tool -modfile="$root/hack/tools/go.mod" staticcheck ./...)
	done
}
unit() { go test -race ./...; }
examples() { # the programs among them against an API server
	(cd examples/crontab-controller && go test -race ./...)
	(cd examples/crontab-controller/controller-runtime && go test -race ./...)
}
verify() { hack/verify-codegen.sh; }
conformance() { (cd test/conformance && go test -count=1 -timeout 60m -v ./...); }

for step in "${@:-lint unit examples verify conformance}"; do
	for name in $step; do
		echo "=== $name"
		SECONDS=0
		"$name"
		echo "=== $name passed in ${SECONDS} s"
	done
done
