package sqlite

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// outcomePending is the outcome of a delivery that is not done yet.
const outcomePending supervisor.DeliveryResult = ""

// outcomeTransitions lists the allowed next outcomes of each outcome of a delivery. A delivery that
// may not have arrived may wait again.
var outcomeTransitions = map[supervisor.DeliveryResult][]supervisor.DeliveryResult{
	outcomePending:            {supervisor.OutcomeSent, supervisor.OutcomeUnknown, supervisor.OutcomeFailed},
	supervisor.OutcomeUnknown: {outcomePending},
	supervisor.OutcomeFailed:  {outcomePending},
}

// StoreOutcome stores the outcome of a waiting delivery and the state of its last post. The same
// outcome again changes nothing; another outcome is an error. If the delivery has a DeleteAfter,
// StoreOutcome schedules the deletion of its messages and deletes its text.
//
// When all answers of an inbound are sent, the inbound and the inbounds that joined its turn are
// done. A parked inbound stays parked. An inbound with an unknown or failed answer stays answered.
func (s Outbox) StoreOutcome(ctx context.Context, c supervisor.DeliveryOutcome) error {
	return s.db.write(ctx, func(t *tx) { t.closeDelivery(c) }, "close delivery %d as %s", c.Delivery, c.Outcome)
}

// MarkDelivered records that the channel has taken a delivery. A second call changes nothing.
func (s Outbox) MarkDelivered(ctx context.Context, id int64) error {
	return s.StoreOutcome(ctx, supervisor.DeliveryOutcome{Delivery: id, Outcome: supervisor.OutcomeSent})
}

const outcomeOf = `SELECT coalesce(outcome, '') FROM outbox WHERE id = ?`

// Outcome returns the outcome of a delivery, or "" if it is not done.
func (s Outbox) Outcome(ctx context.Context, id int64) (supervisor.DeliveryResult, error) {
	outcome, err := engine.FirstValue(s.db.reader(ctx, "find the outcome of delivery %d", id), engine.ScanString,
		outcomeOf, id)
	return supervisor.DeliveryResult(outcome), err
}

func (t *tx) closeDelivery(c supervisor.DeliveryOutcome) {
	if c.Post.ID != 0 {
		t.settlePost(c.Post)
	}
	d := byID(t, "delivery", scanOutcome, findOutcome, c.Delivery)
	if c.Outcome == d.outcome && c.Outcome != outcomePending {
		return
	}
	if t.closeRecording(d.id, c.Outcome) {
		c.Outcome = supervisor.OutcomeSent // a failed recording counts as sent, since its text is sent instead
	}
	if c.Outcome == supervisor.OutcomeSent {
		c.Why = ""
	}
	t.moveOutcome(d, c.Outcome, c.Why)
	t.settleEffects(d, c)
	t.questionDelivered(d.id, c.Outcome)
	if d.deleteAfter > 0 {
		t.expire(d)
	}
	for _, id := range c.ReportedDeliveries {
		t.Exec(markTold, id)
	}
	if d.undoable != 0 && c.Outcome == supervisor.OutcomeSent {
		t.unbuttonUndoLater(d.undoable)
	}
	t.settleInbound(d.inbound)
	if c.Outcome == supervisor.OutcomeFailed {
		t.handleRefused(d, c)
	}
}

// outcomeRow is the state of a delivery.
type outcomeRow struct {
	id           int64
	conversation int64
	inbound      int64 // the answered inbound; 0 means none
	outcome      supervisor.DeliveryResult
	deleteAfter  int64 // time from sending a delivery to deleting its text, in milliseconds; 0 means never
	// the turn that the delivery answers, if it has undo buttons; otherwise 0
	undoable int64
}

const (
	findOutcome = `SELECT id, conversation, coalesce(inbound, 0), coalesce(outcome, ''), vanish,
		iif(kind = 'answer' AND buttons <> '', turn, 0) FROM outbox WHERE id = ?`
	markTold = `UPDATE outbox SET told = 1 WHERE id = ? AND outcome IN ('unknown', 'failed')`
)

func scanOutcome(r *engine.Row) (d outcomeRow) {
	r.Scan(&d.id, &d.conversation, &d.inbound, &d.outcome, &d.deleteAfter, &d.undoable)
	return d
}

// updateOutcome marks the new outcome as not reported, even if the user was told about the earlier
// outcome.
const updateOutcome = `UPDATE outbox SET outcome = ?, why = ?, told = 0, delivered_at = ? WHERE id = ?`

// moveOutcome changes a delivery's outcome; no other function does. The argument d must have been
// read in this transaction.
func (t *tx) moveOutcome(d outcomeRow, to supervisor.DeliveryResult, why string) {
	if !slices.Contains(outcomeTransitions[d.outcome], to) {
		t.fail(invalid("delivery %d is %q and cannot become %q", d.id, d.outcome, to))
	}
	if to == outcomePending {
		t.Exec(updateOutcome, nil, "", nil, d.id)
	} else {
		t.Exec(updateOutcome, to, why, t.Now, d.id)
	}
}

const countUnsent = `SELECT count(*) FROM outbox WHERE inbound = ? AND outcome IS NOT 'sent'`

// settleInbound moves an answered inbound to done after all its answers were sent. The inbounds
// that joined its turn share the answer and move too. Inbound 0 means none.
func (t *tx) settleInbound(inbound int64) {
	if inbound == 0 || value(t, engine.ScanInteger, countUnsent, inbound) > 0 {
		return
	}
	in := t.inbound(inbound)
	if in.State != supervisor.InboundAnswered {
		return
	}
	for _, in := range append(all(t, scanInbound, listTakenBeside, inbound), in) {
		t.transition(in, supervisor.InboundDone)
	}
}

const (
	cleanPosts = `INSERT INTO cleaning (user, conversation, message, what, due_at)
		SELECT user, conversation, message, 'delete', ? FROM post
		WHERE delivery = ? AND state <> 'deleted' AND state IN ('sent', 'surplus') AND message <> '' ORDER BY part`
	// cleanFiles schedules the deletion of a delivery's files from the spool. It serves channels
	// that cannot delete messages.
	cleanFiles = `INSERT INTO cleaning (user, conversation, message, what, due_at)
		SELECT o.user, o.conversation, f.value ->> 'sha256', 'delete', ?
		FROM outbox o, json_each(nullif(o.files, '')) f WHERE o.id = ?`
	blankPosts    = `UPDATE post SET content = '{"text":""}', changed_at = ? WHERE delivery = ? AND state <> 'deleted'`
	blankDelivery = `UPDATE outbox SET text = ?, files = '' WHERE id = ?`
)

// expire schedules the deletion of a closed delivery's messages, if they may stay only for a while.
// It deletes the delivery's text at once, also from the journal. The buttons stay, since they may
// be pressed. If the channel cannot delete messages, expire schedules the deletion of the files
// from the spool, each named by its SHA-256.
func (t *tx) expire(d outcomeRow) {
	t.ScrubJournal()
	clean := cleanFiles
	if t.conversationByID(d.conversation).Channel.Capabilities().Delete {
		clean = cleanPosts
	}
	t.Exec(clean, t.Now+d.deleteAfter, d.id)
	t.Exec(blankPosts, t.Now, d.id)
	t.Exec(blankDelivery, t.policies.Outbox.DeletedText, d.id)
}
