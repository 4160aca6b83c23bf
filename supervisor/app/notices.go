package app

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
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

// tellAdmins tells the admins of what only they can mend, where they read it on this machine, and
// on Telegram, where it arrives once it can. It never blocks.
func (s *service) tellAdmins(text string) {
	s.log.Error("health", "text", text)
	go s.notifyAdmins(text) // ends with its timeout
}

// noticeTimeout is how long a notice may take to be kept.
const noticeTimeout = time.Minute

func (s *service) notifyAdmins(text string) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
	defer cancel()
	for _, u := range s.adminUsers() {
		chats := map[supervisor.Conversation]bool{u.PrivateChat(): true}
		for _, channel := range supervisor.PrivateChannels() {
			chats[supervisor.Conversation{User: u.Name, Channel: channel}] = true
		}
		for chat := range chats {
			if err := s.notify(ctx, chat, text); err != nil {
				s.log.Error("tell an admin", "user", u.Name, "error", err)
			}
		}
	}
}

// adminUsers are the people who may see to the service.
func (s *service) adminUsers() (admins []supervisor.User) {
	for _, name := range s.people.Names() {
		if u, _ := s.people.Find(name); u.Role == supervisor.RoleAdmin && !s.people.Suspended(name) {
			admins = append(admins, u)
		}
	}
	return admins
}

// readsFaults says whether somebody reads of keys, addresses and the configuration: admins do, and
// everybody where there is none.
func (s *service) readsFaults(user string) bool {
	admins := s.adminUsers()
	return len(admins) == 0 || slices.ContainsFunc(admins, func(u supervisor.User) bool { return u.Name == user })
}

// tellOnce tells a person something in a chat of theirs that they have not been told under that
// name before. A crash in the middle may have it told twice.
func (s *service) tellOnce(ctx context.Context, to supervisor.Conversation, name, text string) {
	told, err := s.wasTold(ctx, to.User, name)
	if err == nil && !told {
		if err = s.notify(ctx, to, text); err == nil {
			err = s.db.Settings().Put(ctx, to.User, toldPrefix+name, s.now().UTC().Format(time.DateOnly))
		}
	}
	if err != nil && ctx.Err() == nil {
		s.log.Error("tell a person something once", "user", to.User, "what", name, "error", err)
	}
}

// toldPrefix begins the names of settings that say what a person was told once.
const toldPrefix = "told "

func (s *service) wasTold(ctx context.Context, user, name string) (bool, error) {
	_, told, err := s.db.Settings().Find(ctx, user, toldPrefix+name)
	return told, err
}

// say puts a notice into the outbox.
func (s *service) say(ctx context.Context, d supervisor.Delivery) error {
	said, err := s.db.Outbox().Say(ctx, d)
	if err == nil {
		s.deliveryQueued(said.Conversation.ID)
	}
	return err
}

// notify tells a person something in a chat of theirs.
func (s *service) notify(ctx context.Context, chat supervisor.Conversation, text string) error {
	said, err := s.db.Outbox().Say(ctx, supervisor.Delivery{Conversation: chat, Text: text})
	if err == nil {
		s.feeds.Delivery(said.Conversation.ID)
	}
	return err
}
