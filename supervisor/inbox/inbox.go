// Package inbox takes what people send. A message that Put has returned for is on disk, is kept once however often it is
// sent, and will be answered; before that it is nobody's. Nothing gets past the gate that it is given.
package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mews/supervisor"
)

// maxKey bounds a client's name for a message, in bytes.
const maxKey = 128

// Store keeps inbounds. Put is insert-or-ignore by (user, source, key), and returns the row that is there. PutBatch does
// that for each item of a batch in order, has each meet its gate, and keeps where the source's next batch begins, in one
// transaction.
type Store interface {
	Put(ctx context.Context, in supervisor.Inbound) (kept supervisor.Inbound, fresh bool, err error)
	PutBatch(ctx context.Context, b supervisor.Batch) (supervisor.Receipt, error)
}

// Gate says what is to become of an inbound, before it is kept. It is asked again for one that is sent again. An error
// means that it can't say, and the inbound is not taken.
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
	// Accepted is called for each inbound that is on disk and to be acted on, and may be called again for one that was sent
	// again.
	Accepted func(supervisor.Inbound)
	// Queued is called with each conversation for which something was put into the outbox.
	Queued func(conversation int64)
	// NotStored is called for each that the store could not keep, where the gate would have let it through, and gives the error
	// that its sender is told; nil leaves it as it is.
	NotStored func(supervisor.Inbound, error) error
}

// Inbox checks what comes, has it meet the gate, keeps it, and then hands it on.
type Inbox struct{ o Options }

// New makes an inbox.
func New(o Options) *Inbox {
	if o.Gate == nil {
		o.Gate = closedGate{}
	}
	return &Inbox{o}
}

// closedGate is where a way in was built without a gate.
type closedGate struct{}

func (closedGate) Check(context.Context, supervisor.Inbound) (supervisor.GateDecision, error) {
	return supervisor.GateDecision{}, errors.New("this way in has no gate, so nobody is let through")
}

// Put keeps an inbound; its Kind is read off its text, unless it is a press. What is returned may have been answered, or be
// held by the gate. An error means that it was not kept; the sender may send it again with the same key.
func (b *Inbox) Put(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error) {
	if err := check(in); err != nil {
		return supervisor.Inbound{}, err
	}
	in, _ = stripStart(in)
	in = classify(in)
	meeting, err := b.o.Gate.Check(ctx, in)
	if err == nil && meeting.Refused != "" {
		err = &supervisor.Error{Code: cmp.Or(meeting.Code, supervisor.CodeForbidden), Message: meeting.Refused}
	}
	if err != nil {
		return supervisor.Inbound{}, fmt.Errorf("take a message of %s: %w", in.Conversation.User, err)
	}
	kept, err := b.put(ctx, in, meeting)
	if err != nil {
		err = fmt.Errorf("keep a message of %s: %w", in.Conversation.User, err)
		if b.o.NotStored != nil && unconditional(meeting) {
			err = b.o.NotStored(in, err)
		}
		return supervisor.Inbound{}, err
	}
	return kept, nil
}

// unconditional says whether an inbound goes through, whatever the store knows.
func unconditional(m supervisor.GateDecision) bool {
	return m.Guard == nil && m.Decide == nil && m.Refused == ""
}

// put keeps an inbound and hands on what has come of that.
func (b *Inbox) put(ctx context.Context, in supervisor.Inbound, m supervisor.GateDecision) (supervisor.Inbound, error) {
	if unconditional(m) && m.Lock == "" {
		kept, _, err := b.o.Store.Put(ctx, in)
		if err == nil {
			b.notify(supervisor.Receipt{Kept: []supervisor.Inbound{kept}})
		}
		return kept, err
	}
	receipt, err := b.o.Store.PutBatch(ctx, supervisor.Batch{Source: in.Source,
		Items: []supervisor.Item{{Inbound: in, Decision: m}}})
	if err != nil {
		return in, err
	}
	b.notify(receipt)
	return receipt.Kept[0], nil
}

// notify tells of what is on disk now. What a code has let through was there before the code.
func (b *Inbox) notify(r supervisor.Receipt) {
	for _, in := range r.Released {
		b.o.Accepted(in)
	}
	told := r.Queued
	for _, in := range r.Kept {
		switch in.State {
		case supervisor.InboundNew, supervisor.InboundRunning:
			if !in.Held {
				b.o.Accepted(in)
			}
		case supervisor.InboundAnswered:
			told = append(told, in.Conversation.ID)
		}
	}
	said := map[int64]bool{}
	for _, conversation := range told {
		if !said[conversation] {
			b.o.Queued(conversation)
		}
		said[conversation] = true
	}
}

func check(in supervisor.Inbound) error {
	if err := checkText(in.Text); err != nil {
		return err
	}
	return checkKey(in.Key)
}

func invalid(format string, args ...any) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

func checkText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return invalid("The message is empty.")
	case len(text) > supervisor.MaxText:
		return invalid("The message has %d KiB; at most %d KiB can be sent at once. Put it into a file in your folder and "+
			"name the file.", len(text)>>10, supervisor.MaxText>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return invalid("The message is not text in UTF-8.")
	}
	return nil
}

func checkKey(key string) error {
	switch {
	case key == "" || len(key) > maxKey:
		return invalid("The message's key has %d bytes; want 1 to %d.", len(key), maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return invalid("The message's key is not printable ASCII without spaces.")
	}
	return nil
}

// classify says what an inbound is. That a button was pressed is said by its channel; all else is read off the text.
func classify(in supervisor.Inbound) supervisor.Inbound {
	if in.Kind == supervisor.KindPress {
		in.Command = ""
		return in
	}
	in.Kind = supervisor.KindText
	if in.Command, _ = supervisor.ParseSlashCommand(in.Text); in.Command != "" {
		in.Kind = supervisor.KindCommand
	}
	return in
}
