package budget

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// DeniedReserver is the Reserver of a user who is no longer served.
type DeniedReserver struct{}

// Reserve refuses all calls.
func (DeniedReserver) Reserve(context.Context, modelcall.Estimate) (l supervisor.Lease, err error) {
	return l, &modelcall.Error{Class: modelcall.OverBudget,
		Err: &supervisor.Error{Code: supervisor.CodeForbidden, Message: textNotServed}}
}

// ReturnLease does nothing, because there are no leases.
func (DeniedReserver) ReturnLease(context.Context, int64) {}

// OnSettled does nothing, because no call waits for money.
func (DeniedReserver) OnSettled(supervisor.Lease, bool) {}

// UnreadableReserver is the Reserver of a user whose own limits could not be read. Those limits may
// be lower than the configured limits, so no call may cost anything.
type UnreadableReserver struct{ Why error }

// Reserve refuses all calls that may cost money.
func (u UnreadableReserver) Reserve(_ context.Context, e modelcall.Estimate) (l supervisor.Lease, err error) {
	if e.Priced && e.MaxCost <= 0 {
		return l, nil
	}
	return l, &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{
		Code: supervisor.CodeUnavailable, Err: u.Why,
		Message: fmt.Sprintf(textUnreadable, e.Spec, problem.UserText(u.Why))}}
}

// ReturnLease does nothing, because there are no leases.
func (UnreadableReserver) ReturnLease(context.Context, int64) {}

// OnSettled does nothing, because no call waits for money.
func (UnreadableReserver) OnSettled(supervisor.Lease, bool) {}
