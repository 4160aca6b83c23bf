package inbox

import (
	"context"
	"crypto/sha256"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/problem"
)

// StoreBatch stores a batch as a whole or not at all, and asks the gate about each item. It reads
// each item's Kind from the text, unless the item is a press.
//
// An invalid or refused item delays no other item. A placeholder replaces the item's text, and the
// sender is told why. If the sender knows already, the item is dropped.
//
// An error means that nothing was stored, and the source must send the batch again. Even then a
// /stop in the batch has stopped its turn. The repeated batch stops the turn again.
func (b *Inbox) StoreBatch(ctx context.Context, batch supervisor.InboundBatch) error {
	items := make([]supervisor.BatchItem, 0, len(batch.Items))
	for _, item := range batch.Items {
		item, taken, err := b.checkItem(ctx, b.normalizeItem(item, batch.Source))
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
	receipt, err := b.storeBatch(ctx, batch)
	if err != nil {
		b.batchNotStored(ctx, items, err)
		return fmt.Errorf("take a batch: %w", err)
	}
	b.notify(receipt)
	return nil
}

// checkItem asks the gate about an item. taken is false if nothing of the item may be stored.
func (b *Inbox) checkItem(ctx context.Context, item supervisor.BatchItem) (_ supervisor.BatchItem, taken bool,
	err error) {
	if item.Decision, err = b.checkGate(ctx, item.Inbound); err != nil || item.Decision.Refusal == "" {
		return item, err == nil, err
	}
	item.Inbound.Text, item.Raw, item.Answer, item.Notice = placeholderText, "", item.Decision.Refusal, ""
	item.Attachments, item.Unread = nil, false
	item.Inbound = classify(item.Inbound, 0)
	return item, !item.Decision.AlreadyTold, nil
}

// batchNotStored runs those commands of a batch that work without the store. Their senders get no
// answer, because the store could not keep the answer either.
func (b *Inbox) batchNotStored(ctx context.Context, items []supervisor.BatchItem, err error) {
	// the service ends, so nothing is wrong: the source sends the batch again
	if b.o.NotStored == nil || ctx.Err() != nil {
		return
	}
	for _, item := range items {
		if item.Inbound.Kind == supervisor.KindCommand && item.Answer == "" && letsThrough(item.Decision) {
			_ = b.o.NotStored(b.withConversation(ctx, item.Inbound), err)
		}
	}
}

// withConversation sets the ID of an inbound's conversation, if that exists. The lookup needs no
// disk space. Without a conversation, there is no turn to stop.
func (b *Inbox) withConversation(ctx context.Context, in supervisor.Inbound) supervisor.Inbound {
	c := in.Conversation
	if c.ID != 0 {
		return in
	}
	if found, err := b.o.Conversations.FindOrCreate(ctx, c.User, c.Channel, c.Chat, c.Thread); err == nil {
		in.Conversation = found
	}
	return in
}

// normalizeItem returns an item that the store accepts. It replaces an invalid key by its digest,
// so that a repeated item has the same key. It stores a /start without its argument, and a text
// without its secret.
func (b *Inbox) normalizeItem(item supervisor.BatchItem, source string) supervisor.BatchItem {
	in := &item.Inbound
	in.Source = source
	if checkKey(in.Key) != nil {
		in.Key = fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(in.Key)))
	}
	in.Text, item.Raw, item.Answer = cleanText(in.Text), cleanText(item.Raw), cleanText(item.Answer)
	if start, stripped := stripStart(*in); stripped {
		*in, item.Raw = start, ""
	}
	if hidden, secret := b.hide(*in); secret {
		*in, item.Raw, item.Secret = hidden, "", true
	}
	if err := checkText(in.Text, len(item.Attachments)); err != nil {
		in.Text = placeholderText
		if item.Answer == "" {
			item.Answer = problem.UserText(err)
		}
	}
	*in = classify(*in, len(item.Attachments))
	return item
}
