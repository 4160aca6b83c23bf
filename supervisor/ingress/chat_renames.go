package ingress

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// ChatRenames are the chats that got another name since the service started. Who has learnt of a
// conversation before may still call its chat by the old name. The zero value is ready.
type ChatRenames struct {
	mu sync.Mutex // guards to
	to map[string]string
}

// Add keeps that a chat has another name now.
func (r *ChatRenames) Add(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		r.to = map[string]string{}
	}
	r.to[from] = to
	delete(r.to, to) // the present name is no old one
}

// Current is what a chat is called now.
func (r *ChatRenames) Current(chat string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for next, more := r.to[chat]; more; next, more = r.to[chat] {
		chat = next
	}
	return chat
}

// MovableConversations are the conversations for whoever learns that a chat has another name: from
// the channel, or by sending.
type MovableConversations struct {
	sqlite.Conversations
	People  *access.People
	Groups  sqlite.Groups
	Renames *ChatRenames
	Refresh func(context.Context) error                  // reads people anew
	Wake    func(ctx context.Context, chat string) error // has what waits in a chat be worked on
}

// Move keeps that a chat has another name and that people may still speak there, reads people anew,
// and wakes what waits in the chat. It does so also where no conversation was left to move but
// people do not know of it yet: whoever has moved them may not have come as far.
func (m MovableConversations) Move(ctx context.Context, channel supervisor.Channel, from, to string) (int, error) {
	allowed := m.People.GroupAllowed(channel, from)
	if allowed { // kept also where the configuration allows it, which knows only the old name
		if err := m.Groups.Allow(ctx, sqlite.Group{Channel: channel, Chat: to}); err != nil {
			return 0, err
		}
	}
	m.Renames.Add(from, to)
	moved, err := m.Conversations.Move(ctx, channel, from, to)
	// else people know it
	if err == nil && (moved > 0 || allowed && !m.People.GroupAllowed(channel, to)) {
		err = m.Refresh(ctx)
	}
	if err == nil {
		err = m.Wake(ctx, to)
	}
	return moved, err
}

// moveGroup goes along with a group that has become another chat.
func (h *Handler) moveGroup(ctx context.Context, in supervisor.Incoming) error {
	conversations := MovableConversations{h.o.Conversations, h.o.People, h.o.Access.Groups, h.o.Renames, h.o.Refresh, h.o.Wake}
	moved, err := conversations.Move(ctx, in.Channel, in.Chat, in.MovedTo)
	if moved > 0 {
		h.o.Moved(in.Chat, in.MovedTo)
		h.o.Log.Info("a group is a supergroup now", "from", in.Chat, "to", in.MovedTo)
	}
	return err
}
