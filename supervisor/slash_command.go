package supervisor

import (
	"regexp"
	"strconv"
	"strings"
)

// SlashCommand is what is known of a slash command before it runs. Its row in package command says
// so, and everything below that package is given it by name.
type SlashCommand struct {
	Name string // lower case, without the slash
	Help string // what it does, in a few words that begin with a small letter
	// Urgent commands are taken however fast they come, and wait for no other command.
	Urgent bool
	// Open commands run while the gate is closed: nobody gains anything by them.
	Open bool
	// EndsTurn says that what was sent behind it is not for the turn that runs: that turn takes in
	// nothing of it.
	EndsTurn   bool
	AdminsOnly bool
	// Locks is which gates it closes as it is kept, by its arguments in lower case. With other
	// arguments it closes none.
	Locks map[string]Lock
}

// slashCommand is a slash and one word, no longer than Telegram's commands may be, perhaps with the
// name of the bot that it is for. A path is none.
var slashCommand = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w{1,64})?(?:\s|$)`)

// ParseSlashCommand takes a text apart that begins with a slash command: "/Stop@mews_bot now" is
// stop, "now". The name is "" where the text is no command. Whether there is such a command is not
// looked at.
func ParseSlashCommand(text string) (name, arguments string) {
	match := slashCommand.FindStringSubmatch(text)
	if match == nil {
		return "", ""
	}
	return strings.ToLower(match[1]), strings.TrimSpace(text[len(match[0]):])
}

// FollowupCommand is the command whose words are a text with PriorityFollowup.
const FollowupCommand = "followup"

// ParseFollowup is what a text says behind that command. It is not ok where it is another text, or
// the command alone, without files that came with it.
func ParseFollowup(text string, files int) (words string, ok bool) {
	name, words := ParseSlashCommand(text)
	return words, name == FollowupCommand && (words != "" || files > 0)
}

// QueuePress begins the presses of the buttons below a list of what waits. What is to be done
// stands behind it, and the inbound's id.
const QueuePress = "w:"

// QueuePressed is the inbound that such a press is about.
func QueuePressed(press string) (inbound int64, ok bool) {
	rest, ok := strings.CutPrefix(press, QueuePress)
	_, number, there := strings.Cut(rest, " ")
	inbound, err := strconv.ParseInt(number, 10, 64)
	return inbound, ok && there && err == nil
}

// Arguments is what stands behind the command that an inbound is.
func (in Inbound) Arguments() string {
	_, arguments := ParseSlashCommand(in.Text)
	return arguments
}
