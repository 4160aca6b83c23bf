package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// PromptFiles are the files of people's homes that go into prompts.
type PromptFiles struct{ db *DB }

// PromptFilePolicy is what is said of files that wait for their person.
type PromptFilePolicy struct {
	// Card tells of them, with a row of buttons for each.
	Card func(waiting []supervisor.PromptFile) (text string, rows [][]supervisor.Button)
}

// PromptFiles are the files of people's homes that go into prompts.
func (db *DB) PromptFiles() PromptFiles { return PromptFiles{db} }

const (
	// listPromptFiles has the texts where ?2 is true.
	listPromptFiles = `SELECT user, path, state, iif(?2, text, NULL), accepted, since, pending_state, iif(?2, pending_text, NULL), pending_why,
		pending_turn, pending_conversation, pending_since, refused, card FROM prompt_file WHERE user = ?1 ORDER BY path`
	putPromptFile = `INSERT INTO prompt_file (user, path, state, text, accepted, since, pending_state, pending_text, pending_why, pending_turn,
		pending_conversation, pending_since, refused, card) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user, path) DO UPDATE SET state = excluded.state, text = excluded.text, accepted = excluded.accepted, since = excluded.since,
			pending_state = excluded.pending_state, pending_text = excluded.pending_text, pending_why = excluded.pending_why,
			pending_turn = excluded.pending_turn, pending_conversation = excluded.pending_conversation,
			pending_since = excluded.pending_since, refused = excluded.refused, card = excluded.card`
	findPromptMark = `SELECT prompt_files FROM turn WHERE id = ?`
	setPromptMark  = `UPDATE turn SET prompt_files = ? WHERE id = ?`

	// quietTurn is a turn after which nothing has changed a file that it or its programs have not
	// reported. One that was done has reported before the model said its last word.
	quietTurn = `(t.prompt_files = 'reported' OR t.why = 'done' AND t.prompt_files <> 'programs')`
	// findRestless is the newest turn of a person, other than one that begins to run, which may
	// have changed files since the last report of such a turn as began when it had ended.
	findRestless = `SELECT coalesce(max(t.id), 0) FROM turn t WHERE t.user = ?1 AND t.id <> ?2 AND t.kind IN ('chat', 'job', 'mcp')
		AND NOT coalesce(` + quietTurn + `, 0) AND coalesce(t.ended_at, ?3) >= (SELECT coalesce(max(t.started_at), 0) FROM turn t
			WHERE t.user = ?1 AND t.id <> ?2 AND t.kind IN ('chat', 'job', 'mcp') AND ` + quietTurn + `)`
)

// The marks of a turn, as column prompt_files has them.
const (
	markReported = "reported"
	markPrograms = "programs"
)

// promptFile is a row.
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
		decoded{&f.Refused},
		&f.card,
	)
	return f
}

// Report takes what a worker reports, and answers it. told is the conversation in whose outbox
// there may be something, 0 where nothing was changed.
func (s PromptFiles) Report(
	ctx context.Context,
	r supervisor.PromptFileReport,
) (answer protocol.PromptFilesInForce, told int64, err error) {
	const doing = "take what turn %d reports of prompt files"
	read := s.db.reader(ctx, doing, r.Turn)
	rows, err := engine.All(read, scanPromptFile, listPromptFiles, r.User, false)
	if err != nil {
		return answer, 0, err
	}
	mark, err := engine.Value(read, engine.String, findPromptMark, r.Turn)
	changed := slices.DeleteFunc(slices.Clone(r.Files), func(seen protocol.PromptFile) bool {
		f := findPromptFile(rows, seen.Path)
		return len(rows) > 0 && f.Knows(seen.State) && (f.Path != "" || !isNotes(seen.Path))
	})
	for _, seen := range changed {
		if !seen.Looked {
			answer.Need = append(answer.Need, seen.Path)
		}
	}
	if err != nil || len(answer.Need) > 0 {
		return answer, 0, err
	}
	if len(changed) > 0 || mark != markOf(r) {
		told, err = inTransaction(ctx, s.db, func(t *tx) int64 { return t.takeReport(r, changed, mark) }, doing, r.Turn)
	}
	differs := func(seen protocol.PromptFile) bool { return findPromptFile(rows, seen.Path).State != seen.State }
	earlier := func(f promptFile) bool { return f.waitsUnseen(r.Files) }
	if err == nil && r.InForce &&
		(told != 0 || slices.ContainsFunc(r.Files, differs) || slices.ContainsFunc(rows, earlier)) {
		answer.Files, err = s.inForce(read, r)
	}
	return answer, told, err
}

// inForce are the texts in force of the files that are otherwise in the home, and of those of days
// gone by at whose place something waits.
func (s PromptFiles) inForce(read reader, r supervisor.PromptFileReport) (texts []protocol.PromptFileText, err error) {
	rows, err := engine.All(read, scanPromptFile, listPromptFiles, r.User, true)
	for _, seen := range r.Files {
		if f := findPromptFile(rows, seen.Path); f.State != seen.State {
			texts = append(texts, protocol.PromptFileText{Path: seen.Path, Text: f.Text})
		}
	}
	for _, f := range rows {
		if f.waitsUnseen(r.Files) {
			texts = append(texts, protocol.PromptFileText{Path: f.Path, Text: f.Text})
		}
	}
	return texts, err
}

// waitsUnseen says whether something waits at the place of a file that was not looked at: notes of
// a day gone by.
func (f promptFile) waitsUnseen(seen []protocol.PromptFile) bool {
	return f.Pending.Why != "" &&
		!slices.ContainsFunc(seen, func(s protocol.PromptFile) bool { return s.Path == f.Path })
}

// deleteOldNotes deletes the notes of days before those of a path of which nothing waits.
const deleteOldNotes = `DELETE FROM prompt_file WHERE user = ? AND path LIKE 'memory/%' AND path < ? AND pending_why = ''`

// isNotes says whether a path is of a day's notes.
func isNotes(path string) bool { return strings.HasPrefix(path, "memory/") }

// oldestNotes is the path of the earliest day's notes of some files; "" without any.
func oldestNotes(files []protocol.PromptFile) (oldest string) {
	for _, f := range files {
		if isNotes(f.Path) && (oldest == "" || f.Path < oldest) {
			oldest = f.Path
		}
	}
	return oldest
}

// findPromptFile is the row of a path; of one that has none, nothing is in force.
func findPromptFile(rows []promptFile, path string) promptFile {
	for _, f := range rows {
		if f.Path == path {
			return f
		}
	}
	return promptFile{}
}

func markOf(r supervisor.PromptFileReport) string {
	switch {
	case r.Programs:
		return markPrograms
	case r.End:
		return markReported
	}
	return ""
}

// takeReport keeps what has changed. mark is what the turn has reported last.
func (t *tx) takeReport(r supervisor.PromptFileReport, changed []protocol.PromptFile, mark string) (told int64) {
	t.Exec(setPromptMark, markOf(r), r.Turn)
	if len(changed) == 0 {
		return 0
	}
	by := r.Turn
	dirty := !r.Begins || r.Resumed && mark != markReported
	if !dirty {
		if other := value(t, engine.Integer, findRestless, r.User, r.Turn, int64(math.MaxInt64)); other != 0 {
			dirty, by = true, other
		}
	}
	turn := byID(t, "turn", scanTurn, findTurn, by)
	in := turn.AnswersIn()
	if in.InGroup() {
		in = t.conversation(r.Private)
	}
	rows := all(t, scanPromptFile, listPromptFiles, r.User, true)
	for _, seen := range changed {
		f := findPromptFile(rows, seen.Path)
		f.User, f.Path = r.User, seen.Path
		never := f.Since.IsZero() && isNotes(seen.Path) // a turn may have written it before its day
		next := promptFile{f.See(seen, dirty || never, len(rows) == 0), f.card}
		if seen.Noted && (seen.From == f.State || f.Pending.Why != "" && seen.From == f.Pending.State) {
			next.PromptFile = f.Advance(seen.From, seen.State, seen.Text)
		}
		if p := &next.Pending; p.Why != "" && p.Since.IsZero() {
			p.Turn, p.Conversation, p.Since = by, in.ID, fromMillis(t.Now)
		}
		t.putPromptFile(f, next, true)
	}
	t.Exec(deleteOldNotes, r.User, oldestNotes(r.Files))
	if turn.ended || in.ID != turn.AnswersIn().ID { // else once it has ended, below its answer
		t.putPromptCard(r.User, by)
	}
	return in.ID
}

// putPromptFile keeps a file in place of what it was. The card of what waited loses its buttons
// where that does not wait any more. renew has prompts have at once what is in force now.
func (t *tx) putPromptFile(was, f promptFile, renew bool) {
	if f.Since.IsZero() {
		f.Since = fromMillis(t.Now)
	}
	if p := was.Pending; p.Why != "" && (f.Pending.Why == "" || f.Pending.State != p.State) {
		t.Exec(unbuttonDelivery, supervisor.CleaningUnbutton, t.Now, was.card)
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

const (
	unbuttonDelivery = `INSERT INTO cleaning (user, conversation, message, what, due_at) SELECT p.user, p.conversation, p.message, ?, ?
		FROM post p WHERE p.delivery = ? AND p.state = 'sent' AND p.message <> '' ORDER BY p.part DESC LIMIT 1`
	isOfJob        = `SELECT EXISTS (SELECT 1 FROM turn WHERE id = ? AND kind = 'job')`
	keepPromptCard = `UPDATE prompt_file SET card = ? WHERE user = ? AND pending_turn = ? AND card = 0 AND pending_why <> ''`
)

// putPromptCard tells a person what waits that a turn has made, unless they were told of it. In
// their quiet hours what a job's turn has made makes no sound: it is not held, for it would lose
// its buttons among others.
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
			Silent:       quiet && value(t, engine.Bool, isOfJob, turn),
		},
	)
	t.Exec(keepPromptCard, d.ID, user, turn)
}

// List lists a person's files.
func (s PromptFiles) List(ctx context.Context, user string) (files []supervisor.PromptFile, err error) {
	rows, err := engine.All(
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

// Seen takes what a worker has seen of one of a person's files outside of their turns, and gives
// the text of it that is in force. private is where they are told of what waits; told is that
// conversation, 0 where nothing was changed.
func (s PromptFiles) Seen(
	ctx context.Context,
	user string,
	seen protocol.PromptFile,
	private supervisor.Conversation,
) (inForce []byte, told int64, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) ([]byte, int64) {
		rows := all(t, scanPromptFile, listPromptFiles, user, true)
		f := findPromptFile(rows, seen.Path)
		if f.Knows(seen.State) && (f.Path != "" || seen.State == protocol.FileAbsent) {
			return f.Text, 0
		}
		f.User, f.Path = user, seen.Path
		by := value(t, engine.Integer, findRestless, user, 0, int64(math.MaxInt64))
		next := promptFile{f.See(seen, by != 0, len(rows) == 0), f.card}
		in := t.conversation(private)
		if p := &next.Pending; p.Why != "" && p.Since.IsZero() {
			p.Turn, p.Conversation, p.Since = by, in.ID, fromMillis(t.Now)
		}
		t.putPromptFile(f, next, true)
		t.putPromptCard(user, by)
		return next.Text, in.ID
	}, "take what was seen of %s of %s", seen.Path, user)
}

// Advance has a text be in force at a path where what was in the state before is: a tool that may
// is about to write it. What waits goes on waiting, as it is then.
func (s PromptFiles) Advance(
	ctx context.Context,
	user, path string,
	before, after protocol.FileState,
	text []byte,
) error {
	return s.db.write(ctx, func(t *tx) {
		f := findPromptFile(all(t, scanPromptFile, listPromptFiles, user, true), path)
		f.User, f.Path = user, path
		most := min(len(text), protocol.PromptFileBytes(path))
		t.putPromptFile(f, promptFile{f.Advance(before, after, text[:most]), f.card}, false)
	}, "advance %s of %s", path, user)
}

// Blank takes the lines out of the texts that are kept of a person's memory in which some words
// stand, and the copies from before it was changed. The files themselves are as their worker has
// left them.
func (s PromptFiles) Blank(ctx context.Context, user string, words []string) error {
	return s.db.write(ctx, func(t *tx) { t.blankMemory(user, words) }, "take forgotten words out of what is kept "+
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

// withoutLines is a text without the lines that have one of some words in them.
func withoutLines(text []byte, words []string) (left []byte) {
	for line := range bytes.Lines(text) {
		if !slices.ContainsFunc(words, func(w string) bool { return w != "" && bytes.Contains(line, []byte(w)) }) {
			left = append(left, line...)
		}
	}
	return left
}

// Decide ends the wait of what waits at a path in a state: it is accepted, or was put back by an
// operation. It is not ok where nothing waits there in that state.
func (s PromptFiles) Decide(ctx context.Context, d supervisor.PromptFileDecision) (ok bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		f := findPromptFile(all(t, scanPromptFile, listPromptFiles, d.User, true), d.Path)
		if f.Pending.Why == "" || f.Pending.State != d.State {
			return false
		}
		next := f
		if d.Operation == 0 {
			next.PromptFile = f.Accept()
			t.audit(d.User, "prompt_file.accepted", d.Path)
		} else {
			next.PromptFile = f.See(protocol.PromptFile{Path: f.Path, State: f.State}, false, false)
		}
		if d.Inverse.Path != "" {
			t.putEffect(
				supervisor.Effect{
					User:   d.User,
					Turn:   f.Pending.Turn,
					Call:   fmt.Sprint("undo ", d.Operation),
					Kind:   supervisor.EffectUndone,
					Target: d.Path,
				},
			)
			t.putUndo(d.User, f.Pending.Turn, d.Operation, d.Inverse)
		}
		t.putPromptFile(f, next, true)
		return true
	}, "decide about %s of %s", d.Path, d.User)
}
