package feature

import (
	"context"
	"time"

	"mews/supervisor"
)

// Command is a row of the table of slash commands.
type Command struct {
	supervisor.SlashCommand        // EndsTurn and Locks are the core's alone
	Group                   Group  // under which /help lists it
	Alias                   string // another name, which the menu does not list; "" is none
	Run                     Run
	// MayAsk allows an hour instead of a minute: the person may be asked first, or it takes long.
	MayAsk bool
	Prefix string // begins the presses of its buttons; "" means it has none
	Press  Run    // runs for such a press; nil runs the command
	// Keeps reports whether the message keeps its buttons after a press. press is what stands
	// behind the prefix. nil means that they go.
	Keeps func(press string) bool
	// Private reports whether the answer to some arguments is for the person alone: in a group it
	// goes to their private chat. nil means never.
	Private func(arguments string) bool
}

// Run executes a command. The answer is the delivery's Text, Buttons, Files and DeleteAfter; an
// error is also an answer. Run may be repeated after a crash, so a second run must be harmless.
type Run func(context.Context, Request) (supervisor.Delivery, error)

// Request is one use of a command.
type Request struct {
	Conversation supervisor.Conversation
	User         supervisor.User // who asks, with what they have set; only Name if nobody knows them
	Inbound      int64           // the message or the press
	At           time.Time       // when it was sent
	Name         string          // the command's
	Arguments    string          // all that follows it, or what a button says behind its prefix
	// Unblock lets the conversation's next command run. It may be called at any time, and often.
	Unblock func()
	// Allow returns nil if an effect is allowed, otherwise an error for the user. It may ask the
	// user and wait for the answer; the conversation's next command runs meanwhile. The text is the
	// question; the arguments identify the effect.
	Allow func(ctx context.Context, effect, text string, arguments ...string) error
}

// Text makes a Run from a function that returns only text.
func Text(text func(context.Context, Request) (string, error)) Run {
	return func(ctx context.Context, r Request) (supervisor.Delivery, error) {
		text, err := text(ctx, r)
		return supervisor.Delivery{Text: text}, err
	}
}

// Always and WithoutArguments are values of Private.
func Always(string) bool                     { return true }
func WithoutArguments(arguments string) bool { return arguments == "" }
