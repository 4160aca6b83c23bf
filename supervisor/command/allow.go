package command

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
)

// Groups are the group chats in which Mews answers.
type Groups interface {
	// Allow allows the group of a conversation to talk to Mews.
	Allow(ctx context.Context, c supervisor.Conversation) error
	// Disallow forbids the group of a conversation. stays reports whether the configuration still
	// allows the group.
	Disallow(ctx context.Context, c supervisor.Conversation) (stays bool, err error)
}

var allowRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "allow", Help: "let people speak with me in this group",
		AdminsOnly: true},
		group: feature.HelpGroupAdmin, run: textAnswer(allowGroup)},
	{SlashCommand: supervisor.SlashCommand{Name: "disallow", Help: "answer nobody in this group any more",
		AdminsOnly: true},
		group: feature.HelpGroupAdmin, run: textAnswer(disallowGroup)},
}

// allowGroup allows the group in which the command was written.
func allowGroup(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	if err := checkGroup(c, r); err != nil {
		return "", err
	}
	if err := c.o.Groups.Allow(ctx, r.Conversation); err != nil {
		return "", fmt.Errorf("allow a group: %w", err)
	}
	c.o.Audit(r.Conversation.User, "group.allowed", fmt.Sprintf("%s chat %s", r.Conversation.Channel, r.Conversation.Chat))
	return textGroupAllowed, nil
}

// disallowGroup forbids the group in which the command was written, after an admin has confirmed.
func disallowGroup(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	if err := checkGroup(c, r); err != nil {
		return "", err
	}
	if err := c.allow(ctx, r, approval.EffectDisallowGroup, textMayDisallow, string(r.Conversation.Channel),
		r.Conversation.Chat); err != nil {
		return "", err
	}
	stays, err := c.o.Groups.Disallow(ctx, r.Conversation)
	if err != nil {
		return "", fmt.Errorf("disallow a group: %w", err)
	}
	if stays {
		return "", supervisor.Errorf(supervisor.CodeForbidden, textGroupConfigured)
	}
	c.o.Audit(r.Conversation.User, "group.disallowed", fmt.Sprintf("%s chat %s", r.Conversation.Channel, r.Conversation.Chat))
	// a forbidden group gets no message, not even this answer
	left := supervisor.Delivery{Conversation: r.User.PrivateChat(), Text: textGroupLeft}
	said, err := c.o.Outbox.SendNotice(ctx, left)
	if err != nil {
		return "", fmt.Errorf("tell that a group is disallowed: %w", err)
	}
	c.o.Queued(said.Conversation.ID)
	return textGroupDisallowed, nil
}

// checkGroup returns an error unless the command was written in a group.
func checkGroup(c *Commands, r feature.CommandRequest) error {
	if !r.Conversation.IsInGroup() {
		return supervisor.Errorf(supervisor.CodeInvalid, textGroupsOnly, r.Name)
	}
	return nil
}
