// Package slash parses slash commands.
package slash

import (
	"regexp"
	"strings"
)

// pattern matches a slash and one word, no longer than Telegram's commands may be, perhaps with the
// name of a bot. It does not match a path.
var pattern = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w{1,64})?(?:\s|$)`)

// Parse parses a text with a slash command: "/Stop@mews_bot now" is stop, "now". The name is "" if
// the text is no command. Parse does not check that the command exists.
func Parse(text string) (name, arguments string) {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return "", ""
	}
	return strings.ToLower(match[1]), strings.TrimSpace(text[len(match[0]):])
}

// Followup is the command whose words are a text with PriorityFollowup.
const Followup = "followup"

// ParseFollowup returns the text after that command. ok is false if it is another text, or if it is
// the command alone, without files.
func ParseFollowup(text string, files int) (words string, ok bool) {
	name, words := Parse(text)
	return words, name == Followup && (words != "" || files > 0)
}

// Arguments returns the text after a slash command.
func Arguments(text string) string {
	_, arguments := Parse(text)
	return arguments
}
