// Package inbox takes what people send. Once Put has returned without an error, a message is on
// disk, is kept once however often it is sent, and will be answered. Nothing gets past the gate
// that the inbox is given.
package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/slash"
)

// Store keeps inbounds.
type Store interface {
	// Put inserts an inbound unless the same user, source and key is there, and returns the row
	// that is there then.
	Put(ctx context.Context, in supervisor.Inbound) (kept supervisor.Inbound, fresh bool, err error)
	// PutBatch does that for each item of a batch in order, as its gate has decided, and keeps
	// where the source's next batch begins, in one transaction.
	PutBatch(ctx context.Context, b supervisor.Batch) (supervisor.Receipt, error)
}

// Gate decides what becomes of an inbound before it is kept. It is asked again for one that is sent
// again. An error means that it can't decide, and the inbound is not taken.
type Gate interface {
	Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error)
}

// Conversations finds the one that an inbound belongs to where it was not kept.
type Conversations interface {
	Find(ctx context.Context, user string, channel supervisor.Channel, chat, thread string) (supervisor.Conversation, error)
}

// Options are what an inbox needs from outside. No callback may block.
type Options struct {
	Store         Store
	Gate          Gate // nil lets nobody through
	Conversations Conversations
	// Accepted is called for each inbound that is on disk and to be acted on, and may be called
	// again for one that was sent again.
	Accepted func(supervisor.Inbound)
	// Queued is called with each conversation for which something was put into the outbox.
	Queued func(conversation int64)
	// NotStored is called for each inbound that the gate let through and the store could not keep.
	// It returns the error that the sender is told; nil leaves that as it is.
	NotStored func(supervisor.Inbound, error) error
}

// Inbox checks what comes, has the gate check it, keeps it, and then hands it on.
type Inbox struct{ o Options }

// New makes an inbox.
func New(o Options) *Inbox { return &Inbox{o} }

var errNoGate = errors.New("this inbox has no gate, so nobody is let through")

// checkGate is what the gate decides on an inbound.
func (b *Inbox) checkGate(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	if b.o.Gate == nil {
		return supervisor.GateDecision{}, errNoGate
	}
	return b.o.Gate.Check(ctx, in)
}

// Put keeps an inbound with the files that came with it; its Kind is read off its text, unless it
// is a press. What is returned may have been answered, or be held by the gate. An error means that
// it was not kept; the sender may send it again with the same key.
func (b *Inbox) Put(ctx context.Context, in supervisor.Inbound, files ...supervisor.Attachment) (kept supervisor.Inbound, err error) {
	if err := cmp.Or(checkText(in.Text, len(files)), checkKey(in.Key)); err != nil {
		return kept, err
	}
	if len(files) > 0 && in.Origin == "" {
		in.Origin = supervisor.OriginWorld // nobody knows whose words are in them
	}
	in, _ = stripStart(in)
	in = classify(in, len(files))
	decision, err := b.checkGate(ctx, in)
	if err == nil && decision.Refused != "" {
		err = &supervisor.Error{Code: cmp.Or(decision.Code, supervisor.CodeForbidden), Message: decision.Refused}
	}
	if err != nil {
		return kept, fmt.Errorf("take a message of %s: %w", in.Conversation.User, err)
	}
	if kept, err = b.put(ctx, supervisor.Item{Inbound: in, Attachments: files, Decision: decision}); err != nil {
		err = fmt.Errorf("keep a message of %s: %w", in.Conversation.User, err)
		if b.o.NotStored != nil && letsThrough(decision) {
			err = b.o.NotStored(in, err)
		}
		return supervisor.Inbound{}, err
	}
	return kept, nil
}

// letsThrough says whether an inbound is taken whatever the store knows.
func letsThrough(d supervisor.GateDecision) bool {
	return d.Guard == nil && d.Decide == nil && d.Refused == ""
}

// put keeps an inbound and hands on what has come of that.
func (b *Inbox) put(ctx context.Context, item supervisor.Item) (supervisor.Inbound, error) {
	var receipt supervisor.Receipt
	var err error
	in := item.Inbound
	// a text may answer a question
	if letsThrough(item.Decision) && item.Decision.Lock == "" && in.Kind != supervisor.KindText {
		in, _, err = b.o.Store.Put(ctx, in)
		receipt.Kept = []supervisor.Inbound{in}
	} else {
		receipt, err = b.o.Store.PutBatch(ctx, supervisor.Batch{Source: in.Source, Items: []supervisor.Item{item}})
	}
	if err != nil {
		return in, err
	}
	b.notify(receipt)
	return receipt.Kept[0], nil
}

// notify tells of what is on disk now. What a code has let through was sent before the code.
func (b *Inbox) notify(r supervisor.Receipt) {
	for _, in := range r.Released {
		b.o.Accepted(in)
	}
	queued := r.Queued
	for _, in := range r.Kept {
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

// classify sets an inbound's Kind, Command and Priority, with how many files came with it. Its
// channel says that a button was pressed; all else is read off the text. A follow-up is a text,
// without the command before it.
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
