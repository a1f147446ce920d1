steps = quick rest unit golden golden-all examples verify lint lint-all race race-all long long-all mutation mutation-all roundtrip crds crds-all random random-all programs programs-all e2e e2e-all authorizer charts install install-all conformance conformance-all migration migration-all release-all fuzz vulnerabilities
.PHONY: demo demo-server generate test test-all $(steps) next bench e2e-load

demo: ## a controller at work on an API server in memory, until Ctrl-C; DEMO='--for 20s' ends it
	@echo 'Compiling the demo: about two minutes on two cores the first time, seconds from then on.'
	@cd examples/crontab-controller && go build -v -ldflags='-s -w' -o ../../bin/demo ./demo && exec ../../bin/demo $(DEMO)

demo-server: ## the same on a real API server
	@echo 'Compiling the demo, and then an API server for it: many minutes the first time, seconds from then on.'
	@cd examples/crontab-controller && go build -v -o ../../bin/demo-server ./demo/server && exec ../../bin/demo-server $(DEMO)

generate: ## generate everything that is committed
	go test ./templates -run Derived -update
	cd examples/crontab-types && go generate .
	cd examples/crontab-controller && go generate .
	cd examples/certificates && go generate .
	cd examples/podcache && go generate .
	cd test/e2e && go generate .

test: ## that kubegen works, in minutes
	hack/test.sh

test-all: ## everything that CI runs
	hack/test.sh all

$(steps): ## one step of it
	hack/test.sh $@

next: ## what changes with new versions of client-go and controller-gen; NEXT='-facts' builds nothing, NEXT=-help lists more
	cd test && go run ./next $(NEXT)

bench: ## time kubegen against the generators that it replaces; BENCH=-chart draws the chart of the README
	cd test/bench && go run . $(BENCH)

e2e-load: ## run a controller with 10,000 objects on kubegen's code and on that of the generators that it replaces
	cd test/e2e && go run ./load
