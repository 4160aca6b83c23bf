// Package command answers the slash commands: a table, one file for each that is more than a few lines. A command is kept
// like any message and answered once, but it passes the queue by.
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
	Stop(ctx context.Context, c supervisor.Conversation, command int64) (sqlite.Ahead, error)
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
	Name         string // without the slash, lower case
	Arguments    string
}

// command is a row of the table.
type command struct {
	name    string
	summary string // for /help
	run     func(context.Context, *Commands, Request) (string, error)
}

// commands is the table. /help lists it in this order.
func commands() []command {
	return []command{
		{"start", "what Mews is, and how to begin", start},
		{"help", "this list", help},
		{"new", "begin a new topic: what was said so far is left out from now on", newTopic},
		{"stop", "end the running answer at once", stop},
		{"status", "what runs, for whom, with which model and walls", status},
	}
}

// parse takes a command's text apart: "/Stop@mews_bot now" is stop, "now".
func parse(text string) (name, arguments string) {
	word := strings.TrimPrefix(strings.TrimSpace(text), "/")
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word, arguments = word[:end], strings.TrimSpace(word[end:])
	}
	word, _, _ = strings.Cut(word, "@")
	return strings.ToLower(word), arguments
}

// answer runs one command. Its errors are the person's answer too.
func (c *Commands) answer(ctx context.Context, in supervisor.Inbound) (string, error) {
	name, arguments := parse(in.Text)
	for _, row := range commands() {
		if row.name == name {
			return row.run(ctx, c, Request{
				Conversation: in.Conversation, Inbound: in.ID, Name: name, Arguments: arguments})
		}
	}
	return "", &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf(
		"There is no command /%s. /help lists those there are.", name)}
}

func help(context.Context, *Commands, Request) (string, error) {
	var b strings.Builder
	b.WriteString("Commands:\n")
	for _, row := range commands() {
		fmt.Fprintf(&b, "/%s - %s\n", row.name, row.summary)
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
	ahead, err := c.halt(ctx, r)
	if err != nil {
		return "", err
	}
	if err := c.o.Topics.Restart(ctx, r.Conversation.ID); err != nil {
		return "", fmt.Errorf("begin a new topic: %w", err)
	}
	text := "A new topic. What was said so far stays on record but out of my sight; your files are as they were."
	if ahead.Inbound != 0 {
		text += " " + ended(ahead)
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
	ahead, err := c.halt(ctx, r)
	switch {
	case err != nil:
		return "", err
	case ahead.Inbound == 0:
		return "Nothing is running here.", nil
	case ahead.Waiting == 1:
		return ended(ahead) + " 1 message waits behind it, and is answered now.", nil
	case ahead.Waiting > 1:
		return fmt.Sprintf("%s %d messages wait behind it, and are answered now.", ended(ahead), ahead.Waiting), nil
	}
	return ended(ahead), nil
}

// ended says how the turn ended that was to be stopped.
func ended(ahead sqlite.Ahead) string {
	if ahead.Why == protocol.WhyStopped {
		return "Stopped."
	}
	return "The answer that was being given had just ended."
}

// halt ends the turn that a command is about.
func (c *Commands) halt(ctx context.Context, r Request) (sqlite.Ahead, error) {
	ahead, err := c.o.Sessions.Stop(ctx, r.Conversation, r.Inbound)
	if err != nil && ctx.Err() != nil {
		return ahead, &supervisor.Error{Code: supervisor.CodeUnavailable, Err: err, Message: "The answer that was being given " +
			"is being ended, and that takes longer than it should. It will say itself how it ended."}
	}
	return ahead, err
}

// Unkept takes a command that could not be kept, and gives what its sender is told of that. A /stop ends what runs all the
// same: to do that without a row harms nobody, and a full disk is no reason to go on.
func (c *Commands) Unkept(in supervisor.Inbound, err error) error {
	name, _ := parse(in.Text)
	if in.Kind != supervisor.KindCommand || name != "stop" || !c.o.Sessions.StopNow(in.Conversation.ID) {
		return err
	}
	return &supervisor.Error{Code: supervisor.ErrorCode(err), Err: err, Message: "What runs here is being stopped, although " +
		"your /stop could not be kept: " + supervisor.ErrorMessage(err)}
}

func status(ctx context.Context, c *Commands, r Request) (string, error) {
	return c.o.Status(ctx, r.Conversation)
}
