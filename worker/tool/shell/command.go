package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
)

var commandSpec = worker.ToolSpec{
	Name:        "run_command",
	Effect:      protocol.EffectOnce, // a second run of a program may have other effects
	Description: "Run a bash command in the folder. What it leaves running is ended; use terminal for what must go on.",
	Arguments: []worker.Argument{
		{Name: "command", Type: worker.StringArgument, Required: true},
		{Name: "dir", Type: worker.StringArgument},
		{Name: "timeout", Type: worker.IntegerArgument, Description: "seconds, default 120, at most 600"},
	},
}

type commandArgs struct {
	Command string `json:"command"`
	Dir     string `json:"dir"`
	Timeout int    `json:"timeout"`
}

// maxCommand is below Linux's limit on one argument of a program (MAX_ARG_STRLEN, 128 KiB).
const maxCommand = 120 << 10

func (r *programRunner) command(ctx context.Context, call worker.Call, args commandArgs) (worker.Result, error) {
	if err := checkCommand(args.Command); err != nil {
		return worker.Result{}, err
	}
	timeout, err := r.timeout(args.Timeout)
	if err != nil {
		return worker.Result{}, err
	}
	dir, err := r.folder(args.Dir)
	if err != nil {
		return worker.Result{}, err
	}
	shell, err := r.shell()
	if err != nil {
		return worker.Result{}, err
	}
	cmd := r.newCommand(dir, r.variables("TERM=dumb"), shell, "-c", args.Command)
	var o runOutcome
	found, err := r.recordProgram(ctx, programAuthor(call.Turn, args.Command), func() (err error) {
		o, err = r.run(ctx, programRun{cmd: cmd, timeout: timeout, progress: call.Progress})
		return err
	})
	if err != nil {
		return found.stopped(args.Command), err
	}
	return worker.Result{Text: o.head() + found.kept.head() + o.output.text, Brief: o.brief(),
		Changes: append([]protocol.Change{found.kept.complete(o.change(args.Command))}, found.ledger()...)}, nil
}

// checkCommand refuses a command that no shell can take.
func checkCommand(command string) error {
	switch {
	case strings.TrimSpace(command) == "":
		return errors.New("the command is empty")
	case strings.ContainsRune(command, 0):
		return errors.New("the command holds a NUL byte")
	case len(command) > maxCommand:
		return fmt.Errorf("the command has %s, and at most %s can be run; write it to a file and run that",
			amount.FormatBytes(int64(len(command))), amount.FormatBytes(maxCommand))
	}
	return nil
}

// timeout returns the time limit of a program, given the requested seconds; 0 means the default.
func (r *programRunner) timeout(seconds int) (time.Duration, error) {
	limits := r.options.limits
	switch most := int(limits.maxTimeout / time.Second); {
	case seconds < 0 || seconds > most:
		return 0, fmt.Errorf("timeout %d: want 1 to %d seconds; use terminal for what takes longer", seconds, most)
	case seconds == 0:
		return limits.timeout, nil
	}
	return time.Duration(seconds) * time.Second, nil
}
