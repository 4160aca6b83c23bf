package chat

import (
	"fmt"
	"strconv"
	"strings"

	"mews/supervisor/control"
)

// choices are the buttons below the newest delivery. The zero value has no buttons.
type choices struct {
	delivery int64
	words    bool     // the user may also answer in words
	presses  []string // for each choice, the press that it sends; in the order of the shown numbers
	lines    []string // lines to show, one for each row of buttons
}

// choicesOf returns the choices below a delivery.
func choicesOf(d control.Delivery) choices {
	c := choices{delivery: d.ID, words: d.Asks}
	for _, row := range d.Buttons {
		line := ""
		for _, b := range row {
			c.presses = append(c.presses, b.Press)
			line += fmt.Sprintf("  %d) %s ", len(c.presses), strings.Join(strings.Fields(stripControls(b.Text)), " "))
		}
		c.lines = append(c.lines, strings.TrimRight(line, " "))
	}
	return c
}

// hasAny reports whether there is anything to choose or answer.
func (c choices) hasAny() bool { return len(c.presses) > 0 || c.words }

// line returns the message for a typed text. If the text is only the number of a choice, the
// message is a press.
func (c choices) line(key, text string) outgoing {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(c.presses) || text != strconv.Itoa(n) {
		return outgoing{key: key, text: text}
	}
	return outgoing{key: key, text: text, delivery: c.delivery, press: c.presses[n-1]}
}

// fullText returns all text of a delivery: its words, its files, and its choices.
func fullText(d control.Delivery, home string) string {
	var lines []string
	if text := stripControls(d.Text); text != "" || len(d.Files) == 0 {
		lines = append(lines, text)
	}
	return strings.Join(append(append(lines, fileLines(d, home)...), choicesOf(d).lines...), "\n")
}
