package supervisor

import (
	"regexp"
	"strings"
)

// SlashCommand is what is known of a slash command before it runs. Its row in package command says so, and everything below
// that package is given it by name.
type SlashCommand struct {
	Name string // lower case, without the slash
	Help string // what it does, in a few words that begin with a small letter
	// Urgent commands are taken however fast they come, and wait for no other command.
	Urgent bool
	// Open commands run while the gate is closed: nobody gains anything by them.
	Open bool
	// EndsTurn says that what was sent behind it is not for the turn that runs: that turn takes in nothing of it.
	EndsTurn   bool
	AdminsOnly bool
	// Locks is which gates it closes as it is kept, by its arguments in lower case. With other arguments it closes none.
	Locks map[string]Lock
}

// slashCommand is a slash and one word, no longer than Telegram's commands may be, perhaps with the name of the bot that it is
// for. A path is none.
var slashCommand = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w{1,64})?(?:\s|$)`)

// ParseSlashCommand takes a text apart that begins with a slash command: "/Stop@mews_bot now" is stop, "now". The name is "" where
// the text is no command. Whether there is such a command is not looked at.
func ParseSlashCommand(text string) (name, arguments string) {
	match := slashCommand.FindStringSubmatch(text)
	if match == nil {
		return "", ""
	}
	return strings.ToLower(match[1]), strings.TrimSpace(text[len(match[0]):])
}

// Arguments is what stands behind the command that an inbound is.
func (in Inbound) Arguments() string {
	_, arguments := ParseSlashCommand(in.Text)
	return arguments
}
