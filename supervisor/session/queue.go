package session

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Queue changes the waiting messages of conversations, for commands.
type Queue struct {
	sqlite.Inbox
	WakeSession func(supervisor.Conversation) // makes the conversation's session read the inbox again
	WakeFiles   func()                        // makes the receiver of files read the inbox again
}

// QueueCommandText queues the text after a command as a message of its own.
func (q Queue) QueueCommandText(ctx context.Context, c supervisor.Conversation, command int64, text string) error {
	_, _, err := q.Inbox.StoreInbound(ctx, supervisor.Inbound{Conversation: c, Source: "command",
		Key:  fmt.Sprint(command),
		Kind: supervisor.KindText, Text: text})
	if err == nil {
		q.WakeSession(c)
	}
	return err
}

// QueueEditedText queues an edited text again, for a new answer.
func (q Queue) QueueEditedText(ctx context.Context, press, edited int64) (bool, error) {
	in, ok, err := q.Inbox.RequeueEditedText(ctx, press, edited)
	if ok {
		q.WakeFiles()
		q.WakeSession(in.Conversation)
	}
	return ok, err
}

// RetryTurn queues the messages of a parked turn again. It returns false if the turn has no parked
// messages, for example because they were queued before.
func (q Queue) RetryTurn(ctx context.Context, c supervisor.Conversation, turn int64) (bool, error) {
	queued, err := q.Inbox.RequeueParkedTexts(ctx, c.ID, turn)
	if len(queued) > 0 {
		q.WakeSession(c)
	}
	return len(queued) > 0, err
}

// DropMessagesBefore drops the messages that wait before a command. It returns their number.
func (q Queue) DropMessagesBefore(ctx context.Context, command int64) (int, error) {
	dropped, err := q.Inbox.DropWaitingTexts(ctx, command)
	q.WakeFiles()
	return len(dropped), err
}

// MoveTextToFront moves a text to the front of the queue. Its session or the running turn answers
// it next.
func (q Queue) MoveTextToFront(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error) {
	in, ok, err := q.Inbox.MoveTextToFront(ctx, user, inbound)
	if ok {
		q.WakeSession(in.Conversation)
	}
	return in, ok, err
}

// DropText drops a text, and stops fetching its files.
func (q Queue) DropText(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error) {
	in, ok, err := q.Inbox.DropText(ctx, user, inbound)
	if ok {
		q.WakeFiles()
		q.WakeSession(in.Conversation)
	}
	return in, ok, err
}
