package inbox

import (
	"context"
	"crypto/sha256"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/problem"
)

// PutBatch keeps a batch, all of it or nothing. The Kind of each item is read off its text, unless
// it is a press, and the gate checks each. An item that cannot be taken, or that the gate refuses,
// holds up nobody: a placeholder is kept for its text and its sender is told why, or it is dropped
// where they have been told. An error means that nothing was kept, and the source may not forget
// the batch. A /stop in it has then ended what runs all the same, and does so again if the batch
// comes again.
func (b *Inbox) PutBatch(ctx context.Context, batch supervisor.Batch) error {
	items := make([]supervisor.Item, 0, len(batch.Items))
	for _, item := range batch.Items {
		item, taken, err := b.checkItem(ctx, normalizeItem(item, batch.Source))
		if err != nil {
			return fmt.Errorf("take a batch: have the gate check a message of %s: %w", item.Inbound.Conversation.User, err)
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

// checkItem has the gate check an item; taken is false where nothing of it is to be kept.
func (b *Inbox) checkItem(ctx context.Context, item supervisor.Item) (_ supervisor.Item, taken bool, err error) {
	if item.Decision, err = b.checkGate(ctx, item.Inbound); err != nil || item.Decision.Refused == "" {
		return item, err == nil, err
	}
	item.Inbound.Text, item.Raw, item.Answer, item.Notice = placeholderText, "", item.Decision.Refused, ""
	item.Attachments, item.Unread = nil, false
	item.Inbound = classify(item.Inbound, 0)
	return item, !item.Decision.Quiet, nil
}

// batchNotStored has the commands of a batch do what they can without being kept. Their senders are
// not told of that: a store that could not keep the batch could not keep an answer either.
func (b *Inbox) batchNotStored(ctx context.Context, items []supervisor.Item, err error) {
	// at the service's end nothing has failed: the batch comes again
	if b.o.NotStored == nil || ctx.Err() != nil {
		return
	}
	for _, item := range items {
		if item.Inbound.Kind == supervisor.KindCommand && item.Answer == "" && letsThrough(item.Decision) {
			_ = b.o.NotStored(b.withConversation(ctx, item.Inbound), err)
		}
	}
}

// withConversation gives an inbound the id of its conversation, where there is one. To read it no
// room on the disk is needed. Where none is found, nothing runs that could be stopped.
func (b *Inbox) withConversation(ctx context.Context, in supervisor.Inbound) supervisor.Inbound {
	c := in.Conversation
	if c.ID != 0 {
		return in
	}
	if found, err := b.o.Conversations.Find(ctx, c.User, c.Channel, c.Chat, c.Thread); err == nil {
		in.Conversation = found
	}
	return in
}

// normalizeItem makes an item that can be kept. A key that can't be kept is replaced by its digest:
// sent again, it is the same. A /start is kept without what stands behind it.
func normalizeItem(item supervisor.Item, source string) supervisor.Item {
	in := &item.Inbound
	in.Source = source
	if checkKey(in.Key) != nil {
		in.Key = fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(in.Key)))
	}
	in.Text, item.Raw, item.Answer = cleanText(in.Text), cleanText(item.Raw), cleanText(item.Answer)
	if start, stripped := stripStart(*in); stripped {
		*in, item.Raw = start, ""
	}
	if err := checkText(in.Text, len(item.Attachments)); err != nil {
		in.Text = placeholderText
		if item.Answer == "" {
			item.Answer = problem.Message(err)
		}
	}
	*in = classify(*in, len(item.Attachments))
	return item
}
