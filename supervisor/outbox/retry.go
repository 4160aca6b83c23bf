package outbox

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

const (
	// maxReachPause is the longest pause between two tries to reach the channel, plus or minus a
	// quarter.
	maxReachPause = time.Minute

	// quickReachPause is the longest pause in the first quickReach of an outage. So messages go
	// within 3 s of the channel's return. After quickReach the poll has noticed the outage, too,
	// and reports its end. (Without this limit, an answer waited for 28 s after an outage of 33 s.)
	quickReachPause = 2500 * time.Millisecond
	quickReach      = 5 * time.Minute

	// answerValidFor is how long after an answer the channel counts as reachable. It is longer than
	// any window of the pace, so that the next call can be made within that time.
	answerValidFor = 2 * time.Minute
)

func reachPauses() retry.Pauses {
	return retry.Pauses{First: time.Second, Longest: maxReachPause, Jitter: 0.25}
}

// noteUnreached records that the channel did not answer, or that a call's result is unknown.
func (q *chatQueue) noteUnreached(e *supervisor.SendError) {
	pause := q.reachPauses.Next()
	if q.awaySince.IsZero() {
		q.awaySince = q.Now()
	}
	if q.Now().Sub(q.awaySince) < quickReach && !q.outbox.health.answeredSince(q.awaySince) {
		pause = min(pause, quickReachPause)
	}
	q.Log.Warn("the channel does not answer", "channel", q.Name, "chat", q.chat, "error", e, "again_in", pause)
	q.unreachedAt = q.Now()
	q.retryAt, q.answeredAt = q.unreachedAt.Add(pause), time.Time{}
	q.outbox.health.recordFailure(q.chat, explain(e), q.retryAt, true)
}

// noteReached records that the channel has done something visible to users.
func (q *chatQueue) noteReached(set *postSet) {
	set.attempts = failedAttempts{}
	q.reachPauses.Reset()
	q.awaySince, q.unreachedAt, q.answeredAt = time.Time{}, time.Time{}, q.Now()
	q.outbox.health.recordSent(q.chat)
	q.outbox.wakeWaiting(q)
}

// noteAnswer records that the channel has answered without a visible effect. The failed call may
// fail again, so the pauses keep their length, and a delivery stays in trouble.
func (q *chatQueue) noteAnswer() {
	q.answeredAt = q.Now()
	q.outbox.health.noteAnswer()
	if q.current == nil {
		q.outbox.health.forget(q.chat)
	}
	q.outbox.wakeWaiting(q)
}

// answersLately reports whether the channel has answered this queue lately, without a failure
// since.
func (q *chatQueue) answersLately() bool {
	return !q.answeredAt.IsZero() && q.Now().Sub(q.answeredAt) < answerValidFor
}

// mayTryEarly ends the wait for a channel that has answered another queue since. It does so rarely,
// because this chat alone may be the cause.
func (q *chatQueue) mayTryEarly() bool {
	now := q.Now()
	if q.unreachedAt.IsZero() || !q.triedEarlyAt.IsZero() && now.Sub(q.triedEarlyAt) < maxReachPause ||
		!q.outbox.health.answeredSince(q.unreachedAt) {
		return false
	}
	q.triedEarlyAt, q.retryAt, q.unreachedAt = now, time.Time{}, time.Time{}
	return true
}

// failedAttempts counts the failures of a set's call while the channel did other calls.
type failedAttempts struct {
	count       int
	first       time.Time // time of the first counted failure
	latest      time.Time // time of the latest counted failure
	latestOfAll time.Time // time of the latest failure, counted or not
}

// Limits for a delivery that fails while the channel does other calls. The outbox gives it up after
// maxAttempts failures in at least minFailingTime, because later deliveries of its chat wait for
// it. If no other call succeeds for attemptGap, the count starts again.
const (
	maxAttempts    = 10
	minFailingTime = 15 * time.Minute
	attemptGap     = 5 * time.Minute
)

// add counts a failure. others is true if another call has succeeded since the last failure. enough
// reports whether the limit is reached.
func (a *failedAttempts) add(now time.Time, others bool) (enough bool) {
	switch {
	case a.count == 0 || !others && now.Sub(a.latest) > attemptGap:
		*a = failedAttempts{count: 1, first: now, latest: now}
	case others:
		a.count++
		a.latest = now
	}
	a.latestOfAll = now
	return a.count >= maxAttempts && now.Sub(a.first) >= minFailingTime
}
