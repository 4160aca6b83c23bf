package sqlite

import (
	"context"

	"mews/supervisor"
)

// Gates closes users' gates.
type Gates struct{ UserAccessStores }

// HasFactor reports whether a user has a confirmed second factor.
func (l Gates) HasFactor(ctx context.Context, user string) (bool, error) {
	f, known, err := l.Factors.Find(ctx, user)
	return known && f.Confirmed, err
}

// CloseGate closes the gate in a conversation's chat.
func (l Gates) CloseGate(ctx context.Context, c supervisor.Conversation) error {
	return l.Logins.EndLogin(ctx, c.User, c.Channel, c.Chat)
}

// CloseUserGates closes a user's gates in all chats, and returns the number of open gates.
func (l Gates) CloseUserGates(ctx context.Context, user string) (int64, error) {
	return l.Logins.EndAllLogins(ctx, user)
}
