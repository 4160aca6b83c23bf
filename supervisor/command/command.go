// Package command answers the slash commands and the presses of buttons: a table of each, and one file for each command that
// is more than a few lines. Both are kept like any message and answered once, but they pass the queue by.
package command

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Sessions is where turns run.
type Sessions interface {
	// Stop ends the turn that a command is about, and returns when its answer is in the outbox; what the command is about
	// has no Inbound where there was nothing to stop.
	Stop(ctx context.Context, c supervisor.Conversation, command int64) (sqlite.PrecedingText, error)
	// StopNow ends the turn that runs in a conversation, if there is one, for a command that is not on disk.
	StopNow(conversation int64) (stopped bool)
}

// Topics lets a conversation begin anew.
type Topics interface {
	Restart(ctx context.Context, conversation int64) error
}

// Request is one use of a command.
type Request struct {
	Conversation supervisor.Conversation
	Inbound      int64  // what the person sent
	Name         string // without the slash, lower case; of a press its row's prefix
	Arguments    string // all that follows that

	unblock func() // lets what waits behind it in its conversation run; it may be called at any time, and often
}

// run does what was asked for, and gives the answer: its Text, Buttons, Files and Vanish. Its errors are the person's answer
// too.
type run func(context.Context, *Commands, Request) (supervisor.Delivery, error)

// command is a row of the table.
type command struct {
	name   string // its summary is in summaries
	run    run
	mayAsk bool // the person may be asked before it is done, which takes as long as they take to answer
}

// textAnswer is a command whose answer is text alone.
func textAnswer(text func(context.Context, *Commands, Request) (string, error)) run {
	return func(ctx context.Context, c *Commands, r Request) (supervisor.Delivery, error) {
		text, err := text(ctx, c, r)
		return supervisor.Delivery{Text: text}, err
	}
}

// commandTable is the table. /help lists it in this order.
func commandTable() []command {
	return []command{
		{name: "start", run: textAnswer(start)},
		{name: "help", run: textAnswer(help)},
		{name: "new", run: textAnswer(newTopic)},
		{name: "stop", run: textAnswer(stop)},
		{name: "status", run: textAnswer(status)},
		{name: "model", run: model, mayAsk: true},
		{name: "models", run: textAnswer(models)},
		{name: "settings", run: settings, mayAsk: true},
		{name: "usage", run: usage},
		{name: "grants", run: grants},
		{name: "lock", run: textAnswer(lock)},
		{name: "invite", run: invite, mayAsk: true},
		{name: "allow", run: textAnswer(allowGroup)},
		{name: "disallow", run: textAnswer(disallowGroup)},
		{name: "resend", run: textAnswer(resend)},
	}
}

// find is a command's row.
func find(name string) (command, bool) {
	for _, row := range commandTable() {
		if row.name == name {
			return row, true
		}
	}
	return command{}, false
}

// Parse takes a command's text apart: "/Stop@mews_bot now" is stop, "now".
func Parse(text string) (name, arguments string) {
	word := strings.TrimPrefix(strings.TrimSpace(text), "/")
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word, arguments = word[:end], strings.TrimSpace(word[end:])
	}
	word, _, _ = strings.Cut(word, "@")
	return strings.ToLower(word), arguments
}

// answer runs one command, or what a button does.
func (c *Commands) answer(ctx context.Context, in supervisor.Inbound, aside func()) (supervisor.Delivery, error) {
	r := Request{Conversation: in.Conversation, Inbound: in.ID, unblock: aside}
	if in.Kind == supervisor.KindPress {
		return c.pressed(ctx, in, r)
	}
	r.Name, r.Arguments = Parse(in.Text)
	row, known := find(r.Name)
	if !known {
		return supervisor.Delivery{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
			"There is no command /%s. /help lists those there are.", r.Name)}
	}
	return row.run(ctx, c, r)
}

func help(context.Context, *Commands, Request) (string, error) {
	var b strings.Builder
	b.WriteString("Commands:\n")
	for _, row := range commandTable() {
		fmt.Fprintf(&b, "/%s - %s\n", row.name, summaries[row.name])
	}
	b.WriteString("\nEverything else you write goes to your assistant, which works in your own folder.")
	return b.String(), nil
}

func start(ctx context.Context, c *Commands, r Request) (string, error) {
	return "Mews is ready. Write what you want done with your notes and files; for example “list my files” or “take a note: " +
		"call Ann on Friday”. What you send is kept until it is answered, whatever happens in between.\n\n" + c.o.Welcome(r.Conversation) +
		"\n/help lists the commands.", nil
}

func newTopic(ctx context.Context, c *Commands, r Request) (string, error) {
	ahead, err := c.stopTurn(ctx, r)
	if err != nil {
		return "", err
	}
	if err := c.o.Topics.Restart(ctx, r.Conversation.ID); err != nil {
		return "", fmt.Errorf("begin a new topic: %w", err)
	}
	text := "A new topic. What was said so far stays on record but out of my sight; your files are as they were."
	if ahead.Inbound != 0 {
		text += " " + endedText(ahead)
	}
	switch {
	case ahead.Waiting == 1:
		text += " 1 message that has no answer yet is answered in the new topic."
	case ahead.Waiting > 1:
		text += fmt.Sprintf(" %d messages that have no answer yet are answered in the new topic.", ahead.Waiting)
	}
	return text, nil
}

func stop(ctx context.Context, c *Commands, r Request) (string, error) {
	ahead, err := c.stopTurn(ctx, r)
	switch {
	case err != nil:
		return "", err
	case ahead.Inbound == 0:
		return "Nothing is running here.", nil
	case ahead.Waiting == 1:
		return endedText(ahead) + " 1 message waits behind it, and is answered now.", nil
	case ahead.Waiting > 1:
		return fmt.Sprintf("%s %d messages wait behind it, and are answered now.", endedText(ahead), ahead.Waiting), nil
	}
	return endedText(ahead), nil
}

// endedText says how the turn ended that was to be stopped.
func endedText(ahead sqlite.PrecedingText) string {
	if ahead.Why == protocol.WhyStopped {
		return "Stopped."
	}
	return "The answer that was being given had just ended."
}

// stopTurn ends the turn that a command is about.
func (c *Commands) stopTurn(ctx context.Context, r Request) (sqlite.PrecedingText, error) {
	ahead, err := c.o.Sessions.Stop(ctx, r.Conversation, r.Inbound)
	if err != nil && ctx.Err() != nil {
		return ahead, &supervisor.Error{Code: supervisor.CodeUnavailable, Err: err, Message: "The answer that was being given " +
			"is being ended, and that takes longer than it should. It will say itself how it ended."}
	}
	return ahead, err
}

// NotStored takes a command that could not be kept, and gives what its sender is told of that. A /stop ends what runs all the
// same: to do that without a row harms nobody, and a full disk is no reason to go on.
func (c *Commands) NotStored(in supervisor.Inbound, err error) error {
	name, _ := Parse(in.Text)
	if in.Kind != supervisor.KindCommand || name != "stop" || !c.o.Sessions.StopNow(in.Conversation.ID) {
		return err
	}
	return &supervisor.Error{Code: supervisor.ErrorCode(err), Err: err, Message: "What runs here is being stopped, although " +
		"your /stop could not be kept: " + supervisor.ErrorMessage(err)}
}

func status(ctx context.Context, c *Commands, r Request) (string, error) {
	return c.o.Status(ctx, r.Conversation)
}
