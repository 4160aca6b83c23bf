// Package notice tells people what no turn says: admins what only they can mend, and everybody what
// they need to hear once.
package notice

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Notices put messages into the outbox. Their methods may be called from any goroutine.
type Notices struct {
	Outbox   sqlite.Outbox
	Settings sqlite.Settings
	Admins   func() []supervisor.User
	Queued   func(conversation int64) // something was put into its outbox
	Now      func() time.Time
	Log      hclog.Logger
}

// TellAdmins tells the admins of what only they can mend, where they read it on this machine, and
// on Telegram, where it arrives once it can. It never blocks.
func (n Notices) TellAdmins(text string) {
	n.Log.Error("health", "text", text)
	go n.notifyAdmins(text) // ends with its timeout
}

// noticeTimeout is how long a notice may take to be kept.
const noticeTimeout = time.Minute

func (n Notices) notifyAdmins(text string) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
	defer cancel()
	for _, u := range n.Admins() {
		chats := map[supervisor.Conversation]bool{u.PrivateChat(): true}
		for _, channel := range supervisor.PrivateChannels() {
			chats[supervisor.Conversation{User: u.Name, Channel: channel}] = true
		}
		for chat := range chats {
			if err := n.notify(ctx, chat, text); err != nil {
				n.Log.Error("tell an admin", "user", u.Name, "error", err)
			}
		}
	}
}

// TellOnce tells a person something in a chat of theirs that they have not been told under that
// name before. A crash in the middle may have it told twice.
func (n Notices) TellOnce(ctx context.Context, to supervisor.Conversation, name, text string) {
	told, err := n.WasTold(ctx, to.User, name)
	if err == nil && !told {
		if err = n.notify(ctx, to, text); err == nil {
			err = n.Settings.Put(ctx, to.User, toldPrefix+name, n.Now().UTC().Format(time.DateOnly))
		}
	}
	if err != nil && ctx.Err() == nil {
		n.Log.Error("tell a person something once", "user", to.User, "what", name, "error", err)
	}
}

// toldPrefix begins the names of settings that say what a person was told once.
const toldPrefix = "told "

// WasTold says whether a person was told something under a name.
func (n Notices) WasTold(ctx context.Context, user, name string) (bool, error) {
	_, told, err := n.Settings.Find(ctx, user, toldPrefix+name)
	return told, err
}

// notify tells a person something in a chat of theirs.
func (n Notices) notify(ctx context.Context, chat supervisor.Conversation, text string) error {
	said, err := n.Outbox.Say(ctx, supervisor.Delivery{Conversation: chat, Text: text})
	if err == nil {
		n.Queued(said.Conversation.ID)
	}
	return err
}
