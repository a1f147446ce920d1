module github.com/kubegen/kubegen/test/conformance

go 1.26.0

require (
	go.yaml.in/yaml/v2 v2.4.4
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba
	golang.org/x/tools v0.52.0
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2
)

require (
	github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc // indirect
	github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2 // indirect
	sigs.k8s.io/randfill v1.0.0 // indirect
)

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/kubegen/kubegen v0.0.0
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.3-0.20250322232337-35a7c28c31ee // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/kubegen/kubegen => ../..

replace github.com/kubegen/kubegen/examples/crontab-types => ../../examples/crontab-types

replace github.com/kubegen/kubegen/fakeapi => ../../fakeapi
