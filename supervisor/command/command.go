// Package command answers the slash commands: a table, one file for each that is more than a few lines. A command is kept
// like any message and answered once, but it passes the queue by.
package command

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"mews/supervisor"
)

// Sessions is where turns run. Stop ends the turn of a conversation that answers what came before an inbound. It returns
// nil when there is none; else a channel that is closed when the stopped turn's answer is in the outbox.
type Sessions interface {
	Stop(conversation, before int64) (over <-chan struct{})
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
	stopped := ""
	if over := c.o.Sessions.Stop(r.Conversation.ID, r.Inbound); over != nil {
		if err := wait(ctx, over); err != nil {
			return "", err
		}
		stopped = " The answer that was being given was stopped."
	}
	if err := c.o.Topics.Restart(ctx, r.Conversation.ID); err != nil {
		return "", fmt.Errorf("begin a new topic: %w", err)
	}
	return "A new topic. What was said so far stays on record but out of my sight; your files are as they were." + stopped, nil
}

func stop(ctx context.Context, c *Commands, r Request) (string, error) {
	over := c.o.Sessions.Stop(r.Conversation.ID, r.Inbound)
	if over == nil {
		return "Nothing is running here.", nil
	}
	if err := wait(ctx, over); err != nil {
		return "", err
	}
	return "Stopped.", nil
}

func status(ctx context.Context, c *Commands, r Request) (string, error) {
	return c.o.Status(ctx, r.Conversation)
}

func wait(ctx context.Context, over <-chan struct{}) error {
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return &supervisor.Error{Code: supervisor.CodeUnavailable, Err: context.Cause(ctx), Message: "The answer that was " +
			"being given is being ended, and that takes longer than it should. It will say itself how it ended."}
	}
}
