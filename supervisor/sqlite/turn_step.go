package sqlite

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/modelcall"
)

// Step is a message of the model in a turn, and its cost.
type Step struct {
	Turn    int64
	Message protocol.Message  // Role assistant
	Spec    string            // provider/model
	Model   string            // the provider's name of the model
	Purpose modelcall.Purpose // "" means chat
	Usage   protocol.Usage
	Cost    *int64  // in millionths of a dollar; nil means no known price
	Request string  // the provider's name of the call; "" if it gave none
	Leases  []int64 // the user's leases, which end with it
	Asked   string  // see ModelCall, also for Pot
	Pot     string
	Charged bool // the cost is already stored: the fields between Message and this one are ignored

	// tools of families that Message calls; they become open
	Uses []supervisor.OpenedTool
	// results of calls that are not run; their messages have the ids after Message's
	Results []protocol.ToolResult
}

// CommitStep stores a message of the model and returns its id. It fails if the turn has ended or
// calls of its last step have no result. It fails if a call's ID is empty or was used before in the
// conversation.
func (s Turns) CommitStep(ctx context.Context, step Step) (message int64, err error) {
	return inTurn(ctx, s.db, step.Turn, func(t turnTx) int64 { return t.commitStep(step) }, "commit a step of turn %d",
		step.Turn)
}

// LastStep has the parameters of CommitLast: the final step of a turn, and the turn's end.
type LastStep struct {
	Step Step // the step; its message has no calls
	End  FinishTurn
	// the only post of the answer; nil if it is made later
	Post *supervisor.RichText
}

// LastStepResult is the result of CommitLast.
type LastStepResult struct {
	Message  int64
	Ended    bool // the turn has ended with the step; otherwise the step is committed like any other
	Delivery supervisor.Delivery
	// the post to send; only the caller that gets it may send it; without an ID there is none
	Post supervisor.Post
}

// CommitLast commits a step and finishes the turn at once. The turn does not end if waiting texts
// could join it. The post is stored only if the answer is the next thing to send to its chat, no
// part of it was sent before, and it has no effect lines.
func (s Turns) CommitLast(ctx context.Context, l LastStep) (LastStepResult, error) {
	return inTurn(ctx, s.db, l.Step.Turn, func(t turnTx) LastStepResult { return t.commitLast(l) }, "commit the last step of turn %d",
		l.Step.Turn)
}

func (t turnTx) commitLast(l LastStep) (e LastStepResult) {
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
