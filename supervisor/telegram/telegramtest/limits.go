package telegramtest

import (
	"fmt"
	"net"
	"slices"
	"time"
)

const (
	// arrivalGrace is how long after a refusal an earlier request may still arrive. It is also how
	// long the server may take to notice a closed connection. A busy machine is slow.
	arrivalGrace = 500 * time.Millisecond

	// storeGrace is how long a client may take to store a refusal. If the client closes the
	// connection within that time, it may not know the refusal.
	storeGrace = 2 * time.Second
)

// limits counts the sends, and holds their limits.
type limits struct {
	rates   SendRates
	control floodControl
	frozen  map[floodScope]floodWait
	// sends holds the times of messages, albums and edits, by chat; the times of all chats are at
	// chat 0.
	sends map[int64][]time.Time
	// groupMessages holds the times of messages and edits, by group. An album counts once for each
	// of its messages.
	groupMessages map[int64][]time.Time
}

// floodControl is an active flood control.
type floodControl struct {
	maxSends   int // sends within window before refusals begin; 0 means no flood control
	window     time.Duration
	retryAfter int
}

// floodScope is the scope of a flood refusal: one chat, all chats (the zero value), or a method
// without a chat.
type floodScope struct {
	chat   int64
	method string
}

// floodWait is a wait during which a scope is refused.
type floodWait struct {
	since, until time.Time
	toldOn       net.Conn // the connection on which the client got its last refusal
	maybeUnread  bool     // whether the client may not have read the refusal
}

// clientKilled marks recent refusals as possibly unread, because the client was killed.
func (l *limits) clientKilled(at time.Time) {
	l.markUnread(at, func(floodWait) bool { return true })
}

// connClosed marks recent refusals on a closed connection as possibly unread.
func (l *limits) connClosed(c net.Conn, at time.Time) {
	l.markUnread(at, func(f floodWait) bool { return f.toldOn == c })
}

func (l *limits) markUnread(at time.Time, concerned func(floodWait) bool) {
	for s, f := range l.frozen {
		if concerned(f) && at.Sub(f.since) <= storeGrace {
			f.maybeUnread = true
			l.frozen[s] = f
		}
	}
}

// floodByFault begins the wait of a flood that a test has injected, and returns the refusal.
func (l *limits) floodByFault(f Fault, r *request, now time.Time) answer {
	s := floodScope{chat: f.Chat}
	if r.chat == 0 {
		s = floodScope{method: r.method}
	}
	return l.startFlood(s, r.conn, f.RetryAfter, now)
}

func (l *limits) startFlood(s floodScope, told net.Conn, seconds int, now time.Time) answer {
	l.frozen[s] = floodWait{since: now, until: now.Add(time.Duration(seconds) * time.Second), toldOn: told}
	return tooMany(seconds)
}

// refuseFlooding refuses a request within a wait. The violation is "" if the client may not know of
// the wait.
func (l *limits) refuseFlooding(r *request, now time.Time) (a answer, violation string) {
	scopes := []floodScope{{method: r.method}}
	if r.chat != 0 {
		scopes = []floodScope{{chat: r.chat}, {}}
	}
	for _, s := range scopes {
		f, ok := l.frozen[s]
		left := f.until.Sub(now)
		if !ok || left <= 0 {
			delete(l.frozen, s)
			continue
		}
		if f.maybeUnread { // this refusal tells the client about the wait again
			l.frozen[s] = floodWait{since: now, until: f.until, toldOn: r.conn}
		} else if now.Sub(f.since) > arrivalGrace {
			violation = fmt.Sprintf("%s for chat %d came %v before the end of its retry_after", r.method, r.chat,
				left.Round(time.Millisecond))
		}
		return tooMany(int((left + time.Second - 1) / time.Second)), violation
	}
	return answer{}, ""
}

// recordSend records a message, an edit, or an album of several messages. Flood control may refuse
// it. The violations are the rates that the send exceeds.
func (l *limits) recordSend(r *request, c *chat, messages int, now time.Time) (a answer, violations []string) {
	if l.control.maxSends > 0 && countWithin(l.sends[c.ID], now, l.control.window) >= l.control.maxSends {
		return l.startFlood(floodScope{chat: c.ID}, r.conn, l.control.retryAfter, now), nil
	}
	l.sends[0] = append(withinMinute(l.sends[0], now), now)
	l.sends[c.ID] = append(withinMinute(l.sends[c.ID], now), now)
	l.groupMessages[c.ID] = append(withinMinute(l.groupMessages[c.ID], now),
		slices.Repeat([]time.Time{now}, messages)...)
	for _, w := range l.watched(c) {
		if w.most == 0 {
			continue
		}
		if n := countWithin(w.times, now, w.window-l.rates.Slack); n > w.most {
			violations = append(violations, fmt.Sprintf("%d messages or edits to %s within %v, at most %d",
				n, w.name, w.window, w.most))
		}
	}
	return answer{}, violations
}

// withinMinute returns the times that are at most a minute ago.
func withinMinute(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) > time.Minute {
		times = times[1:]
	}
	return times
}

// rateLimit is the limit of one kind of rate.
type rateLimit struct {
	name   string
	times  []time.Time
	most   int
	window time.Duration
}

func (l *limits) watched(c *chat) []rateLimit {
	name := fmt.Sprint("chat ", c.ID)
	watched := []rateLimit{
		{"all chats", l.sends[0], l.rates.All, time.Second},
		{name, l.sends[c.ID], l.rates.Chat, l.rates.Window},
	}
	if c.Type != "private" {
		watched = append(watched, rateLimit{name, l.sends[c.ID], l.rates.Group, time.Minute})
	}
	return watched
}

// countWithin returns the number of times within a window that ends now.
func countWithin(times []time.Time, now time.Time, window time.Duration) int {
	n := 0
	for n < len(times) && now.Sub(times[len(times)-1-n]) < window {
		n++
	}
	return n
}
