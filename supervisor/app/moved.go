package app

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// moves are the chats that have got another name in this life of the service: whoever has learnt of a conversation before may
// still call its chat by the old one. The zero value is ready.
type moves struct {
	mu sync.Mutex // guards to
	to map[string]string
}

// renamed keeps that a chat has another name now.
func (m *moves) renamed(from, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.to == nil {
		m.to = map[string]string{}
	}
	m.to[from] = to
	delete(m.to, to) // what a chat is called now is no old name
}

// now is what a chat is called.
func (m *moves) now(chat string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for next, more := m.to[chat]; more; next, more = m.to[chat] {
		chat = next
	}
	return chat
}

// following are the conversations for those who learn by sending that a chat has another name: what waits there is gone on with
// under that one.
type following struct {
	sqlite.Conversations
	service *Service
}

// Move keeps that a chat has another name, has people be read anew, and wakes what waits there.
func (f following) Move(ctx context.Context, channel supervisor.Channel, from, to string) (int, error) {
	f.service.moves.renamed(from, to)
	moved, err := f.Conversations.Move(ctx, channel, from, to)
	if err == nil { // also where nothing was moved: whoever has moved it may not have come as far yet
		err = f.service.configuration.Refresh(ctx)
	}
	if err == nil {
		err = f.service.wakeIn(ctx, to)
	}
	return moved, err
}

// wakeIn has what waits in a Telegram chat's conversations be gone on with.
func (s *Service) wakeIn(ctx context.Context, chat string) error {
	waiting, err := s.db.Inbox().Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, c := range waiting {
		if c.Channel == supervisor.ChannelTelegram && c.Chat == chat {
			s.wake(c)
		}
	}
	return nil
}
