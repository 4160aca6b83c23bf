package offline

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol"
)

// maxQuoted is how much of a tool's text an answer shows, in bytes.
const maxQuoted = 12 << 10

// failure tells what came of a call that did not work. The tool's own words are told as they are.
func failure(action string, result protocol.ToolResult) string {
	text := strings.TrimSpace(result.Text)
	if file, picture := strings.CutSuffix(text, "; look at it with view_image"); picture {
		text = file + ", and I cannot see pictures"
	}
	switch {
	case interrupted(result):
		return fmt.Sprintf("I do not know whether I could %s: it was interrupted, and its outcome is unknown. "+
			"Please look before it is done again.", action)
	case text == "":
		return fmt.Sprintf("I could not %s. The tool did not say why.", action)
	case strings.Contains(text, "\n"):
		return fmt.Sprintf("I could not %s:\n%s", action, fence(text))
	default:
		return fmt.Sprintf("I could not %s: %s", action, text)
	}
}

// interrupted says whether a crash or a stop has hidden what became of a call.
func interrupted(result protocol.ToolResult) bool {
	return result.Failed && strings.HasPrefix(result.Text, "interrupted")
}

// done tells a change in the tool's own words, or in ours where it has none.
func done(text, otherwise string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "Done: " + otherwise + "."
	case strings.Contains(text, "\n"):
		return "Done:\n" + fence(text)
	default:
		return "Done: " + text
	}
}

// fence shows text as it is, in a fence longer than any in it. Of a long text it shows the beginning and says so.
func fence(text string) string {
	text = strings.TrimRight(text, "\n")
	shown, left := cut(text, maxQuoted)
	bar := "```"
	for strings.Contains(shown, bar) {
		bar += "`"
	}
	quoted := bar + "\n" + shown + "\n" + bar
	if left > 0 {
		quoted += fmt.Sprintf("\nThat is the beginning: %d more bytes are not shown here.", left)
	}
	return quoted
}

// cut is at most limit bytes of text, whole lines where it can, and how many bytes are left.
func cut(text string, limit int) (string, int) {
	if len(text) <= limit {
		return text, 0
	}
	end := strings.LastIndexByte(text[:limit], '\n')
	if end <= 0 {
		for end = limit; end > 0 && !utf8.RuneStart(text[end]); end-- {
		}
	}
	return text[:end], len(text) - end
}

// code shows a short text, such as a file's name, apart from the sentence around it.
func code(text string) string {
	if strings.ContainsAny(text, "`\n") {
		return fmt.Sprintf("%q", text)
	}
	return "`" + text + "`"
}

var rfc3339 = lazy(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)

// clock tells the time that a tool gave, or the tool's own words where there is none in them.
func clock(text, place string) string {
	at, err := time.Parse(time.RFC3339, rfc3339().FindString(text))
	if err != nil {
		return strings.TrimSpace(text)
	}
	return at.Format("It is 15:04 on Monday, 2 January 2006") + place + " (UTC" + at.Format("-07:00") + ")."
}
