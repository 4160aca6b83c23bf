package command

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Resender sends messages that may not have arrived once more.
type Resender interface {
	// ResendUndelivered queues a conversation's messages that may not have arrived. The oldest
	// comes first. It returns their number, at most limit.
	ResendUndelivered(ctx context.Context, conversation int64, limit int) (n int, err error)
}

// maxResent limits the messages that one /resend sends. Telegram accepts one message per second in
// a chat, so 50 messages take about a minute.
const maxResent = 50

// resendPrefix begins supervisor.ResendPress.
const resendPrefix = "resend:"

var resendRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "resend", Help: "send again what may not have reached you"},
		group: feature.HelpGroupChat, run: textAnswer(resend), prefix: resendPrefix},
}

// resend queues the messages that may not have arrived. It does not wake the outbox, because the
// answer to /resend does that. The queued messages are older than the answer, so they arrive first.
func resend(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	n, err := c.o.Resender.ResendUndelivered(ctx, r.Conversation.ID, maxResent)
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
