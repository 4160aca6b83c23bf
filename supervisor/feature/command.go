package feature

import (
	"context"
	"time"

	"mews/supervisor"
)

// Command is a slash command of a feature.
type Command struct {
	supervisor.SlashCommand           // only the core may set EndsTurn and Locks
	Group                   HelpGroup // the group in which /help lists the command
	Alias                   string    // another name, which the menu does not list; "" means none
	Run                     CommandFunc
	// MayAsk allows the command an hour instead of a minute. Set it for commands that ask the user
	// first, or take long.
	MayAsk bool
	Prefix string      // prefix of the presses of the command's buttons; "" means no buttons
	Press  CommandFunc // function for a press of a button; nil means the command's own function
	// Keeps reports whether a message keeps its buttons after a press. press is the part after the
	// prefix. nil means that the buttons disappear.
	Keeps func(press string) bool
	// Private reports whether the answer to some arguments is only for the user. In a group, such
	// an answer goes to the user's private chat. nil means that no answer is private.
	Private func(arguments string) bool
}

// CommandFunc executes a command. The answer is the delivery's Text, Buttons, Files and
// DeleteAfter; an error is also an answer. A command may run again after a crash, so a second run
// must be harmless.
type CommandFunc func(context.Context, CommandRequest) (supervisor.Delivery, error)

// CommandRequest is one use of a slash command.
type CommandRequest struct {
	Conversation supervisor.Conversation
	User         supervisor.User // the asking user, with their settings; an unknown user has only a Name
	Inbound      int64           // the number of the command's message or press
	At           time.Time       // when the command's message or press was sent
	Name         string          // the name of the command
	Arguments    string          // the text after the command, or the part of a press after its prefix
	// Unblock lets the conversation's next command run. It may be called at any time, and
	// repeatedly.
	Unblock func()
	// Allow returns nil if an effect is allowed, otherwise an error for the user. It may ask the
	// user and wait for the answer; meanwhile the conversation's next command runs. text is the
	// question; the arguments identify the effect.
	Allow func(ctx context.Context, effect, text string, arguments ...string) error
}

// TextCommand makes a command's function from a function that returns only text.
func TextCommand(text func(context.Context, CommandRequest) (string, error)) CommandFunc {
	return func(ctx context.Context, r CommandRequest) (supervisor.Delivery, error) {
		text, err := text(ctx, r)
		return supervisor.Delivery{Text: text}, err
	}
}

// AlwaysPrivateAnswer and PrivateAnswerWithoutArguments are values of Command.Private.
func AlwaysPrivateAnswer(string) bool                     { return true }
func PrivateAnswerWithoutArguments(arguments string) bool { return arguments == "" }
