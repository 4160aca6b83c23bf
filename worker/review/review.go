// Package review reads a change or an issue with a model, and reports what that comes to. It has no
// tool: all that it can do is to ask the model in windows of their own, and to report once.
//
// Each part of a change has a window, so that no part pays for another, and each finding that
// somebody would have to act on has another, in which it is to be refuted. Suggestions have none:
// they are folded into a summary of a few lines, and cost nothing more.
//
// A turn that lost its worker is run again from its start. The windows' names and texts are made of
// the material and of what was answered before, and of nothing else, so each is asked for as it
// was, and what was answered is not paid for twice.
package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/worker/host"
)

// Host is the supervisor as one turn sees it. An error that is a *protocol.Error is its answer; any
// other error means that it cannot be reached.
type Host interface {
	host.Caller
	// ReadWhole gives all bytes of a blob.
	ReadWhole(ctx context.Context, ref protocol.BlobRef) ([]byte, error)
	// AskBelow asks the model in a window of its own.
	AskBelow(ctx context.Context, name, system, text string) (string, error)
}

// reader reads one turn's material.
type reader struct {
	turn     Host
	material protocol.ReviewMaterial
	sum      string // of the material, in hexadecimal digits
	windows  int
	failed   error // why the model is asked no more
}

// reportTimeout is for the supervisor to keep the report.
const reportTimeout = 30 * time.Second

var (
	errOutOfTime = errors.New("the turn's time is up")
	errNoAnswer  = errors.New("no answer within " + reportTimeout.String())
)

// Run runs a turn of kind review or triage to its end, and reports. When its time is up it reports
// what there is by then. An error means that the supervisor could not be reached; the turn may be
// started again then.
func Run(ctx context.Context, start protocol.TurnStart, turn Host) (protocol.TurnEnd, error) {
	end := protocol.TurnEnd{Why: protocol.WhyDone}
	if start.Material == nil {
		return end, &protocol.Error{Code: protocol.CodeInvalidParams, Message: "turn.start: there is no material"}
	}
	asking, cancel := context.WithTimeoutCause(ctx, time.Duration(start.Limits.Seconds)*time.Second, errOutOfTime)
	defer cancel()
	r := &reader{turn: turn, sum: start.Material.SHA256}
	text, err := turn.ReadWhole(asking, *start.Material)
	if err == nil {
		err = json.Unmarshal(text, &r.material)
	}
	if err != nil {
		return end, fmt.Errorf("read the material: %w", err)
	}
	var report protocol.ReviewReport
	if start.Kind == "triage" {
		r.triage(asking, &report)
	} else {
		r.review(asking, &report)
	}
	end.Steps = r.windows
	answer := new(protocol.Error)
	switch {
	case ctx.Err() != nil:
		end.Why = protocol.WhyStopped
		return end, nil
	case r.failed != nil && asking.Err() == nil && !errors.As(r.failed, &answer):
		return end, r.failed
	}
	reporting, stop := context.WithTimeoutCause(ctx, reportTimeout, errNoAnswer)
	defer stop()
	if _, err := host.Call[struct{}](reporting, turn, protocol.MethodReviewReport, report); err != nil {
		return end, fmt.Errorf("report: %w", err)
	}
	return end, nil
}

// review reads each part of the change, and looks at what it finds once more.
func (r *reader) review(ctx context.Context, report *protocol.ReviewReport) {
	for i, chunk := range r.material.Chunks {
		found, err := ask(ctx, r, fmt.Sprintf("part %d", i+1), systemReview, func(m marks) string { return r.chunkPrompt(m, i) }, parseFindings)
		if err != nil {
			report.Unread = append(report.Unread, unread(chunk, reason(err)))
			continue
		}
		before := len(report.Findings)
		for n, f := range found.list {
			if r.stands(ctx, chunk, i, n, f, report) {
				report.Findings = append(report.Findings, f)
			}
		}
		// of the first part with something wrong in it
		if report.Verdict == "" || before == 0 && len(report.Findings) > 0 {
			report.Verdict = found.verdict
		}
	}
	fit(report)
}

// stands has the model refute a finding, and says whether it could not. What was not looked at
// again stands, and is said to be so.
func (r *reader) stands(ctx context.Context, chunk protocol.ReviewChunk, i, n int, f protocol.ReviewFinding, report *protocol.ReviewReport) bool {
	if f.Severity == protocol.SeveritySuggestion {
		return true
	}
	refuted, err := ask(ctx, r, fmt.Sprintf("part %d finding %d", i+1, n+1), systemRefute,
		func(m marks) string { return r.refutePrompt(m, chunk, f) }, parseRefuted)
	if err != nil {
		report.Unread = append(report.Unread, unread(chunk, fmt.Sprintf(textNotTwice, f.Title, reason(err))))
		return true
	}
	if refuted {
		report.Refuted++
	}
	return !refuted
}

func unread(chunk protocol.ReviewChunk, why string) protocol.ReviewText {
	return protocol.ReviewText{Name: clip(chunk.Name, protocol.MaxFindingPath), Text: why}
}

// triage asks what an issue is about.
func (r *reader) triage(ctx context.Context, report *protocol.ReviewReport) {
	t, err := ask(ctx, r, "issue", systemTriage, r.triagePrompt, parseTriage)
	if err != nil {
		report.Unread = []protocol.ReviewText{{Text: reason(err)}}
		return
	}
	report.Triage = &t
}

// ask asks in a window, and once more in another where the answer can't be read.
func ask[T any](ctx context.Context, r *reader, name, system string, prompt func(marks) string, parse func(string) (T, error)) (none T, err error) {
	text := prompt(r.marksOf(name))
	answer, err := r.window(ctx, name, system, text)
	if err != nil {
		return none, err
	}
	v, bad := parse(answer)
	if bad == nil {
		return v, nil
	}
	again := name + " again"
	if answer, err = r.window(ctx, again, system, repairPrompt(r.marksOf(again), text, answer, bad)); err != nil {
		return none, err
	}
	if v, bad = parse(answer); bad != nil {
		return none, fmt.Errorf("%w: %w", errUnreadable, bad)
	}
	return v, nil
}

// window asks the model, unless that has failed before: what it failed with would be the answer
// again.
func (r *reader) window(ctx context.Context, name, system, text string) (answer string, err error) {
	if r.failed == nil && len(text) > protocol.MaxWindowText {
		return "", errTooLong
	}
	if r.failed == nil {
		r.windows++
		answer, r.failed = r.turn.AskBelow(ctx, r.windowName(name), system, text)
		if ctx.Err() != nil {
			r.failed = context.Cause(ctx)
		}
	}
	return answer, r.failed
}

// windowName is unique in the turn, also where that is run again with other material.
func (r *reader) windowName(name string) string { return name + " of " + clip(r.sum, 16) }
