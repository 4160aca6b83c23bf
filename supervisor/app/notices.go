package app

import (
	"context"
	"time"

	"mews/supervisor"
)

// deliveryQueued is called when something was put into a conversation's outbox, and perhaps a message that is to be deleted
// later.
func (s *service) deliveryQueued(conversation int64) {
	s.codes.Stored(conversation)
	if s.asked != nil { // where no service runs, nobody waits for an answer
		s.asked.Stored()
	}
	s.feeds.Delivery(conversation)
	if s.channel != nil {
		s.channel.cleaner.Changed()
	}
}

// tellAdmins tells the admins of what only they can mend.
func (s *service) tellAdmins(text string) {
	if s.channel != nil {
		s.channel.tellAdmins(text)
		return
	}
	s.log.Error("health", "text", text)
}

// tellAdmins tells the admins of Telegram's health where they read it without Telegram, and on Telegram, where it arrives once it can.
func (c *telegramChannel) tellAdmins(text string) {
	c.log.Error("health", "text", text)
	go c.notify(text) // ends with its timeout; the caller must not be held up
}

// noticeTimeout is how long a notice may take to be kept.
const noticeTimeout = time.Minute

func (c *telegramChannel) notify(text string) {
	s := c.service
	ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
	defer cancel()
	for _, name := range s.people.Names() {
		u, _ := s.people.Find(name)
		if u.Role != supervisor.RoleAdmin {
			continue
		}
		chats := map[supervisor.Conversation]bool{u.PrivateChat(): true}
		for _, channel := range supervisor.PrivateChannels() {
			chats[supervisor.Conversation{User: name, Channel: channel}] = true
		}
		for chat := range chats {
			if err := s.notify(ctx, chat, text); err != nil {
				c.log.Error("tell an admin", "user", name, "error", err)
			}
		}
	}
}

// notify tells a person something in a chat of theirs.
func (s *service) notify(ctx context.Context, chat supervisor.Conversation, text string) error {
	said, err := s.db.Outbox().Say(ctx, supervisor.Delivery{Conversation: chat, Text: text})
	if err == nil {
		s.feeds.Delivery(said.Conversation.ID)
	}
	return err
}
