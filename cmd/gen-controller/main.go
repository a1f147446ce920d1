// Command gen-controller generates DeepCopy methods, apply configurations and manifests, with the options and flags of
// controller-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenController, os.Args[1:], os.Stdout, os.Stderr))
}
