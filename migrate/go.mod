module github.com/kubegen/kubegen/migrate

go 1.24.0

require (
	github.com/kubegen/kubegen v0.0.0
	github.com/spf13/pflag v1.0.5
	golang.org/x/tools v0.31.0
	mvdan.cc/sh/v3 v3.12.0
)

require (
	github.com/gogo/protobuf v1.3.2 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	go.yaml.in/yaml/v3 v3.0.3 // indirect
	golang.org/x/mod v0.24.0 // indirect
	golang.org/x/sync v0.12.0 // indirect
	k8s.io/apimachinery v0.33.0 // indirect
	k8s.io/gengo/v2 v2.0.0-20240826214909-a7b603a56eb7 // indirect
)
