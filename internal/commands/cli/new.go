package cli

import (
	"context"

	"github.com/kubegen/kubegen/internal/commands/project"
)

var newCommand = Command{
	Name: "new", of: "kubegen", usage: "kubegen new KIND[.VERSION[.GROUP]]",
	short: "Write the Go types and a sample of a new kind.", maxArgs: 1,
	about: `The types have a spec, a status, a list, and markers for the client, the group
and the status subresource. They go into the package of the group and version,
such as apis/stable/v1, which may exist. Without VERSION, that is v1; without
GROUP, the group of the module's other kinds or, if it has none, a group named
after the module. The sample is an object in config/samples.

  kubegen new CronTab
  kubegen new CronTab.v1beta1.stable.example.com

`,
	run: func(ctx context.Context, in *invocation) int {
		if len(in.args) == 0 {
			return in.misused("text", "new needs the name of a kind, such as CronTab", "see kubegen new --help")
		}
		kind, err := project.ParseKind(in.args[0])
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen new --help")
		}
		p, err := project.Survey(in.env)
		if err != nil {
			return in.misused("text", err.Error(), "see kubegen new --help")
		}
		files, err := p.NewKind(kind)
		if err != nil {
			return in.failed(err)
		}
		return in.writeNew(ctx, files, func() string { return p.NextForKind(version()) })
	},
}
