package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

// gate decides when the calls of all queues may begin. They begin within the channel's pace, in
// order of arrival, and never in a freeze.
type gate struct {
	now func() time.Time

	mu      sync.Mutex // guards the fields below
	pace    *pace
	frozen  map[string]time.Time // end of the freeze of each chat; "" means all chats
	refused []refusal            // refusals within the last second
	waiting []*ticket            // tickets for the window of all chats, in order
}

// refusal is a flood error of a chat: its call came too soon for the channel.
type refusal struct {
	chat string
	at   time.Time
	wait time.Duration // the wait that the channel asked for
}

// maxFreeze is the longest stored freeze that the outbox obeys. A longer freeze comes from a wrong
// clock. Telegram's own freezes last minutes.
const maxFreeze = 24 * time.Hour

// ticket is the position of one call in the waiting line.
type ticket struct {
	chat  string
	posts int           // how many posts the call adds to the chat
	wake  chan struct{} // holds a token if the ticket may be first, or a slot may be free
}

func newGate(channel supervisor.Channel, r SendRates, now func() time.Time) *gate {
	return &gate{now: now, pace: newPace(channel, r), frozen: map[string]time.Time{}}
}

// nextTime returns when a chat's own limits allow a call with that many posts. The zero time means
// now.
func (g *gate) nextTime(chat string, growing bool, posts int) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if until := g.frozenUntil(chat, now); !until.IsZero() {
		return until
	}
	return g.pace.nextTime(chat, growing, posts, now)
}

// frozenUntil returns the end of a chat's freeze, or the zero time if the chat is not frozen. The
// caller holds g.mu.
func (g *gate) frozenUntil(chat string, now time.Time) (until time.Time) {
	g.dropExpired(now)
	return later(g.frozen[""], g.frozen[chat])
}

// dropExpired removes the freezes that are over. The caller holds g.mu.
func (g *gate) dropExpired(now time.Time) {
	maps.DeleteFunc(g.frozen, func(_ string, until time.Time) bool { return !now.Before(until) })
}

// enter waits for a slot for a call with that many posts. It returns false if ctx has ended or the
// chat is frozen. After true, the caller must call leave.
func (g *gate) enter(ctx context.Context, chat string, posts int) bool {
	t := &ticket{chat: chat, posts: posts, wake: make(chan struct{}, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, t)
	g.mu.Unlock()
	for {
		in, at := g.admit(t)
		if in || at.IsZero() {
			return in
		}
		if !wait(ctx, t.wake, at.Sub(g.now())) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.remove(t)
			return false
		}
	}
}

// admit lets a ticket in if a slot is free for it. Otherwise at is the time of the next try. If at
// is zero, the chat is frozen, and the ticket is no longer valid.
func (g *gate) admit(t *ticket) (in bool, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if g.waiting[0] != t {
		return false, never
	}
	in = g.frozenUntil(t.chat, now).IsZero() && g.pace.nextTime(t.chat, false, t.posts, now).IsZero()
	if in {
		if at := g.pace.all.nextTime(now, 0); !at.IsZero() {
			return false, at
		}
		g.pace.begin(t.chat, now)
	}
	g.remove(t)
	return in, time.Time{}
}

// enterNow is enter for a call that is made either at once or not at all.
func (g *gate) enterNow(chat string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if len(g.waiting) > 0 || !g.frozenUntil(chat, now).IsZero() || !g.pace.nextTime(chat, false, 1, now).IsZero() ||
		!g.pace.all.nextTime(now, 0).IsZero() {
		return false
	}
	g.pace.begin(chat, now)
	return true
}

// tryEnter is enter for an optional call. It does not wait, and leaves a third of the slots to
// other calls.
func (g *gate) tryEnter(chat string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if len(g.waiting) > 0 || !g.frozenUntil(chat, now).IsZero() ||
		!g.pace.all.nextTime(now, g.pace.all.limit/3).IsZero() {
		return false
	}
	g.pace.begin("", now)
	return true
}

// leave ends a call that has entered. After tryEnter, chat is "". If the call was not made, it does
// not count. full reports whether the window of all chats was full.
func (g *gate) leave(chat string, made bool) (full bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	full = !g.pace.all.nextTime(now, 0).IsZero()
	g.pace.end(chat, now, made)
	g.wakeFirst()
	return full
}

// count counts the posts of an album that was sent. Until then only its call was counted.
func (g *gate) count(chat string, posts int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pace.count(chat, posts-1, g.now())
}

// remove takes a ticket out of the line. The caller holds g.mu.
func (g *gate) remove(t *ticket) {
	g.waiting = slices.DeleteFunc(g.waiting, func(other *ticket) bool { return other == t })
	g.wakeFirst()
}

// wakeFirst wakes the first ticket of the line. The caller holds g.mu.
func (g *gate) wakeFirst() {
	if len(g.waiting) > 0 {
		signals.SendToken(g.waiting[0].wake)
	}
}

// recordFlood records a flood error of a chat, and its wait. It returns the freezes to store, by
// chat: the freeze of this chat and, if the whole channel got too many calls, the freeze of all
// chats ("").
func (g *gate) recordFlood(chat string, full bool, d time.Duration) map[string]time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.refused = slices.DeleteFunc(g.refused, func(r refusal) bool { return r.chat == chat || now.Sub(r.at) > time.Second })
	g.refused = append(g.refused, refusal{chat, now, d})
	freezes := map[string]time.Time{chat: now.Add(d)}
	if full && !g.pace.channel.IsGroup(chat) || g.affectsAllChats() {
		shortest := slices.MinFunc(g.refused, func(a, b refusal) int { return cmp.Compare(a.wait, b.wait) })
		freezes[""] = now.Add(shortest.wait)
	}
	for name, until := range freezes {
		g.frozen[name] = later(g.frozen[name], until)
		freezes[name] = g.frozen[name]
	}
	g.wakeFirst()
	return freezes
}

// affectsAllChats reports whether the chats refused within one second show that all chats are
// limited. Two private chats show this, and so do any three chats. Two groups do not: each may have
// had too many calls, and waits for groups last minutes (237 s were seen). The caller holds g.mu.
func (g *gate) affectsAllChats() bool {
	private := 0
	for _, r := range g.refused {
		if !g.pace.channel.IsGroup(r.chat) {
			private++
		}
	}
	return private >= 2 || len(g.refused) >= 3
}

// restoreFreezes puts stored freezes in force. From then on, a change of the wall clock does not
// change their length.
func (g *gate) restoreFreezes(frozen map[string]time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	for chat, until := range frozen {
		g.frozen[chat] = later(g.frozen[chat], now.Add(min(until.Sub(now), maxFreeze)))
	}
}

// currentFreezes returns the freezes in force, by chat.
func (g *gate) currentFreezes() map[string]time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dropExpired(g.now())
	return maps.Clone(g.frozen)
}

// maxSleep is the longest wait before the clock is read again, because the clock may be set
// meanwhile.
const maxSleep = time.Minute

// wait returns after a wake-up, or after d or maxSleep. It returns false if ctx has ended.
func wait(ctx context.Context, woken <-chan struct{}, d time.Duration) bool {
	return retry.SleepOrWake(ctx, min(d, maxSleep), woken)
}
