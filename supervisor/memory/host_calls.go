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
	keepingTools  = []string{toolRemember, "update_memory", "note_today"}
	changingTools = []string{toolRemember, "update_memory", "forget"}
)

const toolForget = "forget"

// callLimit is the most host calls about memory in one attempt at a turn.
const callLimit = 200

func (m *Memory) hostCalls() []feature.HostCall {
	kinds := feature.HomeTurnKinds()
	return []feature.HostCall{
		{Method: protocol.MethodMemoryRemember, Kinds: kinds, Limit: callLimit, Serial: true,
			HostCallHandler: feature.NewHostCallHandler(m.remember)},
		{Method: protocol.MethodMemoryRecalled, Kinds: kinds, Bytes: feature.MaxShortParams, Limit: callLimit,
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
	r := Request{User: t.User, Destination: t.Destination, Turn: t.ID, Call: call, Conflict: p.Conflict}
	if err := json.Unmarshal(call.Arguments, &r.Arguments); err != nil {
		return nil, feature.NewRefusal("not remembered: %v", err)
	}
	allowed, err := m.AllowRemember(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("ask whether something may be remembered: %w", err)
	}
	return &allowed, nil
}

// changed records a change of MEMORY.md before the worker writes the file.
func (m *Memory) changed(ctx context.Context, t feature.Turn,
	p *protocol.MemoryChangedParams) (*protocol.MemoryEmptyResult,
	error) {
	call, err := t.FindCall(p.Call, changingTools...)
	if err != nil {
		return nil, err
	}
	switch {
	case len(p.Gone) > 0 && call.Name != toolForget:
		err = errors.New("only forget deletes facts")
	case p.Replaced != nil && call.Name != toolRemember:
		err = errors.New("only remember replaces another fact")
	}
	if err = cmp.Or(err, p.Validate()); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	if len(p.Gone) > 0 {
		r := Request{User: t.User, Destination: t.Destination, Turn: t.ID, Call: call}
		if err := m.AllowForget(ctx, r, p.Gone); err != nil {
			return nil, fmt.Errorf("ask whether facts may be forgotten: %w", err)
		}
	}
	if err := t.Commit(ctx, func() error { return m.RecordChange(ctx, t.User, *p) }); err != nil || p.Replaced == nil {
		return &protocol.MemoryEmptyResult{}, err
	}
	var remembered protocol.MemoryArguments
	if err := json.Unmarshal(call.Arguments, &remembered); err != nil {
		return nil, feature.NewRefusal("not remembered: %v", err)
	}
	return &protocol.MemoryEmptyResult{}, t.Commit(ctx, func() error {
		return m.offerOldFact(ctx, t, call.ID, remembered.Text, *p.Replaced)
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
	return &protocol.MemoryEmptyResult{}, m.RecordUse(ctx, t.User, p.IDs)
}
