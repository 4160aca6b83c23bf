// Package slash parses slash commands.
package slash

import (
	"regexp"
	"strings"
)

// pattern matches a slash and one word, with at most the length of Telegram's commands. The name of
// a bot may follow. It does not match a path.
var pattern = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w{1,64})?(?:\s|$)`)

// Parse splits a text into a slash command and its arguments. "/Stop@mews_bot now" gives stop and
// "now". The name is "" if the text is no command. Parse does not check that the command exists.
func Parse(text string) (name, arguments string) {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return "", ""
	}
	return strings.ToLower(match[1]), strings.TrimSpace(text[len(match[0]):])
}

// FollowupCommand is the name of the command that sends its arguments with PriorityFollowup.
const FollowupCommand = "followup"

// ParseFollowup returns the text after the command /followup. ok is false if the text has another
// command, or if it is the command alone, without files.
func ParseFollowup(text string, files int) (words string, ok bool) {
	name, words := Parse(text)
	return words, name == FollowupCommand && (words != "" || files > 0)
}

// ParseArguments returns the text after a slash command.
func ParseArguments(text string) string {
	_, arguments := Parse(text)
	return arguments
}
