package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/modelcall"
)

// Step is what a model said in a turn, and what that cost.
type Step struct {
	Turn    int64
	Message protocol.Message  // Role assistant
	Spec    string            // provider/model
	Model   string            // as its provider names it
	Purpose modelcall.Purpose // "" is chat
	Usage   protocol.Usage
	Cost    *int64  // in millionths of a dollar; nil where no price is known
	Request string  // the provider's own name of the call; "" where it gave none
	Leases  []int64 // the person's, which end with it
	Asked   string  // as ModelCall's, and so is Pot
	Pot     string
	Charged bool // what it cost was kept before: no field between Message and this one is used

	// tools of families that Message calls: they are open from now on
	Uses []supervisor.OpenedTool
	// of calls of Message that are not run; their messages have the ids that follow its own
	Results []protocol.ToolResult
}

// CommitStep keeps what a model said and returns the message's id. Refused if the turn has ended,
// if calls of its last step have no result yet, and if a call's ID is empty or was used before in
// the conversation.
func (s Turns) CommitStep(ctx context.Context, step Step) (message int64, err error) {
	return inTurn(ctx, s.db, step.Turn, func(t turnTx) int64 { return t.commitStep(step) }, "commit a step of turn %d",
		step.Turn)
}

// LastStep is a step after which the model has nothing left to do, and how the turn ends with it.
type LastStep struct {
	Step Step // its message has no calls
	End  FinishTurn
	// the only post that the answer is to have; nil where that is said later
	Post *supervisor.RichText
}

// EndedStep is what has become of a LastStep.
type EndedStep struct {
	Message  int64
	Ended    bool // the turn has ended with it; else it is committed as any other
	Delivery supervisor.Delivery
	// is being sent: whoever gets it, and nobody else, may do that; without an ID there is none
	Post supervisor.Post
}

// CommitLast does what CommitStep does, and what Finish does, at once. The turn does not end where
// something waits that it could take in. The post is kept where the answer is the first thing to be
// sent to its chat, nothing of it was sent before, and nothing is to stand below it.
func (s Turns) CommitLast(ctx context.Context, l LastStep) (EndedStep, error) {
	return inTurn(ctx, s.db, l.Step.Turn, func(t turnTx) EndedStep { return t.commitLast(l) }, "commit the last step of turn %d",
		l.Step.Turn)
}

func (t turnTx) commitLast(l LastStep) (e EndedStep) {
	e.Message = t.commitStep(l.Step)
	_, waits := one(t, engine.Integer, findTakable, t.turn.ID, t.endsTurn, t.Now, int(supervisor.PriorityUsual))
	if waits || len(l.Step.Message.Calls()) > 0 {
		return e
	}
	e.Delivery, e.Ended = t.finish(l.End), true
	if l.Post != nil && e.Delivery.ID != 0 && len(e.Delivery.Effects) == 0 && e.Delivery.Buttons == nil {
		e.Post = t.putFirstPost(e.Delivery, *l.Post)
	}
	return e
}

func (t turnTx) commitStep(step Step) int64 {
	if step.Message.Role != protocol.RoleAssistant {
		t.fail(invalid("a step's message is the assistant's, not one of role %q", step.Message.Role))
	}
	if open := t.openCalls(); len(open) > 0 {
		t.fail(invalid("call %s of turn %d has no result yet", open[0].ID, t.turn.ID))
	}
	id := t.putMessage(step.Message)
	t.putCalls(id, step.Message.Calls())
	t.openTools(t.turn.Conversation, step.Uses)
	for _, r := range step.Results {
		t.commitResult(r)
	}
	if step.Charged {
		return id
	}
	in := t.turn.Conversation
	t.putUsage(id, ModelCall{User: in.User, Conversation: in.ID, Turn: t.turn.ID, Spec: step.Spec, Model: step.Model,
		Purpose: step.Purpose, Usage: step.Usage, Cost: step.Cost, Request: step.Request, Asked: step.Asked, Pot: step.Pot},
		step.Leases...)
	return id
}
