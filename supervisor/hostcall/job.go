package hostcall

import (
	"context"
	"fmt"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// JobDependencies are what calls about jobs need. Where Jobs is nil, there are none.
type JobDependencies struct {
	Jobs Jobs
}

// Jobs see to what is due at times.
type Jobs interface {
	// Call does what a tool call says. The same call again changes nothing more. Its error is for
	// the model.
	Call(ctx context.Context, c supervisor.JobCall) (protocol.JobAnswer, error)
}

var jobRows = []row{
	{method: protocol.MethodJobCall, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob}, bytes: shortParams,
		limit: protocol.MaxJobCalls, serial: true, handler: turnCall((*turn).jobCall)},
}

// jobCall does what a call about jobs says. The worker only names the call.
func (t *turn) jobCall(ctx context.Context, p *protocol.JobCall) (*protocol.JobAnswer, error) {
	call, _ := t.openCalls.find(p.Call)
	if !slices.Contains(protocol.JobTools, call.Name) {
		return nil, feature.Offence{Err: fmt.Errorf("call %s: not one about jobs", printable(p.Call, maxName))}
	}
	if t.o.Jobs == nil {
		return nil, feature.Refused("this Mews has no jobs")
	}
	answer, err := t.o.Jobs.Call(ctx, supervisor.JobCall{User: t.user, Destination: t.Destination, Turn: t.ID, Kind: t.Kind, Call: call})
	return &answer, err
}
