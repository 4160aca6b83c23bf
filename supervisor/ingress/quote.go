package ingress

import (
	"cmp"
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/quotes"
)

// quote puts the quoted message before a reply's words, for the model. A message of the bot is
// quoted as it was sent, unless the model sees the message anyway. The bot's messages to other
// users are never quoted.
func (h *UpdateHandler) quote(ctx context.Context, item *supervisor.BatchItem, in supervisor.Incoming) error {
	if in.Kind != supervisor.IncomingMessage || isCommand(in) || isCode(in.Text) {
		return nil
	}
	q := in.Quote
	if in.RepliesToBot {
		said, theirs, err := h.o.Posts.FindRepliedMessage(ctx, item.Inbound.Conversation, in.RepliesTo)
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
	if quote := quotes.FormatQuote(q); !isCode(quote) {
		item.Inbound.Quote = quote
	}
	return nil
}
