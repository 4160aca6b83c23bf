package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mews/protocol"
	"mews/worker/program"
)

// RunCheckCommand runs a command in the home and writes its output to out. No model asked for the
// command. ok means that it exited with 0. If the command cannot be started, or takes longer than
// protocol.MaxCheckSeconds, RunCheckCommand returns an error. No process of the command is left.
func (s *Shell) RunCheckCommand(ctx context.Context, command string, out io.Writer) (ok bool, err error) {
	if err := checkCommand(command); err != nil {
		return false, err
	}
	bash, err := s.shell()
	if err != nil {
		return false, err
	}
	cmd := s.newCommand(s.Home, s.variables("TERM=dumb"), bash, "-c", command)
	limits := s.options.limits
	run := func() error {
		return s.programs.runBounded(ctx, protocol.MaxCheckSeconds*time.Second, func(ctx context.Context) error {
			_, err := s.options.Programs.RunToEnd(ctx, program.RunOptions{Cmd: cmd, Output: out, Grace: limits.grace,
				Linger: limits.linger})
			return err
		})
	}
	if s.options.History != nil {
		// nobody is told of the changes, but the file history has them
		_, err = s.programs.recordProgram(ctx, programAuthor(0, command), run)
	} else {
		err = run()
	}
	switch {
	case errors.Is(err, errTimeout):
		return false, fmt.Errorf("the command took longer than %d s", protocol.MaxCheckSeconds)
	case err != nil:
		return false, err
	}
	return cmd.ProcessState.ExitCode() == 0, nil
}
