package outbox

import (
	"time"

	"github.com/cenkalti/backoff/v5"

	"mews/supervisor"
)

const (
	// reachMax is the longest pause between two tries to reach the channel, but for a quarter of it.
	reachMax = time.Minute

	// answerLasts is how long after an answer the channel is taken to be there. It is longer than any of the pace's windows,
	// so that the next call can be made within it.
	answerLasts = 2 * time.Minute
)

// tries are when a lane tries again what did not go.
type tries struct {
	retry    time.Time                   // nothing is tried before
	reach    *backoff.ExponentialBackOff // between tries to reach the channel
	store    *backoff.ExponentialBackOff // between tries to have something kept
	away     time.Time                   // since when retry is waited for because the channel did not answer
	relief   time.Time                   // when that was last not waited for, because the channel has answered others
	answered time.Time                   // when the channel last answered this lane; the zero time where it has not since
	quiet    time.Time                   // typing is not shown before
}

func reachBackOff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: time.Second, Multiplier: 2, RandomizationFactor: 0.25,
		MaxInterval: reachMax}
}

func storeBackOff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: 100 * time.Millisecond, Multiplier: 2, RandomizationFactor: 0.2,
		MaxInterval: 10 * time.Second}
}

// unreached is after the channel could not be reached, or has not said what it did.
func (l *lane) unreached(e *supervisor.SendError) {
	pause := l.reach.NextBackOff()
	l.Log.Warn("the channel does not answer", "channel", l.Name, "chat", l.chat, "error", e, "again_in", pause)
	l.away = l.Now()
	l.retry, l.answered = l.away.Add(pause), time.Time{}
	l.home.health.failed(l.chat, inPlainWords(e), l.retry)
}

// reached is after the channel has done something that people see.
func (l *lane) reached() {
	l.reach.Reset()
	l.away, l.answered = time.Time{}, l.Now()
	l.home.health.sent(l.chat)
	l.home.heard(l)
}

// heard is after a sign of life of the channel's. What was tried in vain may be so again: the pauses stay as long as they
// are, and a delivery stays in trouble.
func (l *lane) heard() {
	l.answered = l.Now()
	l.home.health.heard()
	if l.current == nil {
		l.home.health.forget(l.chat)
	}
	l.home.heard(l)
}

// answers says whether the channel has answered of late, and not failed to since.
func (l *lane) answers() bool { return !l.answered.IsZero() && l.Now().Sub(l.answered) < answerLasts }

// relieved ends the wait for a channel that has answered another lane since. It does so once in a while only: it may be
// this chat's own trouble.
func (l *lane) relieved() bool {
	now := l.Now()
	if l.away.IsZero() || !l.relief.IsZero() && now.Sub(l.relief) < reachMax || !l.home.health.heardSince(l.away) {
		return false
	}
	l.relief, l.retry, l.away = now, time.Time{}, time.Time{}
	return true
}

// vain is how often a board's call was tried in vain while the channel did others.
type vain struct {
	tries   int
	first   time.Time // the first of them
	counted time.Time // the last of them
	last    time.Time // the last of all
}

const (
	// vainTries and vainTime are after how many tries in vain, and how long, a delivery is given up that alone the channel
	// does not take: what comes after it in its chat waits for it.
	vainTries = 10
	vainTime  = 15 * time.Minute

	// vainPause is how long nothing else may be known to go before the count begins anew.
	vainPause = 5 * time.Minute
)

// again is after one more. others says that the channel has done something else since the last.
func (v *vain) again(now time.Time, others bool) (enough bool) {
	switch {
	case v.tries == 0 || !others && now.Sub(v.counted) > vainPause:
		*v = vain{tries: 1, first: now, counted: now}
	case others:
		v.tries++
		v.counted = now
	}
	v.last = now
	return v.tries >= vainTries && now.Sub(v.first) >= vainTime
}
