package undo

import (
	"fmt"
	"strings"
	"unicode"

	"mews/supervisor"
	"mews/supervisor/internal/presses"
)

// Buttons returns the buttons below the answer of a turn that changed files. In a group there is no
// button that shows the diff.
func Buttons(in supervisor.Conversation, turn int64) [][]supervisor.Button {
	row := []supervisor.Button{{Text: textUndoButton, Press: presses.FormatUndoPress(presses.ActionUndo, turn, 0)}}
	if !in.IsInGroup() {
		row = append(
			row,
			supervisor.Button{Text: TextDiffButton, Press: presses.FormatUndoPress(presses.ActionDiff, turn, 0)},
		)
	}
	return [][]supervisor.Button{row}
}

// CannotUndoNote returns the ledger's note about a change that can't be taken back.
func CannotUndoNote(why string) string { return fmt.Sprintf(textNever, why) }

// maxTold is the most files or programs that a sentence of a note to the model names.
const maxTold = 20

// RestoredFilesNote returns the note to the model about changes that the user took back. The
// changes in undone are gone. The changes in redone are in force again.
func RestoredFilesNote(undone, redone supervisor.RestoredNames) (text string) {
	for _, told := range []struct {
		names          []string
		sentence, more string
	}{{undone.Paths, textTold, textToldMore}, {undone.Programs, textToldProgram, textToldMorePrograms},
		{redone.Paths, textToldAgain, textToldMore}, {redone.Programs, textToldProgramAgain, textToldMorePrograms}} {
		names := make([]string, min(len(told.names), maxTold))
		for i := range names {
			names[i] = onOneLine(told.names[i])
		}
		if more := len(told.names) - maxTold; more > 0 {
			names = append(names, fmt.Sprintf(told.more, more))
		}
		if len(names) > 0 {
			text += fmt.Sprintf(told.sentence, strings.Join(names, ", "))
		}
	}
	return text
}

// onOneLine quotes a path, so that nothing in it looks like another part of the sentence.
func onOneLine(path string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '[' || r == ']' {
			return '_'
		}
		return r
	}, path)
}
