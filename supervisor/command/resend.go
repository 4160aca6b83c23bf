package command

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Undelivered has what may not have reached a person wait to be sent once more.
type Undelivered interface {
	// Resend does so with the oldest of a conversation's, at most limit of them, and returns how
	// many it were.
	Resend(ctx context.Context, conversation int64, limit int) (n int, err error)
}

// maxResent is how many messages one /resend sends again. Telegram takes one a second in a chat, so
// they take a minute.
const maxResent = 50

var resendRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "resend", Help: "send again what may not have reached you"},
		group: feature.GroupChat, run: textAnswer(resend)},
}

// resend wakes nobody: its answer does that. What is sent again is older, and arrives before the
// answer.
func resend(ctx context.Context, c *Commands, r feature.Request) (string, error) {
	n, err := c.o.Undelivered.Resend(ctx, r.Conversation.ID, maxResent)
	switch {
	case err != nil:
		return "", fmt.Errorf("send again what may not have arrived: %w", err)
	case n == 0:
		return textNothingToResend, nil
	case n == 1:
		return textResendsOne, nil
	case n < maxResent:
		return fmt.Sprintf(textResends, n), nil
	}
	return fmt.Sprintf(textResendsMost, n), nil
}
