package session

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Queue is what waits in conversations, as commands change it.
type Queue struct {
	sqlite.Inbox
	WakeSession func(supervisor.Conversation) // has its session look for what has changed
	WakeFiles   func()                        // likewise what brings files
}

// Begin keeps a text that stood behind a command as one that a turn begins with.
func (q Queue) Begin(ctx context.Context, c supervisor.Conversation, command int64, text string) error {
	_, _, err := q.Inbox.Put(ctx, supervisor.Inbound{Conversation: c, Source: "command", Key: fmt.Sprint(command),
		Kind: supervisor.KindText, Text: text})
	if err == nil {
		q.WakeSession(c)
	}
	return err
}

// AnswerAnew has an edited text be answered as it is now.
func (q Queue) AnswerAnew(ctx context.Context, press, edited int64) (bool, error) {
	in, ok, err := q.Inbox.AnswerAnew(ctx, press, edited)
	if ok {
		q.WakeFiles()
		q.WakeSession(in.Conversation)
	}
	return ok, err
}

// DropBefore drops what waits before a command, and says how much that is.
func (q Queue) DropBefore(ctx context.Context, command int64) (int, error) {
	dropped, err := q.Inbox.Drop(ctx, command)
	q.WakeFiles()
	return len(dropped), err
}

// Advance has a text be answered next, by its conversation's session or by the turn that runs.
func (q Queue) Advance(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error) {
	in, ok, err := q.Inbox.Advance(ctx, user, inbound)
	if ok {
		q.WakeSession(in.Conversation)
	}
	return in, ok, err
}

// DropText drops a text, and ends what brings its files.
func (q Queue) DropText(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error) {
	in, ok, err := q.Inbox.DropText(ctx, user, inbound)
	if ok {
		q.WakeFiles()
		q.WakeSession(in.Conversation)
	}
	return in, ok, err
}
