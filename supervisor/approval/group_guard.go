package approval

import (
	"cmp"
	"context"

	"mews/supervisor"
	"mews/supervisor/taint"
)

// GroupGuard decides whether the other people of a group may read what a turn says.
type GroupGuard struct {
	Approver *Approver
	// FindConversation finds a conversation by its ID.
	FindConversation func(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
	// HasRead reports whether the window of a turn has a result of one of these tools.
	HasRead func(ctx context.Context, turn int64, tools []string) (bool, error)
}

// FindRule returns the rule for what a turn says in a conversation. In a private chat, and before
// the turn has read anything private, it is RuleAllow.
func (g *GroupGuard) FindRule(ctx context.Context, turn int64, in supervisor.Conversation) (Rule, error) {
	group, err := g.IsGroup(ctx, in)
	if err != nil || !group {
		return RuleAllow, err
	}
	read, err := g.HasRead(ctx, turn, taint.PrivateTools())
	if err != nil || !read {
		return RuleAllow, err
	}
	return g.Approver.FindRule(ctx, Request{User: in.User, Turn: turn, Effect: EffectAnswerInGroup})
}

// IsGroup reports whether other people read a conversation. Only its ID and User must be set.
func (g *GroupGuard) IsGroup(ctx context.Context, in supervisor.Conversation) (bool, error) {
	if in.Channel == "" {
		found, known, err := g.FindConversation(ctx, in.ID)
		if err != nil || !known {
			return false, cmp.Or(err, supervisor.Errorf(supervisor.CodeNotFound, "there is no conversation %d", in.ID))
		}
		in = found
	}
	return in.IsInGroup(), nil
}
