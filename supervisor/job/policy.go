// Package job is what is decided and said of jobs, and of notices in quiet hours, from facts
// alone. It is pure: the store asks it in the transaction that keeps what has come of a job.
package job

import (
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/jobresult"
	"mews/supervisor/sqlite"
)

// maxAway is how long a person may have written nothing before what asks a model for them by itself
// rests.
const maxAway = 30 * 24 * time.Hour

// Away says whether a job rests, for it asks a model for somebody who has written nothing for too
// long, nor had it go on, as from a shell. written is when they last wrote; the zero time is never.
func Away(j supervisor.Job, written, now time.Time) bool {
	since := now.Add(-maxAway)
	return j.AsksModel() && max(j.CreatedAt.UnixMilli(), j.Options.Resumed) < since.UnixMilli() && written.Before(since)
}

// Retries are after how long a fire is tried again that failed for what may pass.
var Retries = []time.Duration{time.Minute, 5 * time.Minute, 25 * time.Minute}

// MaxFailures is how many fires in a row fail before the job is paused.
const MaxFailures = 3

// Pauses says whether a job is paused of whose last fires so many have failed.
func Pauses(failures int) bool { return failures >= MaxFailures }

// Retry is after how long a fire begins again that failed for what may pass and was tried so often
// before; not again: it has failed.
func Retry(tries int) (after time.Duration, again bool) {
	if tries >= len(Retries) {
		return 0, false
	}
	return Retries[tries], true
}

// How long a question of a job's turn stands: so that the turn has ended before the job is due
// again.
const (
	questionStands = 24 * time.Hour
	beforeNext     = time.Minute
	leastStands    = time.Minute
)

// AskAtMost is how long a question of a job's turn stands at most from now on. next is when the job
// is due again; the zero time is never.
func AskAtMost(next, now time.Time) time.Duration {
	most := questionStands
	if !next.IsZero() {
		most = min(most, next.Sub(now)-beforeNext)
	}
	return max(most, leastStands)
}

// whyBudget is why a fire failed for which there was no room in a budget.
const whyBudget = "budget"

// Outcome is what has come of a job's fire whose turn ends.
func Outcome(e sqlite.FireEnd) sqlite.FireOutcome {
	r := sqlite.FireOutcome{State: supervisor.FireFailed, Text: e.Failed, Failures: e.Job.Failures + 1}
	switch {
	case e.Why == protocol.WhyDone:
		r.State, r.Failures = supervisor.FireSaid, 0
		if r.Text, r.Met = says(e.Job, e.Said); r.Text == "" {
			r.State = supervisor.FireSilent
		}
	case e.Why == protocol.WhyStopped:
		r.Failures = e.Job.Failures
	case e.Short: // that passes by itself, and is told once a day
		r.Failures, r.Why, r.Told = e.Job.Failures, whyBudget, e.ToldShort
	}
	return r
}

// says is what the turn of a job tells its person by its messages, "" for nothing, and whether that
// is so for which a check looks.
func says(j supervisor.Job, messages []protocol.Message) (text string, met bool) {
	text = jobresult.Says(messages)
	if j.Kind != supervisor.JobCheck || j.Options.Check.Ask == "" {
		return text, text != ""
	}
	if !jobresult.IsMet(messages) {
		return StillChecking(j, text), false
	}
	return text, true
}
