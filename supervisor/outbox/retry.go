package outbox

import (
	"time"

	"github.com/cenkalti/backoff/v5"

	"mews/supervisor"
)

const (
	// maxReachPause is the longest pause between two tries to reach the channel, but for a quarter of it.
	maxReachPause = time.Minute

	// answerValidFor is how long after an answer the channel is taken to be there. It is longer than any of the pace's windows,
	// so that the next call can be made within it.
	answerValidFor = 2 * time.Minute
)

func newReachPause() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: time.Second, Multiplier: 2, RandomizationFactor: 0.25,
		MaxInterval: maxReachPause}
}

func newStorePause() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: 100 * time.Millisecond, Multiplier: 2, RandomizationFactor: 0.2,
		MaxInterval: 10 * time.Second}
}

// unreached is after the channel could not be reached, or has not said what it did.
func (q *chatQueue) unreached(e *supervisor.SendError) {
	pause := q.reachPause.NextBackOff()
	q.Log.Warn("the channel does not answer", "channel", q.Name, "chat", q.chat, "error", e, "again_in", pause)
	q.unreachedAt = q.Now()
	q.retryAt, q.answeredAt = q.unreachedAt.Add(pause), time.Time{}
	q.outbox.health.failed(q.chat, explain(e), q.retryAt)
}

// reached is after the channel has done something that people see.
func (q *chatQueue) reached() {
	q.reachPause.Reset()
	q.unreachedAt, q.answeredAt = time.Time{}, q.Now()
	q.outbox.health.sent(q.chat)
	q.outbox.wakeWaiting(q)
}

// heard is after a sign of life of the channel's. What was tried in vain may be so again: the pauses stay as long as they
// are, and a delivery stays in trouble.
func (q *chatQueue) heard() {
	q.answeredAt = q.Now()
	q.outbox.health.heard()
	if q.current == nil {
		q.outbox.health.forget(q.chat)
	}
	q.outbox.wakeWaiting(q)
}

// answersLately says whether the channel has answered of late, and not failed to since.
func (q *chatQueue) answersLately() bool {
	return !q.answeredAt.IsZero() && q.Now().Sub(q.answeredAt) < answerValidFor
}

// mayTryEarly ends the wait for a channel that has answered another queue since. It does so once in a while only: it may be
// this chat's own trouble.
func (q *chatQueue) mayTryEarly() bool {
	now := q.Now()
	if q.unreachedAt.IsZero() || !q.triedEarlyAt.IsZero() && now.Sub(q.triedEarlyAt) < maxReachPause || !q.outbox.health.heardSince(q.unreachedAt) {
		return false
	}
	q.triedEarlyAt, q.retryAt, q.unreachedAt = now, time.Time{}, time.Time{}
	return true
}

// failedAttempts is how often a postSet's call was tried in vain while the channel did others.
type failedAttempts struct {
	count       int
	first       time.Time // the first of them
	latest      time.Time // the last of them
	latestOfAll time.Time // the last of all
}

const (
	// maxAttempts and minFailingTime are after how many tries in failedAttempts, and how long, a delivery is given up that alone the channel
	// does not take: what comes after it in its chat waits for it.
	maxAttempts    = 10
	minFailingTime = 15 * time.Minute

	// attemptGap is how long nothing else may be known to go before the count begins anew.
	attemptGap = 5 * time.Minute
)

// add is after one more. others says that the channel has done something else since the last.
func (v *failedAttempts) add(now time.Time, others bool) (enough bool) {
	switch {
	case v.count == 0 || !others && now.Sub(v.latest) > attemptGap:
		*v = failedAttempts{count: 1, first: now, latest: now}
	case others:
		v.count++
		v.latest = now
	}
	v.latestOfAll = now
	return v.count >= maxAttempts && now.Sub(v.first) >= minFailingTime
}
