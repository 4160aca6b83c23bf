package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Receiver keeps letters. Who may speak is decided behind it.
type Receiver interface {
	// Next is where the next batch begins; 0 where none has come yet.
	Next(ctx context.Context) (offset int64, err error)
	// Take keeps a batch and where the next one begins, in one transaction: after nil Telegram may forget it, after an
	// error it is sent again, whole. next is 0 where that is not to move; it may be lower than before. The same letter
	// may come again, also at the same time, and under another offset. letters may be none where only next moves.
	Take(ctx context.Context, letters []supervisor.Incoming, next int64) error
}

const (
	pollTimeout = 50 * time.Second // the server's cap
	pollMargin  = 15 * time.Second // for connecting and for an answer's way
	pollLimit   = 100              // updates in a batch, the most there can be
)

// updates are the kinds that are asked for. They are named in each request, because Telegram remembers the last list.
//
// Edits are not: words are taken, or held by a closed gate, as they were sent. One that is looked at by a closed gate alone would
// be asked a code for and then not be answered, and a location that moves is edited every few seconds.
var updateKinds = []string{"message", "callback_query"}

// PollOptions may be left as they are.
type PollOptions struct {
	Timeout time.Duration // how long a poll waits at the server for something to come; whole seconds; 0 is 50 s
	Log     hclog.Logger
	Health  *Health
}

// Poller fetches updates by long polling.
type Poller struct {
	client   *Client
	receiver Receiver
	timeout  time.Duration
	log      hclog.Logger
	health   *Health
	stalls   stallDetector
	names    *nameLookup

	offsetKnown  bool  // the gate has told the offset. This and what follows is Run's own
	offset       int64 // where the next batch begins: the highest id of the last one that was kept, plus one
	lastWorked   bool  // the last poll was answered as it should be
	staleBatches int   // batches in a row that had nothing from offset on
	fix          func(context.Context, *Client) error
}

// NewPoller makes a poller; nothing else may poll with the client's token.
func NewPoller(c *Client, gate Receiver, o PollOptions) *Poller {
	if o.Timeout <= 0 || o.Timeout > pollTimeout {
		o.Timeout = pollTimeout
	}
	p := &Poller{client: c, receiver: gate, timeout: o.Timeout, log: loggerOr(o.Log), health: healthOr(o.Health)}
	p.stalls = stallDetector{reconnect: c.dropPolls, stalled: p.stalled}
	p.names = newNameLookup(c, p.health, p.log)
	return p
}

func loggerOr(log hclog.Logger) hclog.Logger {
	if log == nil {
		return hclog.NewNullLogger()
	}
	return log
}

func healthOr(h *Health) *Health {
	if h == nil {
		return new(Health)
	}
	return h
}

// Run polls until ctx ends, and then ends the poll under way. Once only. Whatever fails is tried again; the error is nil.
// Where Telegram says how long to leave it alone, that is heeded, but not beyond this process: a new one makes its first
// poll at once. (What was said of sends is kept on disk, by the outbox.)
func (p *Poller) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { p.names.run(ctx) })
	p.health.begin(ModePolling)
	retryForever(ctx, p.health, p.log, "poll Telegram", p.attempt)
	return nil
}

// retryForever makes attempts until ctx ends, one after another while they succeed and with longer and longer rests while they
// fail.
func retryForever(ctx context.Context, h *Health, log hclog.Logger, what string, attempt func(context.Context) error) {
	var rests retryDelays
	for ctx.Err() == nil {
		err := attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			rests = retryDelays{}
			h.succeeded()
			continue
		}
		t := classOf(err)
		wait, level := rests.next(t, err), hclog.Warn
		if h.failed(t, err) {
			level = hclog.Error
		}
		log.Log(level, what, "error", err, "again_in", wait)
		sleep(ctx, wait)
	}
}

// sleep waits, not beyond ctx's end.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// attempt is one request that Telegram answers as it should, and the keeping of what it brought.
func (p *Poller) attempt(ctx context.Context) error {
	if p.fix != nil {
		if err := p.fix(ctx, p.client); err != nil {
			return err
		}
		p.fix = nil
	}
	if err := p.loadOffset(ctx); err != nil {
		return err
	}
	err := p.poll(ctx)
	if err != nil {
		p.fix = classOf(err).fix
	}
	return err
}

func (p *Poller) loadOffset(ctx context.Context) error {
	if p.offsetKnown {
		return nil
	}
	offset, err := p.receiver.Next(ctx)
	if err != nil {
		return fmt.Errorf("find where Telegram's updates go on: %w: %w", errStore, err)
	}
	p.offsetKnown, p.offset = true, offset
	return nil
}

func (p *Poller) poll(ctx context.Context) error {
	began, waits := time.Now(), p.lastWorked
	result, err := p.stalls.run(ctx, p.fetch(p.offset))
	p.lastWorked = err == nil
	if err == nil || refusal(err) != nil {
		p.health.answered()
	}
	if err != nil {
		return err
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(result, &batch); err != nil {
		return fmt.Errorf("read updates: %w: %w", errAnswer, err)
	}
	switch {
	case len(batch) > 0:
		return p.receive(ctx, batch)
	case waits:
		sleep(ctx, minDelay-time.Since(began)) // a server that does not wait is asked once a second
	}
	return nil
}

// fetch is the call that brings a batch. It may outlive its poll: it reads nothing that is Run's own.
func (p *Poller) fetch(offset int64) func(context.Context) (json.RawMessage, error) {
	wait := p.timeout
	if !p.lastWorked {
		wait = 0 // whether it works is known at once, and not when a quiet minute is over
	}
	params := map[string]any{
		"offset":          offset,
		"limit":           pollLimit,
		"timeout":         int64(wait / time.Second),
		"allowed_updates": updateKinds,
	}
	return func(ctx context.Context) (json.RawMessage, error) {
		return p.client.request(ctx, pollMethod, params, p.timeout+pollMargin)
	}
}

// receive has a batch kept, and only then moves the offset. The offset may move back: one beyond the queue is answered from
// the queue's head, and ids begin anew somewhere after a week without updates. When that happens time and again the server
// does not heed it.
func (p *Poller) receive(ctx context.Context, batch []json.RawMessage) error {
	s := p.read(batch)
	asked, next := p.offset, s.next(p.offset)
	if len(s.ready) > 0 || next != asked {
		if err := p.receiver.Take(ctx, s.ready, next); err != nil {
			return fmt.Errorf("keep %d updates: %w: %w", len(s.ready), errStore, err)
		}
	}
	p.offset = next
	p.staleBatches++
	if next > asked || s.firstHeld != 0 {
		p.staleBatches = 0
	}
	if s.firstHeld != 0 {
		p.names.wait(ctx)
	}
	if p.staleBatches > 1 {
		return fmt.Errorf("read updates from %d on: %w", asked, errStale)
	}
	return nil
}

// read reads a batch, and tells apart what can be kept and what is held back until the bot's name is known.
func (p *Poller) read(batch []json.RawMessage) *readBatch {
	s, self := &readBatch{ready: make([]supervisor.Incoming, 0, len(batch))}, p.names.self()
	for _, raw := range batch {
		l, err := Read(raw, self)
		s.highest = max(s.highest, l.Update)
		if err != nil && !p.names.mayHold(len(batch) >= pollLimit) {
			p.log.Warn("a group's message names a bot; it is passed over", "update", l.Update, "error", err)
			err = nil
		}
		if err != nil || s.heldChats[l.Chat] {
			s.hold(l)
			continue
		}
		s.ready = append(s.ready, l)
	}
	return s
}

func (p *Poller) stalled() {
	p.log.Warn("a poll of Telegram did not end by itself", "offset", p.offset)
	p.health.stalled()
}

// dropWebhook ends the delivery to a webhook, and keeps what waits for it.
func dropWebhook(ctx context.Context, c *Client) error {
	_, err := c.request(ctx, "deleteWebhook", map[string]any{"drop_pending_updates": false}, callTimeout)
	return err
}
