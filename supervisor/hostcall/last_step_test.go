package hostcall_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// TestLastStep_CommitEndsTurn checks that the commit of a step without tool calls may end the turn.
// After that the model is not asked again.
func TestLastStep_CommitEndsTurn(t *testing.T) {
	var requests []modelcall.Request
	r := newRig(t, asksThenSays(&requests))
	var last []string
	fails := errors.New("no")
	turn := r.turn()
	turn.CommitLast = func(ctx context.Context, step sqlite.Step, text string, _ *modelcall.ReplacedModel) (int64, bool,
		error) {
		if len(step.Message.ToolCalls()) > 0 || step.Turn != r.open.Turn.ID {
			t.Errorf("the last step is %+v", step)
		}
		if fails != nil {
			return 0, false, fails
		}
		last = append(last, text)
		id, err := r.db.Turns().CommitStep(ctx, step)
		return id, true, err
	}
	r.conn.EndTurn(turn.ID, "")
	r.conn.BeginTurn(turn)
	call := r.makeCalls()[0]
	if len(last) > 0 {
		t.Errorf("a step with a call was committed as the last: %q", last)
	}
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "a.md"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err == nil {
		t.Error("a step that was not committed was told of")
	}
	fails = nil
	said, err := r.call(protocol.MethodModelStream, r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{said.(protocol.ModelStreamResult).Message.Text()}, last); d != "" {
		t.Error(d)
	}
	asked := len(requests)
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); wireCode(err) != protocol.CodeInvalidParams || len(requests) != asked {
		t.Errorf("after the turn's end: %v, and %d requests more", err, len(requests)-asked)
	}
}
