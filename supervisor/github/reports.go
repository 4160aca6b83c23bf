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
type ReportReceiver struct {
	takers sync.Map // a ReportHandler for each turn
	checks sync.Map // a findingCheck for each turn
}

// findingCheck returns the indexes of the findings that deserve a second look.
type findingCheck = func([]protocol.ReviewFinding) []int

// ReportHandler handles a worker's report.
type ReportHandler func(ctx context.Context, r protocol.ReviewReport) error

// AwaitReport passes the report of a turn's worker to take, until end is called.
func (r *ReportReceiver) AwaitReport(turn int64, take ReportHandler) (end func()) {
	r.takers.Store(turn, take)
	return func() { r.takers.Delete(turn) }
}

// AwaitChecks lets a turn's worker ask which findings deserve a second look. check answers the
// worker until end is called.
func (r *ReportReceiver) AwaitChecks(turn int64, check findingCheck) (end func()) {
	r.checks.Store(turn, check)
	return func() { r.checks.Delete(turn) }
}

// maxChecks is the maximum number of checks in a turn. A turn has one check for each part of the
// review.
const maxChecks = 2_000

// HostCalls returns the host calls for checks and reports. A turn may report once. A report that is
// too long for a message is refused.
func (r *ReportReceiver) HostCalls() []feature.HostCall {
	return []feature.HostCall{{
		Method: protocol.MethodReviewReport, Kinds: []supervisor.TurnKind{supervisor.TurnReview, supervisor.TurnTriage},
		Bytes: protocol.MaxReviewReportBytes, Limit: 1, Serial: true,
		HostCallHandler: feature.NewHostCallHandler(r.take),
	}, {
		Method: protocol.MethodReviewCheck, Kinds: []supervisor.TurnKind{supervisor.TurnReview},
		Bytes: protocol.MaxReviewCheckBytes, Limit: maxChecks, Serial: true,
		HostCallHandler: feature.NewHostCallHandler(r.check),
	}}
}

// check answers which findings deserve a second look. If nobody has called AwaitChecks for the
// turn, all findings do.
func (r *ReportReceiver) check(_ context.Context, t feature.Turn, p *protocol.ReviewCheckParams) (
	*protocol.ReviewCheckResult, error) {
	if err := p.Validate(); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	result := &protocol.ReviewCheckResult{Pending: []int{}}
	if check, awaited := r.checks.Load(t.ID); awaited {
		result.Pending = append(result.Pending, check.(findingCheck)(p.Findings)...)
		return result, nil
	}
	for i := range p.Findings {
		result.Pending = append(result.Pending, i)
	}
	return result, nil
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
	return &struct{}{}, t.Commit(ctx, func() error { return taker.(ReportHandler)(ctx, *p) })
}
