package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// PutBatch keeps a batch, all of it or nothing. Each of its inbounds meets its gate in order: a
// code opens it for what stands behind it, and a lock closes it. The Receipt lists them each as Put
// would. What was there before is listed as it is: it is not answered again, a code is not tried
// again, and a lock does not close again. When it has returned nil, the source may forget what it
// sent. An error names the item that could not be kept.
func (s Inbox) PutBatch(ctx context.Context, b supervisor.Batch) (supervisor.Receipt, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Receipt {
		batch := batchTx{tx: t, batch: b}
		batch.put()
		return batch.receipt
	}, "keep %d updates of %s", len(b.Items), b.Source)
}

// batchTx is a transaction that keeps a batch.
type batchTx struct {
	*tx
	batch   supervisor.Batch
	receipt supervisor.Receipt // as far as the batch was kept
}

// moveSource moves backwards too: a source may number anew after a quiet week.
const moveSource = `INSERT INTO source (name, next) VALUES (?, ?)
	ON CONFLICT (name) DO UPDATE SET next = excluded.next WHERE next <> excluded.next`

func (t *batchTx) put() {
	t.receipt.Kept = make([]supervisor.Inbound, 0, len(t.batch.Items))
	for i, item := range t.batch.Items {
		item.Inbound.Source = t.batch.Source
		if item.EditedAt.IsZero() {
			t.receipt.Kept = append(t.receipt.Kept, t.putItem(item))
		} else {
			t.receipt.Kept = append(t.receipt.Kept, t.putEdit(item)...)
		}
		if t.err != nil {
			t.err = wrap(t.err, "item %d: keep what %s sent as %s", i, item.Inbound.Conversation.User, item.Inbound.Key)
			return
		}
	}
	if t.batch.Next != 0 {
		t.Exec(moveSource, t.batch.Source, t.batch.Next)
	}
}

func (t *batchTx) putItem(item supervisor.Item) supervisor.Inbound {
	t.recheckGate(&item)
	if item.Decision.Decide != nil {
		item.Inbound.Kind, item.Inbound.Text, item.Raw = supervisor.KindCode, t.policies.Gate.CodeStandsIn, ""
	}
	item.Inbound.State = firstState(item)
	in, fresh := t.putInbound(item.Inbound)
	if !fresh {
		return in // sent again, a code may look like a text: nothing of it is kept now
	}
	in = t.joinTogether(in)
	if in.Quote != "" && item.RepliesTo != "" {
		t.Exec(keepQuoted, item.RepliesTo, in.ID)
	}
	t.putRaw(in, item)
	t.putAttachments(in, item.Attachments)
	if item.Notice != "" {
		t.notify(supervisor.Delivery{Conversation: in.Conversation, Kind: supervisor.DeliveryNotice, Text: item.Notice})
	}
	t.endLogins(in.Conversation, item.Decision.Lock)
	switch {
	case item.Decision.Decide != nil:
		return t.tryCode(in, item.Decision)
	case item.Answer != "":
		t.markUnread(in, item.Unread)
		return t.answer(in, item.Answer)
	case item.Decision.Guard != nil:
		in = t.checkGate(in, *item.Decision.Guard)
	}
	if item.MentionsUnread && (in.State == supervisor.InboundNew || in.State == supervisor.InboundArriving) {
		in = t.mentionUnread(in)
	}
	if in.Held || in.Kind != supervisor.KindText || in.State != supervisor.InboundNew || in.Priority == supervisor.PriorityFollowup {
		return in
	}
	return t.meetQuestion(in, item.RepliesTo)
}

const keepQuoted = `UPDATE inbox SET replies_to = ? WHERE id = ?`

// newestMessage is the channel's name of the last message that was sent in a conversation; ” where
// there is none.
const newestMessage = `SELECT coalesce((SELECT message FROM post WHERE conversation = ? AND message <> '' ORDER BY id DESC LIMIT 1), '')`

// joinTogether gives a new inbound, and those that wait right before it and are taken together with
// it, one priority: an album's words may be with any part of it, and say of all of it that it is to
// wait.
func (t *batchTx) joinTogether(in supervisor.Inbound) supervisor.Inbound {
	if in.Together == "" {
		return in
	}
	list := all(t, scanInbound, listQueue, in.Conversation.ID)
	for _, before := range slices.Backward(list) {
		switch {
		case before.ID == in.ID:
		case before.Together != in.Together || before.Priority == in.Priority:
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

// firstState is the state in which an item is kept. What something came with, or more may belong
// to, is not for a turn yet.
func firstState(item supervisor.Item) supervisor.InboundState {
	arrives := len(item.Attachments) > 0 || item.Inbound.Together != ""
	if arrives && item.Inbound.Kind == supervisor.KindText && item.Answer == "" {
		return supervisor.InboundArriving
	}
	return supervisor.InboundNew
}

// recheckGate makes a code of an inbound that is one because its gate has closed since it was met.
func (t *batchTx) recheckGate(item *supervisor.Item) {
	g := item.Decision.Guard
	if g == nil || g.Decide == nil || item.Answer != "" {
		return
	}
	if !t.useLogin(item.Inbound.Conversation, *g) {
		item.Decision = supervisor.GateDecision{Decide: g.Decide}
	}
}

// lockLogins has logins run out. The command that asks for it takes them away, for it counts them.
const lockLogins = `UPDATE login SET used_at = 0 WHERE user = ?1 AND (?2 OR channel = ?3 AND chat = ?4)`

func (t *batchTx) endLogins(c supervisor.Conversation, l supervisor.Lock) {
	if l != "" {
		t.Exec(lockLogins, c.User, l == supervisor.LockAll, c.Channel, c.Chat)
	}
}

// putRaw replaces what the source had sent under the same number before it began to number anew.
const putRaw = `INSERT INTO received (source, id, user, raw, received_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (source, id) DO UPDATE SET user = excluded.user, raw = excluded.raw, received_at = excluded.received_at
	WHERE raw <> excluded.raw`

func (t *batchTx) putRaw(in supervisor.Inbound, item supervisor.Item) {
	if item.Raw != "" {
		t.Exec(putRaw, t.batch.Source, item.Update, in.Conversation.User, item.Raw, t.Now)
	}
}

// answer answers an inbound that is new.
func (t *batchTx) answer(in supervisor.Inbound, text string) supervisor.Inbound {
	t.transition(in, supervisor.InboundAnswered)
	in.State = supervisor.InboundAnswered
	t.notify(supervisor.Delivery{Conversation: in.Conversation, Inbound: in.ID, Kind: supervisor.DeliveryNotice, Text: text})
	return in
}

// notify puts something into the outbox and notes where.
func (t *batchTx) notify(d supervisor.Delivery) {
	t.queued(d.Conversation)
	t.putDelivery(d)
}

// queued notes that something was put into a conversation's outbox.
func (t *batchTx) queued(c supervisor.Conversation) {
	if !slices.Contains(t.receipt.Queued, c.ID) {
		t.receipt.Queued = append(t.receipt.Queued, c.ID)
	}
}

const findSource = `SELECT next FROM source WHERE name = ?`

// NextUpdate is where a source's next batch begins: the Next of its last one, 0 where nothing of it
// was kept yet.
func (s Inbox) NextUpdate(ctx context.Context, source string) (next int64, err error) {
	return engine.Value(s.db.reader(ctx, "find how far %s was read", source), engine.Integer, findSource, source)
}

// forgetChunk is how many rows Forget deletes in one transaction: others who write wait for a few
// milliseconds.
const forgetChunk = 200

const forgetRaw = `DELETE FROM received WHERE rowid IN
	(SELECT rowid FROM received WHERE received_at < ? ORDER BY received_at LIMIT ?)`

// Forget deletes what sources sent, as they sent it, where that was kept before a time, and says
// how much it was. The inbounds stay.
func (s Inbox) Forget(ctx context.Context, before time.Time) (n int64, err error) {
	for chunk := int64(forgetChunk); chunk == forgetChunk && err == nil; n += chunk {
		chunk, err = inTransaction(ctx, s.db, func(t *tx) int64 { return t.Change(forgetRaw, before, forgetChunk) },
			"forget what was received before %s", before.UTC().Format(time.RFC3339))
	}
	return n, err
}
