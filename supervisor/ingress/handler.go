// Package ingress passes a channel's updates to the inbox. It finds the user of the sender's
// account, admits senders with an invite's code, and follows renamed chats. A stranger gets no
// answer.
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

// Options configures the handler of a channel's updates.
type Options struct {
	Source        string // the source of the updates: the channel, and the bot's account there
	People        *access.People
	Access        sqlite.UserAccessStores
	Updates       sqlite.Inbox
	Conversations sqlite.Conversations
	Outbox        sqlite.Outbox
	Posts         sqlite.Posts
	Inbox         *inbox.Inbox
	Questions     *question.Questions
	Undos         sqlite.Undos
	LargestFile   int64 // the largest file that the channel can fetch, in bytes
	// Seal is nil if the seal's key can't be used. Users then get no offer of a second factor.
	Seal    *access.Sealer
	Renames *ChatRenames

	Refresh func(context.Context) error // loads the users again
	// Joined is called once for each user who joins by an invite. The argument account is the
	// account's number. It never blocks.
	Joined func(user supervisor.User, channel supervisor.Channel, account string)
	// KeepLanguage stores the language of the app with which a user writes.
	KeepLanguage func(ctx context.Context, user, language string) error
	// Moved redirects a chat's messages to its new name.
	Moved func(from, to string)
	Wake  func(ctx context.Context, chat string) error // wakes the work that waits in a chat
	// ChatReturned resumes the jobs that wait for a chat. It is called when the chat takes messages
	// again.
	ChatReturned func(ctx context.Context, channel supervisor.Channel, chat string) error
	// KeepGroupTitle stores the title of a group with an accepted message.
	KeepGroupTitle func(ctx context.Context, channel supervisor.Channel, chat, title string) error
	// Acknowledge ends the wait of the user who pressed a button, and shows that user a text for a
	// moment; "" shows none. It never blocks.
	Acknowledge func(query, text string)
	// Queued is called when a conversation's outbox has a new delivery.
	Queued func(conversation int64)
	// KeepPicture puts a picture into the spool.
	KeepPicture func(name string, png []byte) (supervisor.File, error)
	Audit       func(user, action, detail string)
	Log         hclog.Logger
}

// UpdateHandler checks a channel's updates, and passes updates of users to the inbox.
type UpdateHandler struct {
	o         Options
	pairing   pairing
	strangers rare.RecordLimiter // senders and groups that were audited today
	albums    sync.Map           // the newest album with a part for the bot, by group
}

// New returns a handler.
func New(o Options) *UpdateHandler {
	h := &UpdateHandler{o: o}
	h.pairing = pairing{o: &h.o, wrongCodes: inviteFailures(), repeats: inviteFailures()}
	return h
}

// NextOffset returns the offset of the next batch.
func (h *UpdateHandler) NextOffset(ctx context.Context) (int64, error) {
	return h.o.Updates.NextUpdateNumber(ctx, h.o.Source)
}

// StoreBatch stores a batch and the offset of the next batch, in one transaction. If a group moves
// within the batch, StoreBatch first stores the updates before the move. So these updates move with
// the group's conversations. A repeated batch is stored once.
func (h *UpdateHandler) StoreBatch(ctx context.Context, batch []supervisor.Incoming, next int64) error {
	var items []supervisor.BatchItem
	for _, in := range h.wholeAlbums(batch) {
		if in.Kind == supervisor.IncomingChatMoved {
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
		if err == nil && (ok || in.Kind == supervisor.IncomingChatUnblocked) {
			err = h.o.ChatReturned(ctx, in.Channel, in.Chat)
		}
		if err == nil && ok && in.Group && in.Title != "" {
			err = h.o.KeepGroupTitle(ctx, in.Channel, in.Chat, in.Title)
		}
		if err != nil {
			return err
		}
		if ok {
			items = append(items, item)
		}
	}
	return h.put(ctx, items, next)
}

// wholeAlbums marks all parts of a group's album as meant for the bot if one part is meant for the
// bot. Only one part has the caption.
func (h *UpdateHandler) wholeAlbums(batch []supervisor.Incoming) []supervisor.Incoming {
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

// put passes items to the inbox, with the offset of the next batch; 0 does not change the offset.
func (h *UpdateHandler) put(ctx context.Context, items []supervisor.BatchItem, next int64) error {
	if len(items) == 0 && next == 0 {
		return nil
	}
	return h.o.Inbox.StoreBatch(ctx, supervisor.InboundBatch{Source: h.o.Source, Next: next, Items: items})
}

// fromPeople are the kinds of updates that a user may have meant for the assistant.
var fromPeople = map[supervisor.IncomingKind]bool{
	supervisor.IncomingMessage: true, supervisor.IncomingUnreadable: true, supervisor.IncomingPress: true,
	supervisor.IncomingReaction: true,
}

// admit returns the inbox item of an update that an allowed user has sent to the bot. The inbox's
// gate decides whether the user must send a code first.
func (h *UpdateHandler) admit(ctx context.Context, in supervisor.Incoming) (item supervisor.BatchItem, ok bool,
	err error) {
	if !fromPeople[in.Kind] || !in.Addressed {
		// A group's messages that are not for the bot are not audited.
		return item, false, nil
	}
	edited, invited := !in.EditedAt.IsZero(), false
	if !edited { // an edit never redeems an invite's code
		if invited, err = h.pairing.redeem(ctx, &in); err != nil {
			return item, false, err
		}
	}
	user, known := h.o.People.FindByAccount(in.Channel, in.Sender)
	if !known {
		if !invited {
			h.noteStranger(in)
		}
		return item, false, nil
	}
	if barred := in.Group && !h.o.People.IsGroupAllowed(in.Channel, in.Chat); barred && edited {
		return item, false, nil
	} else if barred && !isAllowCommand(user, in) {
		return item, false, h.noteUnknownGroup(ctx, user, in)
	}
	if foreign, err := h.isForeignPress(ctx, user.Name, in); foreign || err != nil {
		return item, false, err
	}
	if err := h.o.KeepLanguage(ctx, user.Name, in.Language); err != nil {
		return item, false, err
	}
	item = h.item(user, in)
	err = h.quote(ctx, &item, in)
	return item, err == nil, err
}

// isForeignPress reports whether somebody has pressed another user's button in a group, and tells
// only that person.
func (h *UpdateHandler) isForeignPress(ctx context.Context, user string, in supervisor.Incoming) (bool, error) {
	if in.Kind != supervisor.IncomingPress || !in.Group {
		return false, nil
	}
	theirs, err := h.isTheirs(ctx, user, in)
	if err != nil || theirs {
		return false, err
	}
	h.o.Acknowledge(in.Query, textForeignPress)
	if h.strangers.IsNewKey("press "+user+" "+in.Chat, time.Now()) {
		h.o.Audit(user, "question.foreign", fmt.Sprintf("in group %s; nothing was done", in.Chat))
	}
	return true, nil
}

// isTheirs reports whether a button in a group belongs to a user. Some presses name their subject,
// and the subject has an owner. Any other button belongs to the user for whom its message was sent.
func (h *UpdateHandler) isTheirs(ctx context.Context, user string, in supervisor.Incoming) (bool, error) {
	if turn, ok := turnOfPress(in.Text); ok {
		owner, err := h.o.Undos.FindTurnUser(ctx, turn)
		return owner == user, err
	}
	if inbound, ok := inboundOfPress(in.Text); ok {
		return h.o.Updates.BelongsToUser(ctx, user, inbound)
	}
	if theirs, err := h.o.Questions.PressBelongsToUser(ctx, user, in.Text); theirs || err != nil {
		return theirs, err
	}
	return h.o.Posts.WasSentTo(ctx, supervisor.Conversation{User: user, Channel: in.Channel, Chat: in.Chat}, in.Message)
}

// turnOfPress returns the turn that a press undoes or retries.
func turnOfPress(press string) (turn int64, ok bool) {
	if turn, ok = presses.TurnOfUndoPress(press); ok {
		return turn, true
	}
	return inbox.ParseRetryPress(press)
}

// inboundOfPress returns the inbound of a press below a list of the queue or an edited message.
func inboundOfPress(press string) (inbound int64, ok bool) {
	if inbound, ok = presses.InboundOfQueuePress(press); ok {
		return inbound, true
	}
	return inbox.ParseNewAnswerPress(press)
}

// item returns the inbox item of a user's update.
func (h *UpdateHandler) item(user supervisor.User, in supervisor.Incoming) supervisor.BatchItem {
	item := supervisor.BatchItem{
		Inbound: supervisor.Inbound{
			Conversation: supervisor.Conversation{
				User: user.Name, Channel: in.Channel, Chat: in.Chat, Thread: in.Thread,
			},
			Source: h.o.Source, Key: in.Key, Message: in.Message, Sender: in.Sender, Text: in.Text,
			Group: in.Album, Origin: in.Origin, OwnText: in.OwnText,
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
	case supervisor.IncomingReaction:
		item.Reacts, item.RepliesTo, item.Inbound.Message = true, in.Message, ""
	case supervisor.IncomingUnreadable:
		item.Inbound.Text, item.Unread = in.Unreadable, true
		item.Answer = fmt.Sprintf(textUnreadable, in.Unreadable)
	case supervisor.IncomingMessage:
		item.MentionsUnread = mayMention(in)
		h.attach(&item, in)
	}
	return item
}

// mayMention reports whether a message may tell the model about an earlier unread file. Commands,
// codes and answers may not mention the file.
func mayMention(in supervisor.Incoming) bool {
	return !isCommand(in) && !isCode(in.Text) && answer.ParseYesOrNo(in.Text) == supervisor.AnswerChoiceNone
}

// isCommand reports whether a message is a command. A follow-up with text is no command.
func isCommand(in supervisor.Incoming) bool {
	name, _ := slash.Parse(in.Text)
	_, followup := slash.ParseFollowup(in.Text, len(in.Attachments))
	return name != "" && !followup
}

func isCode(text string) bool { return access.IsCode(text) || access.ContainsRecoveryCode(text) }

// isAllowCommand reports whether a message is an admin's /allow. It is accepted from groups that
// are not allowed yet.
func isAllowCommand(user supervisor.User, in supervisor.Incoming) bool {
	name, _ := slash.Parse(strings.TrimSpace(in.Text))
	return user.Role == supervisor.RoleAdmin && in.Kind == supervisor.IncomingMessage && name == "allow"
}

// noteUnknownGroup audits a group that is not allowed, once a day for each group. It tells an admin
// who speaks there how to allow the group.
func (h *UpdateHandler) noteUnknownGroup(ctx context.Context, user supervisor.User, in supervisor.Incoming) error {
	if h.strangers.IsNewKey(in.Chat, time.Now()) {
		h.o.Audit(user.Name, "telegram.group", fmt.Sprintf("spoke in group %s (%q), which no admin has allowed; nothing was answered",
			in.Chat, in.Title))
	}
	if user.Role != supervisor.RoleAdmin || !h.strangers.IsNewKey(user.Name+" "+in.Chat, time.Now()) {
		return nil
	}
	said, err := h.o.Outbox.SendNotice(ctx, supervisor.Delivery{Conversation: user.PrivateChat(),
		Text: fmt.Sprintf(textAllowHint, in.Title)})
	if err != nil {
		return fmt.Errorf("tell %s of a group that is not allowed: %w", user.Name, err)
	}
	h.o.Queued(said.Conversation.ID)
	return nil
}

// noteStranger audits a stranger who wrote to the bot, once a day for each stranger.
func (h *UpdateHandler) noteStranger(in supervisor.Incoming) {
	if h.strangers.IsNewKey(in.Sender, time.Now()) {
		h.o.Audit("", "telegram.stranger", fmt.Sprintf("%s wrote; nothing was answered", in.Sender))
	}
}
