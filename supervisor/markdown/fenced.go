package markdown

import "strings"

// Fenced returns a text as a block of code, so that it has no markup. A text without words gives
// "".
func Fenced(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}
