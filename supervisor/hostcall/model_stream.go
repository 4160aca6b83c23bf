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
	"mews/supervisor/feature"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
	"mews/supervisor/tools"
)

// ModelDependencies holds the models, and the stores and limits for their calls.
type ModelDependencies struct {
	Transcript Transcript
	Models     Models
	Usage      Usage
	Systems    sqlite.SystemTexts
	Windows    ChildWindows
	History    int                     // maximum of a request's history, in tokens
	Thinking   modelcall.ThinkingLevel // how much a model may think before it answers
	// how long providers should cache the prefix that requests share
	Cache time.Duration
	// Room returns the largest request that a model accepts, in tokens; 0 means unknown. tokens is
	// the size of the planned request. If Room is nil, no limit is known.
	Room func(ctx context.Context, spec string, tokens int64) int64
	// OnPicturesUnseen is called if a model takes no pictures, so that it has not seen a request's
	// pictures. nil means no call.
	OnPicturesUnseen func(ctx context.Context, conversation int64, spec string)
	// ReportPromptFiles stores a turn's report of prompt files. inForce tells whether the files'
	// own texts are in force.
	ReportPromptFiles func(ctx context.Context, t feature.Turn, r *protocol.PromptFileReport) (inForce bool, err error)
	// Busy returns a user's setting for messages that come while a turn runs; nil means BusyQueue.
	Busy func(ctx context.Context, user string) supervisor.BusyMode
}

// Transcript reads the messages of a conversation.
type Transcript interface {
	ListSince(ctx context.Context, conversation, after int64) (newer []protocol.Message, window sqlite.ModelWindow,
		err error)
	MoveWindow(ctx context.Context, conversation, from int64) error
}

// Models calls models; spec is provider/model, or "" for the default model.
type Models interface {
	Stream(ctx context.Context, spec string, req modelcall.Request, delta func(modelcall.Delta)) (
		modelcall.Answer, error)
	// Cost returns the cost of a call in millionths of a dollar. kept is the requested lifetime of
	// the cached prefix.
	Cost(spec string, u protocol.Usage, kept time.Duration) (micro int64, known bool)
}

// Usage stores the token counts of calls.
type Usage interface {
	// PutCall stores the usage of a call that left no message.
	PutCall(ctx context.Context, call sqlite.ModelCall) error
	FindTokenCount(ctx context.Context, conversation int64) (sqlite.TokenCount, error)
}

// modelRows allow 2,000 model calls. Turn.Limits limits a turn to 1,000 steps, and the worker may
// send each request twice: by hash, and then in full.
var modelRows = []row{
	{method: protocol.MethodModelStream, phase: inTurn, kinds: anyKind, limit: 2_000, serial: true,
		handler: turnCall((*turn).answerStream)},
}

const (
	maxCalls  = 64                             // maximum tool calls in one message of a model
	maxAnswer = protocol.MaxBlobChunkBytes * 8 // maximum bytes of one message of a model as JSON
)

// streamModel makes a request from the transcript and calls the model. It commits the model's
// message before the worker gets the message.
func (t *turn) streamModel(ctx context.Context, p *protocol.ModelStreamParams) (*protocol.ModelStreamResult, error) {
	t.outcome.Failure = nil
	req, err := t.request(ctx, p)
	if err != nil {
		return nil, t.modelFailed(ctx, err)
	}
	hides, err := t.hidesFromGroup(ctx)
	if err != nil {
		return nil, t.modelFailed(ctx, err)
	}
	if hides {
		t.Reply.Hide()
	}
	taken := t.countTaken() // count before the step, because the step answers these messages
	// drops the text of a cancelled attempt at this step
	t.Reply.BeginStep(t.takenText())
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
	t.Reply.CommitStep(t.shownText(answer.Message))
	t.Step++
	if answer.Blind && t.o.OnPicturesUnseen != nil {
		t.o.OnPicturesUnseen(ctx, t.Destination, answer.Spec)
	}
	t.outcome.Replaced, t.outcome.AnsweredBy = answer.Replaced, answer.Spec
	t.openCalls.put(answer.Message.ToolCalls())
	return &protocol.ModelStreamResult{Message: withoutThinking(answer.Message), AddedMessages: taken, Answered: s.answered}, nil
}

// request checks the worker's request against the transcript, and makes the model's request. It
// refuses all invalid requests, because the model call costs money. It adds the user's new messages
// last, because they change the transcript. So a refused worker can repeat the same request.
func (t *turn) request(ctx context.Context, p *protocol.ModelStreamParams) (req modelcall.Request, err error) {
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
	open, err := t.listOpen(ctx)
	if err != nil {
		return req, err
	}
	req.Tools = tools.ListOfferedTools(all, open)
	if err := t.reportPromptFiles(ctx, p.PromptFiles); err != nil {
		return req, err
	}
	was, err := t.readSystemText(ctx, p.System)
	if err != nil {
		return req, err
	}
	if err := t.takeWaiting(ctx, req); err != nil {
		return req, err
	}
	req.Picture, req.First = t.readPicture, t.First
	req.Thinking, req.Cache, req.Purpose, req.User = t.o.Thinking, t.cacheTime(), modelcall.PurposeChat, t.user
	req.EndWithMoney = t.EndWithMoney
	trimmed, err := t.trim(ctx)
	if err != nil {
		return req, err
	}
	if req.System, err = t.keepSystemText(ctx, was, req.System, trimmed); err != nil {
		return req, err
	}
	req.Tools = tools.ListOfferedTools(all, t.opened) // moving the window may have closed some tools
	req.Fit = t.fitRequest(ctx)
	return req.Fit(req, int64(t.maxHistory()+prefixTokens(req))), nil
}

func tooManySteps(most int) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(textTooManySteps, amount.Plural(most, "step", "steps"))}
}

// normalizeMessage makes a model's message valid for a commit. Its tool calls get IDs that are
// unique in the conversation, whatever IDs the provider uses.
func (t *turn) normalizeMessage(m protocol.Message) (protocol.Message, error) {
	m.ID, m.Role = 0, protocol.RoleAssistant
	n, said := 0, false
	parts := make([]protocol.ContentPart, 0, len(m.Parts))
	for _, p := range m.Parts {
		if t.Kind.IsOneShot() {
			p.Call = nil // drop the call, because no tool was offered
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
	// leave out the thoughts of a message that is too long, as if another model had written it
	if len(line) > maxAnswer {
		m = withoutThinking(m)
		line, err = json.Marshal(m)
	}
	switch {
	case err != nil:
		return m, &supervisor.Error{Code: supervisor.CodeModelFailed, Err: err, Message: textUnreadable}
	case !said:
		return m, &supervisor.Error{Code: supervisor.CodeModelFailed, Message: textEmpty}
	case n > maxCalls || len(line) > maxAnswer:
		return m, &supervisor.Error{Code: supervisor.CodeModelFailed, Message: fmt.Sprintf(textTooLarge, len(line)>>10,
			n)}
	}
	return m, nil
}

// shownText returns the part of a step that the user sees.
func (t *turn) shownText(m protocol.Message) string { return reply.JoinSteps(t.takenText(), m.Text()) }

// commitStep commits a model's message with its cost, and returns the message's ID. If
// Turn.CommitLast allows it, the turn ends with the step.
func (t *turn) commitStep(ctx context.Context, a modelcall.Answer, s *stepStream) (id int64, err error) {
	step := sqlite.Step{Turn: t.ID, Message: a.Message, Charged: s.paid == nil}
	if c := s.paid; c != nil {
		step.Spec, step.Model, step.Purpose, step.Usage, step.Cost, step.Request = c.Spec, c.Model, c.Purpose, c.Usage, c.Cost, c.Request
		step.Asked, step.Pot = c.Asked, c.Pot
		step.Leases = slices.DeleteFunc([]int64{c.Lease}, func(lease int64) bool { return lease == 0 })
	}
	opened := t.openCalled(&step)
	last := t.CommitLast != nil && len(a.Message.ToolCalls()) == 0
	err = t.commit(ctx, func() (err error) {
		if last {
			id, t.ended, err = t.CommitLast(ctx, step, t.shownText(a.Message), a.Replaced)
		} else {
			id, err = t.o.Steps.CommitStep(ctx, step)
		}
		return err
	})
	if err == nil {
		t.opened, s.answered = opened, answeredCalls(id, step.Results)
	}
	if err == nil && s.paid != nil {
		s.settled(s.paid.Lease, true)
	}
	return id, err
}

// withoutThinking returns a message without the model's thoughts. Only the provider needs them.
func withoutThinking(m protocol.Message) protocol.Message {
	m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p protocol.ContentPart) bool { return p.Thinking != nil })
	return m
}

// modelFailed stores a failure for the session, which tells the user. The worker learns only that
// the step failed. The text of a failed step disappears from the reply. The text of a cancelled
// step stays, because a cancel also ends the turn.
func (t *turn) modelFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &protocol.Error{Code: protocol.CodeCancelled, Message: "cancelled"}
	}
	t.Reply.ResetStep()
	if errors.Is(err, supervisor.ErrWaitsForAnswer) {
		return err
	}
	answer := new(protocol.Error)
	if !errors.As(err, &answer) {
		t.outcome.Failure = err
		return fmt.Errorf("call the model: %w", err)
	}
	if answer.Code != protocol.CodeUnknownHash { // this error code makes the worker send the request in full
		t.outcome.Failure = &supervisor.Error{Code: supervisor.CodeInternal, Message: textDisagreed, Err: err}
		t.log().Error("refuse to call the model", "error", err)
	}
	return answer
}
