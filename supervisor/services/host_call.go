package services

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/external"
	"mews/supervisor/feature"
)

// Names of the tools.
const (
	toolRead = "read_service"
	toolCall = "call_service"
)

func (s *Services) hostCalls() []feature.HostCall {
	kinds := feature.OwnWorkerTurnKinds()
	return []feature.HostCall{
		{Method: protocol.MethodServiceRead, Kinds: kinds, Bytes: feature.MaxShortParamsBytes,
			Limit: protocol.MaxServiceCalls, HostCallHandler: feature.NewHostCallHandler(s.read)},
		{Method: protocol.MethodServiceCall, Kinds: kinds, Bytes: feature.MaxShortParamsBytes,
			Limit: protocol.MaxServiceCalls, Serial: true, HostCallHandler: feature.NewHostCallHandler(s.call)},
	}
}

// read answers read_service: the list of services, or a call that only reads.
func (s *Services) read(ctx context.Context, t feature.Turn, p *protocol.ServiceCallParams) (
	*protocol.ServiceCallResult, error) {
	call, args, err := decodeCall(t, p, toolRead)
	if err != nil {
		return nil, err
	}
	if args.Name == "" {
		return &protocol.ServiceCallResult{Text: s.listForModel(t.User)}, nil
	}
	e, err := s.find(t.User, args.Name)
	if err != nil {
		return nil, err
	}
	r, err := e.newRequest(args, "GET")
	if err == nil && r.access != AccessRead {
		err = supervisor.Errorf(supervisor.CodeForbidden, textIsWrite, r.path(), r.Name)
	}
	if err != nil {
		return nil, err
	}
	return s.make(ctx, t, call, r)
}

// call answers call_service: a call that may change something, or a read.
func (s *Services) call(ctx context.Context, t feature.Turn, p *protocol.ServiceCallParams) (
	*protocol.ServiceCallResult, error) {
	call, args, err := decodeCall(t, p, toolCall)
	if err == nil && args.Name == "" {
		err = supervisor.Errorf(supervisor.CodeInvalid, textNeedsName)
	}
	if err != nil {
		return nil, err
	}
	e, err := s.find(t.User, args.Name)
	if err != nil {
		return nil, err
	}
	r, err := e.newRequest(args, "POST")
	if err != nil {
		return nil, err
	}
	return s.make(ctx, t, call, r)
}

// decodeCall returns the committed call that a worker names, with its arguments.
func decodeCall(t feature.Turn, p *protocol.ServiceCallParams, tool string) (call protocol.ToolCall,
	args protocol.ServiceArguments, err error) {
	if call, err = t.FindCall(p.Call, tool); err != nil {
		return call, args, err
	}
	if err := protocol.DecodeStrict(call.Arguments, &args); err != nil {
		return call, args, supervisor.Errorf(supervisor.CodeInvalid, textArguments, err)
	}
	return call, args, nil
}

// make makes a call if it is allowed, or returns the answer that was kept before a crash.
func (s *Services) make(ctx context.Context, t feature.Turn, call protocol.ToolCall, r request) (
	*protocol.ServiceCallResult, error) {
	key, err := s.repeatKey(ctx, t, call)
	if err != nil {
		return nil, err
	}
	result, err := external.Do(ctx, s.o.Calls, external.Call{Turn: t, Call: call,
		Repeatable: r.access == AccessRead || r.IdempotencyHeader != "",
		Allow:      func(ctx context.Context) error { return s.allow(ctx, t, call, r) }},
		func(ctx context.Context) (external.Answer[protocol.ServiceCallResult], error) {
			return s.pay(ctx, t, call, r, key)
		})
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// allow asks whether a call may be made.
func (s *Services) allow(ctx context.Context, t feature.Turn, call protocol.ToolCall, r request) error {
	effect := EffectRead
	if r.access == AccessWrite {
		effect = EffectWrite
	}
	err := s.o.Approver.Allow(ctx, approval.Request{User: t.User,
		Conversation: supervisor.Conversation{ID: t.Destination, User: t.User}, Turn: t.ID, Call: call.ID,
		Effect: effect, Arguments: r.arguments(), Content: r.content(), Text: r.question()})
	if err != nil {
		return fmt.Errorf("ask whether the service %s may be called: %w", r.Name, err)
	}
	return nil
}

// repeatKey returns the key by which a service recognises a repeated call. It differs between
// installations, because turns start at different times.
func (s *Services) repeatKey(ctx context.Context, t feature.Turn, call protocol.ToolCall) (string, error) {
	turn, err := s.o.Turns.Find(ctx, t.ID)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "service call 1\x00%s\x00%d\x00%d\x00%s", t.User, t.ID,
		turn.StartedAt.UnixNano(), call.ID))
	return hex.EncodeToString(sum[:16]), nil
}
