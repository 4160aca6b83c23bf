package sqlite

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// outcomePending is a delivery's outcome while it has none.
const outcomePending supervisor.Outcome = ""

// outcomeTransitions says which outcome a delivery may have after each. What did not arrive for
// certain may wait again.
var outcomeTransitions = map[supervisor.Outcome][]supervisor.Outcome{
	outcomePending:            {supervisor.OutcomeSent, supervisor.OutcomeUnknown, supervisor.OutcomeFailed},
	supervisor.OutcomeUnknown: {outcomePending},
	supervisor.OutcomeFailed:  {outcomePending},
}

// Close keeps what became of a delivery that waited, and of the last of its posts with it. The same
// outcome again changes nothing; another is refused. When all that answers an inbound was sent, the
// inbound is done, and what its turn has taken in with it; a parked one stays parked, and one with
// an answer that is unknown or failed stays answered. Where the delivery is to vanish, the cleaning
// of its messages is kept and what it said is not.
func (s Outbox) Close(ctx context.Context, c supervisor.DeliveryOutcome) error {
	return s.db.write(ctx, func(t *tx) { t.closeDelivery(c) }, "close delivery %d as %s", c.Delivery, c.Outcome)
}

// Delivered keeps that the channel has taken a delivery; to say so again changes nothing.
func (s Outbox) Delivered(ctx context.Context, id int64) error {
	return s.Close(ctx, supervisor.DeliveryOutcome{Delivery: id, Outcome: supervisor.OutcomeSent})
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
		c.Outcome = supervisor.OutcomeSent // or its text is, so that nothing is lost
	}
	if c.Outcome == supervisor.OutcomeSent {
		c.Why = ""
	}
	t.moveOutcome(d, c.Outcome, c.Why)
	t.questionDelivered(d.id, c.Outcome)
	if d.vanish > 0 {
		t.expire(d)
	}
	for _, id := range c.Told {
		t.Exec(markTold, id)
	}
	if d.undoable != 0 && c.Outcome == supervisor.OutcomeSent {
		t.unbuttonUndoLater(d.undoable)
	}
	t.settleInbound(d.inbound)
	if c.Outcome == supervisor.OutcomeFailed {
		t.placeRefused(d, c)
	}
}

// outcomeRow is how far a delivery has come.
type outcomeRow struct {
	id           int64
	conversation int64
	inbound      int64 // 0 for none
	outcome      supervisor.Outcome
	vanish       int64 // milliseconds; 0 is never
	// the turn that it answers, where it has buttons that undo what that has changed; else 0
	undoable int64
}

const (
	findOutcome = `SELECT id, conversation, coalesce(inbound, 0), coalesce(outcome, ''), vanish,
		iif(kind = 'answer' AND buttons <> '', turn, 0) FROM outbox WHERE id = ?`
	markTold = `UPDATE outbox SET told = 1 WHERE id = ? AND outcome IN ('unknown', 'failed')`
)

func scanOutcome(r *engine.Row) (d outcomeRow) {
	r.Scan(&d.id, &d.conversation, &d.inbound, &d.outcome, &d.vanish, &d.undoable)
	return d
}

// What the person knew of an outcome, they know of that one only.
const updateOutcome = `UPDATE outbox SET outcome = ?, why = ?, told = 0, delivered_at = ? WHERE id = ?`

// moveOutcome is the only place where a delivery's outcome changes. d is as it was read in this
// transaction.
func (t *tx) moveOutcome(d outcomeRow, to supervisor.Outcome, why string) {
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

// settleInbound moves an answered inbound to done when all that answers it was sent, with what its
// turn has taken in: that has no answer but this one. 0 is none.
func (t *tx) settleInbound(inbound int64) {
	if inbound == 0 || value(t, engine.Integer, countUnsent, inbound) > 0 {
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
	// Where no message can be taken away, the bytes of the files can, and nobody else sees to them
	// there.
	cleanFiles = `INSERT INTO cleaning (user, conversation, message, what, due_at)
		SELECT o.user, o.conversation, f.value ->> 'sha256', 'delete', ?
		FROM outbox o, json_each(nullif(o.files, '')) f WHERE o.id = ?`
	blankPosts    = `UPDATE post SET content = '{"text":""}', changed_at = ? WHERE delivery = ? AND state <> 'deleted'`
	blankDelivery = `UPDATE outbox SET text = ?, files = '' WHERE id = ?`
)

// expire is for a delivery that was closed, and may stand in its chat for a while: its messages
// there are to be deleted then, and what they say is kept no longer, in the journal neither. Its
// buttons stay: they may be pressed. Where a channel cannot delete, it is the files that are to be
// deleted from the spool then, each named by its SHA-256.
func (t *tx) expire(d outcomeRow) {
	t.Scrub()
	clean := cleanFiles
	if t.conversationByID(d.conversation).Channel.Can().Delete {
		clean = cleanPosts
	}
	t.Exec(clean, t.Now+d.vanish, d.id)
	t.Exec(blankPosts, t.Now, d.id)
	t.Exec(blankDelivery, t.policies.Outbox.NotKept, d.id)
}
