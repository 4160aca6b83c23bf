package sqlite

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"mews/protocol"
)

// deleteOldNotes deletes the rows of daily notes before a path. Waiting notes stay.
const deleteOldNotes = `DELETE FROM prompt_file WHERE user = ? AND path LIKE 'memory/%' AND path < ?
	AND pending_why = ''`

// isNotes reports whether a path names a file of daily notes.
func isNotes(path string) bool { return strings.HasPrefix(path, "memory/") }

// oldestNotes returns the path of the earliest daily notes among files; "" means none.
func oldestNotes(files []protocol.PromptFile) (oldest string) {
	for _, f := range files {
		if isNotes(f.Path) && (oldest == "" || f.Path < oldest) {
			oldest = f.Path
		}
	}
	return oldest
}

// EraseWords removes lines with given words from the stored texts of a user's memory. It also
// deletes stored copies of earlier texts. It does not touch the files in the home.
func (s PromptFiles) EraseWords(ctx context.Context, user string, words []string) error {
	return s.db.write(ctx, func(t *tx) { t.blankMemory(user, words) }, "remove forgotten words from what is kept "+
		"of the memory of %s", user)
}

const (
	ofMemory         = ` user = ?1 AND (path = 'MEMORY.md' OR path LIKE 'memory/%') `
	markMemoryCopies = `UPDATE blob SET forgotten = 1, turn = NULL WHERE user = ?1 AND sha256 IN (SELECT before FROM undo WHERE` + ofMemory + `
		UNION SELECT state FROM prompt_file WHERE` + ofMemory + `) AND NOT EXISTS (SELECT 1 FROM attachment a WHERE a.sha256 = blob.sha256 AND a.user = ?1)`
	deleteMemoryCopies = `DELETE FROM undo WHERE` + ofMemory
)

func (t *tx) blankMemory(user string, words []string) {
	t.Exec(markMemoryCopies, user)
	t.Exec(deleteMemoryCopies, user)
	for _, f := range all(t, scanPromptFile, listPromptFiles, user, true) {
		if f.Path == "MEMORY.md" || isNotes(f.Path) {
			next := f
			next.Text, next.Pending.Text = withoutLines(f.Text, words), withoutLines(f.Pending.Text, words)
			t.putPromptFile(f, next, false)
		}
	}
	t.renewSystemText(user)
}

// withoutLines returns a text without the lines that contain one of the words.
func withoutLines(text []byte, words []string) (left []byte) {
	for line := range bytes.Lines(text) {
		if !slices.ContainsFunc(words, func(w string) bool { return w != "" && bytes.Contains(line, []byte(w)) }) {
			left = append(left, line...)
		}
	}
	return left
}
