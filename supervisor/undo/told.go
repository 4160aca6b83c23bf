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

// maxTold is the most restored files that a note to the model names.
const maxTold = 20

// RestoredFilesNote returns the note to the model about files that the user restored. undone are
// the files without the model's change. redone are the files with the change again.
func RestoredFilesNote(undone, redone []string) (text string) {
	for _, told := range []struct {
		paths    []string
		sentence string
	}{{undone, textTold}, {redone, textToldAgain}} {
		names := make([]string, min(len(told.paths), maxTold))
		for i := range names {
			names[i] = onOneLine(told.paths[i])
		}
		if more := len(told.paths) - maxTold; more > 0 {
			names = append(names, fmt.Sprintf(textToldMore, more))
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
