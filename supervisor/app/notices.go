package app

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/notice"
)

// deliveryQueued is called when something was put into a conversation's outbox, and perhaps a
// message that is to be deleted later.
func (s *service) deliveryQueued(conversation int64) {
	s.feeds.Delivery(conversation)
	s.cleaningDue()
}

// cleaningDue is called when there may be something to be done to messages that stand in a chat.
func (s *service) cleaningDue() {
	if s.channel != nil {
		s.channel.cleaner.Changed()
	}
}

// notices tell people what no turn says.
func (s *service) notices() notice.Notices {
	return notice.Notices{Outbox: s.db.Outbox(), Settings: s.db.Settings(), Admins: s.people.Admins,
		Queued: s.feeds.Delivery, Now: s.now, Log: s.log}
}

// tellAdmins tells the admins of what only they can mend. It never blocks.
func (s *service) tellAdmins(text string) { s.notices().TellAdmins(text) }

// readsFaults says whether somebody reads of keys, addresses and the configuration: admins do, and
// everybody where there is none.
func (s *service) mayReadFaults(user string) bool {
	admins := s.people.Admins()
	return len(admins) == 0 || slices.ContainsFunc(admins, func(u supervisor.User) bool { return u.Name == user })
}

// say puts a notice into the outbox.
func (s *service) sendNotice(ctx context.Context, d supervisor.Delivery) error {
	said, err := s.db.Outbox().Say(ctx, d)
	if err == nil {
		s.deliveryQueued(said.Conversation.ID)
	}
	return err
}
