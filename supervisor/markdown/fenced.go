package markdown

import "strings"

// Fenced is a text as a block of code, so that nothing in it is markup; "" of one without words.
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
