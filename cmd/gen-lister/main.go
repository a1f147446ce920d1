// Command gen-lister generates listers, with the flags of lister-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenLister, os.Args[1:], os.Stdout, os.Stderr))
}
