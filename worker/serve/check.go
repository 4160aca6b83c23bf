package serve

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/worker/check"
	"mews/worker/host"
	"mews/worker/promptfile"
)

var errNoPrograms = errors.New("this worker runs no programs")

// runCheck checks files, a command or a prompt file of the home, or reads a page.
func runCheck(ctx context.Context, u *userTools, h *host.Operation, p protocol.CheckParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	switch {
	case p.Files != "":
		return check.CompareFiles(ctx, u.files, p)
	case p.Command != "" && u.shell == nil:
		return nil, errNoPrograms
	case p.Command != "":
		return runCheckCommand(ctx, u, h, p)
	case p.Page != nil && u.programs == nil:
		return nil, errNoPrograms
	case p.Page != nil:
		return check.ReadPage(ctx, u.programs, *p.Page)
	}
	file := (&promptfile.Watcher{Home: u.promptFiles}).InspectFile(p.PromptFile)
	return protocol.CheckResult{Changed: string(file.State) != p.Seen, Seen: string(file.State), File: &file}, nil
}

// runCheckCommand runs the command of a check. It reports the prompt files before and after.
// Changes before the command are the user's own, and changes during the command wait for the user.
// Without the second report, the supervisor assumes that the command still runs.
func runCheckCommand(ctx context.Context, u *userTools, h *host.Operation,
	p protocol.CheckParameters) (protocol.CheckResult, error) {
	watch := &promptfile.Watcher{Home: u.promptFiles, Turn: h, Notes: u.memory.DailyNotePaths(u.options.Now()),
		Programs: u.runPrograms}
	if err := watch.ReportChanges(ctx); err != nil { // without an earlier report, this call always reports
		return protocol.CheckResult{}, err
	}
	result, err := check.RunCommand(ctx, u.shell, p)
	if ctx.Err() == nil { // a cancelled operation makes no calls
		if err := watch.ReportAtTurnEnd(ctx, false); err != nil {
			u.options.Report(err)
		}
	}
	return result, err
}
