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
	Message protocol.Message  // message of the model, with the role assistant
	Spec    string            // the model as provider/model
	Model   string            // the model's name at its provider
	Purpose modelcall.Purpose // purpose of the call; "" means chat
	Usage   protocol.Usage
	Cost    *int64  // cost of the call in millionths of a dollar; nil means no known price
	Request string  // the provider's id of the call; "" if the provider gave none
	Leases  []int64 // the user's leases for the call; the call's end ends them
	Asked   string  // a digest of the request's messages; "" means unknown
	Pot     string
	Charged bool // the cost is already stored: the fields from Spec to Pot are ignored

	// tools of families that Message calls; they are opened in the conversation
	Uses []supervisor.OpenedTool
	// results of calls that are not run; their messages get the ids after that of Message
	Results []protocol.ToolResult
}

// CommitStep stores a message of the model and returns its id. It fails if the turn has ended. It
// fails if calls of the turn's last step have no result. It fails if a call's ID is empty or was
// used before in the conversation.
func (s Turns) CommitStep(ctx context.Context, step Step) (message int64, err error) {
	return inTurn(ctx, s.db, step.Turn, func(t turnTx) int64 { return t.commitStep(step) }, "commit a step of turn %d",
		step.Turn)
}

// LastStep has the final step of a turn and the parameters of the turn's end.
type LastStep struct {
	Step Step // the final step; its message has no calls
	End  TurnEnding
	// the only post of the answer; nil if the posts are made later
	Post *supervisor.RichText
}

// LastStepResult is the result of committing the last step of a turn.
type LastStepResult struct {
	Message  int64
	Ended    bool // the turn has ended with the step; if false, the turn continues after the step
	Delivery supervisor.Delivery
	// the post that the caller must send; without an ID there is none
	Post supervisor.Post
}

// CommitLastStep commits a step and ends the turn, in one transaction. The turn does not end if
// waiting texts could join it. The post is stored only if the answer is the next message to send to
// its chat. Also no part of the answer may have been sent before, and the answer must have no
// effect lines.
func (s Turns) CommitLastStep(ctx context.Context, l LastStep) (LastStepResult, error) {
	return inTurn(ctx, s.db, l.Step.Turn, func(t turnTx) LastStepResult { return t.commitLast(l) }, "commit the last step of turn %d",
		l.Step.Turn)
}

func (t turnTx) commitLast(l LastStep) (e LastStepResult) {
	e.Message = t.commitStep(l.Step)
	_, waits := one(t, engine.ScanInteger, findTakable, t.turn.ID, t.endsTurn, t.Now, int(supervisor.PriorityUsual))
	if waits || len(l.Step.Message.ToolCalls()) > 0 {
		return e
	}
	t.callsDone = true
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
	t.putCalls(id, step.Message.ToolCalls())
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
