package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mews/supervisor"
	"mews/supervisor/markdown"
	"mews/supervisor/notice"
)

// deliveryQueued wakes the sender of a conversation. It also wakes the cleaner, because the new
// message may expire.
func (s *service) deliveryQueued(conversation int64) {
	s.feeds.NotifyDelivery(conversation)
	s.cleaningDue()
}

// cleaningDue wakes the cleaner, which edits and deletes messages in chats.
func (s *service) cleaningDue() {
	if s.channel != nil {
		s.channel.cleaner.NotifyNewCleanup()
	}
}

// notices returns the sender of notices outside of turns.
func (s *service) notices() notice.Notices {
	return notice.Notices{Outbox: s.db.Outbox(), Settings: s.db.Settings(), Admins: s.people.Admins,
		Queued: s.feeds.NotifyDelivery, Direct: s.sendDirectly, Now: s.now, Log: s.log}
}

// tellAdmins sends the admins a notice. It never blocks.
func (s *service) tellAdmins(text string) { s.notices().TellAdmins(text) }

// sendDirectly sends a text to a chat without storing it.
func (s *service) sendDirectly(ctx context.Context, chat supervisor.Conversation, text string) error {
	if s.channel == nil || chat.Channel != s.channel.outbox.Name {
		return fmt.Errorf("send to %s without storing: %w", chat.Channel, errors.ErrUnsupported)
	}
	for _, message := range render(text, false) {
		to := supervisor.PostAddress{Chat: chat.Chat, Thread: chat.Thread}
		if _, err := s.channel.client.Send(ctx, to, message); err != nil {
			s.log.Warn("a notice was not sent directly", "user", chat.User, "error", err)
			return err
		}
	}
	return nil
}

// tellWhoJoined tells the other admins who came in by an invite. The user's own other chats are
// told that a new account speaks for the user.
func (s *service) tellWhoJoined(u supervisor.User, channel supervisor.Channel, account string) {
	name, number := markdown.EscapeName(u.Name), markdown.EscapeName(account)
	s.notices().TellOtherAdmins(fmt.Sprintf(textJoined, name, channel, number, u.Name, account), u.Name)
	var others []supervisor.Conversation
	for _, b := range s.people.Accounts(u.Name) {
		if b.Channel != channel || b.Account != account {
			others = append(others, supervisor.Conversation{User: u.Name, Channel: b.Channel, Chat: b.Account})
		}
	}
	if u.Role == supervisor.RoleAdmin {
		for _, private := range supervisor.PrivateChannels() {
			others = append(others, supervisor.Conversation{User: u.Name, Channel: private})
		}
	}
	s.notices().TellChats(others, fmt.Sprintf(textJoinedAsYou, name, channel, number, u.Name, account))
}

// mayReadFaults says whether a user may read about keys, addresses and the configuration. Admins
// may; if there is no admin, everybody may.
func (s *service) mayReadFaults(user string) bool {
	admins := s.people.Admins()
	return len(admins) == 0 || slices.ContainsFunc(admins, func(u supervisor.User) bool { return u.Name == user })
}

// sendNotice puts a notice into the outbox and wakes its sender.
func (s *service) sendNotice(ctx context.Context, d supervisor.Delivery) error {
	said, err := s.db.Outbox().SendNotice(ctx, d)
	if err == nil {
		s.deliveryQueued(said.Conversation.ID)
	}
	return err
}
