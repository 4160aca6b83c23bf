package sqlite

import (
	"context"
	"slices"
	"strconv"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// sourceAnew is the source of inbounds that are answered again. The key of such an inbound is
	// the id of the press that asked for a new answer.
	sourceAnew = "anew"

	// findEdited selects an edited and answered text, if it is the newest inbound with its name.
	findEdited = selectInbound + `WHERE i.id = ? AND i.conversation = ? AND i.kind = 'text' AND i.edited_at > 0
		AND i.state IN ('answered', 'done', 'parked') AND NOT EXISTS (SELECT 1 FROM inbox n WHERE n.conversation = i.conversation
			AND n.message = i.message AND n.message <> '' AND n.id > i.id AND n.kind <> 'press')`
	insertAnewInbound = `UPDATE inbox SET (edited_at, edited_by) = (SELECT edited_at, edited_by FROM inbox WHERE id = ?) WHERE id = ?`
	findAnswerOf      = `SELECT o.id FROM inbox i JOIN turn t ON t.id = i.turn OR t.inbound = i.id JOIN outbox o ON o.turn = t.id
		WHERE i.id = ? AND o.kind = 'answer'`
	isOf = `SELECT EXISTS (SELECT 1 FROM inbox WHERE id = ? AND user = ?)`
)

// RequeueEditedText queues an edited text that was answered before. Each press queues the text
// once: a second call with the same press returns the same inbound. ok is false if there is nothing
// to answer. The earlier answer stays and gets a note about the new answer.
func (s Inbox) RequeueEditedText(ctx context.Context, press, edited int64) (in supervisor.Inbound, ok bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Inbound, bool) { return t.answerAnew(t.inbound(press), edited) },
		"answer inbound %d anew", edited)
}

func (t *tx) answerAnew(press supervisor.Inbound, edited int64) (supervisor.Inbound, bool) {
	key := strconv.FormatInt(press.ID, 10)
	if in, there := one(t, scanInbound, findInboundByKey, press.Conversation.User, sourceAnew, key); there {
		return in, true
	}
	in, ok := one(t, scanInbound, findEdited, edited, press.Conversation.ID)
	if !ok {
		return in, false
	}
	files := all(t, scanAttachment, listAttachments, in.ID)
	for i := range files {
		files[i].SHA256, files[i].Failure = "", ""
	}
	anew := supervisor.Inbound{Conversation: in.Conversation, Source: sourceAnew, Key: key, Message: in.Message, Kind: in.Kind,
		Text: in.Text, Quote: in.Quote, Origin: in.Origin, OwnText: in.OwnText}
	if len(files) > 0 {
		anew.State = supervisor.InboundArriving
	}
	anew, _ = t.putInbound(anew)
	t.putAttachments(anew, files)
	t.Exec(insertAnewInbound, in.ID, anew.ID)
	t.markAnsweredAnew(in)
	if len(files) == 0 {
		t.remindIfBlocked(anew)
	}
	return anew, true
}

// maxMarked is the greatest length of a message, in UTF-16 code units. (Bot API, editMessageText.)
const maxMarked = 4096

// markAnsweredAnew adds a note about the new answer to the last message of the earlier answer.
func (t *tx) markAnsweredAnew(in supervisor.Inbound) {
	answer, ok := one(t, engine.ScanInteger, findAnswerOf, in.ID)
	if !ok || !in.Conversation.Channel.Capabilities().Edit {
		return
	}
	for _, p := range slices.Backward(t.postsOf(answer)) {
		if p.State == supervisor.PostSent {
			t.putCleaning(supervisor.MessageCleanup{Conversation: in.Conversation, Message: p.Message,
				Kind:    supervisor.CleanupEdit,
				Content: p.Content.AppendNote(t.policies.Edits.NewAnswerNote, maxMarked)})
			return
		}
	}
}

// BelongsToUser reports whether an inbound belongs to a user.
func (s Inbox) BelongsToUser(ctx context.Context, user string, inbound int64) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "find inbound %d of %s", inbound, user), engine.ScanBool, isOf, inbound,
		user)
}
