package schedule

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

func (s *Schedule) hostCalls() []feature.HostCall {
	return []feature.HostCall{
		{Method: protocol.MethodJobCall, Kinds: []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob},
			Bytes: feature.ShortParams, Limit: protocol.MaxJobCalls, Serial: true, Handler: feature.InTurn(s.jobCall)},
	}
}

// jobCall does what a call about jobs says. The worker only names the call.
func (s *Schedule) jobCall(ctx context.Context, t feature.Turn, p *protocol.JobCall) (*protocol.JobAnswer, error) {
	call, err := t.CallOf(p.Call, protocol.JobTools...)
	if err != nil {
		return nil, err
	}
	in, _, err := s.o.Conversations.FindByID(ctx, t.Destination)
	if err != nil {
		return nil, err
	}
	answer, err := s.Call(
		ctx,
		supervisor.JobCall{User: t.User, Destination: t.Destination, Turn: t.ID, Kind: t.Kind, Call: call},
		in,
	)
	return &answer, err
}
