package hostcall

import (
	"context"
	"errors"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// ChildWindows stores child windows. Each belongs to a turn and has one question to a model.
type ChildWindows interface {
	OpenChildTurn(ctx context.Context, parent int64, name, text string) (sqlite.ChildExchange, error)
	CommitLastStep(ctx context.Context, last sqlite.LastStep) (sqlite.LastStepResult, error)
}

// answerStream answers model.stream. A one-shot worker's request goes to a child window, any other
// to the turn's own window.
func (t *turn) answerStream(ctx context.Context, p *protocol.ModelStreamParams) (*protocol.ModelStreamResult, error) {
	switch {
	case t.Kind.IsOneShot() != (p.Child != nil):
		return nil, feature.WorkerOffence{Err: errors.New("a window of its own goes with reviews " +
			"and triages, and with " +
			"nothing else")}
	case p.Child == nil:
		return t.streamModel(ctx, p)
	}
	if err := p.Child.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	_, tools, err := t.resolve(p)
	if err != nil {
		return nil, t.modelFailed(ctx, err)
	}
	if len(tools) > 0 {
		return nil, feature.WorkerOffence{Err: errors.New("tools")}
	}
	return t.askInChild(ctx, p)
}

// askInChild asks the model in a child window. If the window already has an answer, even from an
// earlier worker, askInChild returns it.
func (t *turn) askInChild(ctx context.Context, p *protocol.ModelStreamParams) (*protocol.ModelStreamResult, error) {
	t.outcome.Failure = nil
	w, err := t.o.Windows.OpenChildTurn(ctx, t.ID, p.Child.Name, p.Child.Text)
	switch {
	case err != nil:
		return nil, t.modelFailed(ctx, err)
	case w.Asked.Text() != p.Child.Text:
		return nil, feature.WorkerOffence{Err: errors.New("another text under a name that was asked before")}
	case w.Answer.ID != 0:
		return &protocol.ModelStreamResult{Message: withoutThinking(w.Answer)}, nil
	}
	if most := t.Limits.Steps; most > 0 && t.Step >= most {
		return nil, t.modelFailed(ctx, tooManySteps(most))
	}
	t.Step++
	below := *p
	below.Turn, below.After, below.Child = w.Turn, w.Asked.ID, nil
	child := t.childTurn(w)
	child.shared = p.Child.Shared
	streamed, err := child.streamModel(ctx, &below)
	used := t.outcome
	t.outcome = child.outcome
	t.outcome.Tokens, t.outcome.Cost = used.Tokens+child.outcome.Tokens, used.Cost+child.outcome.Cost
	return streamed, err
}

// childTurn returns the turn of a child window. Users do not see its reply.
func (t *turn) childTurn(w sqlite.ChildExchange) *turn {
	child := &turn{work: t.work, Turn: t.Turn}
	child.ID, child.Conversation, child.First, child.Step, child.Limits.Steps = w.Turn, w.Conversation, w.Asked.ID, 0, 0
	child.Reply = new(reply.Feeds).OpenStream(supervisor.Turn{ID: w.Turn}, "")
	child.CommitLast = func(ctx context.Context, step sqlite.Step, _ string, _ *modelcall.ReplacedModel) (
		int64, bool, error) {
		end := sqlite.TurnEnding{Turn: w.Turn, Why: protocol.TurnEndDone}
		e, err := t.o.Windows.CommitLastStep(ctx, sqlite.LastStep{Step: step, End: end})
		return e.Message, e.Ended, err
	}
	return child
}

// maxChildCache is the longest lifetime of a child window's cached prefix. The next window with
// that prefix follows at once, and a longer lifetime costs more.
const maxChildCache = 5 * time.Minute

// cacheTime returns how long the provider should cache the prefix of the turn's requests.
func (t *turn) cacheTime() time.Duration {
	if t.Kind.IsOneShot() {
		return min(t.o.Cache, maxChildCache)
	}
	return t.o.Cache
}

// splitShared splits a request's first message after the beginnings that other windows share.
func (t *turn) splitShared(req modelcall.Request) modelcall.Request {
	if len(t.shared) == 0 || len(req.Messages) == 0 || len(req.Messages[0].Parts) != 1 {
		return req
	}
	text, from := req.Messages[0].Parts[0].Text, 0
	if len(text) <= t.shared[len(t.shared)-1] { // the text was shortened, so it lacks some shared beginnings
		return req
	}
	first := req.Messages[0]
	first.Parts = nil
	for _, to := range append(slices.Clone(t.shared), len(text)) {
		first.Parts = append(first.Parts, protocol.ContentPart{Text: text[from:to]})
		from = to
	}
	req.Messages, req.Shared = slices.Clone(req.Messages), len(t.shared)
	req.Messages[0] = first
	return req
}

// maxHistory returns the maximum of a request's messages, in tokens. A child window is never
// shortened to the limit of conversations, because its text is not a conversation.
func (t *turn) maxHistory() int {
	if t.Kind.IsOneShot() {
		return protocol.MaxWindowTextBytes
	}
	return t.o.History
}
