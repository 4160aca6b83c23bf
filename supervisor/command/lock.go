package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
)

// Locks are people's gates.
type Locks interface {
	// Guarded says whether a person has a second factor that counts: without one there is no gate to be closed.
	Guarded(ctx context.Context, user string) (bool, error)
	// Close closes the gate in a conversation's chat, CloseAll wherever it is open, which it counts.
	Close(ctx context.Context, c supervisor.Conversation) error
	CloseAll(ctx context.Context, user string) (int64, error)
}

// lock closes the person's gate at once. It is open to whoever writes: to close it harms nobody.
func lock(ctx context.Context, c *Commands, r Request) (string, error) {
	all := strings.EqualFold(r.Arguments, "all")
	if !all && r.Arguments != "" {
		return "", &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
			"There is /lock, which locks this chat, and “/lock all”, which locks all of yours; %s means nothing to it.", quoteName(r.Arguments))}
	}
	guarded, err := c.o.Desk.Locks.Guarded(ctx, r.Conversation.User)
	switch {
	case err != nil:
		return "", fmt.Errorf("find a second factor: %w", err)
	case !guarded:
		return nothingToLockText(c, r.Conversation.User), nil
	case all:
		return lockAll(ctx, c, r)
	}
	if err := c.o.Desk.Locks.Close(ctx, r.Conversation); err != nil {
		return "", fmt.Errorf("close a gate: %w", err)
	}
	c.o.Desk.Audit(r.Conversation.User, "lock", fmt.Sprintf("%s chat %s", r.Conversation.Channel, r.Conversation.Chat))
	return "Locked here. What you send waits until you have sent a code." + stillRunningText, nil
}

const stillRunningText = " An answer that is being given goes on; /stop ends it."

func lockAll(ctx context.Context, c *Commands, r Request) (string, error) {
	n, err := c.o.Desk.Locks.CloseAll(ctx, r.Conversation.User)
	if err != nil {
		return "", fmt.Errorf("close all gates: %w", err)
	}
	c.o.Desk.Audit(r.Conversation.User, "lock", fmt.Sprintf("everywhere: %d chats", n))
	return "Locked here and in every other chat of yours. What you send waits until you have sent a code." + stillRunningText, nil
}

// nothingToLockText is what somebody is told who has nothing to lock with.
func nothingToLockText(c *Commands, user string) string {
	if u, _ := c.o.People.Find(user); u.Codes == supervisor.CodesOff {
		return "There is nothing to lock: the configuration has no second factor for you (totp: off). An admin can change that."
	}
	return fmt.Sprintf("There is nothing to lock: you have no second factor. `mews totp enroll %s`, on the machine that Mews runs "+
		"on, gives you one; if you have no account there, ask an admin for it.", user)
}
