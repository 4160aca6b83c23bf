package telegramtest

import (
	"fmt"
	"net"
	"slices"
	"time"
)

const (
	// grace is how long after a refusal a request may come that was on its way already, and how
	// long it may take until a client that has gone is seen to be gone. A busy machine takes its
	// time.
	grace = 500 * time.Millisecond

	// keeping is how long a client may take until it has kept a refusal. One that ends the
	// connection within that, because it was killed or has given the call up, may know nothing of
	// it.
	keeping = 2 * time.Second
)

// limits is how much may be sent.
type limits struct {
	rates   Rates
	control floodControl
	frozen  map[floodScope]floodWait
	sends   map[int64][]time.Time // messages, albums and edits, by chat; 0 is all chats
	posts   map[int64][]time.Time // by group: as sends, but an album is so many messages
}

// floodControl is flood control that is on.
type floodControl struct {
	n          int // 0 is off
	window     time.Duration
	retryAfter int
}

// floodScope is what is refused: one chat, all of them (the zero value), or a method that is for no
// chat.
type floodScope struct {
	chat   int64
	method string
}

// floodWait is a time in which a scope is refused.
type floodWait struct {
	since, until time.Time
	told         net.Conn // on which the client was last told
	lost         bool     // its client may know nothing of it
}

// died is told that the client was killed: a refusal that it had just been given it may not have
// kept.
func (l *limits) died(at time.Time) {
	l.lose(at, func(floodWait) bool { return true })
}

// closed is told that a connection has ended: what was just refused on it may not have been read.
func (l *limits) closed(c net.Conn, at time.Time) {
	l.lose(at, func(f floodWait) bool { return f.told == c })
}

func (l *limits) lose(at time.Time, concerned func(floodWait) bool) {
	for s, f := range l.frozen {
		if concerned(f) && at.Sub(f.since) <= keeping {
			f.lost = true
			l.frozen[s] = f
		}
	}
}

// floodByFault begins one, because of a fault.
func (l *limits) floodByFault(f Fault, r *request, now time.Time) answer {
	s := floodScope{chat: f.Chat}
	if r.chat == 0 {
		s = floodScope{method: r.method}
	}
	return l.startFlood(s, r.conn, f.RetryAfter, now)
}

func (l *limits) startFlood(s floodScope, told net.Conn, seconds int, now time.Time) answer {
	l.frozen[s] = floodWait{since: now, until: now.Add(time.Duration(seconds) * time.Second), told: told}
	return tooMany(seconds)
}

// refuseFlooding refuses what comes too early and says whether the client could have known.
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
		if f.lost { // now it is told again
			l.frozen[s] = floodWait{since: now, until: f.until, told: r.conn}
		} else if now.Sub(f.since) > grace {
			violation = fmt.Sprintf("%s for chat %d came %v before the end of its retry_after", r.method, r.chat,
				left.Round(time.Millisecond))
		}
		return tooMany(int((left + time.Second - 1) / time.Second)), violation
	}
	return answer{}, ""
}

// send counts a message, an album of so many or an edit. It refuses it where flood control is on,
// and says where the rates are left.
func (l *limits) send(r *request, c *chat, messages int, now time.Time) (a answer, violations []string) {
	if l.control.n > 0 && count(l.sends[c.ID], now, l.control.window) >= l.control.n {
		return l.startFlood(floodScope{chat: c.ID}, r.conn, l.control.retryAfter, now), nil
	}
	l.sends[0] = append(lastMinute(l.sends[0], now), now)
	l.sends[c.ID] = append(lastMinute(l.sends[c.ID], now), now)
	l.posts[c.ID] = append(lastMinute(l.posts[c.ID], now), slices.Repeat([]time.Time{now}, messages)...)
	for _, w := range l.watched(c) {
		if w.most == 0 {
			continue
		}
		if n := count(w.times, now, w.window-l.rates.Slack); n > w.most {
			violations = append(violations, fmt.Sprintf("%d messages or edits to %s within %v, at most %d",
				n, w.name, w.window, w.most))
		}
	}
	return answer{}, violations
}

// lastMinute are the times that are not longer ago.
func lastMinute(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) > time.Minute {
		times = times[1:]
	}
	return times
}

// rate is one that is watched.
type rate struct {
	name   string
	times  []time.Time
	most   int
	window time.Duration
}

func (l *limits) watched(c *chat) []rate {
	name := fmt.Sprint("chat ", c.ID)
	watched := []rate{
		{"all chats", l.sends[0], l.rates.All, time.Second},
		{name, l.sends[c.ID], l.rates.Chat, l.rates.Window},
	}
	if c.Type != "private" {
		watched = append(watched, rate{name, l.sends[c.ID], l.rates.Group, time.Minute})
	}
	return watched
}

// count is how many of the times are within a window that ends now.
func count(times []time.Time, now time.Time, window time.Duration) int {
	n := 0
	for n < len(times) && now.Sub(times[len(times)-1-n]) < window {
		n++
	}
	return n
}
