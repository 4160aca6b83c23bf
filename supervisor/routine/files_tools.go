package routine

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
)

// Tool runs a tool call of a model, for a turn that answers in a conversation.
type Tool = func(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, c supervisor.JobToolCall,
) (protocol.JobCallResult, error)

// Tools returns the tools about routines, by name.
func (r *Routines) Tools() map[string]Tool {
	return map[string]Tool{
		"enable_file_notifications":    r.enableFiles,
		"disable_file_notifications":   r.disableFiles,
		"get_file_notification_status": r.filesStatus,
	}
}

func (r *Routines) enableFiles(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, c supervisor.JobToolCall,
) (protocol.JobCallResult, error) {
	return r.switchByModel(ctx, user, in, c, wordOn)
}

func (r *Routines) disableFiles(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, c supervisor.JobToolCall,
) (protocol.JobCallResult, error) {
	return r.switchByModel(ctx, user, in, c, wordOff)
}

// switchByModel turns file notices on or off. A tainted turn may not do so, because the author of
// the words may want to change files unnoticed.
func (r *Routines) switchByModel(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, c supervisor.JobToolCall, words string,
) (answer protocol.JobCallResult, err error) {
	switch world, err := r.o.Store.HasWorldWords(ctx, c.Turn); {
	case err != nil:
		return answer, err
	case world:
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", job.TextChangeRefused)
	case c.Kind != supervisor.TurnChat:
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerNoFiles)
	}
	return r.switchFiles(ctx, user, in, words)
}

func (r *Routines) filesStatus(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, c supervisor.JobToolCall,
) (protocol.JobCallResult, error) {
	return r.switchFiles(ctx, user, in, "")
}

// switchFiles turns file notices on or off; empty words ask whether they are on.
func (r *Routines) switchFiles(
	ctx context.Context, user supervisor.User, in supervisor.Conversation, words string,
) (answer protocol.JobCallResult, err error) {
	if in.IsInGroup() {
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerFilesInGroup)
	}
	d, err := r.SwitchRoutine(ctx, user, in, supervisor.RoutineFileChanges, words, r.o.Now())
	answer.Text, answer.Brief = d.Text, words
	return answer, err
}
