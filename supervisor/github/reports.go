package github

import (
	"context"
	"fmt"
	"sync"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// Reports takes what the workers of reviews and triages report. The zero value is ready; its
// methods may be called from any goroutine.
type Reports struct{ takers sync.Map } // a ReportTaker, by turn

// ReportTaker takes a report.
type ReportTaker func(ctx context.Context, r protocol.ReviewReport) error

// Await gives take what the worker of a turn reports, until end is called.
func (r *Reports) Await(turn int64, take ReportTaker) (end func()) {
	r.takers.Store(turn, take)
	return func() { r.takers.Delete(turn) }
}

// HostCalls are what workers call. A turn reports once. What is beyond the wire's bounds is no
// report.
func (r *Reports) HostCalls() []feature.HostCall {
	return []feature.HostCall{{
		Method: protocol.MethodReviewReport, Kinds: []supervisor.TurnKind{supervisor.TurnReview, supervisor.TurnTriage},
		Bytes: protocol.MaxReviewReport, Limit: 1, Serial: true, Handler: feature.InTurn(r.take),
	}}
}

// take takes what a review or a triage has come to.
func (r *Reports) take(ctx context.Context, t feature.Turn, p *protocol.ReviewReport) (*struct{}, error) {
	if err := p.Check(t.Kind == supervisor.TurnTriage); err != nil {
		return nil, feature.Offence{Err: err}
	}
	taker, awaited := r.takers.Load(t.ID)
	if !awaited {
		return nil, fmt.Errorf("nobody awaits the report of turn %d", t.ID)
	}
	return &struct{}{}, t.Commit(ctx, func() error { return taker.(ReportTaker)(ctx, *p) })
}
