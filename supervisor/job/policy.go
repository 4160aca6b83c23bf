// Package job decides about jobs and about notices in quiet hours, and makes their texts. It does
// no I/O, because the store calls it in the transaction that stores a job's result.
package job

import (
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/jobresult"
	"mews/supervisor/sqlite"
)

// maxAway is how long a user may be silent before jobs that need a model pause.
const maxAway = 30 * 24 * time.Hour

// IsPausedWhileAway reports whether a job pauses while its user is away. Only a job that needs a
// model pauses. A user is away after maxAway without a message and without resuming the job. The
// argument written is the time of the last message; the zero time means never.
func IsPausedWhileAway(j supervisor.Job, written, now time.Time) bool {
	since := now.Add(-maxAway)
	return j.MayStartTurn() && max(j.CreatedAt.UnixMilli(), j.Options.ResumedAt) < since.UnixMilli() &&
		written.Before(since)
}

// RetryDelays are the delays before further tries of a fire with a temporary failure.
var RetryDelays = []time.Duration{time.Minute, 5 * time.Minute, 25 * time.Minute}

// MaxFailures is the number of consecutive failed fires after which a job is paused.
const MaxFailures = 3

// ShouldPause reports whether a job is paused after a number of consecutive failures.
func ShouldPause(failures int) bool { return failures >= MaxFailures }

// RetryDelay returns the delay before the next try of a failed fire. The result again is false
// after too many tries: then the fire has failed.
func RetryDelay(tries int) (after time.Duration, again bool) {
	if tries >= len(RetryDelays) {
		return 0, false
	}
	return RetryDelays[tries], true
}

// Delays before the jobs of a chat that refuses messages are tried again.
const (
	firstRefusedRetry = time.Hour
	maxRefusedRetry   = 24 * time.Hour
)

// RefusingChatRetryDelay returns the time until a refusing chat is tried again. Such a chat refuses
// messages. The argument tries is the number of earlier tries. The first delay is short, because
// one refusal may be a mistake.
func RefusingChatRetryDelay(tries int64) time.Duration {
	return min(firstRefusedRetry<<min(tries, 5), maxRefusedRetry)
}

// Limits of how long a question of a job's turn stays open. The turn must end before the job is due
// again.
const (
	maxQuestionTime  = 24 * time.Hour
	marginBeforeNext = time.Minute
	minQuestionTime  = time.Minute
)

// MaxQuestionTime returns how long a question of a job's turn may stay open from now on. The
// argument next is when the job is due again; the zero time means never.
func MaxQuestionTime(next, now time.Time) time.Duration {
	most := maxQuestionTime
	if !next.IsZero() {
		most = min(most, next.Sub(now)-marginBeforeNext)
	}
	return max(most, minQuestionTime)
}

// whyBudget is the stored reason of a fire that failed because the budget was used up.
const whyBudget = "budget"

// DecideFireOutcome returns the result of a job's fire whose turn ends.
func DecideFireOutcome(e sqlite.FireEnd) sqlite.FireOutcome {
	r := sqlite.FireOutcome{State: supervisor.FireFailed, Text: e.Failed, Failures: e.Job.FailuresInARow + 1}
	switch {
	case e.Why == protocol.TurnEndDone:
		r.State, r.Failures = supervisor.FireSentMessage, 0
		if r.Text, r.Met = turnText(e.Job, e.Said); r.Text == "" {
			r.State = supervisor.FireSilent
		}
	case e.Why == protocol.TurnEndStopped:
		r.Failures = e.Job.FailuresInARow
	case e.OverBudget: // do not pause the job: the budget renews itself, and the user gets one notice a day
		r.Failures, r.Reason, r.Told = e.Job.FailuresInARow, whyBudget, e.ToldOverBudget
	}
	return r
}

// turnText returns the text for the user from a turn's messages; "" means no text. The result met
// reports whether a check's condition is met.
func turnText(j supervisor.Job, messages []protocol.Message) (text string, met bool) {
	text = jobresult.TextForUser(messages)
	if j.Kind != supervisor.JobCheck || j.Options.Check.Ask == "" {
		return text, text != ""
	}
	if !jobresult.IsConditionMet(messages) {
		return UnmetCheckText(j, text), false
	}
	return text, true
}
