package github

import (
	"context"
	"fmt"
	"sync"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// ReportReceiver receives the reports of workers that read for a review or a triage. The zero value
// is ready. Its methods may be called from any goroutine.
type ReportReceiver struct{ takers sync.Map } // a ReportTaker for each turn

// ReportTaker handles a worker's report.
type ReportTaker func(ctx context.Context, r protocol.ReviewReport) error

// AwaitReport passes the report of a turn's worker to take, until end is called.
func (r *ReportReceiver) AwaitReport(turn int64, take ReportTaker) (end func()) {
	r.takers.Store(turn, take)
	return func() { r.takers.Delete(turn) }
}

// HostCalls returns the host call for reports. A turn may report once. A report that is too long
// for a message is refused.
func (r *ReportReceiver) HostCalls() []feature.HostCall {
	return []feature.HostCall{{
		Method: protocol.MethodReviewReport, Kinds: []supervisor.TurnKind{supervisor.TurnReview, supervisor.TurnTriage},
		Bytes: protocol.MaxReviewReportBytes, Limit: 1, Serial: true,
		HostCallHandler: feature.NewHostCallHandler(r.take),
	}}
}

// take receives the report of a review or a triage.
func (r *ReportReceiver) take(ctx context.Context, t feature.Turn, p *protocol.ReviewReport) (*struct{}, error) {
	if err := p.Validate(t.Kind == supervisor.TurnTriage); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	taker, awaited := r.takers.Load(t.ID)
	if !awaited {
		return nil, fmt.Errorf("nobody awaits the report of turn %d", t.ID)
	}
	return &struct{}{}, t.Commit(ctx, func() error { return taker.(ReportTaker)(ctx, *p) })
}
