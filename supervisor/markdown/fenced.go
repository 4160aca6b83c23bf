package markdown

import "strings"

// FenceText returns a text as a block of code, so that it has no markup. A text without words gives
// "".
func FenceText(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}
