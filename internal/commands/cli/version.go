package cli

import (
	"context"
	"fmt"
	"runtime/debug"
)

var versionCommand = Command{
	Name: "version", of: "kubegen", usage: "kubegen version",
	short: "Print the version, as --version does.",
	run: func(_ context.Context, in *invocation) int {
		in.printVersion()
		return exitDone
	},
}

func (in *invocation) printVersion() {
	fmt.Fprintf(in.stdout, "%s %s\n", in.command.program(), version())
}

// version returns the version of kubegen's module in the build information.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	const module = "github.com/kubegen/kubegen"
	if info.Main.Path != module {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return dep.Version
			}
		}
	}
	return info.Main.Version
}
