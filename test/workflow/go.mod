module github.com/kubegen/kubegen/test/workflow

go 1.26.0

require github.com/rogpeppe/go-internal v1.16.0

require golang.org/x/mod v0.42.0

require (
	github.com/kubegen/kubegen v0.0.0
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.52.0
)

replace github.com/kubegen/kubegen => ../..
