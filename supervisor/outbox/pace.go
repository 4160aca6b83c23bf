package outbox

import (
	"strings"
	"time"
)

// Rates are how much a channel may be sent. A field that is 0 is Telegram's own limit. (Bot API FAQ, "My bot is hitting
// limits": about 30 messages a second in all, 1 a second to a chat with short bursts, 20 a minute to a group.)
type Rates struct {
	All   int // to all chats, in any second
	Chat  int // to one chat, a second; three times as many in any three
	Group int // to one group, in any minute
}

func (r Rates) orDefaults() Rates {
	for _, f := range []struct {
		rate *int
		own  int
	}{{&r.All, 30}, {&r.Chat, 1}, {&r.Group, 20}} {
		if *f.rate <= 0 {
			*f.rate = f.own
		}
	}
	return r
}

// burstSeconds is over how many seconds a chat's rate is counted, so that it may be sent a few messages at once.
const burstSeconds = 3

// never is later than anything that happens.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// window lets limit calls begin in any span of time. A call counts from its beginning until a span after its end,
// because the other side takes it somewhere between the two.
type window struct {
	limit int
	span  time.Duration
	held  int         // calls that have begun and not ended
	ends  []time.Time // of those that still count, in order
}

// next is when a call may begin that leaves spare places free: the zero time where that is now, never where it depends on
// a call that has not ended.
func (w *window) next(now time.Time, spare int) time.Time {
	w.trim(now)
	over := w.held + len(w.ends) + spare - w.limit // places too many for one more, less one
	switch {
	case over < 0:
		return time.Time{}
	case over >= len(w.ends):
		return never
	}
	return w.ends[over].Add(w.span)
}

func (w *window) trim(now time.Time) {
	n := 0
	for n < len(w.ends) && now.Sub(w.ends[n]) >= w.span {
		n++
	}
	w.ends = append(w.ends[:0], w.ends[n:]...)
}

// empty says that nothing counts any more.
func (w *window) empty(now time.Time) bool {
	w.trim(now)
	return w.held == 0 && len(w.ends) == 0
}

// begin counts a call; end has to follow.
func (w *window) begin() { w.held++ }

// end ends a call. One that was not made after all does not count.
func (w *window) end(now time.Time, made bool) {
	w.held--
	if made {
		w.ends = append(w.ends, now)
	}
}

// pace is when what may be sent to a channel. It is told the time; it has no clock.
type pace struct {
	rates Rates
	all   *window
	chats map[string][]limit
}

// limit is one of a chat's windows.
type limit struct {
	*window
	spare int // places that a growing reply leaves for its final text
}

func newPace(r Rates) *pace {
	r = r.orDefaults()
	return &pace{rates: r, all: &window{limit: r.All, span: time.Second}, chats: map[string][]limit{}}
}

// chat is a chat's windows.
func (p *pace) chat(name string, now time.Time) []limit {
	if windows := p.chats[name]; windows != nil {
		return windows
	}
	p.sweep(now)
	windows := []limit{{&window{limit: burstSeconds * p.rates.Chat, span: burstSeconds * time.Second}, 1}}
	if group(name) {
		windows = append(windows, limit{&window{limit: p.rates.Group, span: time.Minute}, 3})
	}
	p.chats[name] = windows
	return windows
}

// sweep forgets chats to which nothing was sent of late.
func (p *pace) sweep(now time.Time) {
	for name, windows := range p.chats {
		used := false
		for _, w := range windows {
			used = used || !w.empty(now)
		}
		if !used {
			delete(p.chats, name)
		}
	}
}

// next is when a chat's own windows let a call begin; the zero time is now. A call for a reply that is growing leaves
// places free.
func (p *pace) next(chat string, growing bool, now time.Time) (at time.Time) {
	for _, w := range p.chat(chat, now) {
		spare := 0
		if growing {
			spare = w.spare
		}
		at = later(at, w.next(now, spare))
	}
	return at
}

// begin counts a call for all chats and for its own. One that nobody reads, such as typing, counts for all alone: its chat
// is "".
func (p *pace) begin(chat string, now time.Time) {
	p.all.begin()
	if chat == "" {
		return
	}
	for _, w := range p.chat(chat, now) {
		w.begin()
	}
}

func (p *pace) end(chat string, now time.Time, made bool) {
	p.all.end(now, made)
	if chat == "" {
		return
	}
	for _, w := range p.chat(chat, now) {
		w.end(now, made)
	}
}

// group says whether a chat is of several people. (The Bot API numbers groups and channels below 0.)
func group(chat string) bool { return strings.HasPrefix(chat, "-") }

// interval is how far apart the steps of growing replies are in a chat: three seconds in a group is what its twenty a
// minute leave.
func interval(chat string) time.Duration {
	if group(chat) {
		return 3 * time.Second
	}
	return time.Second
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
