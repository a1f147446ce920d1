package cli

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"time"

	"github.com/spf13/pflag"

	"github.com/kubegen/kubegen/internal/facts"
	"github.com/kubegen/kubegen/internal/plan"
	"github.com/kubegen/kubegen/internal/run"
	"github.com/kubegen/kubegen/internal/source/load"
)

// invocation is a running command, with the values of its flags.
type invocation struct {
	*options
	program, command Command
	env              load.Environment
	stdout, stderr   *stream

	args    []string       // the arguments without flags
	flags   *pflag.FlagSet // nil until they are parsed
	timings timings
}

// main runs the command that the arguments name.
func (in *invocation) main(ctx context.Context, args []string) (code int) {
	defer func() {
		if bug := recover(); bug != nil {
			in.command = in.program
			code = in.misused(formatIn(args), fmt.Sprintf("internal error: %v", bug), "please report this with the input")
		}
	}()
	if len(args) > 0 {
		if c, ok := in.program.command(args[0]); ok {
			in.command, args = c, args[1:]
		}
	}
	return in.start(ctx, args)
}

// start parses the flags of the command, and runs it.
func (in *invocation) start(ctx context.Context, args []string) int {
	c := in.command
	in.options, in.flags = c.flags.flagSet()
	if in.flags.Lookup("v") != nil {
		args = withOptional(args, in.env, c.Name == "import")
	}
	switch err := in.flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		for _, word := range args {
			if sub, ok := c.command(word); ok { // kubegen --help list
				sub.help(in.stdout)
				return exitDone
			}
		}
		c.help(in.stdout)
		return exitDone
	case err != nil:
		return in.misused(formatIn(args), err.Error(), in.advice(err, args))
	case in.version:
		in.printVersion()
		return exitDone
	case c.maxArgs >= 0 && in.flags.NArg() > c.maxArgs:
		return in.misused("text", c.Name+" takes "+[...]string{"no arguments", "one argument at most"}[c.maxArgs], in.seeHelp())
	}
	in.args, in.Patterns = in.flags.Args(), in.flags.Args()
	return c.run(ctx, in)
}

// generate reads packages and generates in memory what the flags ask for, as far as the purpose requires it. If there
// are errors, it prints them and returns nil and the exit code.
func (in *invocation) generate(ctx context.Context, command plan.Command, purpose facts.Purpose) (*result, int) {
	in.timings.begun = time.Now()
	requests, sources, diags := in.resolve(command)
	in.flags.Visit(func(f *pflag.Flag) {
		if isInFile(f) && in.script == "" {
			diags.Notef(token.Position{}, "--%s is a setting of %s, and this flag will be removed", f.Name, plan.ConfigName).
				Suggest("write it there")
		}
	})
	if diags.HasErrors() { // such as a missing module, which may hide a misspelled command
		for _, word := range in.Patterns {
			if hint := in.meant(word); hint != "" {
				diags.Errorf(token.Position{}, "%s is not a package", word).Suggest("%s", hint)
			}
		}
	}
	in.tell(diags)
	if diags.HasErrors() {
		return nil, exitError
	}
	r := &run.Run{
		Env: in.env, Ended: in.timings.ended, Purpose: purpose, Meant: in.meant, Offline: purpose != facts.ToGenerate || in.verify,
		Sources: sources,
	}
	narrowed, diags := in.narrow(ctx, r, requests)
	if ctx.Err() != nil {
		return nil, in.fail(ctx.Err())
	}
	if diags.HasErrors() {
		return nil, in.refuse(diags, nil)
	}
	if len(narrowed) == 0 { // no output reads the packages, and a run may be empty
		return nil, exitDone
	}
	outputs, diags, err := r.Prepare(ctx, narrowed)
	if ctx.Err() != nil {
		return nil, in.fail(ctx.Err())
	}
	if diags.HasErrors() {
		return nil, in.refuse(diags, err)
	}
	found := &result{outputs: outputs, sources: sources, diags: diags, err: err}
	for _, o := range outputs {
		found.jobs, found.trees = append(found.jobs, o.Jobs...), append(found.trees, o.Trees...)
	}
	return found, exitDone
}
