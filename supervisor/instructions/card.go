package instructions

import (
	"cmp"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/presses"
)

// Card returns the notice about waiting files, with a row of buttons for each.
func Card(files []supervisor.PromptFile) (text string, rows [][]supervisor.Button) {
	var lines []string
	for _, f := range files {
		text := cmp.Or(textsState[f.Pending.State], textsReason[f.Pending.Why])
		consequence := textWhat
		if !f.Acceptable() {
			consequence = textLink
		}
		lines = append(lines, fmt.Sprintf(text, f.Path)+" "+consequence)
		rows = append(rows, buttons(f, len(files) > 1))
	}
	return strings.Join(lines, "\n"), rows
}

// buttons returns the buttons of a file. With named, they have its name.
func buttons(f supervisor.PromptFile, named bool) (row []supervisor.Button) {
	button := func(text, action string) {
		if named {
			text = fmt.Sprintf(textOf, f.Path, text)
		}
		row = append(row, supervisor.Button{Text: text, Press: pressPrefix + action + " " + f.Key()})
	}
	if f.Acceptable() {
		button(textDiff, presses.ActionDiff)
		button(textAccept, pressAccept)
	}
	if len(f.Text) < protocol.PromptFileBytes(f.Path) { // otherwise the file is cut in Text
		button(textBack, pressPutBack)
	}
	return row
}
