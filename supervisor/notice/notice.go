// Package notice sends messages that belong to no turn: problems to admins, and one-time hints to
// users.
package notice

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Notices puts messages into the outbox. Its methods may be called from any goroutine.
type Notices struct {
	Outbox   sqlite.Outbox
	Settings sqlite.Settings
	Admins   func() []supervisor.User
	Queued   func(conversation int64) // reports a new message in a conversation's outbox
	// Direct sends a text to a chat without storing the text. It fails if the chat's channel can't
	// send unstored texts. nil means that no channel can send them. TellAdmins uses Direct if the
	// text can't be stored.
	Direct func(ctx context.Context, chat supervisor.Conversation, text string) error
	Now    func() time.Time
	Log    hclog.Logger
}

// TellAdmins tells all admins of a problem that only they can fix. The message goes to a chat on
// this machine, and to Telegram as soon as Telegram works. TellAdmins never blocks.
func (n Notices) TellAdmins(text string) {
	n.Log.Error("health", "text", text)
	// the goroutine ends after noticeTimeout
	go n.notifyAdmins(n.Admins(), text, false, supervisor.PrivateChannels()...)
}

// TellAdminsWithoutStoring is like TellAdmins, for a disk that may be full. It stores the text only
// for chats to which no channel can send an unstored text.
func (n Notices) TellAdminsWithoutStoring(text string) {
	n.Log.Error("health", "text", text)
	// the goroutine ends after noticeTimeout
	go n.notifyAdmins(n.Admins(), text, true, supervisor.PrivateChannels()...)
}

// TellOtherAdmins tells all admins except one about something that needs no action. The message
// goes only to their private chats. TellOtherAdmins never blocks.
func (n Notices) TellOtherAdmins(text, except string) {
	others := slices.DeleteFunc(n.Admins(), func(u supervisor.User) bool { return u.Name == except })
	go n.notifyAdmins(others, text, false) // the goroutine ends after noticeTimeout
}

// TellChats sends a text to several chats. It never blocks.
func (n Notices) TellChats(chats []supervisor.Conversation, text string) {
	go func() { // the goroutine ends after noticeTimeout
		ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
		defer cancel()
		for _, chat := range chats {
			if err := n.notify(ctx, chat, text); err != nil {
				n.Log.Error("could not send a notice", "user", chat.User, "error", err)
			}
		}
	}()
}

// noticeTimeout is the longest time for storing a notice.
const noticeTimeout = time.Minute

// notifyAdmins sends admins a text to their private chats and on further channels. It sends the
// text through the outbox, or directly if directly is set. If one way fails, it tries the other
// way.
func (n Notices) notifyAdmins(admins []supervisor.User, text string, directly bool, further ...supervisor.Channel) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
	defer cancel()
	ways := []func(context.Context, supervisor.Conversation, string) error{n.notify, n.sendDirectly}
	if directly {
		slices.Reverse(ways)
	}
	for _, u := range admins {
		chats := map[supervisor.Conversation]bool{u.PrivateChat(): true}
		for _, channel := range further {
			chats[supervisor.Conversation{User: u.Name, Channel: channel}] = true
		}
		for chat := range chats {
			err := ways[0](ctx, chat, text)
			if err != nil {
				if other := ways[1](ctx, chat, text); other != nil {
					n.Log.Error("could not tell an admin", "user", u.Name, "error", errors.Join(err, other))
				}
			}
		}
	}
}

// sendDirectly sends a text to a chat without storing it.
func (n Notices) sendDirectly(ctx context.Context, chat supervisor.Conversation, text string) error {
	if n.Direct == nil {
		return errors.ErrUnsupported
	}
	return n.Direct(ctx, chat, text)
}

// TellOnce sends a user a message, unless a message with the same name was sent before. After a
// crash during the call, the message may be sent twice.
func (n Notices) TellOnce(ctx context.Context, to supervisor.Conversation, name, text string) {
	told, err := n.WasToldOnce(ctx, to.User, name)
	if err == nil && !told {
		if err = n.notify(ctx, to, text); err == nil {
			err = n.Settings.Put(ctx, to.User, toldPrefix+name, n.Now().UTC().Format(time.DateOnly))
		}
	}
	if err != nil && ctx.Err() == nil {
		n.Log.Error("could not send a notice", "user", to.User, "what", name, "error", err)
	}
}

// toldPrefix begins the names of settings that record the messages of TellOnce.
const toldPrefix = "told "

// WasToldOnce says whether TellOnce has sent a user the message with a name.
func (n Notices) WasToldOnce(ctx context.Context, user, name string) (bool, error) {
	_, told, err := n.Settings.Find(ctx, user, toldPrefix+name)
	return told, err
}

// notify sends a user a message in a chat.
func (n Notices) notify(ctx context.Context, chat supervisor.Conversation, text string) error {
	said, err := n.Outbox.SendNotice(ctx, supervisor.Delivery{Conversation: chat, Text: text})
	if err == nil {
		n.Queued(said.Conversation.ID)
	}
	return err
}
