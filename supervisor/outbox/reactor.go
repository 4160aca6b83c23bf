package outbox

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// ReactionMode says which messages of people get a reaction.
type ReactionMode string

const (
	ReactWaiting ReactionMode = "waiting" // those that have to wait, until their turn begins
	// those that a turn has taken up too, until it has answered
	ReactAll ReactionMode = "all"
	ReactOff ReactionMode = "off"
)

// The reactions, of those that Telegram allows. (Bot API, ReactionTypeEmoji.)
const (
	emojiWaits   = "👀"
	emojiTakenUp = "✍"
)

const (
	// reactionDelay is how long a message has waited before it gets a reaction. What is worked on
	// at once needs none.
	reactionDelay = time.Second

	// reactionPause is how long after something has changed that is looked at: nothing of a turn's
	// beginning waits behind it.
	reactionPause = 300 * time.Millisecond

	// reactionRetry is when a reaction is tried again that there was no room for.
	reactionRetry = 2 * time.Second
)

// Waits are the messages of people that are to be answered.
type Waits interface {
	// ListReactable lists those of a channel that wait or that a running turn has taken up, oldest
	// first.
	ListReactable(ctx context.Context, channel supervisor.Channel) ([]supervisor.Inbound, error)
	// ListReacted lists those of a channel that may have got a reaction in an earlier life, as they
	// waited for so long.
	ListReacted(ctx context.Context, channel supervisor.Channel, waited time.Duration) ([]supervisor.Inbound, error)
}

// Reacting is a channel in which messages can be reacted to.
type Reacting interface {
	// React puts a reaction on a message in the place of an earlier one; "" takes that away. Its
	// error is a *supervisor.SendError.
	React(ctx context.Context, to supervisor.Address, message, emoji string) error
}

// Reactor shows people by reactions which of their messages wait. What it has shown is in memory:
// it begins anew with what the store says. Its calls use only what others leave free, and none of
// them is worth waiting for.
type Reactor struct {
	*Options
	outbox  *Outbox
	mode    ReactionMode
	waits   Waits
	channel Reacting
	changed chan struct{}       // holds a token when a message may have come, or a turn have begun
	shows   atomic.Bool         // some message shows a reaction
	shown   map[reaction]string // emoji, by message; "" is not known
	refused map[string]bool     // chats where reactions are not taken
}

// reaction is a message that gets one.
type reaction struct {
	chat, thread, message string
}

// Reactor makes the outbox's reactor, of which there is one at most. Its Run works it.
func (o *Outbox) Reactor(mode ReactionMode, waits Waits, channel Reacting) *Reactor {
	return &Reactor{Options: &o.Options, outbox: o, mode: mode, waits: waits, channel: channel, changed: make(chan struct{}, 1),
		shown: map[reaction]string{}, refused: map[string]bool{}}
}

// Arrived is to be called when a message has come. It never blocks, and may be called before Run.
func (r *Reactor) Arrived() { signals.Send(r.changed) }

// Changed is to be called when a turn may have begun or ended. It never blocks, and may be called
// before Run.
func (r *Reactor) Changed() {
	if r.shows.Load() {
		signals.Send(r.changed)
	}
}

// Run shows what waits until ctx ends. A call that is under way ends with ctx.
func (r *Reactor) Run(ctx context.Context) error {
	if r.mode == ReactOff || !r.Name.Can().Reactions {
		<-ctx.Done()
		return nil
	}
	waited := reactionDelay
	if r.mode == ReactAll {
		waited = 0
	}
	old, err := r.waits.ListReacted(ctx, r.Name, waited)
	if err != nil {
		return unlessEnded(ctx, fmt.Errorf("find which messages of %s may show a reaction: %w", r.Name, err))
	}
	for _, in := range old {
		r.shown[reactionOf(in)] = ""
	}
	for again := r.Now(); wait(ctx, r.changed, again.Sub(r.Now())); {
		if !wait(ctx, nil, reactionPause) {
			break
		}
		if again, err = r.refresh(ctx); err != nil && ctx.Err() == nil {
			r.Log.Error("show which messages wait", "channel", r.Name, "error", err)
			again = r.Now().Add(time.Minute)
		}
	}
	return nil
}

func reactionOf(in supervisor.Inbound) reaction {
	return reaction{in.Conversation.Chat, in.Conversation.Thread, in.Message}
}

// refresh has messages show what they are to show, and says when to come again.
func (r *Reactor) refresh(ctx context.Context) (again time.Time, err error) {
	list, err := r.waits.ListReactable(ctx, r.Name)
	if err != nil {
		return never, err
	}
	again = never
	gone := map[reaction]bool{}
	for m := range r.shown {
		gone[m] = true
	}
	together := map[string]bool{} // of several that were sent as one, the first alone
	for _, in := range list {
		emoji, at := r.emojiFor(in)
		again = earlier(again, at)
		first := in.Together == "" || !together[in.Conversation.Chat+" "+in.Together]
		together[in.Conversation.Chat+" "+in.Together] = true
		if emoji == "" || !first || !r.Serves(in.Conversation) {
			continue
		}
		m := reactionOf(in)
		delete(gone, m)
		if r.shown[m] == emoji {
			continue
		}
		if done, err := r.react(ctx, m, emoji); !done || err != nil {
			again = earlier(again, r.Now().Add(reactionRetry))
		}
	}
	for m := range gone {
		if done, err := r.react(ctx, m, ""); !done || err != nil {
			again = earlier(again, r.Now().Add(reactionRetry))
		}
	}
	r.shows.Store(len(r.shown) > 0)
	return again, nil
}

// emojiFor is what a message is to show, "" for nothing. at is when that changes by itself.
func (r *Reactor) emojiFor(in supervisor.Inbound) (emoji string, at time.Time) {
	if in.State == supervisor.InboundRunning {
		if r.mode == ReactAll {
			return emojiTakenUp, never
		}
		return "", never
	}
	if due := in.ReceivedAt.Add(reactionDelay); due.After(r.Now()) {
		return "", due
	}
	return emojiWaits, never
}

// react has a message show an emoji, where there is room for the call. It says false where that is
// to be tried again. A chat that refuses it is left alone.
func (r *Reactor) react(ctx context.Context, m reaction, emoji string) (done bool, err error) {
	if r.refused[m.chat] {
		delete(r.shown, m)
		return true, nil
	}
	if !r.outbox.gate.tryEnter(m.chat) {
		return false, nil
	}
	calling, cut := context.WithTimeout(ctx, typingTimeout)
	defer cut()
	failed := r.channel.React(calling, supervisor.Address{Chat: m.chat, Thread: m.thread}, m.message, emoji)
	full := r.outbox.gate.leave("", true)
	if failed == nil {
		r.shown[m] = emoji
		if emoji == "" {
			delete(r.shown, m)
		}
		return true, nil
	}
	e := sendError(failed)
	r.Log.Debug("react to a message", "channel", r.Name, "chat", m.chat, "error", e)
	switch {
	case e.Reason == supervisor.ReasonFlood:
		for name, until := range r.outbox.gate.flood(m.chat, full, e.RetryAfter) {
			err = cmp.Or(err, r.Freezes.Freeze(ctx, r.Source, name, until))
		}
	case e.Result == supervisor.ResultRefused || e.Reason == supervisor.ReasonMoved:
		delete(r.shown, m)
		// a message that is gone says nothing of the others
		r.refused[m.chat] = e.Reason != supervisor.ReasonGone
		return true, nil
	}
	return false, err
}
