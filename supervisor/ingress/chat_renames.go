package ingress

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// ChatRenames are the chats that got another name since the service started. Who has learnt of a conversation before may still
// call its chat by the old name. The zero value is ready.
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

// MovableConversations are the conversations for whoever learns by sending that a chat has another name.
type MovableConversations struct {
	sqlite.Conversations
	Renames *ChatRenames
	Refresh func(context.Context) error                  // reads people anew
	Wake    func(ctx context.Context, chat string) error // has what waits in a chat be worked on
}

// Move keeps that a chat has another name, reads people anew, and wakes what waits in the chat. It does so also where no
// conversation was left to move: whoever has moved them may not have come as far yet.
func (m MovableConversations) Move(ctx context.Context, channel supervisor.Channel, from, to string) (int, error) {
	m.Renames.Add(from, to)
	moved, err := m.Conversations.Move(ctx, channel, from, to)
	if err == nil {
		err = m.Refresh(ctx)
	}
	if err == nil {
		err = m.Wake(ctx, to)
	}
	return moved, err
}

// moveGroup goes along with a group that has become another chat.
func (h *Handler) moveGroup(ctx context.Context, in supervisor.Incoming) error {
	from, to := in.Chat, in.MovedTo
	allowed := h.o.People.GroupAllowed(in.Channel, from)
	if allowed { // kept also where the configuration allows it, which knows only the old name
		if err := h.o.Access.Groups.Allow(ctx, sqlite.Group{Channel: in.Channel, Chat: to}); err != nil {
			return err
		}
	}
	h.o.Renames.Add(from, to)
	moved, err := h.o.Conversations.Move(ctx, in.Channel, from, to)
	if err != nil {
		return err
	}
	if moved > 0 {
		h.o.Moved(from, to)
		h.o.Log.Info("a group is a supergroup now", "from", from, "to", to)
	}
	if moved > 0 || allowed && !h.o.People.GroupAllowed(in.Channel, to) { // else nothing has changed for people
		if err := h.o.Refresh(ctx); err != nil {
			return err
		}
	}
	return h.o.Wake(ctx, to)
}
