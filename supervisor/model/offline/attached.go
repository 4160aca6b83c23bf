package offline

import (
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// attachment is a file or picture that came with a message.
type attachment struct {
	line string // the line in brackets that names it
	text string // the beginning of its text; "" means that it has none
}

// attachmentLines returns the lines that name the attachments.
func attachmentLines(came []attachment) (lines []string) {
	for _, a := range came {
		lines = append(lines, a.line)
	}
	return lines
}

// split separates the user's words, typed or spoken, from attachments.
func split(m protocol.Message) (words string, came []attachment) {
	for _, p := range m.Parts {
		name, rest, named := strings.Cut(p.Text, "] ")
		switch {
		case strings.HasPrefix(name, "[The user has "): // a line about changes that the user has undone
		// a message quoted by a reminder or task
		case strings.HasPrefix(p.Text, supervisor.JobQuotePrefix):
		case strings.HasPrefix(name, "[voice,") && named:
			words += rest
		case strings.HasPrefix(name, "[File "), strings.HasPrefix(name, "[With this came "):
			line, _, _ := strings.Cut(name, "\n")
			came = append(came, attachment{strings.TrimSuffix(line, "]") + "]", attachedText(p.Text)})
		case strings.Contains(m.Stamp, stampScheduled) && strings.Contains(p.Text, supervisor.TaskPromptSeparator):
			_, order, _ := strings.Cut(p.Text, supervisor.TaskPromptSeparator)
			order, _, _ = strings.Cut(order, supervisor.TaskPromptSeparator)
			words += order
		default:
			words += p.Text
		}
	}
	return words, came
}

// aboutFiles returns the answer to files without an order: their names, and the beginning of each
// text.
func (t *turn) aboutFiles(came []attachment, hasText bool) (said []string) {
	for _, a := range came {
		if said = append(said, a.line); a.text != "" {
			said = append(said, fmt.Sprintf(textBegins, fence(a.text)))
		}
	}
	switch {
	case hasText:
		return append(said, textOnlyShows)
	case t.wasTold(textWhatIAm):
		return append(said, textOnlyKept)
	}
	return append(said, t.fresh(textWhatIAm, textConnect)...)
}

// attachedText returns the beginning of the text in an attached file's part; "" if there is none.
// The text stands between two lines of equal signs.
func attachedText(part string) string {
	if !strings.HasPrefix(part, "[File ") {
		return ""
	}
	_, rest, _ := strings.Cut(part, "\n")
	line, body, ok := strings.Cut(rest, "\n")
	if !ok || !strings.HasPrefix(line, fenceSigns) || !strings.HasSuffix(line, fenceSigns) {
		return ""
	}
	body, _, _ = strings.Cut(body, "\n"+line)
	shown, _ := cut(body, maxBeginning)
	return shown
}

// fenceSigns begin and end the lines around an attached text.
const fenceSigns = "====="

// maxBeginning is how much of an attached text is shown, in bytes.
const maxBeginning = 1 << 10
