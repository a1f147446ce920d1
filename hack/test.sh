#!/usr/bin/env bash
# Runs all checks and tests: gofmt, go vet, staticcheck, actionlint, unit, golden and example tests with the race detector, the
# longer ones without it, a round trip through generated apply configurations, whether the committed generated code is current,
# that code against a real API server, conformance with client-go, and with the classic tools on public APIs, and whether a
# release is reproducible.
# With arguments, only the steps named; quick is for every change: formatting, vet, and the tests of the generator with -short.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

formatted() {
	local unformatted
	unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
	if [ -n "$unformatted" ]; then
		printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted" >&2
		return 1
	fi
}
quick() {
	formatted
	go vet ./...
	go test -short ./...
	verify
}
lint() {
	local module
	formatted
	for module in $(go list -m -f '{{.Dir}}'); do
		(cd "$module" && go vet ./... && go tool staticcheck ./...)
	done
	GOWORK=off go vet ./... # with the versions that go.mod selects
	go tool actionlint
	for os in windows darwin; do # it runs there, too
		GOOS=$os go vet ./cmd/... ./generators/... ./internal/... ./templates
	done
}
unit() {
	go test -race -short -timeout 30m ./... ./bench/... ./examples/crontab-types/... ./fakeapi ./test/fakeapi ./test/libraries/...
}
# The tests that -short leaves out: they build commands and run them, compile what is generated for many APIs, or do all twice to
# compare.
long() {
	go test -timeout 30m $(git grep -l 'testing.Short\|moduletest.Build' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
}
roundtrip() { go test ./internal/cli -run ApplyShapes -timeout 60m -args -roundtrip; }
examples() { # the programs among them against an API server
	(cd examples/crontab-controller && go test -race -timeout 30m ./...)
	(cd examples/crontab-controller/controller-runtime && go test -race -timeout 30m ./...)
}
verify() { hack/verify-codegen.sh; }
release() { go test -count=1 -timeout 30m ./hack/release -args -reproduce; }
e2e() {
	(cd test/e2e && go test -race -count=1 -timeout 15m ./...)
	(cd fakeapi/crdvalidation && go test -race -count=1 ./...)
}
# The newest client-go and the oldest, or all that code can be generated for.
releases=($(cd test/conformance/releases && echo *))
conformance() { conform "${releases[${#releases[@]} - 1]}" "${releases[0]}"; }
conformance-all() { conform "${releases[@]}"; }
conform() {
	local release log
	log=$(mktemp)
	for release; do
		(cd test/conformance && go test -count=1 -timeout 60m -v -skip 'Migration|Acceptance|Apidiff|DeepCopy' . -release "$release") | tee -a "$log"
	done
	grep '^conformance ' "$log"
	rm "$log"
}
# Public APIs, and inputs that tools may refuse, generated with the classic tools and with kubegen.
migration() { (cd test/conformance && go test -count=1 -timeout 60m -v -run 'Migration|Acceptance|Apidiff|DeepCopy' .); }

if [ $# = 0 ]; then
	echo "All steps take about 20 minutes on two cores, 45 the first time. The first minutes compile. hack/test.sh quick takes one."
fi
for step in "${@:-lint unit long examples roundtrip verify e2e conformance migration release}"; do
	for name in $step; do
		echo "=== $name"
		SECONDS=0
		"$name"
		echo "=== $name passed in ${SECONDS} s"
	done
done
