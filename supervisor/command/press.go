package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/internal/presses"
	"mews/supervisor/question"
)

// Questions takes what people press below what they were asked.
type Questions interface {
	// Press takes one and returns what comes of it. Its error is the answer to a press of what is
	// not theirs.
	Press(ctx context.Context, user string, conversation int64, press string) (question.Pressed, error)
}

// Cleanings are what is to be done to messages that stand in a chat.
type Cleanings interface {
	Put(ctx context.Context, k supervisor.Cleaning) error
}

// questionPrefix is what the presses of package question begin with.
const questionPrefix = "q:"

// pressed does what a button does. The button's message loses its buttons then, unless it came to
// an error: a button is for once. Those of /settings and /tools, of what waits, of a review and of
// the files that /files lists stay, and in a group only those go that nobody else can press: one
// below an edited message. A question's go when it has ended.
func (c *Commands) pressed(ctx context.Context, in supervisor.Inbound, r Request) (d supervisor.Delivery, err error) {
	if strings.HasPrefix(in.Text, questionPrefix) {
		pressed, err := c.o.Questions.Press(ctx, r.Conversation.User, r.Conversation.ID, in.Text)
		if err == nil && pressed.Over {
			c.removeButtons(ctx, in)
		}
		return supervisor.Delivery{Text: pressed.Text}, err
	}
	edited, anew := supervisor.AnewPressed(in.Text)
	switch {
	case anew:
		d.Text, err = c.answerAnew(ctx, in.ID, edited)
	default:
		d, err = c.pressedCommand(ctx, in.Text, r)
	}
	stays := strings.HasPrefix(in.Text, supervisor.PromptFilePrefix+supervisor.PressDiff) || in.Conversation.InGroup() || in.Text == modelPrefix || strings.HasPrefix(in.Text, supervisor.UndoPrefix+supervisor.PressDiff) || strings.HasPrefix(in.Text, settingPrefix) || strings.HasPrefix(in.Text, toolsPrefix) ||
		strings.HasPrefix(in.Text, presses.QueuePrefix) || strings.HasPrefix(in.Text, supervisor.ReviewPrefix) ||
		strings.HasPrefix(in.Text, filesPrefix) && !strings.HasPrefix(in.Text, filesPrefix+pressPage)
	if err == nil && (anew || !stays) {
		c.removeButtons(ctx, in)
	}
	return d, err
}

// answerAnew has an edited message be answered as it is now.
func (c *Commands) answerAnew(ctx context.Context, press, edited int64) (string, error) {
	begun, err := c.o.Anew(ctx, press, edited)
	switch {
	case err != nil:
		return "", fmt.Errorf("answer an edited message anew: %w", err)
	case !begun:
		return textNotAnew, nil
	}
	return textAnew, nil
}

// pressedCommand does what a command's button does.
func (c *Commands) pressedCommand(ctx context.Context, press string, r Request) (supervisor.Delivery, error) {
	for _, row := range table {
		rest, fits := strings.CutPrefix(press, row.prefix)
		if row.prefix == "" || !fits {
			continue
		}
		r.Name, r.Arguments = row.Name, rest
		if row.press != nil {
			return row.press(ctx, c, r)
		}
		return row.run(ctx, c, r)
	}
	return supervisor.Delivery{Text: textDeadButton}, nil
}

// removeButtons has the message lose its buttons whose button was pressed. That they stay harms
// nobody.
func (c *Commands) removeButtons(ctx context.Context, in supervisor.Inbound) {
	if in.Message == "" {
		return
	}
	err := c.o.Cleanings.Put(ctx, supervisor.Cleaning{Conversation: in.Conversation, Message: in.Message,
		What: supervisor.CleaningUnbutton})
	if err != nil {
		c.o.Log.Warn("take away buttons that were pressed", "user", in.Conversation.User, "error", err)
	}
}
