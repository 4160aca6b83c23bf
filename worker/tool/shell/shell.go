// Package shell is the family of tools that run programs: a command, a Python script, and terminals in which programs
// go on from one call to the next. Whatever a program does stays within the walls around it, which Options.Start puts
// up; nothing here reads a command to find out whether it is harmless.
//
// A program gets an environment built from nothing, no descriptor but its first three, and a session of its own. When it
// has ended, what it left running is ended too, also what has left its session. For that this process must be the one
// that orphans come to: pid 1, or a sub-reaper. No other part of it may have children: what is nobody's is ended too.
package shell

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"mews/worker"
	"mews/worker/workspace"
)

// Options are what a Shell is made with. Home is needed, the zero value of everything else will do.
type Options struct {
	Home string   // the workspace's path as programs know it; programs start there
	User string   // USER; "" leaves it out
	Zone string   // TZ, an IANA name; "" leaves it out
	Path string   // PATH; "" is the system's usual folders
	Env  []string // more variables, NAME=VALUE, that the walls ask for
	Temp string   // where outputs and scripts are kept, in a folder of their own; "" is /tmp

	// Start starts a child behind its walls, with cmd.Start in the end; nil is cmd.Start alone. It is called by one
	// goroutine at a time.
	Start func(cmd *exec.Cmd) error
	// QuotaNote says, after a program has run or while one goes on, why nothing more should be written to the workspace; "" is
	// that it may be. It waits no longer than ctx. nil: nobody keeps count.
	QuotaNote func(ctx context.Context) string
	Now       func() time.Time

	Limits Limits
}

// Shell is the family over one workspace. Its methods may be called from any goroutine.
type Shell struct {
	environment *environment
	programs    *programRunner
	terminals   *terminals
}

var errClosed = errors.New("the worker is ending")

// New makes the family over a workspace, which stays the caller's to close after the shell.
func New(ws *workspace.Workspace, o Options) *Shell {
	o = o.withDefaults()
	w := &environment{
		ws: ws, options: o, temp: &tempFolder{parent: o.Temp},
		children: &children{pids: map[int]string{}, start: o.Start},
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Shell{
		environment: w,
		programs:    &programRunner{environment: w, ctx: ctx, cancel: cancel},
		terminals:   &terminals{environment: w, known: map[int]*terminal{}},
	}
}

// Tools are the tools of the family.
func (s *Shell) Tools() []worker.Tool {
	return []worker.Tool{
		define(s.environment, commandSpec, s.programs.command),
		define(s.environment, pythonSpec, s.programs.python),
		define(s.environment, terminalSpec, s.terminals.act),
	}
}

// Close ends everything that runs, waits for it, and removes the outputs that were kept. The error names the terminals
// that were still open. No tool works any more.
func (s *Shell) Close() error {
	s.programs.close()
	return errors.Join(s.terminals.close(), s.environment.temp.remove())
}

// Sweep removes the outputs that shells have left which were killed, those that nobody uses any more. It may be called while
// tools run.
func (s *Shell) Sweep() error { return s.environment.temp.removeAbandoned() }
