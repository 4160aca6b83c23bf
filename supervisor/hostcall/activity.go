package hostcall

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// ActivityDependencies holds the reader of the ledger. If Activity is nil, no effects are read.
type ActivityDependencies struct {
	Activity Activity
}

// Activity reads the effects of turns from the ledger.
type Activity interface {
	// Read returns the effects of a user that the conversation destination may show.
	Read(ctx context.Context, user string, destination int64, time, kind string) (protocol.ActivityReadResult, error)
}

var activityRows = []row{
	{method: protocol.MethodActivityRead, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat}, bytes: shortParams,
		limit: protocol.MaxActivityReads, handler: turnCall((*turn).readActivity)},
}

// readActivity returns the effects of the turn's user.
func (t *turn) readActivity(ctx context.Context, p *protocol.ActivityReadParams) (*protocol.ActivityReadResult, error) {
	if t.o.Activity == nil {
		return nil, feature.NewRefusal("this Mews has no ledger")
	}
	a, err := t.o.Activity.Read(ctx, t.user, t.Destination, p.Time, p.Kind)
	return &a, err
}
