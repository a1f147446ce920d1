module github.com/kubegen/kubegen/test/mutation

go 1.26.0
