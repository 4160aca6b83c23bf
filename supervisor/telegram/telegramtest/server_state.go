package telegramtest

import (
	"cmp"
	"sync"
	"time"

	"mews/supervisor/internal/signals"
)

// serverState has all state of a server. Its parts have no locks of their own: change and read hold
// the lock for them.
type serverState struct {
	options  Options // options of the server, which never change
	lifetime lifetime

	changes signals.Broadcast

	mu          sync.Mutex    // guards the fields below
	clockAhead  time.Duration // how far the clock is ahead of Options.Now
	bot         bot
	queue       queue
	chats       chats
	log         callLog
	faults      faults
	limits      limits
	disconnects int // number of connections that have ended
	menus       menus
	files       files
	webhook     webhook
	polls       polls
}

func newServerState(o Options) (*serverState, error) {
	o.Token = cmp.Or(o.Token, "42:TEST-token")
	o.Username = cmp.Or(o.Username, "mews_bot")
	o.NextUpdate = cmp.Or(o.NextUpdate, 500001)
	o.NextMessage = cmp.Or(o.NextMessage, 1)
	o.Speed = cmp.Or(o.Speed, 1)
	o.HookTimeout = cmp.Or(o.HookTimeout, hookTimeout)
	o.Rates.Window = cmp.Or(o.Rates.Window, time.Second)
	o.Rates.Slack = cmp.Or(o.Rates.Slack, 50*time.Millisecond)
	if o.Now == nil {
		o.Now = time.Now
	}
	b, err := newBot(o.Token, o.Username)
	if err != nil {
		return nil, err
	}
	return &serverState{
		options: o,
		bot:     b,
		queue:   queue{nextID: o.NextUpdate, allowed: allowedByDefault},
		chats:   chats{byID: map[int64]*chat{}, first: o.NextMessage, next: o.NextMessage},
		limits: limits{rates: o.Rates, frozen: map[floodScope]floodWait{}, sends: map[int64][]time.Time{},
			groupMessages: map[int64][]time.Time{}},
		log:   callLog{counts: map[string]int{}},
		menus: menus{},
		files: files{},
	}, nil
}

// change runs a function that changes the state, and wakes all waiters.
func (w *serverState) change(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	w.changes.Notify()
}

// read runs a function that reads the state.
func (w *serverState) read(read func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	read()
}

// readValue calls get in read and returns its result.
func readValue[T any](w *serverState, get func() T) (v T) {
	w.read(func() { v = get() })
	return v
}

// now returns the time of the server's clock. The caller runs within serverState.change or read.
func (w *serverState) now() time.Time { return w.options.Now().Add(w.clockAhead) }

// scaled returns how long a wait of d on Telegram takes in this server.
func (w *serverState) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) / w.options.Speed)
}
