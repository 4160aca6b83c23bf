package telegramtest

import (
	"cmp"
	"sync"
	"time"
)

// world is all that a server knows. Its parts are plain values with no lock of their own; do and look are the only doors.
type world struct {
	options Options // constant
	life    life

	mu      sync.Mutex    // guards what follows
	changed chan struct{} // closed at the next change; nil while nobody waits for one
	shift   time.Duration // what the clock is ahead of Options.Now
	bot     bot
	queue   queue
	chats   chats
	journal journal
	faults  faults
	limits  limits
	menus   menus
	files   files
	hook    hook
	polls   polls
}

func newWorld(o Options) (*world, error) {
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
	return &world{
		options: o,
		bot:     b,
		queue:   queue{tail: o.NextUpdate, allowed: allowedByDefault},
		chats:   chats{byID: map[int64]*chat{}, first: o.NextMessage, next: o.NextMessage},
		limits:  limits{rates: o.Rates, frozen: map[scope]freeze{}, sends: map[int64][]time.Time{}},
		journal: journal{counts: map[string]int{}},
		menus:   menus{},
		files:   files{},
	}, nil
}

// do changes the world and tells whoever waits for a change.
func (w *world) do(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// look reads the world.
func (w *world) look(read func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	read()
}

// next is closed at the next change.
func (w *world) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed
}

// now is the server's clock. The caller is in do or look.
func (w *world) now() time.Time { return w.options.Now().Add(w.shift) }

// wait is how long something takes that takes d on Telegram.
func (w *world) wait(d time.Duration) time.Duration {
	return time.Duration(float64(d) / w.options.Speed)
}
