package ingress

import (
	"cmp"
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/quotes"
)

// quote puts what a message answers to before its words, for the model. Of the bot's own it is what
// was sent, where the model does not see that anyway; what the bot has said to somebody else is
// somebody else's.
func (h *Handler) quote(ctx context.Context, item *supervisor.Item, in supervisor.Incoming) error {
	if in.Kind != supervisor.IncomingMessage || isCommand(in) || isCode(in.Text) {
		return nil
	}
	q := in.Quote
	if in.RepliesToBot {
		said, theirs, err := h.o.Posts.Replied(ctx, item.Inbound.Conversation, in.RepliesTo)
		switch {
		case err != nil:
			return fmt.Errorf("find what %s replies to: %w", item.Inbound.Conversation.User, err)
		case said.Secret:
			return nil
		case said.Seen:
			q.Text = ""
		case theirs:
			q.Text = cmp.Or(said.Text, q.Text)
		case in.Group:
			q.By, item.Inbound.Origin = textBot, supervisor.OriginWorld
		}
	}
	if quote := quotes.Write(q); !isCode(quote) {
		item.Inbound.Quote = quote
	}
	return nil
}
