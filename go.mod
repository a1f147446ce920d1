module github.com/kubegen/kubegen

go 1.24.0

require (
	github.com/spf13/pflag v1.0.5
	go.yaml.in/yaml/v2 v2.4.2
	go.yaml.in/yaml/v3 v3.0.3
	golang.org/x/mod v0.21.0
	golang.org/x/tools v0.26.0
	k8s.io/apimachinery v0.33.0
	k8s.io/gengo/v2 v2.0.0-20240826214909-a7b603a56eb7
)

require (
	github.com/gogo/protobuf v1.3.2 // indirect
	golang.org/x/sync v0.8.0 // indirect
)
