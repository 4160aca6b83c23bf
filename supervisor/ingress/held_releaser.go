package ingress

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// HeldMessageReleaser releases held messages of users who no longer need a code. These users were
// told that their messages are kept and will be answered. No code will come to open the gate.
type HeldMessageReleaser struct {
	Gate     *access.Gate
	Inbox    sqlite.Inbox
	Serves   func(supervisor.Conversation) bool
	Accepted func(supervisor.Inbound) // called for each released message
	Log      hclog.Logger
}

// ReleaseMessages releases the held messages. Call it at the service's start, and when users were
// read again. If a lookup fails, a message stays held until the next call.
func (r *HeldMessageReleaser) ReleaseMessages(ctx context.Context) {
	holding, err := r.Inbox.ListUsersWithHeldInbounds(ctx)
	if err != nil {
		r.logFailure(ctx, "", err)
	}
	for _, user := range holding {
		if err := r.releaseUser(ctx, user); err != nil {
			r.logFailure(ctx, user, err)
		}
	}
}

func (r *HeldMessageReleaser) releaseUser(ctx context.Context, user string) error {
	needsCode, err := r.Gate.NeedsCode(ctx, user)
	if err != nil || needsCode {
		return err
	}
	released, err := r.Inbox.ReleaseHeldInbounds(ctx, user, r.Serves)
	if err != nil {
		return err
	}
	for _, in := range released {
		r.Accepted(in)
	}
	return nil
}

func (r *HeldMessageReleaser) logFailure(ctx context.Context, user string, err error) {
	if ctx.Err() == nil {
		r.Log.Warn("let in what is held of somebody who is asked for no code any more; the next reload or start tries again",
			"user", user, "error", err)
	}
}
