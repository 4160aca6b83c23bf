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
	// holdTime is how long a group's message that names a bot is held back while the bot's name is
	// unknown. Then the message is dropped. No other chat waits for this message.
	holdTime = time.Minute
	// holdTimeFull replaces holdTime for a full batch, because private messages may wait behind
	// that batch.
	holdTimeFull = 5 * time.Second
)

// errNameUnknown is the error of messages that depend on the bot's unknown name.
var errNameUnknown = errors.New("the bot's name is not known yet")

// nameLookup finds the bot's name in parallel to the polls, if a message depends on it.
type nameLookup struct {
	client *Client
	health *Health
	log    hclog.Logger
	wanted chan struct{} // holds a token while the name is wanted
	known  chan struct{} // holds a token once the name is known

	heldSince time.Time // start of the first hold; only the poller uses it
}

func newNameLookup(c *Client, h *Health, log hclog.Logger) *nameLookup {
	return &nameLookup{client: c, health: h, log: log, wanted: make(chan struct{}, 1), known: make(chan struct{}, 1)}
}

// run asks for the name when a message depends on it, until ctx ends. The client decides how often
// to ask, and repeats an old failure in between. Each failure is logged once.
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
			signals.SendToken(l.known)
		} else if !errors.Is(err, last) && ctx.Err() == nil {
			l.log.Warn("ask who the bot is", "error", err)
		}
		last = err
	}
}

// self returns the client's bot. It does not wait for the name. While the name is unknown, the
// error is errNameUnknown.
func (l *nameLookup) self() BotIdentity {
	return BotIdentity{ID: l.client.id, Name: func() (string, error) {
		if known := l.client.identity.known.Load(); known != nil {
			return known.Username, nil
		}
		signals.SendToken(l.wanted)
		return "", errNameUnknown
	}}
}

// mayHold reports whether messages that need the bot's name may wait longer for it. full means that
// the batch has as many updates as a batch can have.
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

// readBatch is a batch whose updates were read. Some of them may be held back. After a held
// message, all later messages of the chat are held too, so that each chat keeps its order.
type readBatch struct {
	ready     []supervisor.Incoming
	heldChats map[string]bool // chats with a held update
	firstHeld int64           // the first held update; 0 means none
	highest   int64           // the highest id of the updates; 0 if no update has an id
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

// next returns the start of the next batch. Held updates and all later updates come again.
func (b *readBatch) next(otherwise int64) int64 {
	switch {
	case b.firstHeld != 0:
		return b.firstHeld
	case b.highest != 0:
		return b.highest + 1
	}
	return otherwise
}
