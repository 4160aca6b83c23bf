package schedule

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

func (tc *toolCalls) hostCalls() []feature.HostCall {
	return []feature.HostCall{
		{Method: protocol.MethodJobCall, Kinds: []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob},
			Bytes: feature.ShortParams, Limit: protocol.MaxJobCalls, Serial: true, Handler: feature.InTurn(tc.jobCall)},
	}
}

// jobCall runs a tool call about jobs. The worker sends only the id of the call.
func (tc *toolCalls) jobCall(ctx context.Context, t feature.Turn, p *protocol.JobCall) (*protocol.JobAnswer, error) {
	call, err := t.CallOf(p.Call, protocol.JobTools...)
	if err != nil {
		return nil, err
	}
	in, _, err := tc.conversations.FindByID(ctx, t.Destination)
	if err != nil {
		return nil, err
	}
	answer, err := tc.Call(
		ctx,
		supervisor.JobCall{User: t.User, Destination: t.Destination, Turn: t.ID, Kind: t.Kind, Call: call},
		in,
	)
	return &answer, err
}
