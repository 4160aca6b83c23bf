// Package inbox stores the messages of users. A message that was stored without an error is on disk
// and will be answered. A message that is sent several times is stored once. Every message must
// pass the inbox's gate.
package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/slash"
)

// Store stores inbounds.
type Store interface {
	// StoreInbound inserts an inbound, and returns the stored row. If a row with the same user,
	// source and key exists, that row is returned.
	StoreInbound(ctx context.Context, in supervisor.Inbound) (kept supervisor.Inbound, fresh bool, err error)
	// StoreBatch inserts the items of a batch in order, as the gate has decided. The same
	// transaction stores the offset of the source's next batch.
	StoreBatch(ctx context.Context, b supervisor.InboundBatch) (supervisor.BatchReceipt, error)
}

// Gate decides about an inbound before it is stored, and again if the inbound is sent again. After
// an error the inbound is not stored.
type Gate interface {
	Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error)
}

// Conversations finds the conversation of an inbound that was not stored.
type Conversations interface {
	FindOrCreate(ctx context.Context, user string, channel supervisor.Channel, chat,
		thread string) (supervisor.Conversation, error)
}

// Sessions starts turns in the transaction that stores their messages.
type Sessions interface {
	// ReserveTurn reserves an idle conversation, so that only the caller starts a turn in it. The
	// conversation needs no ID. ok is false if the turn must not start at once. After success the
	// caller calls ReleaseTurn.
	ReserveTurn(c supervisor.Conversation) (r supervisor.TurnReservation, ok bool)
	// ReleaseTurn ends a reservation. started is nil if no turn was started.
	ReleaseTurn(r supervisor.TurnReservation, started *supervisor.StartedTurn)
}

// Options configures an inbox. No callback may block.
type Options struct {
	Store Store
	Gate  Gate // decides about each inbound; nil refuses all inbounds
	// Hide takes a secret out of an inbound's text, before the text is stored. hidden is false for
	// an inbound without a secret. nil means that no inbound has one.
	Hide          func(in supervisor.Inbound) (_ supervisor.Inbound, hidden bool)
	Conversations Conversations
	// reserves turns for messages; nil means that no turn starts in the transaction of its message
	Sessions Sessions
	// Accepted is called for each stored inbound that needs action. It may be called again if the
	// inbound is sent again.
	Accepted func(supervisor.Inbound)
	// Queued is called with each conversation whose outbox has something new.
	Queued func(conversation int64)
	// NotStored is called for each inbound that passed the gate and could not be stored. It returns
	// the error for the sender; nil keeps the store's error.
	NotStored func(supervisor.Inbound, error) error
}

// Inbox checks an incoming message, asks the gate, stores the message, and then calls Accepted.
type Inbox struct{ o Options }

// New returns an inbox.
func New(o Options) *Inbox { return &Inbox{o} }

var errNoGate = errors.New("this inbox has no gate, so nobody is let through")

// checkGate returns the gate's decision about an inbound.
func (b *Inbox) checkGate(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	if b.o.Gate == nil {
		return supervisor.GateDecision{}, errNoGate
	}
	return b.o.Gate.Check(ctx, in)
}

// StoreInbound stores an inbound with its files. It reads the Kind from the text, unless the
// inbound is a press. The result may have been answered already, or be held by the gate. An error
// means that the inbound was not stored; the sender may repeat it with the same key.
func (b *Inbox) StoreInbound(ctx context.Context, in supervisor.Inbound,
	files ...supervisor.Attachment) (kept supervisor.Inbound, err error) {
	if err := cmp.Or(checkText(in.Text, len(files)), checkKey(in.Key)); err != nil {
		return kept, err
	}
	if len(files) > 0 && in.Origin == "" {
		in.Origin, in.OwnText = supervisor.OriginWorld, true // the author of files is unknown
	}
	in, _ = stripStart(in)
	in, _ = b.hide(in)
	in = classify(in, len(files))
	decision, err := b.checkGate(ctx, in)
	if err == nil && decision.Refusal != "" {
		err = &supervisor.Error{Code: cmp.Or(decision.Code, supervisor.CodeForbidden), Message: decision.Refusal}
	}
	if err != nil {
		return kept, fmt.Errorf("take a message of %s: %w", in.Conversation.User, err)
	}
	if kept, err = b.put(ctx, supervisor.BatchItem{Inbound: in, Attachments: files, Decision: decision}); err != nil {
		err = fmt.Errorf("keep a message of %s: %w", in.Conversation.User, err)
		if b.o.NotStored != nil && letsThrough(decision) {
			err = b.o.NotStored(in, err)
		}
		return supervisor.Inbound{}, err
	}
	return kept, nil
}

// hide takes a secret out of an inbound's text.
func (b *Inbox) hide(in supervisor.Inbound) (_ supervisor.Inbound, hidden bool) {
	if b.o.Hide == nil || in.Kind == supervisor.KindPress {
		return in, false
	}
	return b.o.Hide(in)
}

// letsThrough reports whether the gate accepts an inbound without a check by the store.
func letsThrough(d supervisor.GateDecision) bool {
	return d.Check == nil && d.CheckCode == nil && d.Refusal == ""
}

// put stores an inbound and calls the callbacks.
func (b *Inbox) put(ctx context.Context, item supervisor.BatchItem) (supervisor.Inbound, error) {
	var receipt supervisor.BatchReceipt
	var err error
	in := item.Inbound
	// Only a text may answer a question. Any other inbound is stored without a batch.
	if letsThrough(item.Decision) && item.Decision.Lock == "" && in.Kind != supervisor.KindText {
		in, _, err = b.o.Store.StoreInbound(ctx, in)
		receipt.Stored = []supervisor.Inbound{in}
	} else {
		receipt, err = b.storeBatch(ctx, supervisor.InboundBatch{Source: in.Source,
			Items: []supervisor.BatchItem{item}})
	}
	if err != nil {
		return in, err
	}
	b.notify(receipt)
	return receipt.Stored[0], nil
}

// storeBatch stores a batch. While the batch is stored, it reserves the turns of the batch's texts.
func (b *Inbox) storeBatch(ctx context.Context, batch supervisor.InboundBatch) (receipt supervisor.BatchReceipt,
	err error) {
	for _, item := range batch.Items {
		in := item.Inbound
		if b.o.Sessions == nil || in.Kind != supervisor.KindText || item.Answer != "" || len(item.Attachments) > 0 {
			continue
		}
		if r, ok := b.o.Sessions.ReserveTurn(in.Conversation); ok {
			batch.Reserved = append(batch.Reserved, r)
			defer func() { b.o.Sessions.ReleaseTurn(r, startedIn(receipt, r.Conversation)) }()
		}
	}
	return b.o.Store.StoreBatch(ctx, batch)
}

// startedIn returns the turn that a batch has started in a conversation, or nil.
func startedIn(r supervisor.BatchReceipt, conversation int64) *supervisor.StartedTurn {
	for i := range r.Started {
		if r.Started[i].Turn.Conversation.ID == conversation {
			return &r.Started[i]
		}
	}
	return nil
}

// notify calls the callbacks for a receipt. Messages that a code has released come before the code.
func (b *Inbox) notify(r supervisor.BatchReceipt) {
	for _, in := range r.Released {
		b.o.Accepted(in)
	}
	queued := r.Queued
	for _, in := range r.Stored {
		switch in.State {
		case supervisor.InboundArriving, supervisor.InboundNew, supervisor.InboundRunning:
			if !in.Held {
				b.o.Accepted(in)
			}
		case supervisor.InboundDropped:
			b.o.Accepted(in)
		case supervisor.InboundAnswered:
			queued = append(queued, in.Conversation.ID)
		}
	}
	called := map[int64]bool{}
	for _, conversation := range queued {
		if !called[conversation] {
			b.o.Queued(conversation)
		}
		called[conversation] = true
	}
}

// classify sets an inbound's Kind, Command and Priority; files is the number of its files. The
// channel marks presses; the rest comes from the text. A follow-up is a text without its command.
func classify(in supervisor.Inbound, files int) supervisor.Inbound {
	in.Command, in.Priority = "", supervisor.PriorityUsual
	if in.Kind == supervisor.KindPress {
		return in
	}
	in.Kind = supervisor.KindText
	if words, ok := slash.ParseFollowup(in.Text, files); ok {
		in.Text, in.Priority = words, supervisor.PriorityFollowup
		return in
	}
	if in.Command, _ = slash.Parse(in.Text); in.Command != "" {
		in.Kind = supervisor.KindCommand
	}
	return in
}
