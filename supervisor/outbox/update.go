package outbox

import (
	"cmp"
	"context"

	"mews/supervisor"
)

// EditSentDelivery edits the single message of a sent delivery. It does nothing if the pace does
// not allow the edit at once: the edit is optional, and is not stored. It returns only errors of
// the store.
func (o *Outbox) EditSentDelivery(ctx context.Context, d supervisor.Delivery, text string) error {
	chat := d.Conversation.Chat
	posts, err := o.Posts.ListPosts(ctx, 0, d.ID)
	if err != nil || len(posts) != 1 || posts[0].Message == "" || !o.Serves(d.Conversation) {
		return err
	}
	if o.gate.nextTime(chat, true, 1).After(o.Now()) || !o.gate.enterNow(chat) {
		return nil
	}
	calling, cut := context.WithTimeout(ctx, typingTimeout)
	defer cut()
	failed := o.Channel.EditMessage(calling, supervisor.PostAddress{Chat: chat, Thread: d.Conversation.Thread},
		posts[0].Message, o.Render(text, false)[0])
	full := o.gate.leave(chat, true)
	if failed == nil {
		return nil
	}
	e := sendError(failed)
	o.Log.Debug("update a message", "channel", o.Name, "chat", chat, "error", e)
	if e.Reason == supervisor.SendReasonFlood {
		for name, until := range o.gate.recordFlood(chat, full, e.RetryAfter) {
			err = cmp.Or(err, o.Freezes.StoreChatFreeze(ctx, o.Source, name, until))
		}
	}
	return err
}
