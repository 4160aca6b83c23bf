package ingress

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

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
			q.Text = savedAs(pathsOf(said.Files)) + cmp.Or(said.Text, q.Text)
		case in.Group:
			q.By, item.Inbound.Origin = textBot, supervisor.OriginWorld
		}
	}
	if !in.RepliesToBot && in.RepliesTo != "" {
		if err := h.quoteFiles(ctx, item, in, &q); err != nil {
			return err
		}
	}
	if quote := quotes.FormatQuote(q); !isCode(quote) {
		item.Inbound.Quote = quote
	}
	return nil
}

// quoteFiles adds the paths of a replied message's files to its quote, if the message is the user's
// own. The model sees their pictures again, unless it sees that message anyway.
func (h *UpdateHandler) quoteFiles(
	ctx context.Context,
	item *supervisor.BatchItem,
	in supervisor.Incoming,
	q *supervisor.Quote,
) error {
	files, ok, err := h.o.Updates.FindRepliedFiles(ctx, item.Inbound.Conversation, in.RepliesTo)
	switch {
	case err != nil:
		return fmt.Errorf("find the files that %s replies to: %w", item.Inbound.Conversation.User, err)
	case !ok:
		return nil
	}
	q.Text = savedAs(files.Paths) + q.Text
	if files.Seen || len(files.Pictures) == 0 {
		return nil
	}
	parts, err := json.Marshal(files.Pictures)
	if item.Inbound.Parts = string(parts); files.Origin == supervisor.OriginWorld {
		item.Inbound.Origin = files.Origin
	}
	return err
}

// savedAs returns a line that says where files are; "" without files.
func savedAs(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf(textSavedAs, strings.Join(paths, ", ")) + "\n"
}

// pathsOf returns the known paths of files that Mews sent.
func pathsOf(files []supervisor.File) (paths []string) {
	for _, f := range files {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	return paths
}
