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
			Bytes: feature.MaxShortParamsBytes, Limit: protocol.MaxJobCalls, Serial: true,
			HostCallHandler: feature.NewHostCallHandler(tc.jobCall)},
	}
}

// jobCall runs a tool call about jobs. The worker sends only the id of the call.
func (tc *toolCalls) jobCall(ctx context.Context, t feature.Turn, p *protocol.JobCallParams) (*protocol.JobCallResult,
	error) {
	call, err := t.FindCall(p.Call, protocol.JobToolNames...)
	if err != nil {
		return nil, err
	}
	in, _, err := tc.conversations.FindConversation(ctx, t.Destination)
	if err != nil {
		return nil, err
	}
	answer, err := tc.RunCall(
		ctx,
		supervisor.JobToolCall{User: t.User, Destination: t.Destination, Turn: t.ID, Kind: t.Kind, Call: call},
		in,
	)
	return &answer, err
}
