package hostcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
)

// scriptedModel is a model with a list of scripted calls, which it answers in order.
type scriptedModel struct {
	t     *testing.T
	list  []take
	asked []modelcall.Request
}

// take is one scripted call: its pieces of text, and its end.
type take struct {
	deltas []modelcall.Delta
	answer modelcall.Answer
	err    error

	streams chan<- struct{} // if set, gets a value when the call begins; the call then runs until it is stopped
}

func (m *scriptedModel) Stream(ctx context.Context, _ string, req modelcall.Request, delta func(modelcall.Delta)) (
	modelcall.Answer, error) {
	m.asked = append(m.asked, req)
	if len(m.asked) > len(m.list) {
		m.t.Fatalf("call %d was not expected", len(m.asked))
	}
	now := m.list[len(m.asked)-1]
	for _, d := range now.deltas {
		delta(d)
	}
	if now.streams != nil {
		now.streams <- struct{}{}
		<-ctx.Done()
		return now.answer, context.Cause(ctx)
	}
	return now.answer, now.err
}

// Cost returns a millionth of a dollar for each token.
func (m *scriptedModel) Cost(_ string, u protocol.Usage, _ time.Duration) (int64, bool) {
	return u.Input + u.Output, true
}

// ended returns an answer with a text and a stop reason.
func ended(text string, stop modelcall.StopReason) modelcall.Answer {
	return modelcall.Answer{Message: protocol.Message{Parts: []protocol.ContentPart{{Text: text}}}, Model: "m",
		Spec: "p/m",
		Stop: stop, Usage: protocol.Usage{Input: 10, Output: 1}}
}

func failed(class modelcall.ErrorClass) error {
	return &modelcall.Error{Class: class, Usage: protocol.Usage{Input: 5},
		Err: &supervisor.Error{Code: supervisor.CodeModelFailed, Message: "It failed."}}
}

// said calls model.stream and returns the text that the worker gets. The text must equal the stored
// message.
func said(t *testing.T, r *rig) string {
	t.Helper()
	result, err := r.call(protocol.MethodModelStream, r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	m := result.(protocol.ModelStreamResult).Message
	kept, err := r.db.Transcript().ListMessages(t.Context(), r.turn().Conversation)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept[len(kept)-1].Text(); got != m.Text() {
		t.Errorf("the worker got %q, and %q is kept", m.Text(), got)
	}
	return m.Text()
}

func TestTruncatedMessage_IsContinued(t *testing.T) {
	m := &scriptedModel{t: t, list: []take{
		{answer: ended("One two th", modelcall.StopReasonLength)},
		{answer: ended("ree fo", modelcall.StopReasonLength)},
		{answer: ended("ur.", modelcall.StopReasonEnd)},
	}}
	if got := said(t, newRigOf(t, m)); got != "One two three four." {
		t.Errorf("it said %q", got)
	}
	last := m.asked[2].Messages
	if n := len(last); last[n-2].Text() != "One two three fo" || !strings.HasPrefix(last[n-1].Text(), "Go on exactly") {
		t.Errorf("it was asked with %+v", last)
	}
}

func TestTruncatedMessage_StaysCut_AddsNote(t *testing.T) {
	for name, list := range map[string][]take{
		"again and again": {
			{answer: ended("a", modelcall.StopReasonLength)}, {answer: ended("b", modelcall.StopReasonLength)},
			{answer: ended("c", modelcall.StopReasonLength)}, {answer: ended("d", modelcall.StopReasonLength)},
		},
		"and then the model fails": {
			{answer: ended("abcd", modelcall.StopReasonLength)},
			{deltas: []modelcall.Delta{{Text: "half"}}, err: failed(modelcall.Overloaded)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := said(t, newRigOf(t, &scriptedModel{t: t, list: list})); !strings.HasPrefix(got,
				"abcd\n\n[The answer ends here") {
				t.Errorf("it said %q", got)
			}
		})
	}
}

// cut returns an answer that the budget has truncated.
func cut(text string) modelcall.Answer {
	a := ended(text, modelcall.StopReasonLength)
	a.CutForMoney = true
	if text == "" {
		a.Message.Parts = nil
	}
	return a
}

func TestAnswerCutForMoney_IsResumedTwice(t *testing.T) {
	noMoney := &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{Code: supervisor.CodeBudgetExceeded,
		Message: "Your limit is met."}}
	const short = "[The answer ends here: your budget does not suffice for the rest. /usage shows what is left.]"
	for name, k := range map[string]struct {
		list []take
		want string
	}{
		"and it is whole then": {[]take{{answer: cut("One t")}, {answer: cut("wo th")}, {answer: ended("ree.",
			modelcall.StopReasonEnd)}}, "One two three."},
		"and it is not":         {[]take{{answer: cut("a")}, {answer: cut("b")}, {answer: cut("c")}}, "abc\n\n" + short},
		"nothing of it is ever": {[]take{{answer: cut("")}, {answer: cut("")}, {answer: cut("")}}, short},
		"and there is no more": {[]take{{answer: cut("a")}, {err: noMoney}},
			"a\n\n[The answer ends here: Your limit is met.]"},
		"and the model fails": {[]take{{answer: cut("a")}, {err: failed(modelcall.Overloaded)}},
			"a\n\n[The answer ends here: the model failed to continue it.]"},
		"and the model's own limit is reached": {[]take{{answer: cut("a")}, {answer: ended("b",
			modelcall.StopReasonLength)},
			{answer: ended("c", modelcall.StopReasonLength)}, {answer: ended("d", modelcall.StopReasonEnd)}}, "abcd"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &scriptedModel{t: t, list: k.list}
			r := newRigOf(t, m)
			if got := said(t, r); got != k.want || len(m.asked) != len(k.list) {
				t.Errorf("it said %q after %d calls, want %q after %d", got, len(m.asked), k.want, len(k.list))
			}
		})
	}
}

// TestStoppedAnswer_HasNoTruncationNote checks that a stopped answer gets no note, because the user
// has stopped it.
func TestStoppedAnswer_HasNoTruncationNote(t *testing.T) {
	said := make(chan struct{}, 1)
	r := newRigOf(t, &scriptedModel{t: t, list: []take{{deltas: []modelcall.Delta{{Text: "One t"}},
		answer: cut("One t")},
		{deltas: []modelcall.Delta{{Text: "wo"}}, streams: said}}})
	raw, err := json.Marshal(r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-said; cancel() }()
	_, err = r.conn.HandleCall(ctx, &protocol.Request{ID: 1, Method: protocol.MethodModelStream, Params: raw})
	if text, _ := r.stream.Text(); text != "One two" || wireCode(err) != protocol.CodeCancelled {
		t.Errorf("the reply is %q; it ended with %v", text, err)
	}
}

// TestTruncatedToolCall_IsRequestedAgain checks that the model is asked again for a truncated tool
// call, which is not stored.
func TestTruncatedToolCall_IsRequestedAgain(t *testing.T) {
	call := ended("", modelcall.StopReasonTools)
	call.Message.Parts = []protocol.ContentPart{{Call: &protocol.ToolCall{ID: "x", Name: "get_time",
		Arguments: []byte(`{}`)}}}
	for first, want := range map[string]string{"": "Your last message was cut off", "I look.": "Go on exactly"} {
		m := &scriptedModel{t: t, list: []take{{answer: cut(first)}, {answer: call}}}
		r := newRigOf(t, m)
		if got := said(t, r); got != first {
			t.Errorf("it said %q, want %q", got, first)
		}
		kept, err := r.db.Transcript().ListMessages(t.Context(), r.turn().Conversation)
		if err != nil || len(kept[len(kept)-1].ToolCalls()) != 1 {
			t.Errorf("kept are %+v, %v", kept, err)
		}
		asked := m.asked[1].Messages
		if got := asked[len(asked)-1].Text(); !strings.HasPrefix(got, want) || len(asked) != len(m.asked[0].Messages)+1+min(1, len(first)) {
			t.Errorf("it was asked for more with %+v", asked)
		}
	}
}

func TestRequestTooLong_IsShortenedOnce(t *testing.T) {
	m := &scriptedModel{t: t, list: []take{{err: failed(modelcall.RequestTooLong)}}}
	r := newRigOf(t, m)
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err == nil {
		t.Error("with one message there is nothing to leave out, and it went through")
	}
	if len(m.asked) != 1 {
		t.Errorf("it was asked %d times", len(m.asked))
	}
}

func TestFailedAttempt_DropsShownText(t *testing.T) {
	m := &scriptedModel{t: t, list: []take{{
		deltas: []modelcall.Delta{{Text: "half an ans"}, {Restart: true}, {Text: "Whole."}},
		answer: ended("Whole.", modelcall.StopReasonEnd),
	}}}
	r := newRigOf(t, m)
	if got := said(t, r); got != "Whole." {
		t.Errorf("it said %q", got)
	}
	if got, _ := r.stream.Text(); got != "Whole." {
		t.Errorf("the person sees %q", got)
	}
}

func TestThoughts_AreStoredButNotSentToWorker(t *testing.T) {
	answer := ended("Hello.", modelcall.StopReasonEnd)
	thought := protocol.ContentPart{Thinking: &protocol.Thinking{Format: "anthropic",
		Block: []byte(`{"type":"thinking"}`)}}
	answer.Message.Parts = append([]protocol.ContentPart{thought}, answer.Message.Parts...)
	r := newRigOf(t, &scriptedModel{t: t, list: []take{{answer: answer}}})
	result, err := r.call(protocol.MethodModelStream, r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	if parts := result.(protocol.ModelStreamResult).Message.Parts; len(parts) != 1 || parts[0].Thinking != nil {
		t.Errorf("the worker got %+v", parts)
	}
	kept, err := r.db.Transcript().ListMessages(t.Context(), r.turn().Conversation)
	if err != nil {
		t.Fatal(err)
	}
	if parts := kept[len(kept)-1].Parts; len(parts) != 2 || parts[0].Thinking == nil {
		t.Errorf("kept were %+v", parts)
	}
}

// TestThoughts_BeyondTheLimit_AreLeftOut also checks that the answer is kept without these
// thoughts.
func TestThoughts_BeyondTheLimit_AreLeftOut(t *testing.T) {
	answer := ended("Hello.", modelcall.StopReasonEnd)
	block := []byte(`"` + strings.Repeat("x", 600<<10) + `"`)
	thought := protocol.ContentPart{Thinking: &protocol.Thinking{Format: "openai", Block: block}}
	answer.Message.Parts = append([]protocol.ContentPart{thought}, answer.Message.Parts...)
	r := newRigOf(t, &scriptedModel{t: t, list: []take{{answer: answer}}})
	if got := said(t, r); got != "Hello." {
		t.Errorf("it said %q", got)
	}
	kept, err := r.db.Transcript().ListMessages(t.Context(), r.turn().Conversation)
	if err != nil || len(kept[len(kept)-1].Parts) != 1 {
		t.Errorf("kept were %+v, %v", kept, err)
	}
}

func TestModelFailure_KeepsErrorClass(t *testing.T) {
	r := newRigOf(t, &scriptedModel{t: t, list: []take{{err: failed(modelcall.AuthFailed)}}})
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err == nil {
		t.Fatal("it went through")
	}
	ended := r.conn.EndTurn(r.turn().ID, protocol.TurnEndError)
	if e := new(modelcall.Error); !errors.As(ended.Failure, &e) || e.Class != modelcall.AuthFailed {
		t.Errorf("the turn's failure is %v", ended.Failure)
	}
}

// TestUnknownStopReason_AddsNote checks that an answer with an unknown stop reason gets the note
// that it may be incomplete.
func TestUnknownStopReason_AddsNote(t *testing.T) {
	r := newRigOf(t, &scriptedModel{t: t, list: []take{{answer: ended("One two", modelcall.StopReasonOther)}}})
	if got := said(t, r); !strings.HasPrefix(got, "One two\n\n[The answer may be incomplete") {
		t.Errorf("it said %q", got)
	}
}

// noteRecorder is a reply that records its notes about delays.
type noteRecorder struct {
	hostcall.Reply
	notes []string
}

func (n *noteRecorder) ShowNote(text string) { n.notes = append(n.notes, text) }

func TestDelayNote_JobTurn_IsNotShown(t *testing.T) {
	for kind, want := range map[supervisor.TurnKind]int{supervisor.TurnChat: 1, supervisor.TurnJob: 0} {
		r := newRig(t, func(_ context.Context, req modelcall.Request, _ func(string)) (protocol.Message, error) {
			if req.OnWait != nil {
				req.OnWait("(the model is slow)")
			}
			return protocol.Message{Parts: []protocol.ContentPart{{Text: "done"}}}, nil
		})
		turn, n := r.turn(), &noteRecorder{Reply: r.stream}
		r.conn.EndTurn(turn.ID, "")
		turn.Kind, turn.Reply = kind, n
		r.conn.BeginTurn(turn)
		if r.makeCalls(); len(n.notes) != want {
			t.Errorf("%s: told %q", kind, n.notes)
		}
	}
}
