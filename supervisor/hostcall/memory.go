package hostcall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/memory"
)

// MemoryDependencies are what remembering needs. Where Memory is nil, nothing is remembered.
type MemoryDependencies struct {
	Memory Memory
}

// Memory decides what is kept of people.
type Memory interface {
	// Allow says by which message something may be kept. It is supervisor.ErrWaits while the person
	// is asked.
	Allow(ctx context.Context, r memory.Request) (protocol.MemoryAllowed, error)
	// AllowForget says whether facts may be deleted, as Allow does.
	AllowForget(ctx context.Context, r memory.Request, facts []protocol.MemoryGone) error
	Changed(ctx context.Context, user string, c protocol.MemoryChanged) error
	Recalled(ctx context.Context, user string, facts []string) error
}

// The tools that keep something, and those that change the facts.
var (
	keepingTools  = []string{"remember", "update_memory", "note_today"}
	changingTools = []string{"remember", "update_memory", "forget"}
)

const toolForget = "forget"

// memoryLimit is how often a turn may keep, change or tell something of the memory, in one attempt.
const memoryLimit = 200

var memoryRows = []row{
	{method: protocol.MethodMemoryRemember, phase: inTurn, kinds: withHome, limit: memoryLimit, serial: true, handler: turnCall((*turn).remember)},
	{method: protocol.MethodMemoryRecalled, phase: inTurn, kinds: withHome, bytes: shortParams, limit: memoryLimit, handler: turnCall((*turn).recalled)},
	{method: protocol.MethodMemoryChanged, phase: inTurn, kinds: withHome, limit: 2 * memoryLimit, serial: true, handler: turnCall((*turn).memoryChanged)},
}

// checkMemoryCall says what is wrong with a call that is none of some tools', and which no honest
// worker names.
func (t *turn) checkMemoryCall(id string, tools []string) (call protocol.ToolCall, err error) {
	call, _ = t.openCalls.find(id)
	if t.o.Memory == nil {
		return call, refused("this Mews remembers nothing")
	}
	if !slices.Contains(tools, call.Name) {
		return call, offence{fmt.Errorf("call %s: not one that changes the memory", printable(id, maxName))}
	}
	return call, nil
}

// remember says whether what a call wants to keep may be kept. The worker only names the call.
func (t *turn) remember(ctx context.Context, p *protocol.MemoryRemember) (*protocol.MemoryAllowed, error) {
	call, err := t.checkMemoryCall(p.Call, keepingTools)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, offence{err}
	}
	r := memory.Request{User: t.user, Destination: t.Destination, Turn: t.ID, Call: call, Conflict: p.Conflict}
	if err := json.Unmarshal(call.Arguments, &r.Arguments); err != nil {
		return nil, refused("not remembered: %v", err)
	}
	allowed, err := t.o.Memory.Allow(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("ask whether something may be remembered: %w", err)
	}
	return &allowed, nil
}

// memoryChanged keeps that MEMORY.md changes.
func (t *turn) memoryChanged(ctx context.Context, p *protocol.MemoryChanged) (*protocol.MemoryTold, error) {
	call, err := t.checkMemoryCall(p.Call, changingTools)
	if err != nil {
		return nil, err
	}
	if len(p.Gone) > 0 && call.Name != toolForget {
		err = errors.New("only forget has facts be gone")
	}
	if err = cmp.Or(err, p.Check()); err != nil {
		return nil, offence{err}
	}
	if len(p.Gone) > 0 {
		r := memory.Request{User: t.user, Destination: t.Destination, Turn: t.ID, Call: call}
		if err := t.o.Memory.AllowForget(ctx, r, p.Gone); err != nil {
			return nil, fmt.Errorf("ask whether facts may be forgotten: %w", err)
		}
	}
	return &protocol.MemoryTold{}, t.commit(ctx, func() error { return t.o.Memory.Changed(ctx, t.user, *p) })
}

// recalled counts facts as used.
func (t *turn) recalled(ctx context.Context, p *protocol.MemoryRecalled) (*protocol.MemoryTold, error) {
	if err := p.Check(); err != nil {
		return nil, offence{err}
	}
	if t.o.Memory == nil || t.Kind == supervisor.TurnMCP {
		return &protocol.MemoryTold{}, nil
	}
	return &protocol.MemoryTold{}, t.o.Memory.Recalled(ctx, t.user, p.IDs)
}
