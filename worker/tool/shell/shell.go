// Package shell is the family of tools that run programs: a command, a Python script, and terminals
// in which programs continue from one call to the next. Only the walls keep a program from doing
// harm. No code here reads a command to find out whether it is harmless.
//
// A program gets a new environment, only descriptors 0 to 2, and its own session. When it has
// ended, the processes that it left running are ended too.
package shell

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/filehistory"
	"mews/worker/program"
	"mews/worker/workspace"
)

// Options of a Shell. Only Home is required.
type Options struct {
	Home string   // path of the workspace for programs, and the folder in which they start
	User string   // variable USER; "" means no such variable
	Zone string   // variable TZ, an IANA name; "" means no such variable
	Path string   // variable PATH; "" means the system's usual folders
	Env  []string // more variables, NAME=VALUE, that the walls need
	Temp string   // parent folder for outputs and scripts; "" means /tmp

	// History is the file history of Home, if Home is a user's home. It keeps the files from before
	// each program. nil means that none is kept. The caller closes it after the shell.
	History *filehistory.History

	Programs *program.Children // starter of programs behind their walls
	// QuotaNote is called after each call. It explains why the workspace is full; "" means that
	// there is room. It waits no longer than ctx. nil means that there is no quota.
	QuotaNote func(ctx context.Context) string
	Now       func() time.Time

	limits *limits // bounds of the tools; nil means defaultLimits
}

// Shell is the family over one workspace. Its methods may be called from any goroutine.
type Shell struct {
	*environment
	programs  *programRunner
	terminals *terminals
}

var errClosed = errors.New("the worker is ending")

// New makes the family over a workspace. The caller closes the workspace after the shell.
func New(ws *workspace.Workspace, o Options) *Shell {
	o = o.withDefaults()
	e := &environment{
		Environment: program.Environment{Home: o.Home, User: o.User, Zone: o.Zone, Path: o.Path, Env: o.Env},
		ws:          ws, options: o, temp: &tempFolder{parent: o.Temp},
	}
	if home, err := filepath.Abs(o.Home); err == nil {
		e.Home = home
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	terminals := &terminals{environment: e, known: map[int]*terminal{}}
	return &Shell{
		environment: e,
		programs:    &programRunner{environment: e, terminals: terminals, ctx: ctx, cancel: cancel},
		terminals:   terminals,
	}
}

// Tools returns the tools of the family.
func (s *Shell) Tools() []worker.Tool {
	return []worker.Tool{
		define(s.environment, commandSpec, s.programs.command),
		define(s.environment, pythonSpec, s.programs.python),
		define(s.environment, terminalSpec, s.terminals.act),
	}
}

// EndTurnPrograms ends the programs of a stopped turn, and waits for their end.
func (s *Shell) EndTurnPrograms(turn int64) { s.terminals.endTurn(turn) }

// DescribeTerminals names the terminals that run a program, in one line; "" means none. Of a
// command that a model wrote, the line has only the program's name, because it goes into the system
// text.
func (s *Shell) DescribeTerminals() string {
	var names []string
	for _, t := range s.terminals.running() {
		program, _, _ := strings.Cut(t.title, " ")
		names = append(names, fmt.Sprintf("terminal %d (%s)", t.id, programName.FindString(program)))
	}
	return strings.Join(names, ", ")
}

// programName matches the end of a program's path that contains only harmless characters.
var programName = regexp.MustCompile(`[A-Za-z0-9._+-]{1,20}$`)

// ListTerminals lists the terminals whose programs run.
func (s *Shell) ListTerminals() (list []protocol.Terminal) {
	for _, t := range s.terminals.running() {
		list = append(list, protocol.Terminal{ID: t.id, Program: t.title, Turn: t.turn, Seconds: int64(s.options.Now().Sub(t.opened).Seconds())})
	}
	return list
}

// Close ends everything that runs, waits for it, and removes the kept outputs. Afterwards no tool
// works. The error names the terminals that were still open.
func (s *Shell) Close() error {
	s.programs.close()
	return errors.Join(s.terminals.close(), s.temp.remove())
}

// RemoveAbandonedOutputs removes unused outputs that killed workers have left. It may be called
// while tools run.
func (s *Shell) RemoveAbandonedOutputs() error { return s.temp.removeAbandoned() }
