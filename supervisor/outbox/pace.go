package outbox

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mews/supervisor"
)

// SendRates limits how much is sent to a channel. A field that is 0 means Telegram's own limit.
// (Bot API FAQ, "My bot is hitting limits": about 30 messages a second in all, 1 a second to a chat
// with short bursts, 20 a minute to a group.)
type SendRates struct {
	All   int // messages to all chats, in any second
	Chat  int // messages to one chat per second; in any three seconds, three times as many may go at once
	Group int // messages to one group, in any minute
}

func (r SendRates) orDefaults() SendRates {
	return SendRates{All: cmp.Or(max(r.All, 0), 30), Chat: cmp.Or(max(r.Chat, 0), 1), Group: cmp.Or(max(r.Group, 0),
		20)}
}

// burstSeconds is the span in which a chat's rate is counted, so that a few messages may go at
// once.
const burstSeconds = 3

// never is later than any real time.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// window allows limit calls in any span of time. A call counts from its beginning until a span
// after its end, because the channel counts it at an unknown moment between.
type window struct {
	limit   int
	span    time.Duration
	each    bool        // whether each post of an album counts as one call
	reserve int         // slots that a growing reply leaves free for its final text
	held    int         // calls that have begun and not yet ended
	ends    []time.Time // ends of the calls that still count, in order
}

// nextTime returns when a call may begin that leaves spare slots free. The zero time means now.
// never means that a call must end first.
func (w *window) nextTime(now time.Time, spare int) time.Time {
	w.trim(now)
	// over is the index in ends of the last call that must expire first. If over is below 0, a call
	// may begin now.
	over := w.held + len(w.ends) + spare - w.limit
	switch {
	case over < 0:
		return time.Time{}
	case over >= len(w.ends):
		return never
	}
	return w.ends[over].Add(w.span)
}

// trim drops the calls that no longer count.
func (w *window) trim(now time.Time) {
	w.ends = slices.DeleteFunc(w.ends, func(end time.Time) bool { return now.Sub(end) >= w.span })
}

// empty reports whether no call counts now.
func (w *window) empty(now time.Time) bool {
	w.trim(now)
	return w.held == 0 && len(w.ends) == 0
}

// begin counts a call; end must follow.
func (w *window) begin() { w.held++ }

// end ends a call. A call that was not made does not count.
func (w *window) end(now time.Time, made bool) {
	w.held--
	if made {
		w.ends = append(w.ends, now)
	}
}

// pace holds the windows of a channel. It has no clock: callers pass the time.
type pace struct {
	channel supervisor.Channel
	rates   SendRates
	all     *window
	chats   map[string][]*window
}

func newPace(channel supervisor.Channel, r SendRates) *pace {
	r = r.orDefaults()
	return &pace{channel: channel, rates: r, all: &window{limit: r.All, span: time.Second}, chats: map[string][]*window{}}
}

// chat returns a chat's windows; "" has none. It drops the windows of chats without recent calls.
func (p *pace) chat(name string, now time.Time) []*window {
	if windows := p.chats[name]; windows != nil || name == "" {
		return windows
	}
	maps.DeleteFunc(p.chats, func(_ string, windows []*window) bool {
		return !slices.ContainsFunc(windows, func(w *window) bool { return !w.empty(now) })
	})
	windows := []*window{{limit: burstSeconds * p.rates.Chat, span: burstSeconds * time.Second, reserve: 1}}
	if p.channel.IsGroup(name) {
		windows = append(windows, &window{limit: p.rates.Group, span: time.Minute, reserve: 3, each: true})
	}
	p.chats[name] = windows
	return windows
}

// nextTime returns when a chat's own windows allow a call with that many posts; the zero time means
// now. A call for a growing reply leaves slots free.
func (p *pace) nextTime(chat string, growing bool, posts int, now time.Time) (at time.Time) {
	for _, w := range p.chat(chat, now) {
		spare := 0
		if growing {
			spare = w.reserve
		}
		if w.each {
			spare = max(spare, min(posts, w.limit)-1)
		}
		at = later(at, w.nextTime(now, spare))
	}
	return at
}

// begin counts a call for all chats and for its own chat. Calls without a message, such as typing,
// have chat "": they count only for all chats.
func (p *pace) begin(chat string, now time.Time) {
	p.all.begin()
	for _, w := range p.chat(chat, now) {
		w.begin()
	}
}

func (p *pace) end(chat string, now time.Time, made bool) {
	p.all.end(now, made)
	for _, w := range p.chat(chat, now) {
		w.end(now, made)
	}
}

// growInterval returns the time between two edits of growing replies in a chat. A group's limit of
// twenty messages a minute allows one edit in three seconds.
func growInterval(group bool) time.Duration {
	if group {
		return 3 * time.Second
	}
	return time.Second
}

// count counts the posts of a call beyond the first.
func (p *pace) count(chat string, posts int, now time.Time) {
	for _, w := range p.chat(chat, now) {
		if w.each {
			w.ends = append(w.ends, slices.Repeat([]time.Time{now}, posts)...)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
