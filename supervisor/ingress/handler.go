// Package ingress takes what a channel brings to the inbox. It finds out whose account the sender's
// is, lets in who has an invite's code, and goes along with chats that get another name. A stranger
// gets silence.
package ingress

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/answer"
	"mews/supervisor/inbox"
	"mews/supervisor/internal/presses"
	"mews/supervisor/internal/rare"
	"mews/supervisor/question"

	"mews/supervisor/slash"
	"mews/supervisor/sqlite"
)

// Options are what a Handler needs from outside.
type Options struct {
	Source        string // of the updates: a channel and its account there
	People        *access.People
	Access        sqlite.Access
	Updates       sqlite.Inbox
	Conversations sqlite.Conversations
	Outbox        sqlite.Outbox
	Posts         sqlite.Posts
	Inbox         *inbox.Inbox
	Questions     *question.Questions
	Undos         sqlite.Undos
	LargestFile   int64 // bytes of what the channel can fetch
	// nil where its key cannot be used: nobody is offered a second factor
	Seal    *access.Seal
	Renames *ChatRenames

	Refresh func(context.Context) error // reads people anew
	// what is to be sent to a chat goes to its new name
	Moved func(from, to string)
	Wake  func(ctx context.Context, chat string) error // has what waits in a chat be worked on
	// Acknowledge ends the wait of whoever pressed a button, and shows them alone a text for a
	// moment; "" is none. It never blocks.
	Acknowledge func(query, text string)
	// something was put into its outbox
	Queued func(conversation int64)
	// puts a picture into the spool
	KeepPicture func(name string, png []byte) (supervisor.File, error)
	Audit       func(user, action, detail string)
	Log         hclog.Logger
}

// Handler is where what a channel brings meets who may speak.
type Handler struct {
	o         Options
	pairing   pairing
	strangers rare.Window // senders and groups that were noted today
	albums    sync.Map    // by group, its last album of which a part was meant for the bot
}

// New makes a handler.
func New(o Options) *Handler {
	h := &Handler{o: o}
	h.pairing = pairing{o: &h.o, wrongCodes: inviteFailures(), repeats: inviteFailures()}
	return h
}

// Next is where the next batch begins.
func (h *Handler) Next(ctx context.Context) (int64, error) {
	return h.o.Updates.NextUpdate(ctx, h.o.Source)
}

// Take keeps a batch and where the next one begins, in one transaction. Where a group moves within
// the batch, what stands before the move is kept first, so that the group's conversations take it
// along. A batch that comes again is kept once.
func (h *Handler) Take(ctx context.Context, batch []supervisor.Incoming, next int64) error {
	var items []supervisor.Item
	for _, in := range h.wholeAlbums(batch) {
		if in.Kind == supervisor.IncomingMoved {
			if err := h.put(ctx, items, 0); err != nil {
				return err
			}
			items = nil
			if err := h.moveGroup(ctx, in); err != nil {
				return err
			}
			continue
		}
		item, ok, err := h.admit(ctx, in)
		if err != nil {
			return err
		}
		if ok {
			items = append(items, item)
		}
	}
	return h.put(ctx, items, next)
}

// wholeAlbums has all of a group's album be meant for the bot where a part of it is: only one of
// its messages has its words.
func (h *Handler) wholeAlbums(batch []supervisor.Incoming) []supervisor.Incoming {
	batch = slices.Clone(batch)
	for _, in := range batch {
		if in.Group && in.Addressed && in.Album != "" {
			h.albums.Store(in.Chat, in.Album)
		}
	}
	for i, in := range batch {
		meant, _ := h.albums.Load(in.Chat)
		batch[i].Addressed = in.Addressed || in.Album != "" && meant == in.Album
	}
	return batch
}

// put gives items to the inbox, with where the next batch begins; 0 leaves that as it is.
func (h *Handler) put(ctx context.Context, items []supervisor.Item, next int64) error {
	if len(items) == 0 && next == 0 {
		return nil
	}
	return h.o.Inbox.PutBatch(ctx, supervisor.Batch{Source: h.o.Source, Next: next, Items: items})
}

// fromPeople are the kinds that somebody may have meant for their assistant.
var fromPeople = map[supervisor.IncomingKind]bool{
	supervisor.IncomingMessage: true, supervisor.IncomingUnreadable: true, supervisor.IncomingPress: true,
}

// admit makes an inbox item of what somebody who may speak has sent to the bot. Whether they must
// send a code first is decided by the inbox's gate.
func (h *Handler) admit(ctx context.Context, in supervisor.Incoming) (item supervisor.Item, ok bool, err error) {
	if !fromPeople[in.Kind] || !in.Addressed {
		// what people say to each other in a group is not noted, whoever they are
		return item, false, nil
	}
	edited, invited := !in.EditedAt.IsZero(), false
	if !edited { // an invite's code is typed once
		if invited, err = h.pairing.redeem(ctx, &in); err != nil {
			return item, false, err
		}
	}
	user, known := h.o.People.ByAccount(in.Channel, in.Sender)
	if !known {
		if !invited {
			h.noteStranger(in)
		}
		return item, false, nil
	}
	if barred := in.Group && !h.o.People.GroupAllowed(in.Channel, in.Chat); barred && edited {
		return item, false, nil
	} else if barred && !isAllowCommand(user, in) {
		return item, false, h.noteUnknownGroup(ctx, user, in)
	}
	if foreign, err := h.isForeignPress(ctx, user.Name, in); foreign || err != nil {
		return item, false, err
	}
	item = h.item(user, in)
	err = h.quote(ctx, &item, in)
	return item, err == nil, err
}

// isForeignPress says whether somebody has pressed another's button, and tells them so without a
// word to the group. In groups there are buttons of questions, of what waits there, below edited
// messages and below answers that have changed files: all else stands in its person's private chat.
func (h *Handler) isForeignPress(ctx context.Context, user string, in supervisor.Incoming) (bool, error) {
	if in.Kind != supervisor.IncomingPress || !in.Group {
		return false, nil
	}
	theirs, err := h.isTheirs(ctx, user, in.Text)
	if err != nil || theirs {
		return false, err
	}
	h.o.Acknowledge(in.Query, textForeignPress)
	if h.strangers.First("press "+user+" "+in.Chat, time.Now()) {
		h.o.Audit(user, "question.foreign", fmt.Sprintf("in group %s; nothing was done", in.Chat))
	}
	return true, nil
}

// isTheirs says whether a button that stands in a group is a user's.
func (h *Handler) isTheirs(ctx context.Context, user, press string) (bool, error) {
	if turn, undo := presses.Undone(press); undo {
		owner, err := h.o.Undos.User(ctx, turn)
		return owner == user, err
	}
	inbound, queue := presses.Queued(press)
	if edited, anew := inbox.AnewPressed(press); anew {
		inbound = edited
	} else if !queue {
		return h.o.Questions.IsTheirs(ctx, user, press)
	}
	return h.o.Updates.IsOf(ctx, user, inbound)
}

// item is what the inbox is to keep of something that a person has sent.
func (h *Handler) item(user supervisor.User, in supervisor.Incoming) supervisor.Item {
	item := supervisor.Item{
		Inbound: supervisor.Inbound{
			Conversation: supervisor.Conversation{
				User: user.Name, Channel: in.Channel, Chat: in.Chat, Thread: in.Thread,
			},
			Source: h.o.Source, Key: in.Key, Message: in.Message, Sender: in.Sender, Text: in.Text,
			Together: in.Album, Origin: in.Origin,
		},
		Update:    in.Update,
		EditedAt:  in.EditedAt,
		Raw:       string(in.Raw),
		RepliesTo: in.RepliesTo,
	}
	switch in.Kind {
	case supervisor.IncomingPress:
		item.Inbound.Kind = supervisor.KindPress
		h.o.Acknowledge(in.Query, "")
	case supervisor.IncomingUnreadable:
		item.Inbound.Text, item.Unread = in.Unreadable, true
		item.Answer = fmt.Sprintf(textUnreadable, in.Unreadable)
	case supervisor.IncomingMessage:
		item.MentionsUnread = mayMention(in)
		h.attach(&item, in)
	}
	return item
}

// mayMention says whether words may say to the model that something before them could not be looked
// at. Commands, codes and answers stand alone.
func mayMention(in supervisor.Incoming) bool {
	return !isCommand(in) && !isCode(in.Text) && answer.YesOrNo(in.Text) == supervisor.SayNothing
}

// isCommand says whether a message is a command and not a text that a command is before.
func isCommand(in supervisor.Incoming) bool {
	name, _ := slash.Parse(in.Text)
	_, followup := slash.ParseFollowup(in.Text, len(in.Attachments))
	return name != "" && !followup
}

func isCode(text string) bool { return access.IsCode(text) || access.ContainsRecovery(text) }

// isAllowCommand says whether it is an admin's /allow, which is taken from a group in which nobody
// may speak yet.
func isAllowCommand(user supervisor.User, in supervisor.Incoming) bool {
	name, _ := slash.Parse(strings.TrimSpace(in.Text))
	return user.Role == supervisor.RoleAdmin && in.Kind == supervisor.IncomingMessage && name == "allow"
}

// noteUnknownGroup notes a group in which nobody may speak yet, once a day each, and tells an admin
// who speaks there how that changes.
func (h *Handler) noteUnknownGroup(ctx context.Context, user supervisor.User, in supervisor.Incoming) error {
	if h.strangers.First(in.Chat, time.Now()) {
		h.o.Audit(user.Name, "telegram.group", fmt.Sprintf("spoke in group %s (%q), which no admin has allowed; nothing was answered",
			in.Chat, in.Title))
	}
	if user.Role != supervisor.RoleAdmin || !h.strangers.First(user.Name+" "+in.Chat, time.Now()) {
		return nil
	}
	said, err := h.o.Outbox.Say(ctx, supervisor.Delivery{Conversation: user.PrivateChat(), Text: fmt.Sprintf(textAllowHint, in.Title)})
	if err != nil {
		return fmt.Errorf("tell %s of a group that is not allowed: %w", user.Name, err)
	}
	h.o.Queued(said.Conversation.ID)
	return nil
}

// noteStranger notes somebody who spoke to the bot and may not, once a day each.
func (h *Handler) noteStranger(in supervisor.Incoming) {
	if h.strangers.First(in.Sender, time.Now()) {
		h.o.Audit("", "telegram.stranger", fmt.Sprintf("%s wrote; nothing was answered", in.Sender))
	}
}
