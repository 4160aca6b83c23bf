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
	s.asked.Stored()
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

// tellAdmins tells the admins of Telegram's health where they read it without Telegram.
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
		for _, channel := range supervisor.PrivateChannels() {
			if err := s.notify(ctx, name, channel, text); err != nil {
				c.log.Error("tell an admin", "user", name, "error", err)
			}
		}
	}
}

// notify tells a person something in their own chat on a private channel.
func (s *service) notify(ctx context.Context, user string, channel supervisor.Channel, text string) error {
	chat, err := s.db.Conversations().Find(ctx, user, channel, "", "")
	if err != nil {
		return err
	}
	if _, err := s.db.Outbox().PutNotice(ctx, chat.ID, text); err != nil {
		return err
	}
	s.feeds.Delivery(chat.ID)
	return nil
}
