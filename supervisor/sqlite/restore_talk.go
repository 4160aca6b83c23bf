package sqlite

import (
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// Texts whose recordings are not made yet wait like all others.
	dropRestoredSpeech = `DELETE FROM speech WHERE delivery IN (SELECT id FROM outbox WHERE delivered_at IS NULL)
		OR recording IS NULL OR recording IN (SELECT id FROM outbox WHERE delivered_at IS NULL)`
	listRestoredOutbox = selectDelivery + `WHERE o.delivered_at IS NULL ORDER BY o.id`
	// The time of a delivery decides how long it may be sent again. A backup may be older than
	// that.
	renewRestoredDelivery = `UPDATE outbox SET created_at = ?, told = 1 WHERE id = ?`
	loseRestoredPosts     = `UPDATE post SET state = 'unknown', changed_at = ? WHERE state IN ('queued', 'sending')`
	endRestoredQuestions  = `UPDATE question SET why = 'over', ended_at = ?1, used_at = coalesce(used_at, ?1), draft = NULL,
		held = NULL WHERE why IS NULL`
)

// restoreDeliveries ends all deliveries that waited: whether they have arrived is not known.
func (t *tx) restoreDeliveries(o Restore, r *RestoreReport) {
	t.Exec(dropRestoredSpeech)
	t.Exec(loseRestoredPosts, t.Now)
	for _, d := range all(t, scanDelivery, listRestoredOutbox) {
		t.closeDelivery(supervisor.DeliveryOutcome{Delivery: d.ID, Outcome: supervisor.OutcomeUnknown, Why: o.Why})
		t.Exec(renewRestoredDelivery, t.Now, d.ID)
		if d.DeleteAfter == 0 { // the text of others is gone
			u := r.entryOf(d.Conversation.User)
			u.Deliveries = append(u.Deliveries, d)
		}
	}
}

// restoreQuestions ends all open questions. The messages with their buttons stay as they are,
// because an answer after the backup may have changed them.
func (t *tx) restoreQuestions(_ Restore, r *RestoreReport) {
	r.Ended["question"] = t.ExecCount(endRestoredQuestions, t.Now)
	t.questions = true
}

const (
	listRestoredTurns  = `SELECT id FROM turn WHERE ended_at IS NULL AND parent IS NULL ORDER BY id`
	dropRestoredAnswer = `DELETE FROM outbox WHERE id = ?`
	listRestoredInbox  = selectInbound + `WHERE i.state IN ('arriving', 'new') ORDER BY i.id`
	releaseRestored    = `UPDATE inbox SET held = 0, challenged = 0 WHERE held = 1 AND state IN ('arriving', 'new')`
)

// restoreTurns parks all running turns.
func (t *tx) restoreTurns(o Restore, r *RestoreReport) {
	for _, id := range all(t, engine.ScanInteger, listRestoredTurns) {
		t.parkRestored(id, o, r)
	}
}

// parkRestored parks a turn. Its user may try it again, as after three crashes of a worker. The
// notice about the restore replaces the turn's answer.
func (t *tx) parkRestored(id int64, o Restore, r *RestoreReport) {
	running := turnTx{tx: t, turn: t.runningTurn(id)}
	ins := running.inbounds()
	d := running.finish(TurnEnding{Turn: id, Why: protocol.TurnEndError, State: supervisor.InboundParked,
		Unanswered: o.Unanswered})
	if d.ID != 0 {
		t.Exec(dropRestoredAnswer, d.ID)
	}
	if running.turn.Kind == supervisor.TurnChat && len(ins) > 0 {
		u := r.entryOf(running.turn.Conversation.User)
		u.Turns = append(u.Turns, RestoredTurn{Turn: id, Conversation: ins[0].Conversation, Text: ins[0].Text})
	}
}

// restoreInbounds ends all inbounds that waited. A text begins its turn and is parked at once, so
// that the model will know it and its user may try it again.
func (t *tx) restoreInbounds(o Restore, r *RestoreReport) {
	t.Exec(releaseRestored)
	for _, in := range all(t, scanInbound, listRestoredInbox) {
		in = t.inbound(in.ID) // an earlier turn may have taken it
		switch {
		case in.State == supervisor.InboundNew && in.Kind == supervisor.KindText:
			turn, _ := t.startTurn(in.ID, nil)
			t.parkRestored(turn.ID, o, r)
		case in.State == supervisor.InboundNew || in.State == supervisor.InboundArriving:
			t.transition(in, supervisor.InboundDropped)
			if in.Conversation.Channel != supervisor.ChannelJob && in.Kind != supervisor.KindLoginCode {
				u := r.entryOf(in.Conversation.User)
				u.Dropped = append(u.Dropped, in)
			}
		}
	}
}
