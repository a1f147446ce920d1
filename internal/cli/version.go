package cli

import (
	"context"
	"fmt"
	"runtime/debug"
)

var versionCommand = subcommand{
	name: "version", short: "Print the version, as --version does.",
	run: func(_ context.Context, in *invocation, _ []string) int {
		in.printVersion(in.tool)
		return exitDone
	},
}

func (in *invocation) printVersion(tool Tool) {
	fmt.Fprintf(in.stdout, "%s %s\n", tool.Name, version())
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
