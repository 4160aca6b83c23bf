package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// Tools that add facts, and tools that change facts.
var (
	keepingTools  = []string{toolRemember, toolUpdate, toolNote}
	changingTools = []string{toolRemember, toolUpdate, toolForget}
)

// Names of the tools of the memory. A note goes into the notes of the day.
const (
	toolRemember = "remember"
	toolUpdate   = "update_memory" // the tool that corrects a fact
	toolNote     = "note_today"
	toolForget   = "forget"
)

// callLimit is the most host calls about memory in one attempt at a turn.
const callLimit = 200

func (m *Memory) hostCalls() []feature.HostCall {
	kinds := feature.OwnWorkerTurnKinds()
	return []feature.HostCall{
		{Method: protocol.MethodMemoryRemember, Kinds: kinds, Limit: callLimit, Serial: true,
			HostCallHandler: feature.NewHostCallHandler(m.remember)},
		{Method: protocol.MethodMemoryRecalled, Kinds: kinds, Bytes: feature.MaxShortParamsBytes, Limit: callLimit,
			HostCallHandler: feature.NewHostCallHandler(m.recalled)},
		{Method: protocol.MethodMemoryChanged, Kinds: kinds, Limit: 2 * callLimit, Serial: true,
			HostCallHandler: feature.NewHostCallHandler(m.changed)},
	}
}

// remember decides whether a tool call may add a fact. The worker sends only the call's id.
func (m *Memory) remember(ctx context.Context, t feature.Turn, p *protocol.MemoryRememberParams) (
	*protocol.MemoryRememberResult, error) {
	call, err := t.FindCall(p.Call, keepingTools...)
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	r := ChangeRequest{User: t.User, Destination: t.Destination, Turn: t.ID, Call: call, Conflict: p.Conflict}
	if err := json.Unmarshal(call.Arguments, &r.Arguments); err != nil {
		return nil, feature.NewRefusal("not remembered: %v", err)
	}
	allowed, err := m.AllowRemember(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("ask whether something may be remembered: %w", err)
	}
	return &allowed, m.keepPermission(t, call, r.Arguments, permission{allowed, p.Conflict})
}

// changed records a change of MEMORY.md before the worker writes the file. If the new text is not
// the result of the call, it waits for the user, like any other change of a prompt file.
func (m *Memory) changed(ctx context.Context, t feature.Turn,
	p *protocol.MemoryChangedParams) (*protocol.MemoryEmptyResult,
	error) {
	call, err := t.FindCall(p.Call, changingTools...)
	if err != nil {
		return nil, err
	}
	if len(p.Gone) > 0 && call.Name != toolForget {
		err = errors.New("only forget deletes facts")
	}
	if err = cmp.Or(err, p.Validate()); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	done, back := new(protocol.MemoryEmptyResult), false
	if err = t.Commit(ctx, func() (err error) {
		back, err = m.takeBack(ctx, t, *p)
		return err
	}); back || err != nil {
		return done, err
	}
	w, err := m.makeChange(ctx, t, call, p.Before)
	if err != nil {
		return nil, err
	}
	if err := checkGone(call, p.Gone, w); call.Name == toolForget && err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	if len(p.Gone) > 0 {
		r := ChangeRequest{User: t.User, Destination: t.Destination, Turn: t.ID, Call: call}
		if err := m.AllowForget(ctx, r, p.Gone); err != nil {
			return nil, fmt.Errorf("ask whether facts may be forgotten: %w", err)
		}
	}
	return done, t.Commit(ctx, func() error {
		if err := m.takeChange(ctx, t, call, *p, w); err != nil {
			return err
		}
		return m.RecordForgottenFacts(ctx, t.User, p.Gone)
	})
}

// recalled counts a use of each fact that the worker names.
func (m *Memory) recalled(ctx context.Context, t feature.Turn, p *protocol.MemoryRecalledParams) (
	*protocol.MemoryEmptyResult, error) {
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	if t.Kind == supervisor.TurnMCP {
		return &protocol.MemoryEmptyResult{}, nil
	}
	return &protocol.MemoryEmptyResult{}, m.RecordFactUses(ctx, t.User, p.IDs)
}
