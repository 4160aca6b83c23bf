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

// CleanupStore stores due changes of chat messages: deletions, removed buttons and edits.
type CleanupStore interface {
	// ListDue lists the cleanings that are due at now, earliest first.
	ListDue(ctx context.Context, channel supervisor.Channel, now time.Time, limit int) ([]supervisor.MessageCleanup,
		error)
	// NextDue returns when the next cleaning is due; ok is false if there is none.
	NextDue(ctx context.Context, channel supervisor.Channel) (due time.Time, ok bool, err error)
	// DeleteCleanup deletes a cleaning.
	DeleteCleanup(ctx context.Context, id int64) error
}

const (
	// cleanLimit is the maximum number of cleanings that one query reads.
	cleanLimit = 100

	// maxCleaningAge is how long after its due time a cleaning is still tried. (Bot API,
	// deleteMessage: not after 48 h.)
	maxCleaningAge = 48 * time.Hour
)

// MessageCleaner does the cleanings of an outbox's channel: due changes of sent messages. It
// respects the outbox's pace and freezes. It keeps no state: a cleaning stays on disk until its
// message was changed. A repeated change does nothing.
type MessageCleaner struct {
	*Options
	outbox      *Outbox
	cleanings   CleanupStore
	reachPauses retry.Pauses        // pauses between tries to reach the channel
	storePauses retry.Pauses        // pauses between tries to read or write the store
	retryAt     time.Time           // the channel is not tried before this time
	triedAt     map[int64]time.Time // time of the last try of each failed cleaning, by its ID
}

// NewMessageCleaner returns a cleaner for the outbox; call Run to start it. Make at most one for
// each outbox.
func (o *Outbox) NewMessageCleaner(cleanings CleanupStore) *MessageCleaner {
	return &MessageCleaner{Options: &o.Options, outbox: o, cleanings: cleanings, reachPauses: reachPauses(),
		storePauses: retry.PausesUpTo(retry.MaxPause), triedAt: map[int64]time.Time{}}
}

// NotifyNewCleanup tells the cleaner that there may be a new cleaning. It never blocks, and may be
// called before Run.
func (c *MessageCleaner) NotifyNewCleanup() { signals.SendToken(c.outbox.cleaningDue) }

// Run does all stored and all new cleanings until ctx ends. A call under way ends with ctx.
func (c *MessageCleaner) Run(ctx context.Context) error {
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

// work does the due cleanings that are possible now, and returns when to call it again. Cleanings
// that have not failed yet come first.
func (c *MessageCleaner) work(ctx context.Context) (again time.Time, err error) {
	due, err := c.cleanings.ListDue(ctx, c.Name, c.Now(), cleanLimit)
	if err != nil {
		return never, err
	}
	if len(due) == 0 {
		next, ok, err := c.cleanings.NextDue(ctx, c.Name)
		if err == nil {
			c.storePauses.Reset()
		}
		if !ok {
			next = never
		}
		return next, err
	}
	slices.SortStableFunc(due, func(a, b supervisor.MessageCleanup) int { return c.triedAt[a.ID].Compare(c.triedAt[b.ID]) })
	again = never
	for _, k := range due {
		at, err := c.clean(ctx, k)
		if err != nil || ctx.Err() != nil {
			return never, err
		}
		again = earlier(again, at)
	}
	if again.Equal(never) { // all cleanings of this read are done, so there may be more
		again = c.Now()
	}
	return again, nil
}

// clean tries one cleaning, and returns when to try it again. never means that the cleaning is
// done.
func (c *MessageCleaner) clean(ctx context.Context, k supervisor.MessageCleanup) (again time.Time, err error) {
	chat, now := k.Conversation.Chat, c.Now()
	if at := later(c.retryAt, c.outbox.gate.nextTime(chat, false, 1)); at.After(now) {
		return at, nil
	}
	if !c.outbox.gate.enter(ctx, chat, 1) {
		return now, nil
	}
	at := supervisor.PostAddress{Chat: chat, Thread: k.Conversation.Thread}
	switch k.Kind {
	case supervisor.CleanupEdit:
		err = c.Channel.EditMessage(ctx, at, k.Message, k.Content)
	case supervisor.CleanupRemoveButtons:
		err = c.Channel.RemoveButtons(ctx, at, k.Message)
	default:
		err = c.Channel.DeleteMessage(ctx, at, k.Message)
	}
	full := c.outbox.gate.leave(chat, true)
	switch {
	case err == nil:
		c.reachPauses.Reset()
		return never, c.done(ctx, k)
	case ctx.Err() != nil:
		return never, nil
	}
	return c.handleFailure(ctx, k, sendError(err), full)
}

// handleFailure returns when to try a cleaning again. never means that the cleaning is given up. If
// the chat has a new name, its old messages can't be changed.
func (c *MessageCleaner) handleFailure(ctx context.Context, k supervisor.MessageCleanup, e *supervisor.SendError,
	full bool) (time.Time, error) {
	now, chat := c.Now(), k.Conversation.Chat
	switch {
	case e.Result == supervisor.SendResultRefused, e.Reason == supervisor.SendReasonChatMoved,
		now.Sub(k.Due) >= maxCleaningAge:
		c.Log.Warn("a message can't be cleaned", "channel", c.Name, "chat", chat, "what", k.Kind, "error", e)
		return never, c.done(ctx, k)
	case e.Reason == supervisor.SendReasonFlood:
		for name, until := range c.outbox.gate.recordFlood(chat, full, e.RetryAfter) {
			if err := c.Freezes.StoreChatFreeze(ctx, c.Source, name, until); err != nil {
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

func (c *MessageCleaner) done(ctx context.Context, k supervisor.MessageCleanup) error {
	if err := c.cleanings.DeleteCleanup(ctx, k.ID); err != nil {
		return err
	}
	delete(c.triedAt, k.ID)
	c.storePauses.Reset()
	return nil
}
