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

// UpdateReceiver stores incoming updates, and then decides who may talk.
type UpdateReceiver interface {
	// NextOffset returns the start of the next batch; 0 if no batch has come yet.
	NextOffset(ctx context.Context) (offset int64, err error)
	// StoreBatch stores a batch and the start of the next batch in one transaction. Telegram may
	// then forget the batch; after an error, the whole batch comes again. If next is 0, the stored
	// start does not change. next may be lower than before. The same update may come again with
	// another offset, even concurrently. batch may be empty if only next changes.
	StoreBatch(ctx context.Context, batch []supervisor.Incoming, next int64) error
}

const (
	pollTimeout = 50 * time.Second // how long a poll waits for updates: the server's maximum
	pollMargin  = 15 * time.Second // time to connect, and to transfer the answer
	pollLimit   = 100              // updates in a batch, the API's maximum
)

// updateKinds are the requested kinds of updates. Each request names them, because Telegram
// remembers the last list.
var updateKinds = []string{"message", "edited_message", "callback_query", "message_reaction", "my_chat_member"}

// PollOptions configure a Poller; all are optional.
type PollOptions struct {
	// Timeout is how long the server waits for an update, in whole seconds; 0 means 50 s.
	Timeout time.Duration
	Margin  time.Duration // time to connect, and to transfer the answer; 0 means 15 s
	Log     hclog.Logger
	Health  *Health
}

// Poller fetches updates by long polling.
type Poller struct {
	client   *Client
	receiver UpdateReceiver
	timeout  time.Duration
	margin   time.Duration
	log      hclog.Logger
	health   *Health
	names    *nameLookup

	offsetKnown bool // whether the receiver has returned the offset; only Run uses this and the fields below
	// offset is the start of the next batch: the highest stored id plus one.
	offset       int64
	lastWorked   bool // whether the last poll got a valid answer
	staleBatches int  // batches in a row without an update at or after offset
	fix          func(context.Context, *Client) error
}

// NewPoller creates a poller. No other program may poll with the client's token.
func NewPoller(c *Client, receiver UpdateReceiver, o PollOptions) *Poller {
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

// Run polls until ctx ends, and then cancels the running poll. Call Run once. Run retries every
// failure, so its error is always nil. It pauses as long as Telegram says, but a new process makes
// its first poll at once. (The outbox stores such pauses of sends on disk.)
func (p *Poller) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { p.names.run(ctx) })
	p.health.begin(ModePolling)
	retryForever(ctx, p.client, p.health, p.log, "poll Telegram", p.attempt)
	return nil
}

// After logEach failures in a row, only one failure in each logInterval is logged.
const (
	logEach     = 5
	logInterval = time.Minute
)

// retryForever makes attempts until ctx ends. It makes no pauses while attempts succeed, and
// growing pauses while they fail. If Telegram can't be reached, an answer to another call ends the
// pause.
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
		h.waits(wait + minDelay)
		c.pause(ctx, class, wait)
		h.works()
	}
}

// pause waits before the next attempt.
func (c *Client) pause(ctx context.Context, class *failureClass, wait time.Duration) {
	if !class.away {
		retry.Sleep(ctx, wait)
		return
	}
	retry.Sleep(ctx, minDelay)
	retry.SleepOrWake(ctx, wait-minDelay, c.answered)
}

// unsignal drops the signals of answers that came before an attempt.
func (c *Client) unsignal() {
	select {
	case <-c.answered:
	default:
	}
}

// attempt makes one poll, after the steps that must precede a poll.
func (p *Poller) attempt(ctx context.Context) error {
	if p.fix != nil {
		p.health.waits(callTimeout)
		if err := p.fix(ctx, p.client); err != nil {
			return err
		}
		p.fix = nil
	}
	if !p.offsetKnown {
		offset, err := p.receiver.NextOffset(ctx)
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

// poll makes one request, and passes the updates to the receiver.
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
		// a server that does not wait is polled once a second
		retry.Sleep(ctx, minDelay-time.Since(began))
	}
	return nil
}

// receive stores a batch, and only then moves the offset. The offset may move back. After a week
// without updates, Telegram begins ids again, and answers an offset beyond its queue from the
// queue's start. If that happens repeatedly, the server ignores the offset.
func (p *Poller) receive(ctx context.Context, updates []json.RawMessage) error {
	batch := p.read(updates)
	asked, next := p.offset, batch.next(p.offset)
	if len(batch.ready) > 0 || next != asked {
		if err := p.receiver.StoreBatch(ctx, batch.ready, next); err != nil {
			return fmt.Errorf("keep %d updates: %w: %w", len(batch.ready), errStore, err)
		}
	}
	p.offset = next
	p.staleBatches++
	if next > asked || batch.firstHeld != 0 {
		p.staleBatches = 0
	}
	if batch.firstHeld != 0 {
		retry.SleepOrWake(ctx, minDelay, p.names.known) // without the pause, the same batch would come again at once
	}
	if p.staleBatches > 1 {
		return fmt.Errorf("read updates from %d on: %w", asked, errStale)
	}
	return nil
}

// read reads a batch. It separates updates that can be stored from updates that wait for the bot's
// name.
func (p *Poller) read(updates []json.RawMessage) *readBatch {
	batch := &readBatch{ready: make([]supervisor.Incoming, 0, len(updates)), heldChats: map[string]bool{}}
	for _, raw := range updates {
		in, err := ParseUpdate(raw, p.names.self())
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

// dropWebhook ends the delivery to a webhook, and keeps the waiting updates.
func dropWebhook(ctx context.Context, c *Client) error {
	_, err := c.do(ctx, apiCall{method: "deleteWebhook", params: map[string]any{"drop_pending_updates": false}})
	return err
}
