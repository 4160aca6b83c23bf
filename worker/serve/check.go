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
	if err := p.Check(); err != nil {
		return nil, invalidOperation("parameters: %v", err)
	}
	switch {
	case p.Files != "":
		return check.Files(ctx, u.files, p)
	case p.Command != "" && u.shell == nil:
		return nil, errNoPrograms
	case p.Command != "":
		return check.Command(ctx, u.shell, p)
	}
	file := (&promptfile.Watch{Home: u.promptFiles}).Inspect(p.PromptFile)
	return protocol.CheckResult{Changed: string(file.State) != p.Seen, Seen: string(file.State), File: &file}, nil
}
