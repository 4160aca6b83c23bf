// Package command answers the slash commands and the presses of buttons. Each command is a file
// with a row, which registers itself. Commands and presses are kept like any message and answered
// once, but they pass the queue by.
package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mews/config/spelling"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/slash"
)

// Request is one use of a command.
type Request struct {
	Conversation supervisor.Conversation
	Inbound      int64     // what the person sent
	At           time.Time // when
	Name         string    // the command's
	Arguments    string    // all that follows it, or what a button says behind its prefix

	// lets the conversation's next command run; it may be called at any time, and often
	unblock func()
}

// run does what was asked for. The answer is the delivery's Text, Buttons, Files and DeleteAfter;
// an error is the person's answer too.
type run func(context.Context, *Commands, Request) (supervisor.Delivery, error)

// row is a command.
type row struct {
	supervisor.SlashCommand
	place int    // in /help, from the top; those with the same are sorted by name
	alias string // another name of it, which the menu does not list; "" for none
	run   run
	// the person may be asked first, which takes as long as they take to answer; or it takes long
	// by itself
	mayAsk bool
	prefix string // begins the presses of its buttons; "" where it has none
	press  run    // what such a press does; nil: what the command does
	// private says of some arguments that the answer is for the person alone: who asks in a group
	// gets it in their private chat.
	private func(arguments string) bool
}

// table holds the rows as /help lists them. It is not changed once the program runs.
var table []row

// register adds a command to the table. Only init calls it.
func register(r row) {
	table = append(table, r)
	slices.SortFunc(table, func(a, b row) int { return cmp.Or(a.place-b.place, cmp.Compare(a.Name, b.Name)) })
}

// names are a command's, of which the first is its own.
func (r row) names() []string {
	if r.alias == "" {
		return []string{r.Name}
	}
	return []string{r.Name, r.alias}
}

// find is a command's row; known is false of a command that there is not.
func find(name string) (_ row, known bool) {
	i := slices.IndexFunc(table, func(r row) bool { return slices.Contains(r.names(), name) })
	if i < 0 {
		return row{}, false
	}
	return table[i], true
}

// Find is what is known of a command before it runs; the zero value of one that there is not.
func Find(name string) supervisor.SlashCommand {
	r, _ := find(name)
	return r.SlashCommand
}

// help is what a command does, as people read it.
func (r row) help() string {
	switch {
	case r.alias != "":
		return r.Help + " (also /" + r.alias + ")"
	case r.AdminsOnly:
		return r.Help + " (for admins)"
	}
	return r.Help
}

// textAnswer is a run whose answer is text alone.
func textAnswer(text func(context.Context, *Commands, Request) (string, error)) run {
	return func(ctx context.Context, c *Commands, r Request) (supervisor.Delivery, error) {
		text, err := text(ctx, c, r)
		return supervisor.Delivery{Text: text}, err
	}
}

// answer runs a command, or what a button does.
func (c *Commands) answer(ctx context.Context, in supervisor.Inbound, unblock func()) (supervisor.Delivery, error) {
	r := Request{Conversation: in.Conversation, Inbound: in.ID, At: in.ReceivedAt, Name: in.Command, Arguments: slash.Arguments(in.Text), unblock: unblock}
	if in.Kind == supervisor.KindPress {
		return c.pressed(ctx, in, r)
	}
	row, known := find(r.Name)
	if !known {
		return supervisor.Delivery{}, supervisor.Errorf(supervisor.CodeNotFound, "%s", c.unknownText(r))
	}
	if err := c.checkAdmin(row.SlashCommand, r.Conversation.User); err != nil {
		return supervisor.Delivery{}, err
	}
	if row.private != nil && row.private(r.Arguments) && r.Conversation.InGroup() {
		return c.answerInPrivate(ctx, row, r)
	}
	return row.run(ctx, c, r)
}

// unknownText says that there is no such command, and which one was probably meant of those that
// the person may use.
func (c *Commands) unknownText(r Request) string {
	var names []string
	for _, row := range table {
		if c.checkAdmin(row.SlashCommand, r.Conversation.User) == nil {
			names = append(names, row.names()...)
		}
	}
	if meant := spelling.Nearest(r.Name, names); meant != "" {
		return fmt.Sprintf(textCommandMeant, r.Name, meant)
	}
	return fmt.Sprintf(textNoCommand, r.Name)
}

// always and withoutArguments are rows' private.
func always(string) bool                     { return true }
func withoutArguments(arguments string) bool { return arguments == "" }

// answerInPrivate gives a command's answer in its person's private chat, and says so in the group.
// What a crash cut off in between is given again.
func (c *Commands) answerInPrivate(ctx context.Context, row row, r Request) (d supervisor.Delivery, err error) {
	user, _ := c.o.People.Find(r.Conversation.User)
	user.Name = r.Conversation.User
	r.Conversation = user.PrivateChat()
	if d, err = row.run(ctx, c, r); err != nil {
		return d, err
	}
	d.Conversation = r.Conversation
	said, err := c.o.Outbox.Say(ctx, d)
	if err != nil {
		return d, fmt.Errorf("answer in private: %w", err)
	}
	c.o.Queued(said.Conversation.ID)
	return supervisor.Delivery{Text: textInPrivate}, nil
}

// checkAdmin is nil where a person may use a command.
func (c *Commands) checkAdmin(command supervisor.SlashCommand, user string) error {
	if command.AdminsOnly && !c.isAdmin(user) {
		return supervisor.Errorf(supervisor.CodeForbidden, textAdminsOnly, command.Name)
	}
	return nil
}

// isAdmin says whether a person may see to the service.
func (c *Commands) isAdmin(user string) bool {
	u, known := c.o.People.Find(user)
	return known && u.Role == supervisor.RoleAdmin
}

// allow has an effect approved. While the person is asked, the conversation's next command runs.
func (c *Commands) allow(ctx context.Context, r Request, effect, text string, arguments ...string) error {
	wait := time.AfterFunc(askGrace, r.unblock)
	defer wait.Stop()
	return c.o.Approver.Allow(ctx, approval.Request{
		User: r.Conversation.User, Conversation: r.Conversation, Inbound: r.Inbound, Effect: effect, Arguments: arguments, Text: text,
	})
}

// EndingTurns are the names of the commands with EndsTurn.
func EndingTurns() (names []string) {
	for _, row := range table {
		if row.EndsTurn {
			names = append(names, row.names()...)
		}
	}
	return names
}

// MenuEntry is a command as a channel's menu shows it.
type MenuEntry struct {
	Name    string // without the slash
	Summary string
}

// Menu lists the commands, those for admins too or not, for a channel that shows them to choose
// from. /start is not in it: such a channel offers that by itself, to those who have not begun.
func Menu(admin bool) (menu []MenuEntry) {
	for _, row := range table {
		if row.Name != startName && (admin || !row.AdminsOnly) {
			menu = append(menu, MenuEntry{Name: row.Name, Summary: row.help()})
		}
	}
	return menu
}
