package telegram

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

const (
	// holdTime is how long groups' messages are held back, in all, that name a bot while nobody
	// knows which one: they are dropped then. Nothing else waits for them.
	holdTime = time.Minute
	// holdTimeFull is the same where so much waits at Telegram that a batch has no room for more:
	// people's private messages may be behind it.
	holdTimeFull = 5 * time.Second
)

// errNameUnknown is for what depends on the bot's name while that is not known.
var errNameUnknown = errors.New("the bot's name is not known yet")

// nameLookup learns the bot's name beside the polls, where something depends on it.
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

// run asks when it is wanted, until ctx ends. How often is up to the client, which returns a
// failure again until it makes a new attempt: each is logged once.
func (l *nameLookup) run(ctx context.Context) {
	var last error
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wanted:
		}
		_, err := l.client.askName(ctx, l.health)
		if err == nil {
			signals.Send(l.known)
		} else if !errors.Is(err, last) && ctx.Err() == nil {
			l.log.Warn("ask who the bot is", "error", err)
		}
		last = err
	}
}

// self is the client's bot. Nobody waits for its name: it is errNameUnknown while it is not known.
func (l *nameLookup) self() Self {
	return Self{ID: l.client.id, Name: func() (string, error) {
		if known := l.client.identity.known.Load(); known != nil {
			return known.Username, nil
		}
		signals.Send(l.wanted)
		return "", errNameUnknown
	}}
}

// mayHold says whether what depends on the name is held back still. full: its batch is as large as
// there are.
func (l *nameLookup) mayHold(full bool) bool {
	now, most := time.Now(), holdTime
	if l.heldSince.IsZero() {
		l.heldSince = now
	}
	if full {
		most = holdTimeFull
	}
	return now.Before(l.heldSince.Add(most))
}

// readBatch is a batch of which some may be held back. A chat keeps its order: what is behind a
// message that is held back is held back too.
type readBatch struct {
	ready     []supervisor.Incoming
	heldChats map[string]bool // of which something is held back
	firstHeld int64           // the first update that is held back; 0 is none
	highest   int64           // 0 where no update has an id
}

func (b *readBatch) hold(in supervisor.Incoming) {
	if b.firstHeld == 0 || in.Update < b.firstHeld {
		b.firstHeld = in.Update
	}
	b.heldChats[in.Chat] = true
	if in.MovedTo != "" {
		b.heldChats[in.MovedTo] = true
	}
}

// next is where the next batch begins. What is held back, and all behind it, comes again.
func (b *readBatch) next(otherwise int64) int64 {
	switch {
	case b.firstHeld != 0:
		return b.firstHeld
	case b.highest != 0:
		return b.highest + 1
	}
	return otherwise
}
