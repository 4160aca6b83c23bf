package sqlite

import (
	"context"

	"mews/supervisor"
)

// Locks closes users' gates.
type Locks struct{ Access }

// HasFactor reports whether a user has a confirmed second factor.
func (l Locks) HasFactor(ctx context.Context, user string) (bool, error) {
	f, known, err := l.Factors.Find(ctx, user)
	return known && f.Confirmed, err
}

// Close closes the gate in a conversation's chat.
func (l Locks) Close(ctx context.Context, c supervisor.Conversation) error {
	return l.Logins.Close(ctx, c.User, c.Channel, c.Chat)
}

// CloseAll closes a user's gates in all chats, and returns the number of open gates.
func (l Locks) CloseAll(ctx context.Context, user string) (int64, error) {
	return l.Logins.CloseAll(ctx, user)
}
