package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	// findPrivateAnswer selects the answer of a turn that its user has got instead of a group.
	findPrivateAnswer = selectDelivery + `WHERE o.turn = ?1 AND o.user = ?2 AND o.kind = 'answer'
		AND o.conversation <> (SELECT coalesce(destination, conversation) FROM turn WHERE id = ?1) ORDER BY o.id LIMIT 1`
	findDestination = `SELECT coalesce(destination, conversation) FROM turn WHERE id = ?`
	isPosted        = `SELECT EXISTS (SELECT 1 FROM outbox WHERE conversation = ?1 AND id > ?2
		AND kind = 'notice' AND text = ?3)`
)

// FindPrivateAnswer finds the answer that a user has got instead of a group, and the group.
func (s Outbox) FindPrivateAnswer(ctx context.Context, user string, turn int64) (d supervisor.Delivery,
	group supervisor.Conversation, ok bool, err error) {
	read := s.db.reader(ctx, "find the private answer of turn %d", turn)
	if d, ok, err = engine.FirstRow(read, scanDelivery, findPrivateAnswer, turn, user); err != nil || !ok {
		return d, group, ok, err
	}
	id, err := engine.FirstValue(read, engine.ScanInteger, findDestination, turn)
	if err != nil {
		return d, group, false, err
	}
	group, ok, err = Conversations(s).FindConversation(ctx, id)
	return d, group, ok, err
}

// PostPrivateAnswer puts the text of a private answer into the outbox of its group, once.
func (s Outbox) PostPrivateAnswer(ctx context.Context, answer supervisor.Delivery,
	group supervisor.Conversation) error {
	return s.db.write(ctx, func(t *tx) {
		if !value(t, engine.ScanBool, isPosted, group.ID, answer.ID, answer.Text) {
			t.putNotice(supervisor.Delivery{Conversation: group, Text: answer.Text})
		}
	}, "post the answer of turn %d in its group", answer.Turn)
}
