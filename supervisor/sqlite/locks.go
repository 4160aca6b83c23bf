package sqlite

import (
	"context"

	"mews/supervisor"
)

// Locks are people's gates.
type Locks struct{ Access }

// Guarded says whether a person has a second factor that counts.
func (l Locks) Guarded(ctx context.Context, user string) (bool, error) {
	f, known, err := l.Factors.Find(ctx, user)
	return known && f.Confirmed, err
}

// Close closes the gate in a conversation's chat.
func (l Locks) Close(ctx context.Context, c supervisor.Conversation) error {
	return l.Logins.Close(ctx, c.User, c.Channel, c.Chat)
}

// CloseAll closes a person's gate in all chats, and counts those where it was open.
func (l Locks) CloseAll(ctx context.Context, user string) (int64, error) {
	return l.Logins.CloseAll(ctx, user)
}
