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

// runCheck checks files, a command or a prompt file of the home.
func runCheck(ctx context.Context, u *userTools, _ *host.Operation, p protocol.CheckParameters) (any, error) {
	if err := p.Validate(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	switch {
	case p.Files != "":
		return check.CompareFiles(ctx, u.files, p)
	case p.Command != "" && u.shell == nil:
		return nil, errNoPrograms
	case p.Command != "":
		return check.RunCommand(ctx, u.shell, p)
	}
	file := (&promptfile.Watcher{Home: u.promptFiles}).InspectFile(p.PromptFile)
	return protocol.CheckResult{Changed: string(file.State) != p.Seen, Seen: string(file.State), File: &file}, nil
}
