package command

import (
	"context"
	"fmt"

	"mews/supervisor"
)

// Groups are the chats of several people in which they may speak.
type Groups interface {
	// Allow has people speak in the group of a conversation, from now on.
	Allow(ctx context.Context, c supervisor.Conversation) error
	// Disallow takes that back. stays says that they may all the same: the configuration has the group.
	Disallow(ctx context.Context, c supervisor.Conversation) (stays bool, err error)
}

// allowGroup lets people speak in the group in which it is written.
func allowGroup(ctx context.Context, c *Commands, r Request) (string, error) {
	if err := checkGroupAdmin(c, r); err != nil {
		return "", err
	}
	if err := c.o.Desk.Groups.Allow(ctx, r.Conversation); err != nil {
		return "", fmt.Errorf("allow a group: %w", err)
	}
	c.o.Desk.Audit(r.Conversation.User, "group.allowed", fmt.Sprintf("%s chat %s", r.Conversation.Channel, r.Conversation.Chat))
	return "People may speak with me in this group from now on: those whom I know, each with an assistant of their own, to " +
		"commands, in answers to me, and where they name me. It sees what is said to it here, and nothing of their private " +
		"chats. What it writes here, everybody here reads, also what it found in its person's folder. /disallow takes this back.", nil
}

// disallowGroup takes that back.
func disallowGroup(ctx context.Context, c *Commands, r Request) (string, error) {
	if err := checkGroupAdmin(c, r); err != nil {
		return "", err
	}
	stays, err := c.o.Desk.Groups.Disallow(ctx, r.Conversation)
	if err != nil {
		return "", fmt.Errorf("disallow a group: %w", err)
	}
	if stays {
		return "", &supervisor.Error{Code: supervisor.CodeForbidden, Message: "This group stands in the configuration " +
			"(telegram.groups), so people may still speak here. Take it out there, and run `mews reload`."}
	}
	c.o.Desk.Audit(r.Conversation.User, "group.disallowed", fmt.Sprintf("%s chat %s", r.Conversation.Channel, r.Conversation.Chat))
	return "From now on I answer nobody in this group. An admin's /allow changes that.", nil
}

// checkGroupAdmin is nil where an admin writes in a group.
func checkGroupAdmin(c *Commands, r Request) error {
	switch {
	case !c.o.admin(r.Conversation.User):
		return &supervisor.Error{Code: supervisor.CodeForbidden, Message: "Only an admin may say in which groups people speak with me."}
	case !c.o.InGroup(r.Conversation):
		return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf("/%s is for groups: add me to one, and write "+
			"it there. In a group I answer nobody until an admin has allowed it; in our private chat you may speak anyway.", r.Name)}
	}
	return nil
}
