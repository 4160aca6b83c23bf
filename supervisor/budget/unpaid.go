package budget

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// DenyAllReserver is the Reserver of a user who is no longer served.
type DenyAllReserver struct{}

// Reserve refuses all calls.
func (DenyAllReserver) Reserve(context.Context, modelcall.CostEstimate) (l supervisor.Lease, err error) {
	return l, &modelcall.Error{Class: modelcall.OverBudget,
		Err: &supervisor.Error{Code: supervisor.CodeForbidden, Message: textNotServed}}
}

// ReturnLease does nothing, because there are no leases.
func (DenyAllReserver) ReturnLease(context.Context, int64) {}

// OnSettled does nothing, because no call waits for money.
func (DenyAllReserver) OnSettled(supervisor.Lease, bool) {}

// DenyPaidReserver is the Reserver of a user whose own limits could not be read. Those limits may
// be lower than the configured limits, so no call may cost anything.
type DenyPaidReserver struct{ Why error }

// Reserve refuses all calls that may cost money.
func (u DenyPaidReserver) Reserve(_ context.Context, e modelcall.CostEstimate) (l supervisor.Lease, err error) {
	if e.Priced && e.MaxCost <= 0 {
		return l, nil
	}
	return l, &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{
		Code: supervisor.CodeUnavailable, Err: u.Why,
		Message: fmt.Sprintf(textUnreadable, e.Spec, problem.UserText(u.Why))}}
}

// ReturnLease does nothing, because there are no leases.
func (DenyPaidReserver) ReturnLease(context.Context, int64) {}

// OnSettled does nothing, because no call waits for money.
func (DenyPaidReserver) OnSettled(supervisor.Lease, bool) {}
