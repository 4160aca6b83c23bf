package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/inbox"
	"mews/supervisor/question"
)

// Questions records presses of buttons below questions.
type Questions interface {
	// RecordPress answers a question by a press. If the question belongs to another user, the error
	// is the answer.
	RecordPress(ctx context.Context, user string, conversation int64, press string) (question.PressOutcome, error)
}

// questionPrefix is the beginning of the presses of package question.
const questionPrefix = "q:"

// runPress runs the action of a button. Then it removes the message's buttons, unless the action
// failed or its command keeps them. The buttons of a question are removed when the question has
// ended.
func (c *Commands) runPress(ctx context.Context, in supervisor.Inbound, r feature.CommandRequest) (
	d supervisor.Delivery, err error) {
	if strings.HasPrefix(in.Text, questionPrefix) {
		pressed, err := c.o.Questions.RecordPress(ctx, r.Conversation.User, r.Conversation.ID, in.Text)
		if err == nil && pressed.Closed {
			c.removeButtons(ctx, in)
		}
		return supervisor.Delivery{Text: pressed.Text}, err
	}
	keeps := false
	if edited, anew := inbox.ParseNewAnswerPress(in.Text); anew {
		d.Text, err = c.answerAgain(ctx, in.ID, edited)
	} else if turn, retry := inbox.ParseRetryPress(in.Text); retry {
		d.Text, err = c.retryTurn(ctx, r.Conversation, turn)
	} else if turn, post := parsePostPress(in.Text); post {
		d.Text, err = c.postAnswer(ctx, r, turn)
	} else if row, press, known := c.findPress(in.Text); known {
		keeps = row.Keeps != nil && row.Keeps(press)
		r.Name, r.Arguments = row.Name, press
		d, err = row.Press(ctx, r)
	} else {
		d.Text = feature.DeadButtonText
	}
	if err == nil && !keeps {
		c.removeButtons(ctx, in)
	}
	return d, err
}

// findPress returns the command of a press, and the part of the press after the command's prefix.
func (c *Commands) findPress(press string) (_ feature.Command, rest string, known bool) {
	for _, row := range c.table {
		if rest, fits := strings.CutPrefix(press, row.Prefix); fits && row.Prefix != "" {
			return row, rest, true
		}
	}
	return feature.Command{}, "", false
}

// answerAgain queues an edited message for a new answer.
func (c *Commands) answerAgain(ctx context.Context, press, edited int64) (string, error) {
	begun, err := c.o.AnswerAgain(ctx, press, edited)
	switch {
	case err != nil:
		return "", fmt.Errorf("answer an edited message anew: %w", err)
	case !begun:
		return textAnsweredBefore, nil
	}
	return textAnswersAgain, nil
}

// retryTurn queues the messages of a parked turn again.
func (c *Commands) retryTurn(ctx context.Context, conversation supervisor.Conversation, turn int64) (string, error) {
	begun, err := c.o.RetryTurn(ctx, conversation, turn)
	switch {
	case err != nil:
		return "", fmt.Errorf("try a turn again: %w", err)
	case !begun:
		return textTriedBefore, nil
	}
	return textTriesAgain, nil
}

// removeButtons removes the buttons from the message of a press. If that fails, the buttons stay,
// which does no harm.
func (c *Commands) removeButtons(ctx context.Context, in supervisor.Inbound) {
	if in.Message == "" {
		return
	}
	err := c.o.Cleanings.Put(ctx, supervisor.MessageCleanup{Conversation: in.Conversation, Message: in.Message,
		Kind: supervisor.CleanupRemoveButtons})
	if err != nil {
		c.o.Log.Warn("take away buttons that were pressed", "user", in.Conversation.User, "error", err)
	}
}
