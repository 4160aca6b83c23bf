package command

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
)

// Topics starts a new topic in a conversation.
type Topics interface {
	ClearWindow(ctx context.Context, conversation int64) error
}

var newRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "new", EndsTurn: true,
		Help: "begin a new topic, without what was said so far; /new WORDS begins it with these words"},
		group: feature.HelpGroupEveryday, alias: "clear", run: textAnswer(newTopic)},
}

func newTopic(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	ahead, err := c.stopTurn(ctx, r)
	if err != nil {
		return "", err
	}
	if err := c.o.Topics.ClearWindow(ctx, r.Conversation.ID); err != nil {
		return "", fmt.Errorf("begin a new topic: %w", err)
	}
	if r.Arguments != "" {
		if err := c.o.Begin(ctx, r.Conversation, r.Inbound, r.Arguments); err != nil {
			return "", fmt.Errorf("begin a new topic with a message: %w", err)
		}
	}
	text := textNewTopic
	if ahead.Inbound != 0 {
		text += endedAnswerText(ahead)
	}
	switch {
	case ahead.Waiting == 1:
		text += textNewTopicWaiting
	case ahead.Waiting > 1:
		text += fmt.Sprintf(textNewTopicWaitingMany, ahead.Waiting)
	}
	return text, nil
}

// endedAnswerText says how the running answer ended when the new topic began.
func endedAnswerText(ahead sqlite.PrecedingText) string {
	if ahead.Why == protocol.TurnEndStopped {
		return textNewTopicStopped
	}
	return " " + textJustEnded
}
