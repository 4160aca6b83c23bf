package command

import (
	"context"
	"fmt"
)

// Undelivered has what may not have reached a person wait to be sent once more.
type Undelivered interface {
	// Resend does so with the oldest of a conversation's, at most limit of them, and returns how many it were.
	Resend(ctx context.Context, conversation int64, limit int) (n int, err error)
}

// maxResent is how many messages one /resend sends again. Telegram takes one a second in a chat, so they take a minute.
const maxResent = 50

// resend needs no waking of its own: the answer does that. What is sent again is older, and arrives before the answer.
func resend(ctx context.Context, c *Commands, r Request) (string, error) {
	n, err := c.o.Undelivered.Resend(ctx, r.Conversation.ID, maxResent)
	switch {
	case err != nil:
		return "", fmt.Errorf("send again what may not have arrived: %w", err)
	case n == 0:
		return "There is nothing that I could send again.", nil
	case n == 1:
		return "Sending 1 message again.", nil
	case n < maxResent:
		return fmt.Sprintf("Sending %d messages again.", n), nil
	}
	return fmt.Sprintf("Sending the oldest %d messages again; /resend once more sends what may be left.", n), nil
}
