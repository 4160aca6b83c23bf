package ingress

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// ChatRenames holds the chats that were renamed since the service started. Older copies of a
// conversation may still have the old name. The zero value is ready.
type ChatRenames struct {
	mu sync.Mutex // guards the map in the field to
	to map[string]string
}

// AddRename records that a chat has a new name.
func (r *ChatRenames) AddRename(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		r.to = map[string]string{}
	}
	r.to[from] = to
	delete(r.to, to) // the current name does not count as an old one
}

// CurrentName returns the current name of a chat.
func (r *ChatRenames) CurrentName(chat string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for next, more := r.to[chat]; more; next, more = r.to[chat] {
		chat = next
	}
	return chat
}

// ChatRenamer moves conversations to a chat's new name. Mews learns the new name from an update, or
// when it sends to the old name.
type ChatRenamer struct {
	sqlite.Conversations
	People  *access.People
	Groups  sqlite.AllowedGroups
	Renames *ChatRenames
	Refresh func(context.Context) error                  // loads the users again
	Wake    func(ctx context.Context, chat string) error // wakes the work that waits in a chat
}

// RenameChat stores a chat's new name. It keeps the chat allowed, reads users again and wakes the
// chat's work. If no conversation has the old name, an earlier move may have been interrupted.
// RenameChat then repeats these steps, unless users already have the new name.
func (m ChatRenamer) RenameChat(ctx context.Context, channel supervisor.Channel, from, to string) (int, error) {
	allowed := m.People.IsGroupAllowed(channel, from)
	if allowed { // stored even if the configuration allows the chat, because the configuration has only the old name
		if err := m.Groups.Allow(ctx, sqlite.Group{Channel: channel, Chat: to}); err != nil {
			return 0, err
		}
	}
	m.Renames.AddRename(from, to)
	moved, err := m.Conversations.RenameChat(ctx, channel, from, to)
	// after all other moves, users already have the new name
	if err == nil && (moved > 0 || allowed && !m.People.IsGroupAllowed(channel, to)) {
		err = m.Refresh(ctx)
	}
	if err == nil {
		err = m.Wake(ctx, to)
	}
	return moved, err
}

// moveGroup moves the conversations of a group that has become a supergroup to its new id.
func (h *UpdateHandler) moveGroup(ctx context.Context, in supervisor.Incoming) error {
	conversations := ChatRenamer{h.o.Conversations, h.o.People, h.o.Access.Groups, h.o.Renames, h.o.Refresh, h.o.Wake}
	moved, err := conversations.RenameChat(ctx, in.Channel, in.Chat, in.MovedTo)
	if moved > 0 {
		h.o.Moved(in.Chat, in.MovedTo)
		h.o.Log.Info("a group is a supergroup now", "from", in.Chat, "to", in.MovedTo)
	}
	return err
}
