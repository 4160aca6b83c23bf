package app

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// usher lets in what closed gates hold of people who are asked for no code any more. They were told that it is kept and
// answered, and no code comes by which it would be.
type usher struct {
	gate   *access.Gate
	inbox  sqlite.Inbox
	serves func(supervisor.Conversation) bool
	accept func(supervisor.Inbound) // what is let in goes on from there
	log    hclog.Logger
}

// look is to be called whenever people are read anew, and at the service's start. What can't be looked up stays held until it
// is called again.
func (u *usher) look(ctx context.Context) {
	holding, err := u.inbox.Holding(ctx)
	if err != nil {
		u.failed(ctx, "", err)
	}
	for _, user := range holding {
		if err := u.letIn(ctx, user); err != nil {
			u.failed(ctx, user, err)
		}
	}
}

func (u *usher) letIn(ctx context.Context, user string) error {
	asks, err := u.gate.NeedsCode(ctx, user)
	if err != nil || asks {
		return err
	}
	let, err := u.inbox.LetIn(ctx, user, u.serves)
	if err != nil {
		return err
	}
	for _, in := range let {
		u.accept(in)
	}
	return nil
}

func (u *usher) failed(ctx context.Context, user string, err error) {
	if ctx.Err() == nil {
		u.log.Warn("let in what is held of somebody who is asked for no code any more; the next reload or start tries again",
			"user", user, "error", err)
	}
}
