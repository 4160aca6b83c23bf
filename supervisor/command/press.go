package command

import (
	"context"
	"strings"

	"mews/supervisor"
)

// Questions takes what people press below what they were asked.
type Questions interface {
	// Press takes one and returns what its person is told. Its error is the answer to a press of what is not theirs.
	Press(ctx context.Context, user string, conversation int64, press string) (text string, err error)
}

// Cleanings are what is to be done to messages that stand in a chat.
type Cleanings interface {
	Put(ctx context.Context, k supervisor.Cleaning) error
}

// What the presses of buttons begin with. Those of questions are question's.
const (
	pressQuestion = "q:"
	pressModel    = "m:"
	pressSetting  = "s:"
	pressGrant    = "g:"
)

// press is a row of the table of presses.
type press struct {
	prefix   string
	run      run
	personal bool // nobody but its person can press it with success, so that its buttons go in a group too
}

// pressTable is the table; the first row whose prefix fits counts.
func pressTable() []press {
	return []press{
		{prefix: pressQuestion, run: textAnswer(answerQuestion), personal: true},
		{prefix: pressModel, run: model},
		{prefix: pressSetting, run: settings},
		{prefix: pressGrant, run: textAnswer(pressedGrant)},
		{run: textAnswer(pressedNothing)},
	}
}

// pressed does what a button does. Its message loses its buttons then, unless it came to an error: a button is for once.
func (c *Commands) pressed(ctx context.Context, in supervisor.Inbound, r Request) (d supervisor.Delivery, err error) {
	for _, row := range pressTable() {
		rest, fits := strings.CutPrefix(in.Text, row.prefix)
		if !fits {
			continue
		}
		r.Name, r.Arguments = row.prefix, rest
		if d, err = row.run(ctx, c, r); err == nil && (row.personal || !c.o.InGroup(in.Conversation)) {
			c.removeButtons(ctx, in)
		}
		return d, err
	}
	return d, nil // not reached: the last row fits everything
}

// removeButtons has the message lose its buttons that bears the one that was pressed. That they stand on harms nobody.
func (c *Commands) removeButtons(ctx context.Context, in supervisor.Inbound) {
	if in.Message == "" {
		return
	}
	err := c.o.Desk.Cleanings.Put(ctx, supervisor.Cleaning{Conversation: in.Conversation, Message: in.Message,
		What: supervisor.CleaningUnbutton})
	if err != nil {
		c.o.Log.Warn("take away buttons that were pressed", "user", in.Conversation.User, "error", err)
	}
}

func answerQuestion(ctx context.Context, c *Commands, r Request) (string, error) {
	return c.o.Desk.Questions.Press(ctx, r.Conversation.User, r.Conversation.ID, r.Name+r.Arguments)
}

func pressedNothing(context.Context, *Commands, Request) (string, error) {
	return "This button does nothing any more.", nil
}
