// Command kubegen generates clientset, fake, scheme, listers, informers and apply configurations in one pass.
package main

import (
	"os"

	"github.com/kubegen/kubegen/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.Kubegen, os.Args[1:], os.Stdout, os.Stderr))
}
