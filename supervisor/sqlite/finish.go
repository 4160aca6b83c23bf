package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

// FinishTurn is how a turn ends.
type FinishTurn struct {
	Turn       int64
	Why        protocol.Why
	State      supervisor.InboundState // of its inbound: answered or parked
	Text       string                  // what the person gets
	Partial    string                  // what a model had said of a message that was cut, for the transcript; "" none
	Unanswered string                  // the result of calls that have none, so that each call has one
}

// Finish ends a turn and puts its answer into the outbox. Refused if the turn has ended.
func (s Turns) Finish(ctx context.Context, f FinishTurn) (supervisor.Delivery, error) {
	d, err := inTransaction(ctx, s.db.writer, func(t *tx) (supervisor.Delivery, error) { return t.finish(f) })
	return d, during(err, "finish turn %d", f.Turn)
}

func (t *tx) finish(f FinishTurn) (d supervisor.Delivery, err error) {
	turn, err := t.runningTurn(f.Turn)
	if err != nil {
		return d, err
	}
	in, err := t.inbound(turn.Inbound)
	if err != nil {
		return d, err
	}
	for _, step := range []func(supervisor.Turn, FinishTurn) error{t.pairCalls, t.keepPartial, t.endTurn} {
		if err := step(turn, f); err != nil {
			return d, err
		}
	}
	return t.putDelivery(supervisor.Delivery{Conversation: turn.Conversation, Inbound: in.ID, Key: in.Key, Turn: turn.ID,
		Kind: supervisor.DeliveryAnswer, Text: f.Text})
}

// pairCalls gives each call without a result one that says so: providers refuse a transcript where one is missing.
func (t *tx) pairCalls(turn supervisor.Turn, f FinishTurn) error {
	calls, err := t.openCalls(turn.ID)
	if err != nil {
		return err
	}
	for _, c := range calls {
		r := protocol.ToolResult{Call: c.ID, Name: c.Name, Text: f.Unanswered, Failed: true}
		if _, err := t.putResult(turn, r); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) keepPartial(turn supervisor.Turn, f FinishTurn) error {
	if f.Partial == "" {
		return nil
	}
	_, err := t.putMessage(turn, protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Text: f.Partial}}})
	return err
}

const endTurn = `UPDATE turn SET why = ?, ended_at = ? WHERE id = ?`

// endTurn moves the turn and its inbound to their ends.
func (t *tx) endTurn(turn supervisor.Turn, f FinishTurn) error {
	if f.Why == "" {
		return refuse("Turn %d cannot end without a reason.", turn.ID)
	}
	in, err := t.inbound(turn.Inbound)
	if err != nil {
		return err
	}
	if err := t.transition(in, f.State); err != nil {
		return err
	}
	return t.exec(endTurn, f.Why, t.now, turn.ID)
}
