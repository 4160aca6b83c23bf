package inbox

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"mews/supervisor"
)

// PutBatch keeps a batch, all of it or nothing. The Kind of each item is read off its text, unless it is a press, and each
// meets the gate. An item that cannot be taken, or that the gate refuses, holds up nobody: something stands in for its
// text, and its sender is answered why, or it is dropped where they have been told. An error means that nothing was kept,
// and the source may not forget it; a /stop among it has then ended what runs all the same, and does so again if the batch
// comes again.
func (b *Inbox) PutBatch(ctx context.Context, batch supervisor.Batch) error {
	items := make([]supervisor.Item, 0, len(batch.Items))
	for _, item := range batch.Items {
		item, taken, err := b.checkGate(ctx, normalizeItem(item, batch.Source))
		if err != nil {
			return fmt.Errorf("take a batch: have a message of %s meet the gate: %w", item.Inbound.Conversation.User, err)
		}
		if taken {
			items = append(items, item)
		}
	}
	if len(items) == 0 && batch.Next == 0 {
		return nil
	}
	batch.Items = items
	receipt, err := b.o.Store.PutBatch(ctx, batch)
	if err != nil {
		b.batchNotStored(ctx, items, err)
		return fmt.Errorf("take a batch: %w", err)
	}
	b.notify(receipt)
	return nil
}

// checkGate has an item meet the gate; taken is false where nothing of it is to be kept.
func (b *Inbox) checkGate(ctx context.Context, item supervisor.Item) (_ supervisor.Item, taken bool, err error) {
	meeting, err := b.o.Gate.Check(ctx, item.Inbound)
	if err != nil {
		return item, false, err
	}
	item.Decision = meeting
	if meeting.Refused == "" {
		return item, true, nil
	}
	item.Inbound.Text, item.Raw, item.Answer = placeholderText, "", meeting.Refused
	if item.Inbound.Kind == supervisor.KindCommand {
		item.Inbound.Kind, item.Inbound.Command = supervisor.KindText, ""
	}
	return item, !meeting.Quiet, nil
}

// batchNotStored has the commands of a batch do what they can without being kept. What their senders would be told of that
// has no way to them: what could not keep the batch could not keep an answer either.
func (b *Inbox) batchNotStored(ctx context.Context, items []supervisor.Item, err error) {
	if b.o.NotStored == nil || ctx.Err() != nil { // at the service's end nothing has failed: the batch comes again
		return
	}
	for _, item := range items {
		if item.Inbound.Kind == supervisor.KindCommand && item.Answer == "" && unconditional(item.Decision) {
			_ = b.o.NotStored(b.withConversation(ctx, item.Inbound), err)
		}
	}
}

// withConversation is an inbound with the id of its conversation, where there is such a one: to be read, it needs no room on the
// disk.
func (b *Inbox) withConversation(ctx context.Context, in supervisor.Inbound) supervisor.Inbound {
	c := in.Conversation
	if c.ID != 0 {
		return in
	}
	if found, err := b.o.Conversations.Find(ctx, c.User, c.Channel, c.Chat, c.Thread); err == nil {
		in.Conversation = found
	}
	return in // where nothing was found, nothing runs that could be stopped
}

// placeholderText takes the place of a text that cannot be taken.
const placeholderText = "(a message that could not be taken)"

// normalizeItem makes of an item one that can be kept. A source whose keys are not as they should be gets a digest of each:
// sent again, it is the same. A
// /start is kept without what stands behind it.
func normalizeItem(item supervisor.Item, source string) supervisor.Item {
	in := &item.Inbound
	in.Source = source
	if checkKey(in.Key) != nil {
		in.Key = fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(in.Key)))
	}
	in.Text, item.Raw, item.Answer = cleanText(in.Text), cleanText(item.Raw), cleanText(item.Answer)
	if start, bared := stripStart(*in); bared {
		*in, item.Raw = start, ""
	}
	if err := checkText(in.Text); err != nil {
		in.Text = placeholderText
		if item.Answer == "" {
			item.Answer = supervisor.ErrorMessage(err)
		}
	}
	*in = classify(*in)
	return item
}

// cleanText is text in UTF-8 without NUL, whatever it was.
func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
