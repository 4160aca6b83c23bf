package hostcall

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// ActivityDependencies are what reading the ledger needs. Where Activity is nil, nothing is read.
type ActivityDependencies struct {
	Activity Activity
}

// Activity tells what was done for people.
type Activity interface {
	// Read is what was done for a user, for a turn that answers in a conversation.
	Read(ctx context.Context, user string, destination int64, time, kind string) (protocol.Activity, error)
}

var activityRows = []row{
	{method: protocol.MethodActivityRead, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat}, bytes: shortParams,
		limit: protocol.MaxActivityReads, handler: turnCall((*turn).readActivity)},
}

// readActivity reads what was done for the turn's person.
func (t *turn) readActivity(ctx context.Context, p *protocol.ActivityRead) (*protocol.Activity, error) {
	if t.o.Activity == nil {
		return nil, feature.Refused("this Mews has no ledger")
	}
	a, err := t.o.Activity.Read(ctx, t.user, t.Destination, p.Time, p.Kind)
	return &a, err
}
