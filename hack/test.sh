#!/usr/bin/env bash
# Proves that kubegen works: hack/test.sh runs the tests of the generator, the examples on fakes, and compares the committed generated
# code with what is generated now. hack/test.sh all runs the other steps, too: linters, the race detector, a real API server, client-go's own
# code and public APIs for comparison, and releases. hack/test.sh STEP... runs these steps alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

basic=(unit golden examples verify)
rest=(lint race long mutation roundtrip random crds programs e2e install conformance migration release)

# What every change needs.
quick() {
	formatted
	go vet ./...
	unit
	verify
}

# Package docs compiles client-go, which takes minutes, and go test prints results in the order of packages: the others come first.
unit() {
	go test -short $(go list ./... | grep -v '/docs$')
	go test -short ./docs
}
# Generated code is type-checked.
golden() { go test -run '^TestGolden$' -timeout 30m ./internal/cli; }
# What is generated at work, on fakes: the CronTab API, fakeapi, and the controller.
examples() { go test -timeout 30m ./examples/crontab-types/... ./fakeapi ./test/fakeapi ./examples/crontab-controller/controller/... ./examples/crontab-controller/cluster/...; }
verify() { hack/verify-codegen.sh; }

lint() {
	formatted
	go vet "${modules[@]}"
	go tool staticcheck "${modules[@]}"
	go tool actionlint
	for os in linux windows darwin; do # with the versions that go.mod selects
		GOWORK=off GOOS=$os go vet ./...
	done
}
formatted() {
	local unformatted
	unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
	if [ -n "$unformatted" ]; then
		printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted" >&2
		return 1
	fi
}
race() {
	go test -race -short -timeout 30m ./... ./bench/... ./examples/crontab-types/... ./fakeapi ./test/fakeapi ./test/fakeapi/controllerruntime \
		./test/libraries/...
}
# The tests that -short leaves out: they build commands and run them, compile what is generated for many APIs, or do all twice to
# compare.
long() {
	go test -timeout 30m -skip '^(TestGolden|TestInstall|TestBump|TestOwnWrites)$' \
		$(git grep -l 'testing.Short\|moduletest.Build' -- '*_test.go' ':!test/fakeapi/random' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
}
# The tests of the CronTab API notice when generated code is broken: in 300 places, or in all.
mutation() { go test -count=1 -timeout 30m -v ./test/mutation -args -sample 300; }
mutation-all() { go test -count=1 -timeout 150m -v ./test/mutation -args -all; }
# What apply configurations of types of all shapes build comes back from a fake clientset.
roundtrip() { go test ./internal/cli -run ApplyShapes -timeout 60m -args -roundtrip; }
# CustomResourceDefinitions, in comparison with those of controller-gen, and imports of them: of random types, and of some or all public modules.
crds() { go test -count=1 -timeout 30m -v ./test/crds | grep -v '^=== '; }
crds-all() { go test -count=1 -timeout 120m -v ./test/crds -modules -histories -seeds 2000 -pairs 8000 -objects 50 | grep -v '^=== '; }
# What is generated for random packages works on fakeapi with the manifests of the same run, and with the fake clientsets.
random() { go test -count=1 -timeout 30m -v ./test/fakeapi/random | grep -v '^=== '; }
random-all() {
	go test -count=1 -timeout 240m -v ./test/fakeapi/random -args -packages 2000 | grep -v '^=== '
	for seed in {1..30}; do
		go test -count=1 -run MigrationRandom ./test/conformance -args -switch "$seed" -packages 60
	done
}
# The example's programs against an API server.
programs() { go test -race -timeout 30m ./examples/crontab-controller/... ./examples/crontab-controller/controller-runtime/... ./examples/certificates; }
# Generated code against an API server, and fakeapi in comparison with it.
e2e() { go test -race -count=1 -timeout 30m ./test/e2e/... ./fakeapi/crdvalidation/... ./test/fakeapi/crdvalidation/...; }
# Random requests, many more than in e2e, to an API server and to fakeapi.
e2e-all() { go test -count=1 -timeout 120m -v -run '^TestRandom(Operations|Requests)$' ./test/e2e -args -seeds 400 | grep -v '^=== '; }
# kubegen in projects with each release of client-go, which nothing but kubegen may change.
install() { go test -timeout 60m -run '^(TestInstall|TestBump|TestOwnWrites)$' ./test/workflow; }
# client-go's own code, of the newest release that is out and the oldest, or of all that code can be generated for. The last is a preview.
releases=($(cd test/conformance/releases && echo *))
conformance() { conform "${releases[${#releases[@]} - 2]}" "${releases[0]}"; }
conformance-all() { conform "${releases[@]}"; }
conform() {
	local release log
	log=$(mktemp)
	for release; do
		go test -count=1 -timeout 60m -v -skip 'Migration|Acceptance|Apidiff|DeepCopy' ./test/conformance -release "$release" | tee -a "$log"
	done
	grep '^conformance ' "$log"
	rm "$log"
}
# Public APIs, and inputs that tools may refuse, generated with the classic tools and with kubegen.
migration() { go test -count=1 -timeout 60m -v -run 'Migration|Acceptance|Apidiff|DeepCopy' ./test/conformance; }
# The files of a release are the same in another directory.
release() { go test -count=1 -timeout 30m ./hack/release -args -reproduce; }

# run runs a step, and says every half a minute that it does. The first time, Go compiles for most of that.
run() {
	local status=0
	SECONDS=0
	echo "=== $1"
	(while sleep 30 &>/dev/null; do echo "    $1: ${SECONDS} s"; done) &
	local clock=$!
	"$1" & # by itself, for a function in a condition goes on after errors
	wait $! || status=$?
	kill "$clock"
	wait "$clock" 2>/dev/null || true
	if ((status)); then
		echo "=== $1 failed after ${SECONDS} s" >&2
		exit "$status"
	fi
	echo "=== $1 passed in ${SECONDS} s"
}

modules=($(go list -m -f '{{.Dir}}/...'))
case "$*" in
"") steps=("${basic[@]}") ;;
all) steps=("${basic[@]}" "${rest[@]}") ;;
*) steps=("$@") ;;
esac
for step in "${steps[@]}"; do
	if [ "$(type -t "$step")" != function ]; then
		echo "$0: no step $step; there are all, quick, ${basic[*]}, ${rest[*]}, conformance-all, crds-all, e2e-all, mutation-all, random-all" >&2
		exit 2
	fi
done
for step in "${steps[@]}"; do
	run "$step"
done
