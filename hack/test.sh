#!/usr/bin/env bash
# Proves that kubegen works: hack/test.sh runs the tests of the generator and the examples on fakes, and compares the
# committed generated code with the output of the generator. hack/test.sh all also runs the other steps: linters, the
# race detector, a real API server, comparisons with client-go's own code and public APIs, and releases. hack/test.sh
# rest only runs the other steps, and hack/test.sh STEP... only these steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Fewer garbage collections in compilers and generators save a sixth of the time.
export GOGC=${GOGC:-400} GOMEMLIMIT=${GOMEMLIMIT:-4GiB}

basic=(unit examples golden verify)
rest=(lint race long e2e crds programs random charts roundtrip install conformance migration)

# Required for every change.
quick() {
	formatted
	go vet ./...
	short
	verify
}

# The step golden runs TestGolden. Some of the tests that run the generator for many inputs are left to other commits.
unit() {
	short -skip "^TestGolden\$|$(others '^TestAffected$' '^Test(OtherTools|Misuse)$' '^Test(HostileSources|TerminalSummary)$')"
}
# Step lint vets all packages, so no other step does. Package docs compiles client-go, which takes minutes. go test prints
# results in the order of packages, so the others are tested first.
short() {
	go test -vet=off -short -timeout 30m "$@" $(go list ./... | grep -v '/docs$') ./migrate
	go test -vet=off -short -timeout 30m "$@" ./docs
}
# Type-checks the generated code.
golden() { go test -vet=off -run '^TestGolden$' -timeout 30m ./internal/commands/cli; }
# Compares the answers of package loadtest, which TestGolden and other tests take for those of the go command.
golden-all() {
	go test -short -run '^Test(Golden|Affected|OtherTools|Misuse|HostileSources|TerminalSummary)$' -timeout 30m ./internal/commands/cli -args -go
}
# Runs generated code on fakes: the CronTab API, the store of own writes, fakeapi, and the controller.
examples() { go test -vet=off -timeout 30m ./consistency/... ./conversion/... ./crdinstall/... ./examples/crontab-types/... ./fakeapi/... ./test/fakeapi ./test/fakeapi/rbac ./examples/crontab-controller/controller/... ./examples/crontab-controller/cluster/...; }
verify() { hack/verify-codegen.sh; }

# others prints a regular expression for the tests in all groups but one, that of the commit. Each commit runs other
# comparisons; those with -all in their name run all, and with EVERY=1 each step does. Parts of one group need another
# number of groups than it has, so that all pairs occur.
others() {
	local groups=("$@") commit
	if [ -n "${EVERY:-}" ]; then
		echo '^$'
		return
	fi
	commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0)
	unset "groups[16#${commit:0:7} % $#]"
	(IFS='|' && echo "${groups[*]}")
}

lint() {
	formatted
	spelling
	go vet "${modules[@]}"
	go tool staticcheck "${modules[@]}"
	go tool actionlint
	local os
	for os in windows darwin; do
		[[ $os =~ ^($(others windows darwin))$ ]] || elsewhere "$os"
	done
}
# Also checks the tests of the generator for other systems, on which CI runs them.
lint-all() {
	local os
	for os in windows darwin; do
		GOWORK=off GOOS=$os go vet ./...
	done
}
# Compiles the commands for another system, with the versions in go.mod, with which tests build the commands here.
elsewhere() { GOWORK=off GOOS=$1 go build ./...; }
formatted() {
	local unformatted
	unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
	if [ -n "$unformatted" ]; then
		printf 'not formatted, run gofmt -w:\n%s\n' "$unformatted" >&2
		return 1
	fi
}
# Finds misspelled words, except for two that tests and pages contain on purpose, and mistakes in comments and pages.
spelling() {
	git ls-files -z -- ':!*.sum' | xargs -0 go tool misspell -error -i onyl,ouput
}
# Runs generated code, the modules beside it, the linter, and the packages of the generator in which something is
# concurrent. Of the archives of TestGolden, and of the tests that run the generator for many types, it leaves out those
# that take the same way, and those that read definitions one after another or run other programs: TestVet starts one for
# each of 150 packages, which waits a second with the race detector. The generator runs in every second commit, with some
# of the others that take the same way.
race() {
	go test -vet=off -race -short -timeout 30m -skip "^Test(KubernetesResources|Vet|VetAgain)\$|$(rules)" "${running[@]}"
	[[ generator =~ ^($(others generated generator))$ ]] || go test -vet=off -race -short -timeout 30m \
		-skip "^Test(HostileTypes|HostileSources|Bumps|Misuse|OddDefinitions)\$|^TestGolden\$/^(apply|flag|marker|mistake|release)-|$(others \
			'^TestAffected$' '^TestGolden$/^import-' '^Test(Judge|OtherTools|Predeclared|RandomGates)$')|$(others \
			'^TestGolden$/^([ab]|c[ah])' '^TestGolden$/^cl' '^TestGolden$/^c[o-z]' '^TestGolden$/^[d-k]' '^TestGolden$/^[l-z]')" $(concurrent)
}
# The archives of the linter, with or without the race detector, or long tests of the store of own writes.
rules() { others '^TestArchives$' '^Test(History|WritesAreAuthorized)$'; }
race-all() { go test -race -short -timeout 60m "${running[@]}" $(concurrent); }
running=(./apilint ./consistency/... ./crdinstall ./examples/crontab-types/... ./fakeapi/... ./test/fakeapi ./test/fakeapi/rbac ./test/bench/...)
# The packages of the generator with goroutines, or with what several can use, and the commands, whose tests run all of
# these. A sync.Once needs no proof.
concurrent() {
	echo ./internal/commands/cli
	git grep -lE '\bgo func|\bsync\.(Cond|[MPRW])|\bparallel\.' -- 'internal/*.go' ':!*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,'
}
# The tests that -short omits or shortens, except for those of other steps. They build and run commands, compile the
# generated code of many APIs, or do everything twice to compare the results. And the comparisons with libraries, and
# the linter.
long() {
	go test -vet=off -timeout 30m -run "^($(longer | paste -sd '|'))\$" \
		-skip "^TestGolden\$|$(others '^TestBumps$' '^TestRandomAPIs$' '^TestHostile(Sources|Types)$')|$(others '^TestFirstTests$' \
			'^TestPages$/^[a-h]' '^TestPages$/^[ijs-z]' '^TestPages$/^[k-q]' '^TestPages$/^r')" $(git grep -l 'testing.Short' -- docs internal | xargs -n 1 dirname | sort -u | sed 's,^,./,')
	go test -vet=off -timeout 30m -skip "^(TestInstall|TestBump|TestOwnWrites)\$|$(others '^TestKubebuilder$' '^TestWorkflow$/^[a-i]' '^TestWorkflow$/^[j-z]')|$(others \
		'^TestReadme$/^api' '^TestReadme$/^nothing')" \
		./apilint/plugin ./test/libraries/... ./test/bench ./test/fakeapi/nouns ./test/workflow
	go test -vet=off -timeout 30m -run "^Test(Vet|VetAgain)\$|$(rules)" ./apilint # race runs the other tests
}
# The names of the tests of the generator that ask for -short. Only tests do, see TestShort of hack/repository.
longer() {
	git grep -hE '^func |testing\.Short\(\)' -- 'docs/*_test.go' 'internal/*_test.go' |
		awk '/^func / { name = $2; sub(/\(.*/, "", name) } /testing\.Short/ { print name }' | sort -u
}
long-all() {
	go test -timeout 60m -run '^Test(FirstTests|Pages|Kubebuilder|Readme|Workflow)$' ./docs ./test/workflow
	go test -count=1 -timeout 60m -run '^TestCustom$' ./apilint/plugin -args -golangci
	go test -timeout 60m -run '^Test(Bumps|RandomAPIs|Hostile(Sources|Types))$' ./internal/commands/cli -args -seeds 2000 -texts
}
# Breaks generated code in 300 places, or in all, and expects the tests of the CronTab API to fail.
mutation() { go test -count=1 -timeout 30m -v ./test/mutation -args -sample 300; }
mutation-all() { go test -count=1 -timeout 150m -v ./test/mutation -args -all; }
# Sends objects built with apply configurations of types of all shapes through a fake clientset, and compares them.
roundtrip() { go test -vet=off ./internal/commands/cli -run ApplyShapes -timeout 60m -args -roundtrip; }
# Compares CustomResourceDefinitions with controller-gen's, and imports them: of random types, and of some or all public
# modules. Runs suites of public modules with crdtest. crds-all also renews charts of public modules.
crds() {
	local skipped=$(others '^TestImports$' '^TestModules$' '^Test(Slices|GoSlices|HostileImports)$' '^Test(Makefiles|Commands|Patches)$' \
		'^Test(Copies|CopiesOfReleases|NewDefaults|Losses)$')
	skipped+="|$(others '^TestImports$/^server$' '^TestImports$/^(values|controller-gen)$')"
	go test -vet=off -count=1 -timeout 30m -v -skip "$skipped" ./test/crds -objects 3 | grep -v '^=== '
}
crds-all() {
	go test -count=1 -timeout 120m -v ./test/crds -modules -histories -makefiles -seeds 2000 -pairs 8000 -published 200 -objects 50 -slices 5 -go-slices 42 | grep -v '^=== '
	(cd test/charts && GOWORK=off go test -count=1 -timeout 30m -v -run '^TestModules$' . -modules | grep -v '^=== ')
}
# Runs generated code for random packages on fakeapi, with the manifests of the same run, and on the fake clientsets.
random() { go test -vet=off -count=1 -timeout 30m -v ./test/fakeapi/random | grep -v '^=== '; }
random-all() {
	go test -count=1 -timeout 240m -v ./test/fakeapi/random -args -packages 2000 | grep -v '^=== '
	for seed in {1..30}; do
		go test -count=1 -timeout 30m -run MigrationRandom ./test/conformance -args -switch "$seed" -packages 60
	done
}
# Runs the example's programs against an API server.
programs() { go test -vet=off -timeout 30m ./examples/crontab-controller/... ./examples/certificates ./examples/podcache; }
programs-all() { go test -timeout 30m -run '^TestMutants$' ./examples/crontab-controller -args -mutants; }
# Runs generated code against an API server, and compares fakeapi with the API server. Also runs what imports an API
# server's libraries, so that no other step compiles these with the race detector. The step race runs the same code
# on fakes. GOFLAGS=-race hack/test.sh programs e2e detects races here, too, but compiles the API server once more. Most
# tests wait for a server most of the time.
e2e() { go test -vet=off -count=1 -timeout 30m -parallel 6 -skip "$(others '^TestSizes$/^v1$' '^TestSizes$/^v2$' '^TestSizes$/^v3$')|$(others \
	'^TestLostUpdates$' '^TestRandom(Operations|Requests)$' '^TestRandomConversions$' '^TestVersionsLoseNothing$')" ./test/e2e/... ./fakeapi/crdvalidation/... ./test/fakeapi/crdvalidation/... ./test/fakeapi/controllerruntime; }
# Compares decisions about random roles with the API server's authorizer, and warnings about roles and webhooks with its
# validation, in a module that requires k8s.io/kubernetes. TestBehaviours compares some roles.
authorizer() { (cd test/authorizer && GOWORK=off go test -count=1 -timeout 30m ./...); }
# Renders charts with Helm, in a module that requires it.
charts() { (cd test/charts && GOWORK=off go test -count=1 -timeout 30m ./...); }
# Sends random requests, many more than in e2e, to an API server and to fakeapi, writes objects of all sizes for each
# stored version and 1,000 in random versions, and migrates 10,000 with a program that is killed. Compares kubegen's
# warnings about roles and webhooks with the API server's validation.
e2e-all() {
	go test -count=1 -timeout 120m -v -run '^Test(LostUpdates|Random(Operations|Requests|Conversions)|Sizes)$' ./test/e2e -args -seeds 400 | grep -v '^=== '
	go test -count=1 -timeout 60m -v -run '^TestVersionsLoseNothing$' ./test/e2e -args -sites 1000 | grep -v '^=== '
	go test -count=1 -timeout 30m -v -run '^TestMigrationKilled$' ./test/e2e -args -migrated 10000 | grep -v '^=== '
	(cd test/authorizer && GOWORK=off go test -count=1 -timeout 60m -v ./refusals -args -count 10000 | grep -v '^=== ')
}
# Installs and runs kubegen in projects with the oldest release of client-go, the newest, or the preview, upgrades one,
# or builds the files of a release in two directories, and compares them. Or all of it, with all releases. No other
# requirement of the projects may change.
install() {
	local tested=("${releases[0]}" "${releases[@]: -2}")
	go test -vet=off -timeout 60m -run '^Test(Install|Bump|OwnWrites|Reproducible)$' \
		-skip "$(others "${tested[@]/#/^TestInstall$/^}" '^TestBump$' '^TestOwnWrites$' '^TestReproducible$')" ./hack/release ./test/workflow
}
install-all() {
	go test -timeout 60m -run '^TestReproducible$' ./hack/release
	go test -timeout 60m -run '^Test(Bump|Install|OwnWrites)$' ./test/workflow -args -releases
}
# Compares the output with client-go's own code: of the newest published release, or of all supported releases. The last of
# these is a preview. Some commits run client-go's tests with the output, some those of the CronTab API, and some the others.
releases=($(cd test/conformance/releases && basename -s .mod v*.mod))
conformance() {
	conform "${releases[${#releases[@]} - 2]}" \
		"$(others '^TestClientGo$/^ClientGoTests$' '^TestCronTab$' '^Test(Doctored|FirstDay|Hidden|Queue|Sync)$')"
}
conformance-all() {
	local release
	for release in "${releases[@]}"; do
		conform "$release"
	done
}
conform() {
	local log toolchain
	log=$(mktemp)
	toolchain=$(sed -n 's/^toolchain //p' "test/conformance/releases/$1.mod") # a preview may need a newer one to be type-checked
	env ${toolchain:+"GOTOOLCHAIN=$toolchain"} go test -vet=off -count=1 -timeout 60m -v -skip "Migration|Acceptance|Apidiff|DeepCopy|Conversions|GoPackages|Switches${2:+|$2}" ./test/conformance -release "$1" | tee "$log"
	grep '^conformance ' "$log"
	rm "$log"
}
# Generates code for public APIs, and for inputs that tools may reject, with the classic tools and with kubegen. Imports
# Go packages of some public modules, or of all in a list, and compares the clients with those that modules publish. Runs
# the tests of some modules whose DeepCopy methods it replaces, or of all. migration-all replaces scripts of whole modules.
migration() {
	local skipped=$(others '^TestMigrationHubs$' '^TestMigration(ApplyMarkers|Neighbors|OpenAPIServer)$' '^TestMigration$' '^TestMigrationOpenAPI$' \
		'^Test(Acceptance|MigrationRandom)$' '^Test(DeepCopy|MigrationSchemeBuilder|MigrationDefaults)$' \
		'^Test(Conversions|MigrationConversions|GoPackages)$')
	skipped+="|$(others '^TestAcceptance$/^commands$/^[a-d]' '^TestAcceptance$/^commands$/^[e-g]' '^TestAcceptance$/^commands$/^[h-m]' \
		'^TestAcceptance$/^commands$/^[n-r]' '^TestAcceptance$/^commands$/^[s-z]')"
	go test -vet=off -count=1 -timeout 60m -v -run 'Migration|Acceptance|Apidiff|DeepCopy|Conversions|GoPackages' -skip "$skipped" ./test/conformance \
		-args -defaulted 100 -converted 30 -hub-groups 1 -packages 12
}
migration-all() {
	go test -count=1 -timeout 60m -v -run 'Acceptance|Migration' -skip 'Migration(Defaults|Hubs)$' ./test/conformance | grep -v '^=== '
	go test -count=1 -timeout 60m -v -run '^TestSwitches$' ./test/conformance | grep -v '^=== '
	local release
	for release in "${releases[@]: -4:1}" "${releases[@]: -2}"; do # an older one, the newest, and the preview
		go test -count=1 -timeout 120m -v -run 'GoPackages$' ./test/conformance -release "$release" -args -modules | grep -v '^=== '
	done
	go test -count=1 -timeout 120m -v -run 'GoPackagesClients|DeepCopy|Conversions|MigrationDefaults|MigrationHubs' ./test/conformance \
		-args -modules -defaulted 2000 -converted 600 -hub-groups 20 | grep -v '^=== '
}
# Builds the files of a release twice, the second time with an empty build cache, and compares them.
release-all() { go test -count=1 -timeout 30m ./hack/release -args -empty-cache; }

# Reports known vulnerabilities that code calls: in the commands, with the versions of go.mod, and in the code that users
# import or copy, with the newest versions.
vulnerabilities() {
	GOWORK=off go tool -modfile=hack/tools/go.mod govulncheck ./...
	go tool govulncheck "${published[@]}" ./examples/crontab-types/... ./examples/crontab-controller/...
}
# Runs all fuzz targets, each for FUZZTIME.
fuzz() {
	local file target
	git grep -o '^func Fuzz[A-Za-z]*' -- '*_test.go' | while IFS=: read -r file target; do
		go test -run '^$' -fuzz "^${target#func }\$" -fuzztime "${FUZZTIME:-5m}" "./$(dirname "$file")" </dev/null
	done
}

# run executes a step, prints a heartbeat every 30 s, and adds a line to the table. The first time, most of the time is
# compilation.
run() {
	local status=0 used=$work/$1
	SECONDS=0
	echo "=== $1"
	(while sleep 30 &>/dev/null; do echo "    $1: ${SECONDS} s"; done) &
	local clock=$!
	(trap 'times >"$used"' EXIT; "$1") & # not in a condition, in which a function continues after errors
	wait $! || status=$?
	kill "$clock"
	wait "$clock" 2>/dev/null || true
	if ((status)); then
		echo "=== $1 failed after ${SECONDS} s" >&2
		exit "$status"
	fi
	echo "=== $1 passed in ${SECONDS} s"
	awk -v step="$1" -v seconds="$SECONDS" '
		{ gsub(/[ms]/, " "); cpu += $1 * 60 + $2 + $3 * 60 + $4 }
		END { printf "%-16s %8d %8d\n", step, seconds, cpu }' "$used" >>"$table"
}
work=$(mktemp -d)
waiting= # the process of the steps beside the others
trap '[ -z "$waiting" ] || kill -- "-$waiting" || true; wait; [ ! -e "$work/log" ] || cat "$work/log"; rm -r "$work"' EXIT
set -m # steps get process groups of their own, which Ctrl-C does not reach
trap 'trap - EXIT INT TERM; kill -- $(jobs -p | sed s/^/-/); wait; rm -r "$work"; exit 130' INT TERM
table=$work/table # a line for each step
printf '%-16s %8s %8s\n' step seconds CPU >"$table"

modules=($(go list -m -f '{{.Dir}}/...'))
published=($(awk '/^\t\.\// && !/\/(examples|hack|test)(\/|$)/ { print $1 "/..." }' go.work)) # beside the commands
case "$*" in
"") steps=("${basic[@]}") ;;
all) steps=("${basic[@]}" "${rest[@]}") ;;
rest) steps=("${rest[@]}") ;;
*) steps=("$@") ;;
esac
for step in "${steps[@]}"; do
	if [ "$(type -t "$step")" != function ]; then
		echo "$0: no step $step; there are all, rest, quick, ${basic[*]}, ${rest[*]}, authorizer, charts, conformance-all, crds-all, e2e-all, golden-all, install-all, lint-all, long-all, migration-all, mutation, mutation-all, programs-all, race-all, random-all, release-all, fuzz, vulnerabilities" >&2
		exit 2
	fi
done
# Two steps run at a time, since most use one processor for a part of their time, or wait for servers: these one after
# another beside the others, which take as long together. What these say is printed at the end.
front=() beside=()
for step in "${steps[@]}"; do
	case $step in
	golden | examples | e2e | crds | programs | random | charts | roundtrip) beside+=("$step") ;;
	*) front+=("$step") ;;
	esac
done
if ((${#front[@]} == 0)); then
	front=("${beside[@]}") beside=()
fi
if ((${#beside[@]})); then
	for step in "${beside[@]}"; do run "$step"; done &>"$work/log" &
	waiting=$!
fi
for step in "${front[@]}"; do run "$step"; done
status=0
[ -z "$waiting" ] || wait "$waiting" || status=$?
waiting=
cat "$table"
exit "$status"
