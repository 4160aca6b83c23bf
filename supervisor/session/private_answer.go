package session

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// openReply begins the reply of a turn. It hides the text of earlier attempts if the group may not
// read it yet.
func (s *session) openReply(ctx context.Context, running sqlite.RunningTurn) *reply.Stream {
	said := progressOf(running).said
	if said != "" && (&turn{session: s, RunningTurn: running}).privateFirst(ctx) != nil {
		return s.Feeds.OpenHiddenStream(running.Turn, said)
	}
	return s.Feeds.OpenStream(running.Turn, said)
}

// privateFirst returns how the answer goes to the turn's user before the group reads it; nil means
// that it goes to its chat.
func (t *turn) privateFirst(ctx context.Context) *sqlite.PrivateAnswer {
	if t.PrivateFirst == nil || !t.Turn.AnswerConversation().IsInGroup() {
		return nil
	}
	find := func() (*sqlite.PrivateAnswer, error) { return t.PrivateFirst(ctx, t.Turn) }
	private, _ := retry.StoreUntilDone(ctx, t.log, "look whether a group may read an answer", find)
	return private // with an error too, so that the group reads nothing
}

// notifyPrivate wakes the outbox of a private answer.
func (t *turn) notifyPrivate(d supervisor.Delivery) {
	if id := d.Conversation.ID; id != 0 && id != t.Turn.AnswerConversation().ID {
		t.Feeds.NotifyDelivery(id)
	}
}
