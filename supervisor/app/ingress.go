package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/inbox"
	"mews/supervisor/ingress"
)

// newIngress makes the way from a channel to the inbox.
func newIngress(c *channel, box *inbox.Inbox) *ingress.Handler {
	s := c.service
	return ingress.New(ingress.Options{
		Source: c.client.Source(), People: s.people, Access: s.db.Access(), Updates: s.db.Inbox(), Conversations: s.db.Conversations(),
		Outbox: s.db.Outbox(), Inbox: box, Seal: s.seal, Renames: &s.renames, Refresh: s.configuration.Refresh, Moved: c.outbox.Moved,
		Wake: s.wakeChat, Acknowledge: c.pressed, Queued: s.feeds.Delivery, KeepPicture: pictures{s.spool}.Keep, Audit: s.audit.Note,
		Log: c.log,
	})
}

// movableConversations are the conversations for the outbox, which learns by sending that a chat has another name.
func movableConversations(s *Service) ingress.MovableConversations {
	return ingress.MovableConversations{
		Conversations: s.db.Conversations(), Renames: &s.renames, Refresh: s.configuration.Refresh, Wake: s.wakeChat,
	}
}

// newHeldReleaser makes what releases the messages of people who are asked for no code any more.
func newHeldReleaser(s *Service, accepted func(supervisor.Inbound)) *ingress.HeldReleaser {
	return &ingress.HeldReleaser{Gate: s.gate, Inbox: s.db.Inbox(), Serves: s.serves, Accepted: accepted, Log: s.Log.Named("gate")}
}

// wakeChat has what waits in a Telegram chat's conversations be worked on.
func (s *Service) wakeChat(ctx context.Context, chat string) error {
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
