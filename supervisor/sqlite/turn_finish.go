package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// FinishTurn is how a turn ends.
type FinishTurn struct {
	Turn       int64
	Why        protocol.Why
	State      supervisor.InboundState // of all its inbounds: answered or parked
	Text       string                  // what the person gets
	Partial    string                  // what a model had said of a message that was cut, for the transcript; "" none
	Unanswered string                  // the result of calls that have none, so that each call has one
}

// Finish ends a turn, and those below it, and puts its answer into the outbox. That of a child turn is for its parent: it is
// put nowhere, and returned without an ID. Refused if the turn has ended.
func (s Turns) Finish(ctx context.Context, f FinishTurn) (supervisor.Delivery, error) {
	return inTurn(ctx, s.db, f.Turn, func(t turnTx) (supervisor.Delivery, error) { return t.finish(f) }, "finish turn %d", f.Turn)
}

func (t turnTx) finish(f FinishTurn) (d supervisor.Delivery, err error) {
	ins, err := t.inbounds()
	if err != nil {
		return d, err
	}
	if err := t.answerOpenCalls(f); err != nil {
		return d, err
	}
	if err := t.keepPartial(f); err != nil {
		return d, err
	}
	if err := t.end(f, ins); err != nil {
		return d, err
	}
	d = supervisor.Delivery{Conversation: t.turn.AnswersIn(), Turn: t.turn.ID, Why: f.Why, Kind: supervisor.DeliveryAnswer,
		Text: f.Text}
	if t.turn.Inbound == 0 {
		return d, nil
	}
	d.Inbound, d.Key, d.Message = ins[0].ID, ins[0].Key, t.turn.Message
	for _, in := range ins[1:] {
		d.AlsoKeys = append(d.AlsoKeys, in.Key)
	}
	return t.putDelivery(d)
}

// answerOpenCalls gives each call without a result one that says so: providers refuse a transcript where one is missing.
func (t turnTx) answerOpenCalls(f FinishTurn) error {
	calls, err := t.openCalls()
	if err != nil {
		return err
	}
	for _, c := range calls {
		r := protocol.ToolResult{Call: c.ID, Name: c.Name, Text: f.Unanswered, Failed: true}
		if _, err := t.putResult(r); err != nil {
			return err
		}
	}
	return nil
}

func (t turnTx) keepPartial(f FinishTurn) error {
	if f.Partial == "" {
		return nil
	}
	_, err := t.putMessage(protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Text: f.Partial}}})
	return err
}

const (
	endTurn       = `UPDATE turn SET why = ?, ended_at = ? WHERE id = ?`
	refuseStopped = `UPDATE turn SET why = 'refused' WHERE why = 'stopped' AND id IN (SELECT turn FROM message
		WHERE conversation = ?1 AND id >= ?2)`
	listChildren = `SELECT id FROM turn WHERE parent = ? AND ended_at IS NULL ORDER BY id`
)

// end moves the turn and its inbounds to their ends. What was taken in on the way ends as what it began with, whatever that
// is. Stopped: a /stop is about all that came before it, and what came after it was never taken. Failed: the failure was of a
// request with all of them in it, and it is all of them that the person is told about. Parked: all of them were there before the
// first of the workers ended; nobody knows which of them ends the workers, and to find that out would end three more for each.
func (t turnTx) end(f FinishTurn, ins []supervisor.Inbound) error {
	if f.Why == "" {
		return invalid("turn %d cannot end without a reason", t.turn.ID)
	}
	for _, in := range ins {
		if err := t.transition(in, f.State); err != nil {
			return err
		}
	}
	if err := t.Exec(endTurn, f.Why, t.Now, t.turn.ID); err != nil {
		return err
	}
	if f.Why == protocol.WhyRefused {
		if err := t.refuse(); err != nil {
			return err
		}
	}
	children, err := engine.All(t, engine.Integer, listChildren, t.turn.ID)
	if err != nil {
		return err
	}
	for _, id := range children {
		child, err := t.runningTurn(id)
		if err != nil {
			return err
		}
		if _, err := (turnTx{t.tx, child}).finish(FinishTurn{Why: f.Why, Unanswered: f.Unanswered}); err != nil {
			return err
		}
	}
	return nil
}

// refuse marks what the refused turn was to answer beside its own: the turns that were stopped for it.
func (t turnTx) refuse() error {
	first, err := engine.Value(t, engine.Integer, findFirstMessage, t.turn.ID, t.endsTurn)
	if err != nil {
		return err
	}
	return t.Exec(refuseStopped, t.turn.Conversation.ID, first)
}
