package app

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
)

// gate is where what Telegram brings meets who may speak. A stranger gets silence.
type gate struct {
	source        string
	people        *access.People
	strangers     access.UnknownSenders
	pairing       *pairing
	inbox         *inbox.Inbox
	updates       sqlite.Inbox
	conversations sqlite.Conversations
	renamed       func(from, to string)                        // a chat gets another name
	moved         func(from, to string)                        // a chat has another name now, and what is to be sent goes there
	refresh       func(context.Context) error                  // people are to be read anew
	wake          func(ctx context.Context, chat string) error // what waits in a chat is to be gone on with
	acknowledge   func(query string)                           // ends the wait of whoever pressed a button; never blocks
	audit         func(user, action, detail string)
	log           hclog.Logger

	albums albums
}

// albums are the last albums of which something was kept, by chat. The zero value is ready.
type albums struct {
	mu   sync.Mutex // guards last
	last map[string]string
}

// Next is where the next batch begins.
func (g *gate) Next(ctx context.Context) (int64, error) { return g.updates.NextUpdate(ctx, g.source) }

// Take keeps a batch and where the next one begins, in one transaction; what stands before a group's move is kept before that
// is gone with, for the conversations then take it along. A batch that comes again is kept once.
func (g *gate) Take(ctx context.Context, letters []supervisor.Incoming, next int64) error {
	var items []supervisor.Item
	albums := g.albums.known()
	for _, l := range letters {
		if l.Kind == supervisor.IncomingMoved {
			if err := g.keep(ctx, items, 0); err != nil {
				return err
			}
			items = nil
			if err := g.follow(ctx, l); err != nil {
				return err
			}
			continue
		}
		if l.Kind == supervisor.IncomingUnreadable && l.Album != "" && albums[l.Chat] == l.Album {
			continue // that it can't be looked at is said once for an album
		}
		item, ok, err := g.admit(ctx, l)
		if err != nil {
			return err
		}
		if ok {
			items = append(items, item)
			albums[l.Chat] = l.Album
		}
	}
	err := g.keep(ctx, items, next)
	if err == nil {
		g.albums.remember(albums)
	}
	return err
}

// put has items meet their gates and be kept, and where the next batch begins; 0 leaves that as it is.
func (g *gate) keep(ctx context.Context, items []supervisor.Item, next int64) error {
	if len(items) == 0 && next == 0 {
		return nil
	}
	return g.inbox.PutBatch(ctx, supervisor.Batch{Source: g.source, Next: next, Items: items})
}

// known is a copy of the albums: what a batch adds to it counts once the batch is kept.
func (a *albums) known() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := maps.Clone(a.last)
	if last == nil {
		last = map[string]string{}
	}
	return last
}

func (a *albums) remember(last map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = last
}

// admitted are the letters that somebody may have meant for their assistant.
var admitted = map[supervisor.IncomingKind]bool{
	supervisor.IncomingMessage: true, supervisor.IncomingUnreadable: true, supervisor.IncomingPress: true,
}

// admit makes an item of what somebody has sent to the bot who may. Whether they have to prove first that it is they is for
// the inbox's own gate.
func (g *gate) admit(ctx context.Context, l supervisor.Incoming) (item supervisor.Item, ok bool, err error) {
	if !admitted[l.Kind] || !l.Addressed {
		return item, false, nil // what people say to one another in a group is nobody else's, whoever they are
	}
	invited, err := g.pairing.meet(ctx, &l)
	if err != nil {
		return item, false, err
	}
	user, known := g.people.ByAccount(l.Channel, l.Sender)
	if !known {
		if !invited {
			g.stranger(l)
		}
		return item, false, nil
	}
	if l.Group && !g.people.GroupAllowed(l.Channel, l.Chat) && !g.mayAllow(user, l) {
		g.unknownGroup(user, l)
		return item, false, nil
	}
	return g.item(user, l), true, nil
}

// item is a letter of a person's, to be kept.
func (g *gate) item(user supervisor.User, l supervisor.Incoming) supervisor.Item {
	item := supervisor.Item{
		Inbound: supervisor.Inbound{
			Conversation: supervisor.Conversation{
				User: user.Name, Channel: l.Channel, Chat: l.Chat, Thread: l.Thread,
			},
			Source: g.source, Key: l.Key, Message: l.Message, Sender: l.Sender, Text: l.Text,
		},
		Update: l.Update,
		Raw:    string(l.Raw),
	}
	switch l.Kind {
	case supervisor.IncomingPress:
		item.Inbound.Kind = supervisor.KindPress
		g.acknowledge(l.Query)
	case supervisor.IncomingUnreadable:
		item.Inbound.Text = "(" + l.Unreadable + ")"
		item.Answer = "I can't take " + l.Unreadable + " in this version. Write to me what it says, and I work with that."
	}
	return item
}

// mayAllow says whether a letter from a group in which nobody may speak is an admin's /allow.
func (g *gate) mayAllow(user supervisor.User, l supervisor.Incoming) bool {
	name, _ := supervisor.ParseSlashCommand(strings.TrimSpace(l.Text))
	return user.Role == supervisor.RoleAdmin && l.Kind == supervisor.IncomingMessage && name == "allow"
}

// unknownGroup notes a group in which nobody may speak yet, once a day each.
func (g *gate) unknownGroup(user supervisor.User, l supervisor.Incoming) {
	if g.strangers.First(l.Chat, time.Now()) {
		g.audit(user.Name, "telegram.group", fmt.Sprintf("spoke in group %s (%q), which no admin has allowed; nothing was answered",
			l.Chat, l.Title))
	}
}

// stranger notes somebody who spoke to the bot and may not, once a day each.
func (g *gate) stranger(l supervisor.Incoming) {
	if g.strangers.First(l.Sender, time.Now()) {
		g.audit("", "telegram.stranger", fmt.Sprintf("%s wrote; nothing was answered", l.Sender))
	}
}

// follow goes with a group that has become another chat.
func (g *gate) follow(ctx context.Context, l supervisor.Incoming) error {
	from, to := l.Chat, l.MovedTo
	allowed := g.people.GroupAllowed(l.Channel, from)
	if allowed { // also where the configuration has said so, which knows the old name
		if err := g.pairing.store.Groups.Allow(ctx, sqlite.Group{Channel: l.Channel, Chat: to}); err != nil {
			return err
		}
	}
	g.renamed(from, to)
	moved, err := g.conversations.Move(ctx, l.Channel, from, to)
	if err != nil {
		return err
	}
	if moved > 0 {
		g.moved(from, to)
		g.log.Info("a group is a supergroup now", "from", from, "to", to)
	}
	if moved > 0 || allowed && !g.people.GroupAllowed(l.Channel, to) { // else people know it
		if err := g.refresh(ctx); err != nil {
			return err
		}
	}
	return g.wake(ctx, to)
}
