package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// Invites makes invitations.
type Invites interface {
	// CheckName returns nil if the name may be invited. Otherwise the error is a text for the
	// admin.
	CheckName(ctx context.Context, name string) error
	// Invite creates a one-time code that binds an account to a user. An unknown name becomes a new
	// user.
	Invite(ctx context.Context, name string) (access.Invitation, error)
}

// inviteMessageLifetime is how long the message with the code stays in the chat.
const inviteMessageLifetime = time.Hour

const inviteName = "invite"

var inviteRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: inviteName,
		Help:       "let somebody in: /invite NAME makes a code for them",
		AdminsOnly: true}, group: feature.HelpGroupAdmin, run: invite, mayAsk: true},
}

// invite gives an admin a code for a new account.
func invite(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	name := strings.TrimSpace(r.Arguments)
	if err := checkInvite(ctx, c, r.Conversation, name); err != nil {
		return d, err
	}
	question := fmt.Sprintf(textInviteQuestion, markdown.EscapeName(name), markdown.EscapeName(name))
	if c.isAdmin(name) {
		question += fmt.Sprintf(textInviteAdmin, markdown.EscapeName(name))
	}
	err = c.allow(ctx, r, approval.EffectInvite, question, name)
	if err != nil {
		return d, err
	}
	// the question may have been open for an hour, so the checks are repeated
	if err := checkInvite(ctx, c, r.Conversation, name); err != nil {
		return d, err
	}
	made, err := c.o.Invites.Invite(ctx, name)
	if err != nil {
		return d, fmt.Errorf("invite %s: %w", name, err)
	}
	c.o.Audit(name, "invite.made", fmt.Sprintf("by %s, for %v", r.Conversation.User, made.ValidFor))
	return supervisor.Delivery{Text: invitationText(made, name, r.Conversation.Channel.Capabilities().Delete), Files: made.Files, DeleteAfter: inviteMessageLifetime}, nil
}

// checkInvite returns nil if the user of the conversation may invite name in this chat.
func checkInvite(ctx context.Context, c *Commands, conversation supervisor.Conversation, name string) error {
	switch {
	case conversation.IsInGroup():
		return supervisor.Errorf(supervisor.CodeForbidden, textInviteInGroup)
	case name == "":
		return supervisor.Errorf(supervisor.CodeInvalid, textInviteUsage)
	}
	if err := c.checkAdmin(c.FindCommand(inviteName), conversation.User); err != nil {
		return err
	}
	return c.o.Invites.CheckName(ctx, name)
}

// invitationText returns the code with instructions, for the admin who invites. deleted says that
// Mews will delete the message.
func invitationText(i access.Invitation, name string, deleted bool) string {
	var b strings.Builder
	if i.Added {
		fmt.Fprintf(&b, textInviteAdded, markdown.EscapeName(name))
	}
	fmt.Fprintf(&b, textInviteGive, markdown.EscapeName(name), int(i.ValidFor.Hours()))
	if i.Admin {
		fmt.Fprintf(&b, textInviteAdmin, markdown.EscapeName(name))
	}
	b.WriteString("\n\n")
	switch {
	case i.NoBotText != "":
		fmt.Fprintf(&b, textInviteNoBot, i.NoBotText, i.Code)
	case i.Link != "":
		fmt.Fprintf(&b, textInviteLink, i.Link, i.Code)
	default:
		fmt.Fprintf(&b, textInviteCode, i.Code)
	}
	if i.Enrols {
		b.WriteString(textInviteFactor)
	}
	if deleted {
		b.WriteString(textInviteDeleted)
	}
	return b.String()
}
