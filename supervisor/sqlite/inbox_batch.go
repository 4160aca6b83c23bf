package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// StoreBatch stores a batch, all of it or nothing. After StoreBatch has returned nil, the source
// may forget the batch. An error names the item that could not be stored.
//
// Gates are checked in the order of the items. So a code opens its gate for the following inbounds,
// and a lock closes its gate. An inbound that was stored before stays unchanged: its answer, code
// and lock have no second effect.
func (s Inbox) StoreBatch(ctx context.Context, b supervisor.InboundBatch) (supervisor.BatchReceipt, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.BatchReceipt {
		batch := batchTx{tx: t, batch: b}
		batch.put()
		return batch.receipt
	}, "store %d updates of %s", len(b.Items), b.Source)
}

// batchTx is a transaction that stores a batch.
type batchTx struct {
	*tx
	batch   supervisor.InboundBatch
	receipt supervisor.BatchReceipt // receipt for the items that are stored so far
}

// moveSource stores the start of a source's next batch. The start may go backwards, since a source
// may restart its numbers after a quiet week.
const moveSource = `INSERT INTO source (name, next) VALUES (?, ?)
	ON CONFLICT (name) DO UPDATE SET next = excluded.next WHERE next <> excluded.next`

func (t *batchTx) put() {
	t.receipt.Stored = make([]supervisor.Inbound, 0, len(t.batch.Items))
	for i, item := range t.batch.Items {
		item.Inbound.Source = t.batch.Source
		switch {
		case item.Reacts:
			t.receipt.Stored = append(t.receipt.Stored, t.putReaction(item)...)
		case item.EditedAt.IsZero():
			t.receipt.Stored = append(t.receipt.Stored, t.putItem(item))
		default:
			t.receipt.Stored = append(t.receipt.Stored, t.putEdit(item)...)
		}
		if t.err != nil {
			t.err = wrap(t.err, "item %d: store the update that %s sent as %s", i, item.Inbound.Conversation.User,
				item.Inbound.Key)
			return
		}
	}
	if t.batch.Next != 0 {
		t.Exec(moveSource, t.batch.Source, t.batch.Next)
	}
	for _, r := range t.batch.Reserved {
		t.startReserved(r)
	}
}

func (t *batchTx) putItem(item supervisor.BatchItem) supervisor.Inbound {
	t.recheckGate(&item)
	if item.Decision.CheckCode != nil {
		item.Inbound.Kind, item.Inbound.Text, item.Raw = supervisor.KindLoginCode, t.policies.Gate.CodePlaceholder, ""
	}
	item.Inbound.State = firstState(item)
	in, fresh := t.putInbound(item.Inbound)
	if !fresh {
		return in // a repeated code may look like a text, but no part of a code may be stored
	}
	in = t.joinTogether(in)
	if in.Quote != "" && item.RepliesTo != "" {
		t.Exec(keepQuoted, item.RepliesTo, in.ID)
	}
	if item.Inbound.Parts != "" {
		t.Exec(putShownAgain, item.Inbound.Parts, in.ID)
	}
	t.putRaw(in, item)
	t.putAttachments(in, item.Attachments)
	if item.Notice != "" {
		t.notify(supervisor.Delivery{Conversation: in.Conversation, Kind: supervisor.DeliveryNotice, Text: item.Notice})
	}
	if item.Secret && in.Message != "" {
		t.putCleaning(supervisor.MessageCleanup{Conversation: in.Conversation, Message: in.Message,
			Kind: supervisor.CleanupDelete})
	}
	t.endLogins(in.Conversation, item.Decision.Lock)
	switch {
	case item.Decision.CheckCode != nil:
		return t.tryCode(in, item.Decision)
	case item.Answer != "":
		t.markUnread(in, item.Unread)
		return t.answer(in, item.Answer)
	case item.Decision.Check != nil:
		in = t.checkGate(in, *item.Decision.Check)
	}
	if item.MentionsUnread && (in.State == supervisor.InboundNew || in.State == supervisor.InboundArriving) {
		in = t.mentionUnread(in)
	}
	if in.Held || in.Kind != supervisor.KindText || in.State != supervisor.InboundNew {
		return in
	}
	if pressed, ok := t.pressInWords(in, item.RepliesTo); ok {
		return pressed
	}
	return t.answerOpenQuestion(in, item.RepliesTo)
}

// putShownAgain stores the parts of an earlier message that the model sees again.
const putShownAgain = `UPDATE inbox SET parts = ? WHERE id = ?`

const keepQuoted = `UPDATE inbox SET replies_to = ? WHERE id = ?`

// newestMessage selects the channel's id of the last message that was sent in a conversation. The
// id is empty if no message was sent.
const newestMessage = `SELECT coalesce((SELECT message FROM post WHERE conversation = ? AND message <> '' ORDER BY id DESC LIMIT 1), '')`

// joinTogether gives all waiting inbounds of a group the same priority. Any message of an album may
// have the caption, which may set the priority of the album.
func (t *batchTx) joinTogether(in supervisor.Inbound) supervisor.Inbound {
	if in.Group == "" {
		return in
	}
	list := all(t, scanInbound, listQueue, in.Conversation.ID)
	for _, before := range slices.Backward(list) {
		switch {
		case before.ID == in.ID:
		case before.Group != in.Group || before.Priority == in.Priority:
			return in
		case in.Priority == supervisor.PriorityUsual:
			in.Priority = before.Priority
			t.Exec(setPriority, int(in.Priority), in.ID)
			return in
		default:
			t.Exec(setPriority, int(in.Priority), before.ID)
		}
	}
	return in
}

// firstState returns the state of a new item. An item is still arriving if it has files, or if its
// group may get more messages.
func firstState(item supervisor.BatchItem) supervisor.InboundState {
	arrives := len(item.Attachments) > 0 || item.Inbound.Group != ""
	if arrives && item.Inbound.Kind == supervisor.KindText && item.Answer == "" {
		return supervisor.InboundArriving
	}
	return supervisor.InboundNew
}

// recheckGate makes an inbound a code if its gate has closed since the inbound was read.
func (t *batchTx) recheckGate(item *supervisor.BatchItem) {
	g := item.Decision.Check
	if g == nil || g.CheckCode == nil || item.Answer != "" {
		return
	}
	if !t.useLogin(item.Inbound.Conversation, *g) {
		item.Decision = supervisor.GateDecision{CheckCode: g.CheckCode}
	}
}

// lockLogins makes logins expire. The command /lock counts and deletes them later.
const lockLogins = `UPDATE login SET used_at = 0 WHERE user = ?1 AND (?2 OR channel = ?3 AND chat = ?4)`

func (t *batchTx) endLogins(c supervisor.Conversation, l supervisor.GateLock) {
	if l != "" {
		t.Exec(lockLogins, c.User, l == supervisor.LockAllGates, c.Channel, c.Chat)
	}
}

// putRaw stores a raw update. It replaces an older update with the same number, since a source may
// restart its numbers.
const putRaw = `INSERT INTO received (source, id, user, raw, received_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (source, id) DO UPDATE SET user = excluded.user, raw = excluded.raw, received_at = excluded.received_at
	WHERE raw <> excluded.raw`

func (t *batchTx) putRaw(in supervisor.Inbound, item supervisor.BatchItem) {
	if item.Raw != "" {
		t.Exec(putRaw, t.batch.Source, item.Update, in.Conversation.User, item.Raw, t.Now)
	}
}

// answer stores the answer to a new inbound.
func (t *batchTx) answer(in supervisor.Inbound, text string) supervisor.Inbound {
	t.transition(in, supervisor.InboundAnswered)
	in.State = supervisor.InboundAnswered
	t.notify(supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID, Kind: supervisor.DeliveryNotice, Text: text})
	return in
}

// notify puts a delivery into the outbox and adds its conversation to the receipt.
func (t *batchTx) notify(d supervisor.Delivery) {
	t.noteQueued(d.Conversation)
	t.putDelivery(d)
}

// noteQueued adds a conversation with a new delivery to the receipt.
func (t *batchTx) noteQueued(c supervisor.Conversation) {
	if !slices.Contains(t.receipt.Queued, c.ID) {
		t.receipt.Queued = append(t.receipt.Queued, c.ID)
	}
}

const findSource = `SELECT next FROM source WHERE name = ?`

// NextUpdateNumber returns the start of a source's next batch. The source's last batch has stored
// this number; 0 means that there was no batch.
func (s Inbox) NextUpdateNumber(ctx context.Context, source string) (next int64, err error) {
	return engine.FirstValue(s.db.reader(ctx, "find the next update of %s", source), engine.ScanInteger, findSource,
		source)
}

// forgetChunk is the number of raw updates that are deleted in a transaction. So other writers wait
// only some milliseconds.
const forgetChunk = 200

const forgetRaw = `DELETE FROM received WHERE rowid IN
	(SELECT rowid FROM received WHERE received_at < ? ORDER BY received_at LIMIT ?)`

// DeleteRawUpdates deletes raw updates that were stored before a time. It returns their number. The
// inbounds stay.
func (s Inbox) DeleteRawUpdates(ctx context.Context, before time.Time) (n int64, err error) {
	for chunk := int64(forgetChunk); chunk == forgetChunk && err == nil; n += chunk {
		chunk, err = inTransaction(ctx, s.db, func(t *tx) int64 { return t.ExecCount(forgetRaw, before, forgetChunk) },
			"forget what was received before %s", before.UTC().Format(time.RFC3339))
	}
	return n, err
}
