package sqlite

import (
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	isOfJob        = `SELECT EXISTS (SELECT 1 FROM turn WHERE id = ? AND kind = 'job')`
	keepPromptCard = `UPDATE prompt_file SET card = ? WHERE user = ? AND pending_turn = ?
		AND card = 0 AND pending_why <> ''`
)

// putPromptCard sends a user the card about the turn's waiting prompt files, once. In quiet hours
// the card of a job makes no sound. The card is not held, because the combined notice after
// quiet hours has no buttons. turn is 0 for changes that a check has made or found.
func (t *tx) putPromptCard(user string, turn int64) {
	var files []supervisor.PromptFile
	for _, f := range all(t, scanPromptFile, listPromptFiles, user, false) {
		if f.Pending.Why != "" && f.Pending.Turn == turn && f.card == 0 {
			files = append(files, f.PromptFile)
		}
	}
	if len(files) == 0 {
		return
	}
	_, quiet := t.quietUntil(user)
	text, buttons := t.policies.PromptFiles.Card(files)
	d := t.putNotice(
		supervisor.Delivery{
			Conversation: supervisor.Conversation{ID: files[0].Pending.Conversation},
			Text:         text,
			Buttons:      buttons,
			Silent:       quiet && (turn == 0 || value(t, engine.ScanBool, isOfJob, turn)),
		},
	)
	t.Exec(keepPromptCard, d.ID, user, turn)
}
