package command

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/approval"
)

// Desk is what people see to by themselves: what they are asked, what they allow, who is let in, what they have set.
type Desk struct {
	Questions Questions
	Cleanings Cleanings
	Approver  Approver
	Locks     Locks
	Invites   Invites
	Groups    Groups
	Grants    Grants
	Settings  Settings
	Audit     func(user, action, detail string) // never blocks
}

// Approver decides whether an effect may leave the walls.
type Approver interface {
	// Allow returns nil where it may, and else an error for the person. It may ask them, and wait for their answer.
	Allow(ctx context.Context, r approval.Request) error
}

// allow has an effect approved. What waits behind the command in its conversation does not wait for a person who is asked.
func (c *Commands) allow(ctx context.Context, r Request, effect, text string, arguments ...string) error {
	wait := time.AfterFunc(askGrace, r.unblock)
	defer wait.Stop()
	return c.o.Desk.Approver.Allow(ctx, approval.Request{
		User: r.Conversation.User, Conversation: r.Conversation, Inbound: r.Inbound, Effect: effect, Arguments: arguments, Text: text,
	})
}

// admin says whether a person may see to the service.
func (o Options) admin(user string) bool {
	u, known := o.People.Find(user)
	return known && u.Role == supervisor.RoleAdmin
}
