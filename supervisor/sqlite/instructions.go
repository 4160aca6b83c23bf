package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// PromptFiles stores the text in force and the waiting version of each prompt file.
type PromptFiles struct{ db *DB }

// PromptFileTexts makes the texts about prompt files that wait for their user's decision.
type PromptFileTexts struct {
	// Card returns a message about the waiting files, and a row of buttons for each file.
	Card func(waiting []supervisor.PromptFile) (text string, rows [][]supervisor.Button)
}

// PromptFiles returns the store of prompt files.
func (db *DB) PromptFiles() PromptFiles { return PromptFiles{db} }

const (
	// listPromptFiles selects a user's prompt files, with their texts if ?2 is true.
	listPromptFiles = `SELECT user, path, state, iif(?2, text, NULL), accepted, since, pending_state, iif(?2, pending_text, NULL), pending_why,
		pending_turn, pending_conversation, pending_since, refused, card FROM prompt_file WHERE user = ?1 ORDER BY path`
	putPromptFile = `INSERT INTO prompt_file (user, path, state, text, accepted, since, pending_state, pending_text, pending_why, pending_turn,
		pending_conversation, pending_since, refused, card) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user, path) DO UPDATE SET state = excluded.state, text = excluded.text, accepted = excluded.accepted, since = excluded.since,
			pending_state = excluded.pending_state, pending_text = excluded.pending_text, pending_why = excluded.pending_why,
			pending_turn = excluded.pending_turn, pending_conversation = excluded.pending_conversation,
			pending_since = excluded.pending_since, refused = excluded.refused, card = excluded.card`
	unbuttonDelivery = `INSERT INTO cleaning (user, conversation, message, what, due_at) SELECT p.user, p.conversation, p.message, ?, ?
		FROM post p WHERE p.delivery = ? AND p.state = 'sent' AND p.message <> '' ORDER BY p.part DESC LIMIT 1`
)

// promptFile is a prompt file as it is stored.
type promptFile struct {
	supervisor.PromptFile
	card int64
}

func scanPromptFile(r *engine.Row) (f promptFile) {
	p := &f.Pending
	r.Scan(
		&f.User,
		&f.Path,
		&f.State,
		&f.Text,
		&f.Accepted,
		&f.Since,
		&p.State,
		&p.Text,
		&p.Why,
		&p.Turn,
		&p.Conversation,
		&p.Since,
		columnDecoder{&f.Refused},
		&f.card,
	)
	return f
}

// findPromptFile returns the row of a path. Without a row it returns a file with no text in force.
func findPromptFile(rows []promptFile, path string) promptFile {
	for _, f := range rows {
		if f.Path == path {
			return f
		}
	}
	return promptFile{}
}

// putPromptFile replaces the row of a prompt file. If the file's text no longer waits, its card
// loses the buttons. If renew is true, prompts use the new text in force at once.
func (t *tx) putPromptFile(was, f promptFile, renew bool) {
	if f.Since.IsZero() {
		f.Since = fromMillis(t.Now)
	}
	if p := was.Pending; p.Why != "" && (f.Pending.Why == "" || f.Pending.State != p.State) {
		t.Exec(unbuttonDelivery, supervisor.CleanupRemoveButtons, t.Now, was.card)
		f.card = 0
	}
	if f.State != was.State && renew {
		t.renewSystemText(f.User)
	}
	p := f.Pending
	t.Exec(
		putPromptFile,
		f.User,
		f.Path,
		string(f.State),
		f.Text,
		f.Accepted,
		f.Since,
		string(p.State),
		p.Text,
		string(p.Why),
		p.Turn,
		p.Conversation,
		p.Since,
		encodedList(f.Refused),
		f.card,
	)
}

// List lists a user's prompt files.
func (s PromptFiles) List(ctx context.Context, user string) (files []supervisor.PromptFile, err error) {
	rows, err := engine.AllRows(
		s.db.reader(ctx, "list the prompt files of %s", user),
		scanPromptFile,
		listPromptFiles,
		user,
		true,
	)
	for _, f := range rows {
		files = append(files, f.PromptFile)
	}
	return files, err
}
