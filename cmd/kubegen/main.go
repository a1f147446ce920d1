// Command kubegen generates a clientset with its fake and scheme, listers, informers, apply configurations, DeepCopy
// methods and registration code for Kubernetes API types.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.Kubegen, os.Args[1:], os.Stdout, os.Stderr))
}
