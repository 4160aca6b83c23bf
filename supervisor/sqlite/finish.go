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
	d, err := inTurn(ctx, s.db.writer, f.Turn, func(t turnTx) (supervisor.Delivery, error) { return t.finish(f) })
	return d, during(err, "finish turn %d", f.Turn)
}

func (t turnTx) finish(f FinishTurn) (d supervisor.Delivery, err error) {
	in, err := t.inbound(t.turn.Inbound)
	if err != nil {
		return d, err
	}
	for _, step := range []func(FinishTurn) error{t.pairCalls, t.keepPartial, t.end} {
		if err := step(f); err != nil {
			return d, err
		}
	}
	return t.putDelivery(supervisor.Delivery{Conversation: t.turn.Conversation, Inbound: in.ID, Key: in.Key,
		Message: in.Message, Turn: t.turn.ID, Why: f.Why, Kind: supervisor.DeliveryAnswer, Text: f.Text})
}

// pairCalls gives each call without a result one that says so: providers refuse a transcript where one is missing.
func (t turnTx) pairCalls(f FinishTurn) error {
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

const endTurn = `UPDATE turn SET why = ?, ended_at = ? WHERE id = ?`

// end moves the turn and its inbound to their ends.
func (t turnTx) end(f FinishTurn) error {
	if f.Why == "" {
		return refuse("Turn %d cannot end without a reason.", t.turn.ID)
	}
	in, err := t.inbound(t.turn.Inbound)
	if err != nil {
		return err
	}
	if err := t.transition(in, f.State); err != nil {
		return err
	}
	return t.exec(endTurn, f.Why, t.now, t.turn.ID)
}
