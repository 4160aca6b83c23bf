package users

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Groups allows and disallows group chats.
type Groups struct {
	*Loader
	// Changed is told of each change; nil is told nothing.
	Changed func(c supervisor.Conversation, allowed bool)
}

// Allow lets users speak in a conversation's chat.
func (g Groups) Allow(ctx context.Context, c supervisor.Conversation) error {
	if err := g.Store.Groups.Allow(ctx, sqlite.Group{Channel: c.Channel, Chat: c.Chat}); err != nil {
		return err
	}
	g.changed(c, true)
	return g.Refresh(ctx)
}

// Disallow withdraws an earlier Allow. stays means that the configuration still allows the chat.
func (g Groups) Disallow(ctx context.Context, c supervisor.Conversation) (stays bool, err error) {
	if _, err := g.Store.Groups.Disallow(ctx, sqlite.Group{Channel: c.Channel, Chat: c.Chat}); err != nil {
		return false, err
	}
	g.changed(c, false)
	err = g.Refresh(ctx)
	return g.People.IsGroupAllowed(c.Channel, c.Chat), err
}

func (g Groups) changed(c supervisor.Conversation, allowed bool) {
	if g.Changed != nil {
		g.Changed(c, allowed)
	}
}
