package modelcall

import (
	"context"

	"mews/supervisor"
)

// MoneyReserver sets money aside for calls of models in advance. It may be used from several
// goroutines.
type MoneyReserver interface {
	// Reserve sets money aside for one attempt: at least e.MinCost, and as much of e.MaxCost as
	// allowed. It may wait for the end of other calls.
	//
	// The error is a *Error with OverBudget, ctx's cause, or supervisor.ErrWaitsForAnswer.
	// ErrWaitsForAnswer means that a question about money is open, so no other model may be called
	// either.
	//
	// The lease ends when it is stored with the call's usage, or with ReturnLease.
	Reserve(ctx context.Context, e CostEstimate) (supervisor.Lease, error)
	// ReturnLease returns the money set aside for an attempt that cost nothing.
	ReturnLease(ctx context.Context, lease int64)
}

// CostEstimate is the possible cost of one attempt, in millionths of a US dollar.
type CostEstimate struct {
	Spec string // the model of the attempt, as provider/model
	// the most that the shortest useful answer can cost; 0 means MaxCost
	MinCost int64
	MaxCost int64 // the most that the longest answer can cost
	Priced  bool  // whether the cost is known; if not, MaxCost is 0
	// OnWait is called with a text for the user if other calls must end first. It may be nil.
	OnWait func(text string)
	// whether the attempt repeats one that has cost money; without money for all of MaxCost,
	// Reserve then fails at once
	Repeats bool
	// External means a tool's call to another server. It does not use the money that the turn has
	// set aside for its first call of a model.
	External bool
}
