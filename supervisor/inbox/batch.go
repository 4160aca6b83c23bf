package inbox

import (
	"context"
	"crypto/sha256"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/problem"
)

// PutBatch stores a batch as a whole or not at all. The Kind of each item is read from its text,
// unless it is a press, and the gate checks each item. An item that is invalid or refused by the
// gate delays no other. A placeholder replaces its text and its sender is told why; if the sender
// has been told already, it is dropped. An error means that nothing was stored, and the source must
// send the batch again. A /stop in it has then stopped its turn all the same, and does so again
// with the repeated batch.
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

// checkItem asks the gate about an item; taken is false if nothing of it is to be stored.
func (b *Inbox) checkItem(ctx context.Context, item supervisor.Item) (_ supervisor.Item, taken bool, err error) {
	if item.Decision, err = b.checkGate(ctx, item.Inbound); err != nil || item.Decision.Refusal == "" {
		return item, err == nil, err
	}
	item.Inbound.Text, item.Raw, item.Answer, item.Notice = placeholderText, "", item.Decision.Refusal, ""
	item.Attachments, item.Unread = nil, false
	item.Inbound = classify(item.Inbound, 0)
	return item, !item.Decision.AlreadyTold, nil
}

// batchNotStored runs those commands of a batch that work without the store. Their senders get no
// answer: a store that failed for the batch would fail for an answer too.
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

// withConversation sets the ID of an inbound's conversation, if there is one. Reading it needs no
// space on the disk. Without a conversation, no turn runs that could be stopped.
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

// normalizeItem returns an item that the store can take. An invalid key is replaced by its digest,
// so that it is the same when sent again. A /start is stored without its argument.
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
