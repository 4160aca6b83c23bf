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

// gate lets the calls of all queues begin: within the channel's pace, in the order in which they
// came, and none in a freeze.
type gate struct {
	now func() time.Time

	mu      sync.Mutex // guards what follows
	pace    *pace
	frozen  map[string]time.Time // by chat, "" for all: nothing is sent before
	refused []refusal            // within the last second
	waiting []*ticket            // for the window of all chats, in order
}

// refusal is when a chat's call came too soon for the channel.
type refusal struct {
	chat string
	at   time.Time
	wait time.Duration // the channel asked for this
}

// maxFreeze is the longest that a freeze of an earlier life is believed. One that seems to last
// longer was kept, or is read, by a clock that is wrong. Telegram's own were of minutes.
const maxFreeze = 24 * time.Hour

// ticket is one call's place in the queue.
type ticket struct {
	chat  string
	posts int           // that the call brings into the chat
	wake  chan struct{} // holds a token when the ticket may have become the first, or a place free
}

func newGate(channel supervisor.Channel, r Rates, now func() time.Time) *gate {
	return &gate{now: now, pace: newPace(channel, r), frozen: map[string]time.Time{}}
}

// next is when a call that is so many posts to a chat may begin, as far as that chat is concerned;
// the zero time is now.
func (g *gate) next(chat string, growing bool, posts int) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if until := g.frozenUntil(chat, now); !until.IsZero() {
		return until
	}
	return g.pace.next(chat, growing, posts, now)
}

// frozenUntil is the end of the freeze that a chat is in, the zero time where it is in none. The
// caller has g.mu.
func (g *gate) frozenUntil(chat string, now time.Time) (until time.Time) {
	g.thaw(now)
	return later(g.frozen[""], g.frozen[chat])
}

// thaw drops the freezes that are over. The caller has g.mu.
func (g *gate) thaw(now time.Time) {
	maps.DeleteFunc(g.frozen, func(_ string, until time.Time) bool { return !now.Before(until) })
}

// enter waits until the window of all chats has a place for a call that is so many posts to a chat.
// It returns false where ctx has ended, or where nothing may be sent to the chat any more; after
// true leave has to follow.
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

// admit lets a ticket in if its place has come. Else at is when to ask again; the zero time says
// that the ticket is void.
func (g *gate) admit(t *ticket) (in bool, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if g.waiting[0] != t {
		return false, never
	}
	in = g.frozenUntil(t.chat, now).IsZero() && g.pace.next(t.chat, false, t.posts, now).IsZero()
	if in {
		if at := g.pace.all.next(now, 0); !at.IsZero() {
			return false, at
		}
		g.pace.begin(t.chat, now)
	}
	g.remove(t)
	return in, time.Time{}
}

// claim is enter for a call that is made at once or not at all.
func (g *gate) claim(chat string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if len(g.waiting) > 0 || !g.frozenUntil(chat, now).IsZero() || !g.pace.next(chat, false, 1, now).IsZero() ||
		!g.pace.all.next(now, 0).IsZero() {
		return false
	}
	g.pace.begin(chat, now)
	return true
}

// tryEnter is enter for a call that nobody misses: it waits for nothing, and leaves a third of the
// places to others.
func (g *gate) tryEnter(chat string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if len(g.waiting) > 0 || !g.frozenUntil(chat, now).IsZero() || !g.pace.all.next(now, g.pace.all.limit/3).IsZero() {
		return false
	}
	g.pace.begin("", now)
	return true
}

// leave ends a call that has entered, with chat "" after tryEnter. One that was not made does not
// count. It says whether the window of all chats was full.
func (g *gate) leave(chat string, made bool) (full bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	full = !g.pace.all.next(now, 0).IsZero()
	g.pace.end(chat, now, made)
	g.wakeFirst()
	return full
}

// count counts the posts of an album that has been sent, of which the call alone is counted.
func (g *gate) count(chat string, posts int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pace.count(chat, posts-1, g.now())
}

// remove takes a ticket out of the queue. The caller has g.mu.
func (g *gate) remove(t *ticket) {
	g.waiting = slices.DeleteFunc(g.waiting, func(other *ticket) bool { return other == t })
	g.wakeFirst()
}

// wakeFirst has the first of the queue look again. The caller has g.mu.
func (g *gate) wakeFirst() {
	if len(g.waiting) > 0 {
		signals.Send(g.waiting[0].wake)
	}
}

// flood is told that a call to a chat came too soon, and how long nothing is to be sent. It returns
// the freezes that are to be on disk, by chat: that of the chat, and that of all chats ("") where
// there was too much not for that chat alone.
func (g *gate) flood(chat string, full bool, d time.Duration) map[string]time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.refused = slices.DeleteFunc(g.refused, func(r refusal) bool { return r.chat == chat || now.Sub(r.at) > time.Second })
	g.refused = append(g.refused, refusal{chat, now, d})
	freezes := map[string]time.Time{chat: now.Add(d)}
	if full && !g.pace.channel.IsGroup(chat) || g.meansAllChats() {
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

// meansAllChats says that the chats refused within one second mean all chats: two persons' own
// chats do, or any three. Two groups may each have had too much, and groups are made to wait for
// minutes. (237 s were seen.) The caller has g.mu.
func (g *gate) meansAllChats() bool {
	private := 0
	for _, r := range g.refused {
		if !g.pace.channel.IsGroup(r.chat) {
			private++
		}
	}
	return private >= 2 || len(g.refused) >= 3
}

// restoreFreezes puts freezes of an earlier life in force. From here on they last as long as they
// did then, whatever becomes of the wall clock.
func (g *gate) restoreFreezes(frozen map[string]time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	for chat, until := range frozen {
		g.frozen[chat] = later(g.frozen[chat], now.Add(min(until.Sub(now), maxFreeze)))
	}
}

// currentFreezes are those in force, by chat.
func (g *gate) currentFreezes() map[string]time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.thaw(g.now())
	return maps.Clone(g.frozen)
}

// maxSleep is after how long a wait is looked at again: the clock may have been set meanwhile.
const maxSleep = time.Minute

// wait waits until it is woken, or d or maxSleep is over. It returns false where ctx has ended.
func wait(ctx context.Context, woken <-chan struct{}, d time.Duration) bool {
	return retry.WaitOr(ctx, min(d, maxSleep), woken)
}
