package telegram

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

const (
	// holding is how long the messages of groups are held back, in all, that name a bot while nobody knows which one:
	// they are passed over then. Nothing else waits for them.
	holdTime = time.Minute
	// holdTimeFull is the same where so much waits at Telegram that a batch has no room for more: there people's messages
	// in private may be behind it.
	holdTimeFull = 5 * time.Second
)

// errNameUnknown is for what hangs on the bot's name while that is not known.
var errNameUnknown = errors.New("the bot's name is not known yet")

// nameLookup learns the bot's name beside the polls, where something hangs on it.
type nameLookup struct {
	client *Client
	health *Health
	log    hclog.Logger
	wanted chan struct{} // holds a token while somebody wants to know it
	known  chan struct{} // holds a token when it has become known

	heldSince time.Time // when something was held back first; the poller's own
}

func newNameLookup(c *Client, h *Health, log hclog.Logger) *nameLookup {
	return &nameLookup{client: c, health: h, log: log, wanted: make(chan struct{}, 1), known: make(chan struct{}, 1)}
}

// run asks when it is wanted, until ctx ends. How often is up to the client.
func (q *nameLookup) run(ctx context.Context) {
	var last error
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wanted:
		}
		err := q.ask(ctx)
		if err == nil {
			signal(q.known)
		} else if !errors.Is(err, last) && ctx.Err() == nil { // a failure that was told of comes again until a new attempt
			q.log.Warn("ask who the bot is", "error", err)
		}
		last = err
	}
}

func (q *nameLookup) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, getMeTimeout)
	defer cancel()
	me, err := q.client.Me(ctx)
	if err == nil {
		q.health.Named(me.Username)
	}
	return err
}

// self is the client's bot. Its name is waited for by nobody: it is errNameUnknown while it is not known.
func (q *nameLookup) self() Self {
	return Self{ID: q.client.id, Name: func() (string, error) {
		if known := q.client.identity.known.Load(); known != nil {
			return known.Username, nil
		}
		signal(q.wanted)
		return "", errNameUnknown
	}}
}

// mayHold says whether what hangs on the name is held back still. full: the batch that it is in is as large as there are.
func (q *nameLookup) mayHold(full bool) bool {
	now := time.Now()
	if q.heldSince.IsZero() {
		q.heldSince = now
	}
	if full {
		return now.Before(q.heldSince.Add(holdTimeFull))
	}
	return now.Before(q.heldSince.Add(holdTime))
}

// wait is the rest of a poller that holds something back: it is given the same again at once.
func (q *nameLookup) wait(ctx context.Context) {
	timer := time.NewTimer(minDelay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-q.known:
	}
}

// signal puts a token where there is none.
func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// readBatch is a batch of which some may be held back. A chat keeps its order: behind what is held back of it, all is.
type readBatch struct {
	ready     []supervisor.Incoming
	heldChats map[string]bool // of which something is held back
	firstHeld int64           // the first update that is held back; 0 is none
	highest   int64           // 0 where no update has an id
}

func (s *readBatch) hold(l supervisor.Incoming) {
	if s.firstHeld == 0 || l.Update < s.firstHeld {
		s.firstHeld = l.Update
	}
	if s.heldChats == nil {
		s.heldChats = map[string]bool{}
	}
	s.heldChats[l.Chat] = true
	if l.MovedTo != "" {
		s.heldChats[l.MovedTo] = true
	}
}

// next is where the next batch begins. What is held back and all behind it comes again.
func (s *readBatch) next(otherwise int64) int64 {
	switch {
	case s.firstHeld != 0:
		return s.firstHeld
	case s.highest != 0:
		return s.highest + 1
	}
	return otherwise
}
