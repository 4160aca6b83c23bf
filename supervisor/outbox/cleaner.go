package outbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

// Cleanings are what is to be done to messages that stand in chats.
type Cleanings interface {
	// ListDue lists what is due at a time, earliest first.
	ListDue(ctx context.Context, channel supervisor.Channel, now time.Time, limit int) ([]supervisor.Cleaning, error)
	// Next is when the next one is due, if there is one.
	Next(ctx context.Context, channel supervisor.Channel) (due time.Time, ok bool, err error)
	// Done drops one.
	Done(ctx context.Context, id int64) error
}

const (
	// cleanLimit is how many cleanings are read at once.
	cleanLimit = 100

	// maxCleaningAge is how long after it was due a cleaning is still tried. (Bot API,
	// deleteMessage: not after 48 h.)
	maxCleaningAge = 48 * time.Hour
)

// Cleaner works the cleanings of an outbox's channel, within the pace and the freezes of the
// outbox. All that it knows is on disk: a row is there until its message was changed, and to change
// it again does nothing.
type Cleaner struct {
	*Options
	outbox      *Outbox
	cleanings   Cleanings
	reachPauses retry.Pauses        // between tries to reach the channel
	storePauses retry.Pauses        // between tries to have something kept
	retryAt     time.Time           // the channel is not tried before
	triedAt     map[int64]time.Time // when those that failed were last tried
}

// Cleaner makes the outbox's cleaner, of which there is one at most. Its Run works it.
func (o *Outbox) Cleaner(cleanings Cleanings) *Cleaner {
	return &Cleaner{Options: &o.Options, outbox: o, cleanings: cleanings, reachPauses: reachPauses(),
		storePauses: retry.UpTo(retry.Longest), triedAt: map[int64]time.Time{}}
}

// Changed is to be called when there is a cleaning that this outbox has not made. It never blocks,
// and may be called before Run.
func (c *Cleaner) Changed() { signals.Send(c.outbox.cleaningDue) }

// Run goes on with what an earlier life left, then works what is new until ctx ends. A call that is
// under way ends with ctx.
func (c *Cleaner) Run(ctx context.Context) error {
	if err := c.outbox.restoreFreezes(ctx); err != nil {
		return unlessEnded(ctx, err)
	}
	for ctx.Err() == nil {
		again, err := c.work(ctx)
		if err != nil && ctx.Err() == nil {
			pause := c.storePauses.Next()
			c.Log.Error("clean", "channel", c.Name, "error", err, "again_in", pause)
			again = c.Now().Add(pause)
		}
		wait(ctx, c.outbox.cleaningDue, again.Sub(c.Now()))
	}
	return nil
}

// work does what is due and can be done now, and says when to come again. What has not failed yet
// comes first.
func (c *Cleaner) work(ctx context.Context) (again time.Time, err error) {
	due, err := c.cleanings.ListDue(ctx, c.Name, c.Now(), cleanLimit)
	if err != nil {
		return never, err
	}
	if len(due) == 0 {
		next, ok, err := c.cleanings.Next(ctx, c.Name)
		if err == nil {
			c.storePauses.Reset()
		}
		if !ok {
			next = never
		}
		return next, err
	}
	slices.SortStableFunc(due, func(a, b supervisor.Cleaning) int { return c.triedAt[a.ID].Compare(c.triedAt[b.ID]) })
	again = never
	for _, k := range due {
		at, err := c.clean(ctx, k)
		if err != nil || ctx.Err() != nil {
			return never, err
		}
		again = earlier(again, at)
	}
	if again.Equal(never) { // all of them are done: there may be more
		again = c.Now()
	}
	return again, nil
}

// clean does one cleaning, where it may. It says when to come again: never, where it is done.
func (c *Cleaner) clean(ctx context.Context, k supervisor.Cleaning) (again time.Time, err error) {
	chat, now := k.Conversation.Chat, c.Now()
	if at := later(c.retryAt, c.outbox.gate.next(chat, false, 1)); at.After(now) {
		return at, nil
	}
	if !c.outbox.gate.enter(ctx, chat, 1) {
		return now, nil
	}
	at := supervisor.Address{Chat: chat, Thread: k.Conversation.Thread}
	switch k.What {
	case supervisor.CleaningEdit:
		err = c.Channel.Edit(ctx, at, k.Message, k.Content)
	case supervisor.CleaningUnbutton:
		err = c.Channel.Unbutton(ctx, at, k.Message)
	default:
		err = c.Channel.Delete(ctx, at, k.Message)
	}
	full := c.outbox.gate.leave(chat, true)
	switch {
	case err == nil:
		c.reachPauses.Reset()
		return never, c.done(ctx, k)
	case ctx.Err() != nil:
		return never, nil
	}
	return c.failed(ctx, k, sendError(err), full)
}

// failed says when to try one again: never, where it is given up. A message in a chat that has a
// new name stands in the old one, where nothing can be changed.
func (c *Cleaner) failed(ctx context.Context, k supervisor.Cleaning, e *supervisor.SendError, full bool) (time.Time, error) {
	now, chat := c.Now(), k.Conversation.Chat
	switch {
	case e.Result == supervisor.ResultRefused, e.Reason == supervisor.ReasonMoved, now.Sub(k.Due) >= maxCleaningAge:
		c.Log.Warn("a message can't be cleaned", "channel", c.Name, "chat", chat, "what", k.What, "error", e)
		return never, c.done(ctx, k)
	case e.Reason == supervisor.ReasonFlood:
		for name, until := range c.outbox.gate.flood(chat, full, e.RetryAfter) {
			if err := c.Freezes.Freeze(ctx, c.Source, name, until); err != nil {
				return now, fmt.Errorf("keep a freeze: %w", err)
			}
		}
		return now, nil
	}
	pause := c.reachPauses.Next()
	c.Log.Warn("the channel does not answer", "channel", c.Name, "chat", chat, "error", e, "again_in", pause)
	c.retryAt, c.triedAt[k.ID] = now.Add(pause), now
	return c.retryAt, nil
}

func (c *Cleaner) done(ctx context.Context, k supervisor.Cleaning) error {
	if err := c.cleanings.Done(ctx, k.ID); err != nil {
		return err
	}
	delete(c.triedAt, k.ID)
	c.storePauses.Reset()
	return nil
}
