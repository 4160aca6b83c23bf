package app

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/command"
	"mews/supervisor/sqlite"
)

// groupGuard makes the part that decides what other people of a group may read.
func (s *service) groupGuard() *approval.GroupGuard {
	return &approval.GroupGuard{Approver: newApprover(s), FindConversation: s.db.Conversations().FindConversation,
		HasRead: s.db.Taints().HasRead}
}

// storedPrivateChat returns a user's private chat with its ID.
func (s *service) storedPrivateChat(ctx context.Context, user string) (supervisor.Conversation, error) {
	c := s.privateChat(user)
	return s.db.Conversations().FindOrCreate(ctx, c.User, c.Channel, c.Chat, c.Thread)
}

// questionChat returns the chat in which a turn's question is asked. A question may quote what the
// turn has read. So a group reads it only if the group may read what the turn says.
func (s *service) questionChat(ctx context.Context, turn int64, in supervisor.Conversation) (
	supervisor.Conversation, error) {
	rule, err := s.groupGuard().FindRule(ctx, turn, in)
	if err != nil || rule == approval.RuleAllow {
		return in, err
	}
	return s.storedPrivateChat(ctx, in.User)
}

// privateFirst returns how a turn's answer goes to its user before the group reads it; nil means
// that the group reads it at once. If the rule can't be read, the group reads nothing.
func (s *service) privateFirst(ctx context.Context, t supervisor.Turn) (*sqlite.PrivateAnswer, error) {
	to := t.AnswerConversation()
	rule, err := s.groupGuard().FindRule(ctx, t.ID, to)
	if err == nil && rule == approval.RuleAllow {
		return nil, nil
	}
	answer := &sqlite.PrivateAnswer{Conversation: s.privateChat(to.User)}
	if rule != approval.RuleDeny {
		answer.Buttons = command.PostAnswerButtons(t.ID)
	}
	if t.Kind == supervisor.TurnChat {
		answer.Notice = fmt.Sprintf(textAnswerInPrivate, to.User)
	}
	return answer, err
}
