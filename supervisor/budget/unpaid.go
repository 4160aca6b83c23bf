package budget

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// Denied is the Reserver of a user who is no longer served.
type Denied struct{}

// Reserve refuses all calls.
func (Denied) Reserve(context.Context, modelcall.Estimate) (l supervisor.Lease, err error) {
	return l, &modelcall.Error{Class: modelcall.OverBudget,
		Err: &supervisor.Error{Code: supervisor.CodeForbidden, Message: textNotServed}}
}

// ReturnLease does nothing, because there are no leases.
func (Denied) ReturnLease(context.Context, int64) {}

// Settled does nothing, because no call waits for money.
func (Denied) Settled(supervisor.Lease, bool) {}

// Unreadable is the Reserver of a user whose own limits could not be read. Those limits may be
// lower than the configured ones, so no call may cost anything.
type Unreadable struct{ Why error }

// Reserve refuses all calls that may cost money.
func (u Unreadable) Reserve(_ context.Context, e modelcall.Estimate) (l supervisor.Lease, err error) {
	if e.Priced && e.MaxCost <= 0 {
		return l, nil
	}
	return l, &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{
		Code: supervisor.CodeUnavailable, Err: u.Why,
		Message: fmt.Sprintf(textUnreadable, e.Spec, problem.Message(u.Why))}}
}

// ReturnLease does nothing, because there are no leases.
func (Unreadable) ReturnLease(context.Context, int64) {}

// Settled does nothing, because no call waits for money.
func (Unreadable) Settled(supervisor.Lease, bool) {}
