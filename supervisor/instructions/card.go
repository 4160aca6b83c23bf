package instructions

import (
	"cmp"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/presses"
)

// PendingChangesNotice returns the notice about waiting prompt files. Each file has a row of
// buttons.
func PendingChangesNotice(files []supervisor.PromptFile) (text string, rows [][]supervisor.Button) {
	var lines []string
	for _, f := range files {
		text := cmp.Or(textsState[f.Pending.State], textsReason[f.Pending.Why])
		consequence := textWhat
		if !f.CanAcceptPending() {
			consequence = textLink
		}
		lines = append(lines, fmt.Sprintf(text, f.Path)+" "+consequence)
		rows = append(rows, buttons(f, len(files) > 1))
	}
	return strings.Join(lines, "\n"), rows
}

// buttons returns the buttons of a waiting file. If named is true, the labels contain the file's
// name.
func buttons(f supervisor.PromptFile, named bool) (row []supervisor.Button) {
	button := func(text, action string) {
		if named {
			text = fmt.Sprintf(textOf, f.Path, text)
		}
		row = append(row, supervisor.Button{Text: text, Press: pressPrefix + action + " " + f.PendingKey()})
	}
	if f.CanAcceptPending() {
		button(textDiff, presses.ActionDiff)
		button(textAccept, pressAccept)
	}
	if len(f.Text) < protocol.MaxPromptFileBytes(f.Path) { // a file that is cut in f.Text can't be restored
		button(textBack, pressPutBack)
	}
	return row
}
