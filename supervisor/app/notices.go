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

// tellAdmins tells the admins of Telegram's health in their terminals' conversations.
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
		if u, _ := s.people.Find(name); u.Role != supervisor.RoleAdmin {
			continue
		}
		terminal, err := s.db.Conversations().Find(ctx, name, supervisor.ChannelTerminal, "", "")
		if err == nil {
			_, err = s.db.Outbox().PutNotice(ctx, terminal.ID, text)
		}
		if err != nil {
			c.log.Error("tell an admin", "user", name, "error", err)
			continue
		}
		s.feeds.Delivery(terminal.ID)
	}
}
