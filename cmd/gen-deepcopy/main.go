// Command gen-deepcopy generates DeepCopy methods, with the flags of deepcopy-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenDeepCopy, os.Args[1:], os.Stdout, os.Stderr))
}
