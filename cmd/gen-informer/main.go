// Command gen-informer generates informers, with the flags of informer-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenInformer, os.Args[1:], os.Stdout, os.Stderr))
}
