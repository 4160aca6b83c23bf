package telegram

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"
)

const (
	// holding is how long the messages of groups are held back, in all, that name a bot while nobody knows which one:
	// they are passed over then. Nothing else waits for them.
	holding = time.Minute
	// holdingFull is the same where so much waits at Telegram that a batch has no room for more: there people's messages
	// in private may be behind it.
	holdingFull = 5 * time.Second
)

// errNameless is for what hangs on the bot's name while that is not known.
var errNameless = errors.New("the bot's name is not known yet")

// inquiry learns the bot's name beside the polls, where something hangs on it.
type inquiry struct {
	client *Client
	health *Health
	log    hclog.Logger
	wanted chan struct{} // holds a token while somebody wants to know it
	known  chan struct{} // holds a token when it has become known

	since time.Time // when something was held back first; the poller's own
}

func newInquiry(c *Client, h *Health, log hclog.Logger) *inquiry {
	return &inquiry{client: c, health: h, log: log, wanted: make(chan struct{}, 1), known: make(chan struct{}, 1)}
}

// run asks when it is wanted, until ctx ends. How often is up to the client.
func (q *inquiry) run(ctx context.Context) {
	var last error
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wanted:
		}
		err := q.ask(ctx)
		if err == nil {
			offer(q.known)
		} else if !errors.Is(err, last) && ctx.Err() == nil { // a failure that was told of comes again until a new attempt
			q.log.Warn("ask who the bot is", "error", err)
		}
		last = err
	}
}

func (q *inquiry) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, meTimeout)
	defer cancel()
	me, err := q.client.Me(ctx)
	if err == nil {
		q.health.Named(me.Username)
	}
	return err
}

// self is the client's bot. Its name is waited for by nobody: it is errNameless while it is not known.
func (q *inquiry) self() Self {
	return Self{ID: q.client.id, Name: func() (string, error) {
		if known := q.client.me.known.Load(); known != nil {
			return known.Username, nil
		}
		offer(q.wanted)
		return "", errNameless
	}}
}

// holds says whether what hangs on the name is held back still. full: the batch that it is in is as large as there are.
func (q *inquiry) holds(full bool) bool {
	now := time.Now()
	if q.since.IsZero() {
		q.since = now
	}
	if full {
		return now.Before(q.since.Add(holdingFull))
	}
	return now.Before(q.since.Add(holding))
}

// wait is the rest of a poller that holds something back: it is given the same again at once.
func (q *inquiry) wait(ctx context.Context) {
	timer := time.NewTimer(shortest)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-q.known:
	}
}

// offer puts a token where there is none.
func offer(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// sorted is a batch of which some may be held back. A chat keeps its order: behind what is held back of it, all is.
type sorted struct {
	letters []Letter
	chats   map[int64]bool // of which something is held back
	first   int64          // the first update that is held back; 0 is none
	highest int64          // 0 where no update has an id
}

func (s *sorted) hold(l Letter) {
	if s.first == 0 || l.Update < s.first {
		s.first = l.Update
	}
	if s.chats == nil {
		s.chats = map[int64]bool{}
	}
	s.chats[l.Chat] = true
	if l.MovedTo != 0 {
		s.chats[l.MovedTo] = true
	}
}

// next is where the next batch begins. What is held back and all behind it comes again.
func (s *sorted) next(otherwise int64) int64 {
	switch {
	case s.first != 0:
		return s.first
	case s.highest != 0:
		return s.highest + 1
	}
	return otherwise
}
