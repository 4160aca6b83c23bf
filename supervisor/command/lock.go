package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// Gates closes the gates of users.
type Gates interface {
	// HasFactor reports whether a user has a second factor. A user without a factor has no gate.
	HasFactor(ctx context.Context, user string) (bool, error)
	// CloseGate closes the gate in the chat of a conversation. CloseUserGates closes a user's gates
	// in all chats, and returns how many of them were open.
	CloseGate(ctx context.Context, c supervisor.Conversation) error
	CloseUserGates(ctx context.Context, user string) (int64, error)
}

// lockAll is the argument of /lock that closes the user's gates in all chats.
const lockAll = "all"

var lockRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "lock", Help: "lock this chat at once; /lock all locks all of yours",
		Urgent: true, OpenWhileLocked: true, Locks: map[string]supervisor.GateLock{"": supervisor.LockChatGate,
			lockAll: supervisor.LockAllGates}},
		group: feature.HelpGroupChat, run: textAnswer(lock)},
}

// lock closes the user's gate at once. Any user may close their own gate.
func lock(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	all := strings.EqualFold(r.Arguments, lockAll)
	if !all && r.Arguments != "" {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textLockUsage, markdown.EscapeName(r.Arguments))
	}
	guarded, err := c.o.Locks.HasFactor(ctx, r.Conversation.User)
	if err != nil {
		return "", fmt.Errorf("find a second factor: %w", err)
	}
	if !guarded {
		return nothingToLockText(c, r.Conversation.User), nil
	}
	if all {
		n, err := c.o.Locks.CloseUserGates(ctx, r.Conversation.User)
		if err != nil {
			return "", fmt.Errorf("close all gates: %w", err)
		}
		c.o.Audit(r.Conversation.User, "lock", fmt.Sprintf("everywhere: %d chats", n))
		return textLockedAll, nil
	}
	if err := c.o.Locks.CloseGate(ctx, r.Conversation); err != nil {
		return "", fmt.Errorf("close a gate: %w", err)
	}
	c.o.Audit(r.Conversation.User, "lock", fmt.Sprintf("%s chat %s", r.Conversation.Channel, r.Conversation.Chat))
	return textLockedHere, nil
}

// nothingToLockText tells a user that they have no second factor.
func nothingToLockText(c *Commands, user string) string {
	if u, _ := c.o.People.Find(user); u.Codes == supervisor.TOTPOff {
		return textNoFactorConfigured
	}
	return fmt.Sprintf(textNoFactor, user)
}
