package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// Receiver keeps what comes in. Who may speak is decided behind it.
type Receiver interface {
	// Next is where the next batch begins; 0 where none has come yet.
	Next(ctx context.Context) (offset int64, err error)
	// Take keeps a batch and where the next one begins, in one transaction: after nil Telegram may
	// forget the batch, after an error it is sent again, whole. next is 0 where it is not to move,
	// and may be lower than before. The same update may come again, also at the same time, and with
	// another offset. batch may be empty where only next moves.
	Take(ctx context.Context, batch []supervisor.Incoming, next int64) error
}

const (
	pollTimeout = 50 * time.Second // the server's cap
	pollMargin  = 15 * time.Second // for connecting and for an answer's way
	pollLimit   = 100              // updates in a batch, the most there can be
)

// updateKinds are the kinds that are asked for. They are named in each request, because Telegram
// remembers the last list.
var updateKinds = []string{"message", "edited_message", "callback_query"}

// PollOptions may all be left out.
type PollOptions struct {
	// how long a poll waits at the server for something to come; whole seconds; 0 is 50 s
	Timeout time.Duration
	Margin  time.Duration // for connecting and for an answer's way; 0 is 15 s
	Log     hclog.Logger
	Health  *Health
}

// Poller fetches updates by long polling.
type Poller struct {
	client   *Client
	receiver Receiver
	timeout  time.Duration
	margin   time.Duration
	log      hclog.Logger
	health   *Health
	names    *nameLookup

	offsetKnown bool // the receiver has told it. This and what follows is Run's own
	// where the next batch begins: the highest id of the last one that was kept, plus one
	offset       int64
	lastWorked   bool // the last poll was answered as it should be
	staleBatches int  // batches in a row that had nothing from offset on
	fix          func(context.Context, *Client) error
}

// NewPoller makes a poller; nothing else may poll with the client's token.
func NewPoller(c *Client, receiver Receiver, o PollOptions) *Poller {
	if o.Timeout <= 0 || o.Timeout > pollTimeout {
		o.Timeout = pollTimeout
	}
	p := &Poller{
		client:   c,
		receiver: receiver,
		timeout:  o.Timeout,
		margin:   cmp.Or(o.Margin, pollMargin),
		log:      loggerOr(o.Log),
		health:   healthOr(o.Health),
	}
	p.names = newNameLookup(c, p.health, p.log)
	return p
}

func healthOr(h *Health) *Health {
	if h == nil {
		return new(Health)
	}
	return h
}

// Run polls until ctx ends, and then ends the poll under way. Once only. Whatever fails is tried
// again; the error is nil. Telegram is left alone for as long as it says, but not beyond this
// process: a new one makes its first poll at once. (What was said of sends is kept on disk, by the
// outbox.)
func (p *Poller) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { p.names.run(ctx) })
	p.health.begin(ModePolling)
	retryForever(ctx, p.client, p.health, p.log, "poll Telegram", p.attempt)
	return nil
}

// After logEach failures in a row one is logged each logInterval.
const (
	logEach     = 5
	logInterval = time.Minute
)

// retryForever makes attempts until ctx ends: one after another while they succeed, and with longer
// and longer pauses while they fail. Where Telegram can't be reached, an answer to another call
// ends the pause.
func retryForever(
	ctx context.Context,
	c *Client,
	h *Health,
	log hclog.Logger,
	what string,
	attempt func(context.Context) error,
) {
	delays := retryDelays{quick: true}
	var failures int
	var logged time.Time
	for ctx.Err() == nil {
		c.unsignal()
		err := attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			delays, failures = retryDelays{quick: true}, 0
			h.succeeded()
			continue
		}
		class := classOf(err)
		wait, level := delays.next(class, err), hclog.Warn
		if h.failed(class, err) {
			level = hclog.Error
		}
		if failures++; failures <= logEach || time.Since(logged) >= logInterval {
			logged = time.Now()
			log.Log(level, what, "error", err, "again_in", wait)
		}
		c.pause(ctx, class, wait)
	}
}

// pause waits before the next attempt.
func (c *Client) pause(ctx context.Context, class *failureClass, wait time.Duration) {
	if !class.away {
		retry.Wait(ctx, wait)
		return
	}
	retry.Wait(ctx, minDelay)
	retry.WaitOr(ctx, wait-minDelay, c.answered)
}

// unsignal forgets the answers that came before an attempt.
func (c *Client) unsignal() {
	select {
	case <-c.answered:
	default:
	}
}

// attempt makes one poll, and what a poll needs before.
func (p *Poller) attempt(ctx context.Context) error {
	if p.fix != nil {
		if err := p.fix(ctx, p.client); err != nil {
			return err
		}
		p.fix = nil
	}
	if !p.offsetKnown {
		offset, err := p.receiver.Next(ctx)
		if err != nil {
			return fmt.Errorf("find where Telegram's updates go on: %w: %w", errStore, err)
		}
		p.offsetKnown, p.offset = true, offset
	}
	err := p.poll(ctx)
	if err != nil {
		p.fix = classOf(err).fix
	}
	return err
}

// poll makes one request that Telegram answers as it should, and has what it brings be kept.
func (p *Poller) poll(ctx context.Context) error {
	began, waits := time.Now(), p.lastWorked
	result, err := p.fetch(ctx)
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
		// a server that does not wait is asked once a second
		retry.Wait(ctx, minDelay-time.Since(began))
	}
	return nil
}

// receive has a batch kept, and only then moves the offset. The offset may move back: an offset
// beyond the queue is answered from the queue's head, and ids begin anew after a week without
// updates. Where that happens time and again the server ignores the offset.
func (p *Poller) receive(ctx context.Context, updates []json.RawMessage) error {
	batch := p.read(updates)
	asked, next := p.offset, batch.next(p.offset)
	if len(batch.ready) > 0 || next != asked {
		if err := p.receiver.Take(ctx, batch.ready, next); err != nil {
			return fmt.Errorf("keep %d updates: %w: %w", len(batch.ready), errStore, err)
		}
	}
	p.offset = next
	p.staleBatches++
	if next > asked || batch.firstHeld != 0 {
		p.staleBatches = 0
	}
	if batch.firstHeld != 0 {
		retry.WaitOr(ctx, minDelay, p.names.known) // the same would come again at once
	}
	if p.staleBatches > 1 {
		return fmt.Errorf("read updates from %d on: %w", asked, errStale)
	}
	return nil
}

// read reads a batch. It tells apart what can be kept, and what is held back until the bot's name
// is known.
func (p *Poller) read(updates []json.RawMessage) *readBatch {
	batch := &readBatch{ready: make([]supervisor.Incoming, 0, len(updates)), heldChats: map[string]bool{}}
	for _, raw := range updates {
		in, err := Read(raw, p.names.self())
		batch.highest = max(batch.highest, in.Update)
		if err != nil && !p.names.mayHold(len(updates) >= pollLimit) {
			p.log.Warn("a group's message names a bot; it is passed over", "update", in.Update, "error", err)
			err = nil
		}
		if err != nil || batch.heldChats[in.Chat] {
			batch.hold(in)
			continue
		}
		batch.ready = append(batch.ready, in)
	}
	return batch
}

// dropWebhook ends the delivery to a webhook, and keeps what waits for it.
func dropWebhook(ctx context.Context, c *Client) error {
	_, err := c.do(ctx, apiCall{method: "deleteWebhook", params: map[string]any{"drop_pending_updates": false}})
	return err
}
