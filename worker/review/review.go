// Package review reads a change or an issue with a model, and reports the result. A review has no
// tool: it can only ask the model in separate windows, and report once.
//
// Each part of a change has its own window, so that no request pays for the text of another part.
// If a part has grave findings, it gets another window for a second look: the model tries to refute
// all these findings. That window begins like the part's first window, so the provider has the
// beginning in its cache. A suggestion gets no second look, because the report only summarises
// suggestions in a few lines.
//
// A turn that lost its worker is run again from its start. The names and texts of the windows
// depend only on the material and on earlier answers. So each repeated question is the same, and
// its answer is not paid for twice.
package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/worker/host"
)

// Host is the supervisor as one turn sees it. An error that is a *protocol.Error is the
// supervisor's answer; any other error means that the supervisor cannot be reached.
type Host interface {
	host.Caller
	// ReadWholeBlob returns all bytes of a blob.
	ReadWholeBlob(ctx context.Context, ref protocol.BlobRef) ([]byte, error)
	// AskModelSeparately asks the model in a separate window.
	AskModelSeparately(ctx context.Context, system string, w protocol.ChildContextWindow) (string, error)
}

// reader reads one turn's material.
type reader struct {
	turn     Host
	material protocol.ReviewMaterial
	sum      string // SHA-256 of the material in hexadecimal
	windows  int
	failed   error // error after which the model is not asked any longer
}

// reportTimeout bounds the report to the supervisor.
const reportTimeout = 30 * time.Second

var (
	errOutOfTime = errors.New("the turn's time is up")
	errNoAnswer  = errors.New("no answer within " + reportTimeout.String())
)

// Run runs a turn of kind review or triage to its end, and reports. If its time is up it reports
// the results so far. An error means that the supervisor could not be reached; the turn may be
// started again then.
func Run(ctx context.Context, start protocol.TurnStart, turn Host) (protocol.TurnEnd, error) {
	end := protocol.TurnEnd{Why: protocol.TurnEndDone}
	if start.Material == nil {
		return end, &protocol.Error{Code: protocol.CodeInvalidParams, Message: "turn.start: there is no material"}
	}
	asking, cancel := context.WithTimeoutCause(ctx, time.Duration(start.Limits.Seconds)*time.Second, errOutOfTime)
	defer cancel()
	r := &reader{turn: turn, sum: start.Material.SHA256}
	text, err := turn.ReadWholeBlob(asking, *start.Material)
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
		end.Why = protocol.TurnEndStopped
		return end, nil
	case r.failed != nil && asking.Err() == nil && !errors.As(r.failed, &answer):
		return end, r.failed
	}
	reporting, stop := context.WithTimeoutCause(ctx, reportTimeout, errNoAnswer)
	defer stop()
	if _, err := host.CallMethod[struct{}](reporting, turn, protocol.MethodReviewReport, report); err != nil {
		return end, fmt.Errorf("report: %w", err)
	}
	return end, nil
}

// review reads each part of the change, and looks at its grave findings a second time.
func (r *reader) review(ctx context.Context, report *protocol.ReviewReport) {
	var verdicts verdicts
	for i, chunk := range r.material.Chunks {
		found, err := ask(ctx, r, fmt.Sprintf("part %d", i+1), systemReview, r.chunkQuestion(i), parseFindings)
		if err != nil {
			report.Unread = append(report.Unread, unread(chunk, reason(err)))
			continue
		}
		before := len(report.Findings)
		report.Findings = append(report.Findings, r.checkAgain(ctx, i, found.list, report)...)
		verdicts.add(found.verdict, report.Findings[before:])
	}
	report.Verdict = verdicts.text()
	shrinkReport(report)
}

func unread(chunk protocol.ReviewChunk, why string) protocol.ReviewText {
	return protocol.ReviewText{Name: clip(chunk.Name, protocol.MaxFindingPathBytes), Text: why}
}

// triage asks the model to sort an issue.
func (r *reader) triage(ctx context.Context, report *protocol.ReviewReport) {
	t, err := ask(ctx, r, "issue", systemTriage, r.triageQuestion(), parseTriage)
	if err != nil {
		report.Unread = []protocol.ReviewText{{Text: reason(err)}}
		return
	}
	report.Triage = &t
}

// ask asks in a window. If the answer cannot be read, ask repeats the question in another window,
// once.
func ask[T any](ctx context.Context, r *reader, name, system string, q question, parse func(string) (T, error)) (none T,
	err error) {
	answer, err := r.window(ctx, name, system, q)
	if err != nil {
		return none, err
	}
	v, bad := parse(answer)
	if bad == nil {
		return v, nil
	}
	if answer, err = r.window(ctx, name+" again", system, r.repairQuestion(q, answer, bad)); err != nil {
		return none, err
	}
	if v, bad = parse(answer); bad != nil {
		return none, fmt.Errorf("%w: %w", errUnreadable, bad)
	}
	return v, nil
}

// window asks the model, unless an earlier call has failed: the same failure would come again.
func (r *reader) window(ctx context.Context, name, system string, q question) (answer string, err error) {
	if r.failed == nil && len(q.text) > protocol.MaxWindowTextBytes {
		return "", errTooLong
	}
	if r.failed == nil {
		r.windows++
		answer, r.failed = r.turn.AskModelSeparately(ctx, system,
			protocol.ChildContextWindow{Name: windowName(name, q.text), Text: q.text, Shared: q.shared})
		if ctx.Err() != nil {
			r.failed = context.Cause(ctx)
		}
	}
	return answer, r.failed
}

// windowName is unique for a text. So a turn that is run again with another text, for example
// because a finding was muted meanwhile, asks in another window.
func windowName(name, text string) string {
	sum := sha256.Sum256([]byte(text))
	return name + " of " + hex.EncodeToString(sum[:8])
}
