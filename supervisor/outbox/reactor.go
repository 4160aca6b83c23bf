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

// ReactionMode says which messages of users get a reaction.
type ReactionMode string

const (
	ReactionModeWaiting ReactionMode = "waiting" // a reaction to waiting messages, until their turn begins
	// ReactionModeAll reacts also to messages of a running turn, until the turn has answered.
	ReactionModeAll ReactionMode = "all"
	ReactionModeOff ReactionMode = "off"
)

// The emojis of reactions, among those that Telegram allows. (Bot API, ReactionTypeEmoji.)
const (
	emojiWaits   = "👀"
	emojiTakenUp = "✍"
)

const (
	// reactionDelay is how long a message must wait before it gets a reaction. A message whose turn
	// begins at once gets no reaction.
	reactionDelay = time.Second

	// reactionPause is the delay between a change and the refresh, because the beginning of a turn
	// must not wait for reactions.
	reactionPause = 300 * time.Millisecond

	// reactionRetry is the pause after which a reaction is tried again if the pace had no slot for
	// it.
	reactionRetry = 2 * time.Second
)

// WaitingMessages lists messages of users that still wait for an answer.
type WaitingMessages interface {
	// ListUnansweredMessages lists a channel's messages that wait, or that a running turn answers,
	// oldest first.
	ListUnansweredMessages(ctx context.Context, channel supervisor.Channel) ([]supervisor.Inbound, error)
	// ListLongWaitingMessages lists messages that may have a reaction from an earlier process. Each
	// message has waited for at least the duration waited.
	ListLongWaitingMessages(ctx context.Context, channel supervisor.Channel,
		waited time.Duration) ([]supervisor.Inbound, error)
}

// ReactionChannel is a channel whose messages can have reactions.
type ReactionChannel interface {
	// SetReaction sets the reaction on a message; "" removes it. Its error is a
	// *supervisor.SendError.
	SetReaction(ctx context.Context, to supervisor.PostAddress, message, emoji string) error
}

// Reactor shows users by reactions which of their messages wait. It keeps the shown reactions in
// memory, and after a restart begins with the state of the store. It makes a call only if the pace
// has a free slot.
type Reactor struct {
	*Options
	outbox  *Outbox
	mode    ReactionMode
	waits   WaitingMessages
	channel ReactionChannel
	changed chan struct{}       // holds a token if a message may have come or a turn may have begun
	shows   atomic.Bool         // whether any message shows a reaction
	shown   map[reaction]string // the shown emoji, by message; "" means unknown
	refused map[string]bool     // chats that refuse reactions
}

// reaction identifies a message that gets a reaction.
type reaction struct {
	chat, thread, message string
}

// NewReactor returns a reactor for the outbox; call Run to start it. Make at most one for each
// outbox.
func (o *Outbox) NewReactor(mode ReactionMode, waits WaitingMessages, channel ReactionChannel) *Reactor {
	return &Reactor{Options: &o.Options, outbox: o, mode: mode, waits: waits, channel: channel, changed: make(chan struct{}, 1),
		shown: map[reaction]string{}, refused: map[string]bool{}}
}

// NotifyNewMessage tells the reactor of a new message. It never blocks, and may be called before
// Run.
func (r *Reactor) NotifyNewMessage() { signals.SendToken(r.changed) }

// NotifyTurnChange tells the reactor that a turn may have begun or ended. It never blocks, and may
// be called before Run.
func (r *Reactor) NotifyTurnChange() {
	if r.shows.Load() {
		signals.SendToken(r.changed)
	}
}

// Run shows reactions until ctx ends. A call that is under way ends with ctx.
func (r *Reactor) Run(ctx context.Context) error {
	if r.mode == ReactionModeOff || !r.Name.Capabilities().Reactions {
		<-ctx.Done()
		return nil
	}
	waited := reactionDelay
	if r.mode == ReactionModeAll {
		waited = 0
	}
	old, err := r.waits.ListLongWaitingMessages(ctx, r.Name, waited)
	if err != nil {
		return unlessEnded(ctx, fmt.Errorf("find which messages of %s may show a reaction: %w", r.Name, err))
	}
	for _, in := range old {
		r.shown[reactionOf(in)] = ""
	}
	for again := r.Now(); wait(ctx, r.changed, again.Sub(r.Now())); {
		if !wait(ctx, nil, r.pause()) {
			break
		}
		if again, err = r.refresh(ctx); err != nil && ctx.Err() == nil {
			r.Log.Error("show which messages wait", "channel", r.Name, "error", err)
			again = r.Now().Add(time.Minute)
		}
	}
	return nil
}

// pause returns the delay between a change and the refresh. While no message shows a reaction, the
// refresh may come later: no message needs a reaction within reactionDelay.
func (r *Reactor) pause() time.Duration {
	if r.mode == ReactionModeAll || r.shows.Load() {
		return reactionPause
	}
	return reactionDelay
}

func reactionOf(in supervisor.Inbound) reaction {
	return reaction{in.Conversation.Chat, in.Conversation.Thread, in.Message}
}

// refresh brings the reactions of all messages up to date, and returns when to call it again.
func (r *Reactor) refresh(ctx context.Context) (again time.Time, err error) {
	list, err := r.waits.ListUnansweredMessages(ctx, r.Name)
	if err != nil {
		return never, err
	}
	again = never
	gone := map[reaction]bool{}
	for m := range r.shown {
		gone[m] = true
	}
	together := map[string]bool{} // messages that were sent as one; only the first of them gets a reaction
	for _, in := range list {
		emoji, at := r.emojiFor(in)
		again = earlier(again, at)
		first := in.Group == "" || !together[in.Conversation.Chat+" "+in.Group]
		together[in.Conversation.Chat+" "+in.Group] = true
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

// emojiFor returns the emoji that a message should show, or "". at is when the emoji changes
// without a new message or turn.
func (r *Reactor) emojiFor(in supervisor.Inbound) (emoji string, at time.Time) {
	if in.State == supervisor.InboundRunning {
		if r.mode == ReactionModeAll {
			return emojiTakenUp, never
		}
		return "", never
	}
	if due := in.ReceivedAt.Add(reactionDelay); due.After(r.Now()) {
		return "", due
	}
	return emojiWaits, never
}

// react sets a message's reaction if the pace has a free slot. It returns false if the reaction
// must be tried again. A chat that refuses a reaction gets no further reactions.
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
	failed := r.channel.SetReaction(calling, supervisor.PostAddress{Chat: m.chat, Thread: m.thread}, m.message, emoji)
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
	case e.Reason == supervisor.SendReasonFlood:
		for name, until := range r.outbox.gate.recordFlood(m.chat, full, e.RetryAfter) {
			err = cmp.Or(err, r.Freezes.StoreChatFreeze(ctx, r.Source, name, until))
		}
	case e.Result == supervisor.SendResultRefused || e.Reason == supervisor.SendReasonChatMoved:
		delete(r.shown, m)
		// A missing message does not mean that the chat refuses reactions to other messages.
		r.refused[m.chat] = e.Reason != supervisor.SendReasonMessageGone
		return true, nil
	}
	return false, err
}
