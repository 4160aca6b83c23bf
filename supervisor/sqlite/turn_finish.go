package sqlite

import (
	"cmp"
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// TurnEnding has the parameters of Finish.
type TurnEnding struct {
	Turn  int64
	Why   protocol.TurnEndReason
	State supervisor.InboundState // state of all inbounds of the turn: answered or parked
	Text  string                  // text of the answer to the user
	// text of the answer if effect lines are below it; "" means Text
	TextWithEffects string
	// the beginning of a message that the model could not finish, for the transcript; "" means none
	Partial string
	// result for calls without a result, since each call needs a result
	Unanswered string
	Voice      supervisor.VoiceMode // whether Text is spoken too
	Written    string               // notice to a user who wants only speech, why the answer is text; "" means none
	Temporary  bool                 // the turn failed for a passing reason: a job's turn is tried again
	OverBudget bool                 // the turn failed for lack of budget
	// the user sees the answer before the group does; nil means that it goes to its chat
	Private *PrivateAnswer
}

// PrivateAnswer is the answer of a turn in a group that its user sees first.
type PrivateAnswer struct {
	Conversation supervisor.Conversation // the user's private chat
	Buttons      [][]supervisor.Button   // buttons below the answer
	Notice       string                  // what the group reads meanwhile; "" means nothing
}

// Finish ends a turn with its child turns, and puts its answer into the outbox. The answer of a
// child turn is for its parent: it is returned without an ID and not stored. Finish fails if the
// turn has ended.
func (s Turns) Finish(ctx context.Context, f TurnEnding) (supervisor.Delivery, error) {
	return inTurn(ctx, s.db, f.Turn, func(t turnTx) supervisor.Delivery { return t.finish(f) }, "finish turn %d",
		f.Turn)
}

func (t turnTx) finish(f TurnEnding) supervisor.Delivery {
	ins := t.inbounds()
	if !t.callsDone {
		t.answerOpenCalls(f)
	}
	t.keepPartial(f)
	t.end(f, ins)
	d := supervisor.Delivery{Conversation: t.turn.AnswerConversation(), Turn: t.turn.ID, TurnEnd: f.Why,
		Kind: supervisor.DeliveryAnswer,
		Text: f.Text}
	if t.turn.Inbound == 0 {
		return d
	}
	if f.Private != nil {
		d.Conversation = t.conversation(f.Private.Conversation)
	}
	if d.Effects = t.effectLines(); len(d.Effects) > 0 {
		d.Text = cmp.Or(f.TextWithEffects, d.Text)
	}
	d.Inbound, d.Key, d.Message = ins[0].ID, ins[0].Key, t.turn.Message
	for _, in := range ins[1:] {
		d.AlsoKeys = append(d.AlsoKeys, in.Key)
	}
	if can := d.Conversation.Channel.Capabilities(); can.Buttons && can.Edit && value(t, engine.ScanBool, hasUndo,
		t.turn.ID) {
		d.Buttons = t.policies.Undo.Buttons(d.Conversation, t.turn.ID)
	}
	if f.State == supervisor.InboundParked && t.turn.Kind == supervisor.TurnChat &&
		d.Conversation.Channel.Capabilities().Buttons {
		d.Buttons = append(d.Buttons, t.policies.Edits.RetryButtons(t.turn.ID)...)
	}
	if t.turn.Kind == supervisor.TurnReview {
		one(t, func(row *engine.Row) (none struct{}) { row.Scan(columnDecoder{&d.Buttons}); return none }, buttonsOf,
			t.turn.ID)
	}
	if f.Private != nil {
		d.Message, d.Buttons = "", append(d.Buttons, f.Private.Buttons...)
	}
	if t.turn.Kind == supervisor.TurnJob && !t.endFire(f, &d) {
		t.settleSilent(ins)
		t.putPromptCard(d.Conversation.User, t.turn.ID)
		return d
	}
	d = t.putDelivery(d)
	if f.Private != nil && f.Private.Notice != "" {
		t.putNotice(supervisor.Delivery{Conversation: t.turn.AnswerConversation(), Text: f.Private.Notice})
	}
	if t.turn.Kind == supervisor.TurnJob {
		t.Exec(setFireDelivery, d.ID, t.turn.Inbound)
	}
	if written := cmp.Or(t.putSpeech(d, f.Voice), f.Written); written != "" {
		t.putNotice(supervisor.Delivery{Conversation: d.Conversation, Text: written, Silent: true})
	}
	t.putLog(ins, f.Text)
	t.putPromptCard(d.Conversation.User, t.turn.ID)
	t.offerUntold()
	return d
}

// answerOpenCalls stores the text Unanswered as the result of each open call, since providers
// refuse open calls. If a call has begun and has no effect in the ledger, the ledger gets an effect
// with an unknown end.
func (t turnTx) answerOpenCalls(f TurnEnding) {
	for _, call := range all(t, engine.ScanString, listUnknown, t.turn.ID) {
		t.putEffect(supervisor.Effect{Call: call, Kind: supervisor.EffectCallBegun, Target: t.call(call).name})
	}
	for _, c := range t.openCalls() {
		r := protocol.ToolResult{Call: c.ID, Name: c.Name, Text: f.Unanswered, Failed: true}
		t.putResult(t.endExternalCall(r))
	}
}

func (t turnTx) keepPartial(f TurnEnding) {
	if f.Partial != "" {
		t.putMessage(protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: f.Partial}}})
	}
}

const (
	endTurn       = `UPDATE turn SET why = ?, ended_at = ? WHERE id = ?`
	refuseStopped = `UPDATE turn SET why = 'refused' WHERE why = 'stopped' AND id IN (SELECT turn FROM message
		WHERE conversation = ?1 AND id >= ?2)`
	listChildren = `SELECT id FROM turn WHERE parent = ? AND ended_at IS NULL ORDER BY id`
)

// end moves the turn and its inbounds to their final states. Inbounds that joined the turn end like
// the turn's first inbound.
//
// If the turn was stopped, the user's /stop was about all of these inbounds. If the turn failed,
// the failed request contained all of them. If the turn is parked, all of them were there before
// the first worker crashed. Nobody knows which inbound crashes the workers, and a search would
// crash three more workers for each inbound.
func (t turnTx) end(f TurnEnding, ins []supervisor.Inbound) {
	if f.Why == "" {
		t.fail(invalid("turn %d cannot end without a reason", t.turn.ID))
	}
	for _, in := range ins {
		t.transition(in, f.State)
	}
	t.Exec(endTurn, f.Why, t.Now, t.turn.ID)
	t.noteSaid()
	t.endQuestionsOf(t.turn.ID, 0)
	if f.Why == protocol.TurnEndRefused {
		t.refuseStoppedTurns()
	}
	for _, id := range all(t, engine.ScanInteger, listChildren, t.turn.ID) {
		turnTx{tx: t.tx, turn: t.runningTurn(id)}.finish(TurnEnding{Why: f.Why, Unanswered: f.Unanswered})
	}
	if t.turn.Kind.IsOneShot() && t.turn.Parent == 0 {
		t.Exec(forgetAsked, t.turn.ID)
	}
}

// refuseStoppedTurns marks stopped turns as refused, if the turn of the next message was refused.
// It marks only turns that were stopped for that message.
func (t turnTx) refuseStoppedTurns() {
	first := value(t, engine.ScanInteger, findFirstMessage, t.turn.ID, t.endsTurn)
	t.Exec(refuseStopped, t.turn.Conversation.ID, first)
}

// settleSilent marks a turn's inbounds as done if there is no answer to deliver.
func (t turnTx) settleSilent(ins []supervisor.Inbound) {
	for _, in := range ins {
		if in = t.inbound(in.ID); in.State == supervisor.InboundAnswered {
			t.transition(in, supervisor.InboundDone)
		}
	}
}
