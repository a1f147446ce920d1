// Command gen-clientset generates clientsets, with the flags of client-gen.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/commands/cli"
)

func main() {
	os.Exit(cli.Main(cli.GenClientset, os.Args[1:], os.Stdout, os.Stderr))
}
