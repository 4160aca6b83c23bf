package outbox

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

const (
	// maxReachPause is the longest pause between two tries to reach the channel, give or take a
	// quarter.
	maxReachPause = time.Minute

	// quickReachPause is the longest in the first quickReach of an outage: what waits goes within 3
	// s of the channel's return. After that the way in has noticed the outage too, and tells of its
	// end. (Without it an answer waited for 28 s after 33 s.)
	quickReachPause = 2500 * time.Millisecond
	quickReach      = 5 * time.Minute

	// answerValidFor is how long after an answer the channel is taken to be there. It is longer
	// than any window of the pace, so that the next call can be made within it.
	answerValidFor = 2 * time.Minute
)

func reachPauses() retry.Pauses {
	return retry.Pauses{First: time.Second, Longest: maxReachPause, Jitter: 0.25}
}

// unreached notes that the channel could not be reached, or has not said what it did.
func (q *chatQueue) unreached(e *supervisor.SendError) {
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
	q.outbox.health.failed(q.chat, explain(e), q.retryAt, true)
}

// reached notes that the channel has done something that people see.
func (q *chatQueue) reached(set *postSet) {
	set.attempts = failedAttempts{}
	q.reachPauses.Reset()
	q.awaySince, q.unreachedAt, q.answeredAt = time.Time{}, time.Time{}, q.Now()
	q.outbox.health.sent(q.chat)
	q.outbox.wakeWaiting(q)
}

// noteAnswer notes that the channel has answered, and done nothing that people see. What has failed
// may fail again: the pauses stay as long as they are, and a delivery stays in trouble.
func (q *chatQueue) noteAnswer() {
	q.answeredAt = q.Now()
	q.outbox.health.noteAnswer()
	if q.current == nil {
		q.outbox.health.forget(q.chat)
	}
	q.outbox.wakeWaiting(q)
}

// answersLately says whether the channel has answered this queue lately, and not failed to since.
func (q *chatQueue) answersLately() bool {
	return !q.answeredAt.IsZero() && q.Now().Sub(q.answeredAt) < answerValidFor
}

// mayTryEarly ends the wait for a channel that has answered another queue since. It does so once in
// a while only: the trouble may be this chat's own.
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
	first       time.Time // that was counted
	latest      time.Time // that was counted
	latestOfAll time.Time // counted or not
}

// A delivery is given up that the channel refuses to do alone, because what comes after it in its
// chat waits for it. That is after maxAttempts failures in at least minFailingTime. Where nothing
// else is known to succeed for attemptGap, the count begins anew.
const (
	maxAttempts    = 10
	minFailingTime = 15 * time.Minute
	attemptGap     = 5 * time.Minute
)

// add is told of a failure, and whether the channel has done something else since the last. It says
// whether that is enough.
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
