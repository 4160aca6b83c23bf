package hostcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/protocol/foreign/foreigntest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// asks returns a model that says a text and makes several calls of list_files in one step.
func asks(times int) funcModel {
	return func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
		parts := []protocol.ContentPart{{Text: "I look."}}
		for range times {
			parts = append(parts, protocol.ContentPart{Call: &protocol.ToolCall{Name: "list_files",
				Arguments: json.RawMessage(`{}`)}})
		}
		return protocol.Message{Parts: parts}, nil
	}
}

// makeCalls asks the model and returns its tool calls.
func (r *rig) makeCalls() []protocol.ToolCall {
	r.t.Helper()
	answer, err := r.call(protocol.MethodModelStream, r.modelStream())
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.(protocol.ModelStreamResult).Message.ToolCalls()
}

func (r *rig) done(result protocol.ToolResult) error {
	_, err := r.call(protocol.MethodStepCommit, protocol.StepCommitParams{
		Turn: r.open.Turn.ID, Call: result.Call, State: protocol.CallStateDone, Result: &result})
	return err
}

func TestToolResult_Invalid_EndsWorker(t *testing.T) {
	field := strings.Repeat("x", 4<<10)
	for name, c := range map[string]struct {
		change func(*protocol.ToolResult)
		fine   bool
	}{
		"all at its largest": {func(r *protocol.ToolResult) {
			r.Text = strings.Repeat("x", 20<<10)
			r.Rest = &protocol.BlobRef{SHA256: hash("x"), Size: 1}
			r.Changes = make([]protocol.Change, 256)
			for i := range r.Changes {
				r.Changes[i] = protocol.Change{Kind: "write", Target: field, Detail: field}
			}
		}, true},
		"another tool's name": {func(r *protocol.ToolResult) { r.Name = "get_time" }, false},
		"a text beyond the turn's limit": {func(r *protocol.ToolResult) {
			r.Text = strings.Repeat("x", 20<<10+1)
		}, false},
		"257 changes": {func(r *protocol.ToolResult) { r.Changes = make([]protocol.Change, 257) }, false},
		"a long kind": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: field + "x"}}
		}, false},
		"a long target": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: "write", Target: field + "x"}}
		}, false},
		"a long detail": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: "write", Detail: field + "x"}}
		}, false},
		"old bytes of nobody": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: "edit", Undo: &protocol.Undo{Path: "a",
				Before: protocol.FileState(hash("y"))}}}
		}, false},
		"old bytes in the file history": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: "edit", Undo: &protocol.Undo{Path: "a",
				Before: protocol.FileState(hash("y")), Kept: true}}}
		}, true},
		"a span of the file history": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: "run", Undo: &protocol.Undo{Path: ".",
				Span: &protocol.HistorySpan{From: 1, To: 2}}}}
		}, true},
		"a span that ends before it begins": {func(r *protocol.ToolResult) {
			r.Changes = []protocol.Change{{Kind: "run", Undo: &protocol.Undo{Path: ".",
				Span: &protocol.HistorySpan{From: 2, To: 1}}}}
		}, false},
		"another person's blob":  {func(r *protocol.ToolResult) { r.Rest = blobRef("bob's", 4) }, false},
		"a blob of nobody":       {func(r *protocol.ToolResult) { r.Rest = blobRef("y", 1) }, false},
		"a blob's wrong size":    {func(r *protocol.ToolResult) { r.Rest = blobRef("x", 2) }, false},
		"a call never made":      {func(r *protocol.ToolResult) { r.Call = "t0" }, false},
		"a blob of no such name": {func(r *protocol.ToolResult) { r.Rest = &protocol.BlobRef{SHA256: field} }, false},
		"an endless id":          {func(r *protocol.ToolResult) { r.Call = strings.Repeat("t", 65) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, asks(1))
			r.hoard("x", 1)
			if err := r.db.Blobs().AddOwner(t.Context(), "bob", *blobRef("bob's", 4), 0); err != nil {
				t.Fatal(err)
			}
			call := r.makeCalls()[0]
			result := protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "ok"}
			c.change(&result)
			err := r.done(result)
			if c.fine != (err == nil) || c.fine != (r.peer.ended == nil) {
				t.Errorf("got %.200v, ended for %.200v", err, r.peer.ended)
			}
		})
	}
}

// TestCallStart_UnknownCall_EndsWorker: a call that has begun before is only refused, because an
// honest worker may repeat it.
func TestCallStart_UnknownCall_EndsWorker(t *testing.T) {
	r := newRig(t, asks(1))
	begin := func(call string) error {
		_, err := r.call(protocol.MethodStepCommit,
			protocol.StepCommitParams{Turn: r.open.Turn.ID, Call: call, State: protocol.CallStateBegun})
		return err
	}
	made := r.makeCalls()[0].ID
	if first, again := begin(made), begin(made); first != nil || again == nil || r.peer.ended != nil {
		t.Errorf("%v, again %v, ended for %v", first, again, r.peer.ended)
	}
	err := begin("t0")
	if err == nil || r.peer.ended == nil || !strings.Contains(r.peer.ended.Error(), "has not made it") {
		t.Errorf("%v, ended for %v", err, r.peer.ended)
	}
}

func blobRef(name string, size int64) *protocol.BlobRef {
	return &protocol.BlobRef{SHA256: hash(name), Size: size}
}

func TestToolResult_WrongToolName_EndsNextWorker(t *testing.T) {
	r := newRig(t, asks(1))
	call := r.makeCalls()[0]
	turn := r.turn()
	turn.Step, turn.Pending = 1, []protocol.PendingCall{{Call: call}}
	r.conn, r.peer = r.newConn("ann")
	r.conn.BeginTurn(turn)
	if r.done(protocol.ToolResult{Call: call.ID, Name: "get_time"}); r.peer.ended == nil {
		t.Error("the next worker may commit another tool's result")
	}
}

// countCalls returns a model that counts its calls, and the counter.
func countCalls(m funcModel) (funcModel, *int) {
	n := new(int)
	return func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		*n++
		return m(ctx, req, delta)
	}, n
}

func TestModelStream_StepNotStored_CostsNothing(t *testing.T) {
	for name, next := range map[string]func(*rig){
		"in the same process": func(*rig) {},
		"after the worker's death": func(r *rig) {
			turn := r.turn()
			turn.Step = 1
			r.conn, r.peer = r.newConn("ann")
			r.conn.BeginTurn(turn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			model, called := countCalls(asks(2))
			r := newRig(t, model)
			calls := r.makeCalls()
			next(r)
			for _, call := range calls {
				if _, err := r.call(protocol.MethodModelStream,
					r.modelStream()); wireCode(err) != protocol.CodeInvalidParams || *called != 1 {
					t.Errorf("with call %s open: %v, and the model was called %d times", call.ID, err, *called)
				}
				if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name}); err != nil {
					t.Fatal(err)
				}
			}
			r.makeCalls()
			if *called != 2 {
				t.Errorf("the model was called %d times", *called)
			}
		})
	}
}

func TestStepLimit_IsCountedBySupervisor(t *testing.T) {
	model, called := countCalls(says(protocol.ContentPart{Text: "and on"}))
	r := newRig(t, model)
	turn := r.turn()
	turn.Limits.Steps, turn.Step = 5, 3
	r.conn.BeginTurn(turn)
	r.makeCalls()
	r.makeCalls()
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); wireCode(err) != protocol.CodeFailed ||
		*called != 2 {
		t.Errorf("the sixth step: %v, and the model was called %d times", err, *called)
	}
	if told := problem.UserText(r.conn.EndTurn(turn.ID, protocol.TurnEndError).Failure); !strings.Contains(told,
		"5 steps") {
		t.Errorf("the person is told %q", told)
	}
}

func TestRepeatedStep_ShowsTextOnce(t *testing.T) {
	broken, tries := errors.New("the line broke"), 0
	r := newRig(t, func(_ context.Context, _ modelcall.Request, delta func(string)) (protocol.Message, error) {
		if delta("Here it is: "); tries == 0 {
			tries++
			return protocol.Message{}, broken
		}
		delta("42")
		return protocol.Message{Parts: []protocol.ContentPart{{Text: "Here it is: 42"}}}, nil
	})
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err == nil {
		t.Fatal("no error")
	}
	if text, _ := r.stream.Text(); text != "" {
		t.Errorf("of the failed step %q is left", text)
	}
	r.makeCalls()
	if text, _ := r.stream.Text(); text != "Here it is: 42" {
		t.Errorf("the reply is %q", text)
	}
}

// TestStoppedStep_KeepsText checks that the text of a stopped step stays in the reply. If the
// worker repeats the step, the text is not shown twice.
func TestStoppedStep_KeepsText(t *testing.T) {
	said := make(chan struct{}, 2)
	r := newRig(t, func(ctx context.Context, _ modelcall.Request, delta func(string)) (protocol.Message, error) {
		delta("Once")
		said <- struct{}{}
		<-ctx.Done()
		return protocol.Message{}, context.Cause(ctx)
	})
	raw, err := json.Marshal(r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-said; cancel() }()
		_, err := r.conn.HandleCall(ctx, &protocol.Request{ID: 1, Method: protocol.MethodModelStream, Params: raw})
		if wireCode(err) != protocol.CodeCancelled {
			t.Fatal(err)
		}
		if text, _ := r.stream.Text(); text != "Once" {
			t.Errorf("the reply is %q", text)
		}
	}
}

func TestEndTurn_WithError_ReturnsFailure(t *testing.T) {
	for name, c := range map[string]struct {
		ask  func(*rig)
		told string
	}{
		"an old view of the transcript": {func(r *rig) {
			p := r.modelStream()
			p.After--
			r.call(protocol.MethodModelStream, p)
		}, "lost track"},
		"another text under a hash": {func(r *rig) {
			p := r.modelStream()
			p.System.Text = "be bad"
			r.call(protocol.MethodModelStream, p)
		}, "lost track"},
		"a hash that is not known": {func(r *rig) {
			p := r.modelStream()
			p.System.Text = ""
			r.call(protocol.MethodModelStream, p)
		}, "without a reason"},
		"nothing at all": {func(*rig) {}, "without a reason"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
			logged := r.logged()
			c.ask(r)
			if told := problem.UserText(r.conn.EndTurn(r.open.Turn.ID,
				protocol.TurnEndError).Failure); !strings.Contains(told, c.told) {
				t.Errorf("the person is told %q", told)
			}
			if !strings.Contains(logged.String(), "[ERROR]") {
				t.Errorf("the log has %q", logged)
			}
		})
	}
}

// A worker's result may contain any text of a file. No line of the result can be mistaken for a
// stamp or a heading of Mews.
func TestToolResult_ForgedStamps_AreIndented(t *testing.T) {
	r := newRig(t, asks(len(foreigntest.ForgedStampTexts)))
	calls := r.makeCalls()
	i := 0
	for _, text := range foreigntest.ForgedStampTexts {
		if err := r.done(protocol.ToolResult{Call: calls[i].ID, Name: calls[i].Name, Text: text}); err != nil {
			t.Fatal(err)
		}
		i++
	}
	messages, err := r.db.Transcript().ListMessages(t.Context(), r.open.Turn.Conversation.ID)
	if err != nil {
		t.Fatal(err)
	}
	results := 0
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Result == nil {
				continue
			}
			if results++; foreigntest.FindForgedLine(p.Result.Text) != "" {
				t.Errorf("%q passes for a stamp", p.Result.Text)
			}
		}
	}
	if results != len(calls) {
		t.Errorf("%d results of %d calls", results, len(calls))
	}
}
