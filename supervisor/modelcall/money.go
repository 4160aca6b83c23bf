package modelcall

import (
	"context"

	"mews/supervisor"
)

// Reserver sets money aside for calls of models before they are made. It may be used from several
// goroutines.
type Reserver interface {
	// Reserve sets money aside for one attempt: as much of the Estimate's MaxCost as may be spent,
	// and at least its MinCost. It may take as long as it takes a person to answer, or one's other
	// calls to end. Its error is a *Error with OverBudget, or ctx's cause. The lease ends
	// with the usage that is kept with it, or with Return.
	Reserve(ctx context.Context, e Estimate) (supervisor.Lease, error)
	// Return gives back what was set aside for an attempt that cost nothing.
	Return(ctx context.Context, lease int64)
}

// Estimate is what one attempt can cost, in millionths of a US dollar.
type Estimate struct {
	Spec string // provider/model
	// the most that it can cost with an answer as short as is worth asking for; 0 is MaxCost
	MinCost int64
	MaxCost int64 // and with the longest answer
	Priced  bool  // false: what it costs is not known, and MaxCost is 0
	// OnWait is told, in words for the person, that other calls have to end first; nil: nobody
	// wants to know.
	OnWait func(text string)
}
