package hostcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
	"mews/supervisor/tools"
)

// ModelDependencies are what calls of models need.
type ModelDependencies struct {
	Transcript Transcript
	Models     Models
	Usage      Usage
	Systems    sqlite.SystemTexts
	Windows    Windows
	History    int                // tokens of history that a request may carry
	Thinking   modelcall.Thinking // how long a model may think
	// for how long providers are to keep what is the same in the next request
	Cache time.Duration
	// Room is how many tokens a request of about so many may have at most; 0 where nobody knows.
	// nil: nobody does.
	Room func(ctx context.Context, spec string, tokens int64) int64
	// Blind is told that a model has seen none of the pictures of a request, because it takes none;
	// nil: nobody is.
	Blind func(ctx context.Context, conversation int64, spec string)
	// Busy says what a person wants with what they send while a turn runs; nil: BusyQueue.
	Busy func(ctx context.Context, user string) supervisor.Busy
}

// Transcript is what was said in a conversation.
type Transcript interface {
	Since(ctx context.Context, conversation, after int64) (newer []protocol.Message, window sqlite.Window, err error)
	Trim(ctx context.Context, conversation, from int64) error
}

// Models calls a model; spec is provider/model, "" the default.
type Models interface {
	Stream(ctx context.Context, spec string, req modelcall.Request, delta func(modelcall.Delta)) (
		modelcall.Answer, error)
	// Cost is what a call cost in millionths of a dollar. kept is for how long its prefix was to be
	// kept.
	Cost(spec string, u protocol.Usage, kept time.Duration) (micro int64, known bool)
}

// Usage keeps what calls counted.
type Usage interface {
	// Put keeps a call that left no message.
	Put(ctx context.Context, call sqlite.ModelCall) error
	Counted(ctx context.Context, conversation int64) (sqlite.Counted, error)
}

// Model calls have a limit of their own in Turn.Limits, of at most 1,000 steps; each may be asked
// for twice, by hash and whole.
var modelRows = []row{
	{method: protocol.MethodModelStream, phase: inTurn, kinds: anyKind, limit: 2_000, serial: true, handler: turnCall((*turn).answerStream)},
}

const (
	maxCalls  = 64                     // tool calls in one message of a model's
	maxAnswer = protocol.BlobChunk * 8 // bytes of one message of a model's as JSON
)

// streamModel makes a request from the transcript, calls the model, and commits what it said before
// the worker hears of it.
func (t *turn) streamModel(ctx context.Context, p *protocol.ModelStream) (*protocol.ModelStreamed, error) {
	t.outcome.Failure = nil
	req, err := t.request(ctx, p)
	if err != nil {
		return nil, t.modelFailed(ctx, err)
	}
	taken := t.taken() // of what there is before the step
	// in place of a step that was cancelled, which this one makes again
	t.Reply.Begin(t.textTaken())
	s := &stepStream{turn: t}
	answer, err := s.answer(ctx, req)
	if err == nil {
		answer.Message, err = t.normalizeMessage(answer.Message)
	}
	if err == nil {
		answer.Message.ID, err = t.commitStep(ctx, answer, s)
	}
	if err != nil {
		s.charge(ctx)
		return nil, t.modelFailed(ctx, err)
	}
	t.Reply.Commit(t.shown(answer.Message))
	t.Step++
	if answer.Blind && t.o.Blind != nil {
		t.o.Blind(ctx, t.Destination, answer.Spec)
	}
	t.outcome.Replaced, t.outcome.Answered = answer.Replaced, answer.Spec
	t.openCalls.put(answer.Message.Calls())
	return &protocol.ModelStreamed{Message: withoutThinking(answer.Message), Taken: taken, Answered: s.answered}, nil
}

// request checks what the worker asks for against the transcript, and makes the request. All that
// can be refused is refused here, because what follows is paid for. What the person has sent
// meanwhile is taken in last, because it moves the transcript on: a worker that was refused asks
// for the same once more.
func (t *turn) request(ctx context.Context, p *protocol.ModelStream) (req modelcall.Request, err error) {
	if t.ended {
		return req, invalidParams("the turn has ended with the model's last message")
	}
	if err := t.readTranscript(ctx); err != nil {
		return req, err
	}
	if most := t.Limits.Steps; most > 0 && t.Step >= most {
		return req, tooManySteps(t.Step)
	}
	if last := t.transcript.newest(); p.After != last {
		return req, invalidParams("after: message %d, want %d", p.After, last)
	}
	if call := t.transcript.openCall(); call != "" {
		return req, invalidParams("call %s has no result yet", call)
	}
	if req.System, req.Tools, err = t.resolve(p); err != nil {
		return req, err
	}
	all := req.Tools
	open, err := t.open(ctx)
	if err != nil {
		return req, err
	}
	req.Tools = tools.Offered(all, open)
	was, err := t.readSystemText(ctx, p.System)
	if err != nil {
		return req, err
	}
	if err := t.takeWaiting(ctx, req); err != nil {
		return req, err
	}
	req.Picture, req.First = t.readPicture, t.First
	req.Thinking, req.Cache, req.Purpose, req.User = t.o.Thinking, t.o.Cache, modelcall.PurposeChat, t.user
	trimmed, err := t.trim(ctx)
	if err != nil {
		return req, err
	}
	if req.System, err = t.keepSystemText(ctx, was, req.System, trimmed); err != nil {
		return req, err
	}
	req.Tools = tools.Offered(all, t.opened) // the trim may have closed some
	req.Fit = t.fitRequest(ctx)
	return req.Fit(req, int64(t.o.History+prefixTokens(req))), nil
}

func tooManySteps(most int) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(textTooManySteps, amount.Plural(most, "step", "steps"))}
}

// normalizeMessage makes a model's message fit to be committed: calls get ids of ours, unique in
// the conversation whatever the provider calls them.
func (t *turn) normalizeMessage(m protocol.Message) (protocol.Message, error) {
	m.ID, m.Role = 0, protocol.RoleAssistant
	n, said := 0, false
	parts := make([]protocol.Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		if t.Kind.OneShot() {
			p.Call = nil // it was offered no tool
		}
		if p.Call != nil {
			n++
			c := *p.Call
			c.ID = fmt.Sprintf("t%d-%d-%d", t.ID, t.Step+1, n)
			p.Call = &c
		}
		speaks := p.Call != nil || p.Text != ""
		said = said || speaks
		if speaks || p.Thinking != nil {
			parts = append(parts, p)
		}
	}
	m.Parts = parts
	line, err := json.Marshal(m)
	switch {
	case err != nil:
		return m, &supervisor.Error{Code: supervisor.CodeModel, Err: err, Message: textUnreadable}
	case !said:
		return m, &supervisor.Error{Code: supervisor.CodeModel, Message: textEmpty}
	case n > maxCalls || len(line) > maxAnswer:
		return m, &supervisor.Error{Code: supervisor.CodeModel, Message: fmt.Sprintf(textTooLarge, len(line)>>10, n)}
	}
	return m, nil
}

// shown is what the person sees of a step.
func (t *turn) shown(m protocol.Message) string { return reply.Join(t.textTaken(), m.Text()) }

// commitStep commits a model's message with what it cost, and gives its id. What it cost is then
// kept. The turn ends with the last one, as far as it may.
func (t *turn) commitStep(ctx context.Context, a modelcall.Answer, s *stepStream) (id int64, err error) {
	step := sqlite.Step{Turn: t.ID, Message: a.Message, Charged: s.paid == nil}
	if c := s.paid; c != nil {
		step.Spec, step.Model, step.Purpose, step.Usage, step.Cost, step.Request = c.Spec, c.Model, c.Purpose, c.Usage, c.Cost, c.Request
		step.Asked, step.Pot = c.Asked, c.Pot
		step.Leases = slices.DeleteFunc([]int64{c.Lease}, func(lease int64) bool { return lease == 0 })
	}
	opened := t.useTools(&step)
	last := t.CommitLast != nil && len(a.Message.Calls()) == 0
	err = t.commit(ctx, func() (err error) {
		if last {
			id, t.ended, err = t.CommitLast(ctx, step, t.shown(a.Message), a.Replaced)
		} else {
			id, err = t.o.Steps.CommitStep(ctx, step)
		}
		return err
	})
	if err == nil {
		t.opened, s.answered = opened, answered(id, step.Results)
	}
	if err == nil && s.paid != nil {
		s.settled(s.paid.Lease, true)
	}
	return id, err
}

// withoutThinking is a message without what the model thought: that is between it and its provider.
func withoutThinking(m protocol.Message) protocol.Message {
	m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p protocol.Part) bool { return p.Thinking != nil })
	return m
}

// modelFailed keeps the failure for the session, which tells the person; the worker learns only
// that it failed. What a failed step had said is taken back. What a cancelled one had said stays:
// whoever cancels a step ends the turn with it.
func (t *turn) modelFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &protocol.Error{Code: protocol.CodeCancelled, Message: "cancelled"}
	}
	t.Reply.Reset()
	if errors.Is(err, supervisor.ErrWaits) {
		return err
	}
	answer := new(protocol.Error)
	if !errors.As(err, &answer) {
		t.outcome.Failure = err
		return fmt.Errorf("call the model: %w", err)
	}
	if answer.Code != protocol.CodeUnknownHash { // which is how a worker learns to send it whole
		t.outcome.Failure = &supervisor.Error{Code: supervisor.CodeInternal, Message: textDisagreed, Err: err}
		t.log().Error("refuse to call the model", "error", err)
	}
	return answer
}
