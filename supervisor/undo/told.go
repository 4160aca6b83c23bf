package undo

import (
	"fmt"
	"strings"
	"unicode"

	"mews/supervisor"
	"mews/supervisor/internal/presses"
)

// Buttons are below the answer of a turn that has changed files. Where others read it, nobody shows
// them what is in the files.
func Buttons(in supervisor.Conversation, turn int64) [][]supervisor.Button {
	row := []supervisor.Button{{Text: textUndoButton, Press: presses.Undo(presses.ActionUndo, turn, 0)}}
	if !in.InGroup() {
		row = append(
			row,
			supervisor.Button{Text: TextDiffButton, Press: presses.Undo(presses.ActionDiff, turn, 0)},
		)
	}
	return [][]supervisor.Button{row}
}

// NeverNote stands in the ledger behind what was done to a file, with why it can't be taken back.
func NeverNote(why string) string { return fmt.Sprintf(textNever, why) }

// maxTold is how many files the model is told of that were put back.
const maxTold = 20

// Told tells the model what files its person has put back since it last ran: whose change was undone,
// and whose was put back again.
func Told(undone, redone []string) (text string) {
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

// onOneLine is a path that looks like nothing else in a sentence.
func onOneLine(path string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '[' || r == ']' {
			return '_'
		}
		return r
	}, path)
}
