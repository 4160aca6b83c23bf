// Package command answers slash commands and presses of buttons. Its table has the core's commands,
// each in its own file, and the commands of the features (package feature). Commands and presses
// are stored like messages and answered once. Unlike messages, they do not wait in the queue.
package command

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"mews/config/spelling"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/slash"
)

// textAnswer makes a run from a function that returns only a text.
func textAnswer(text func(context.Context, *Commands, feature.CommandRequest) (string, error)) run {
	return func(ctx context.Context, c *Commands, r feature.CommandRequest) (supervisor.Delivery, error) {
		text, err := text(ctx, c, r)
		return supervisor.Delivery{Text: text}, err
	}
}

// answer runs a command or the action of a button. private is the delivery of an answer that went
// to the user's private chat; 0 means none.
func (c *Commands) answer(ctx context.Context, in supervisor.Inbound, unblock func()) (
	d supervisor.Delivery, private int64, err error) {
	r := c.requestIn(in.Conversation, feature.CommandRequest{User: c.userNamed(in.Conversation.User), Inbound: in.ID,
		At: in.ReceivedAt, Name: in.Command,
		Arguments: slash.ParseArguments(in.Text), Unblock: unblock})
	if in.Kind == supervisor.KindPress {
		d, err = c.runPress(ctx, in, r)
		return d, 0, err
	}
	row, known := c.find(r.Name)
	if !known {
		return d, 0, supervisor.Errorf(supervisor.CodeNotFound, "%s", c.unknownText(r))
	}
	if err := c.checkAdmin(row.SlashCommand, r.Conversation.User); err != nil {
		return d, 0, err
	}
	if row.Private != nil && row.Private(r.Arguments) && r.Conversation.IsInGroup() {
		private, err = c.answerInPrivate(ctx, row, r)
		return d, private, err
	}
	d, err = row.Run(ctx, r)
	return d, 0, err
}

// requestIn returns a request that asks its questions in the given conversation.
func (c *Commands) requestIn(in supervisor.Conversation, r feature.CommandRequest) feature.CommandRequest {
	r.Conversation = in
	r.Allow = func(ctx context.Context, effect, text string, arguments ...string) error {
		return c.allow(ctx, r, effect, text, arguments...)
	}
	return r
}

// otherNames are words that people try as commands, each with the command that they mean.
var otherNames = map[string]string{"reminder": "jobs", "reminders": "jobs", "tasks": "jobs", "todos": "jobs"}

// unknownText answers an unknown command. It suggests the most similar command that the user may
// use.
func (c *Commands) unknownText(r feature.CommandRequest) string {
	var all []string
	for _, row := range c.table {
		if c.checkAdmin(row.SlashCommand, r.Conversation.User) == nil {
			all = append(all, commandNames(row)...)
		}
	}
	if meant := cmp.Or(otherNames[r.Name], spelling.NearestName(r.Name, all)); meant != "" {
		return fmt.Sprintf(textCommandMeant, r.Name, meant)
	}
	return fmt.Sprintf(textNoCommand, r.Name)
}

// userNamed returns a user with their settings. For an unknown user, it sets only the name.
func (c *Commands) userNamed(name string) supervisor.User {
	user, _ := c.o.People.Find(name)
	user.Name = name
	return user
}

// checkAdmin returns nil if the user may use the command.
func (c *Commands) checkAdmin(command supervisor.SlashCommand, user string) error {
	if command.AdminsOnly && !c.isAdmin(user) {
		return supervisor.Errorf(supervisor.CodeForbidden, textAdminsOnly, command.Name)
	}
	return nil
}

// isAdmin reports whether a user is an admin.
func (c *Commands) isAdmin(user string) bool {
	u, known := c.o.People.Find(user)
	return known && u.Role == supervisor.RoleAdmin
}

// allow asks the user to approve an effect. While the user is asked, the conversation's next
// command may run.
func (c *Commands) allow(ctx context.Context, r feature.CommandRequest, effect, text string,
	arguments ...string) error {
	wait := time.AfterFunc(askGrace, r.Unblock)
	defer wait.Stop()
	return c.o.Approver.Allow(ctx, approval.Request{
		User: r.Conversation.User, Conversation: r.Conversation, Inbound: r.Inbound, Effect: effect, Arguments: arguments, Text: text,
	})
}
