// Package slash takes slash commands apart.
package slash

import (
	"regexp"
	"strings"
)

// pattern is a slash and one word, no longer than Telegram's commands may be, perhaps with the
// name of the bot that it is for. A path is none.
var pattern = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w{1,64})?(?:\s|$)`)

// Parse takes a text apart that begins with a slash command: "/Stop@mews_bot now" is stop, "now".
// The name is "" if the text is no command. Parse does not look whether there is such a command.
func Parse(text string) (name, arguments string) {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return "", ""
	}
	return strings.ToLower(match[1]), strings.TrimSpace(text[len(match[0]):])
}

// Followup is the command whose words are a text with PriorityFollowup.
const Followup = "followup"

// ParseFollowup is what a text says behind that command. It is not ok where it is another text, or
// the command alone, without files that came with it.
func ParseFollowup(text string, files int) (words string, ok bool) {
	name, words := Parse(text)
	return words, name == Followup && (words != "" || files > 0)
}

// Arguments is what stands behind the slash command in a text.
func Arguments(text string) string {
	_, arguments := Parse(text)
	return arguments
}
