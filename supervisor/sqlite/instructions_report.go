package sqlite

import (
	"context"
	"math"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	findPromptMark = `SELECT prompt_files FROM turn WHERE id = ?`
	setPromptMark  = `UPDATE turn SET prompt_files = ? WHERE id = ?`

	// quietTurn selects turns whose changes of prompt files are all reported. A done turn has
	// reported them before the model's last text.
	quietTurn = `(t.prompt_files = 'reported' OR t.why = 'done' AND t.prompt_files <> 'programs')`
	// findRestless finds a user's newest turn that may have changed prompt files without a report.
	// A report by a later turn covers an earlier turn. The turn ?2, which is just beginning, is
	// left out.
	findRestless = `SELECT coalesce(max(t.id), 0) FROM turn t WHERE t.user = ?1 AND t.id <> ?2 AND t.kind IN ('chat', 'job', 'mcp')
		AND NOT coalesce(` + quietTurn + `, 0) AND coalesce(t.ended_at, ?3) >= (SELECT coalesce(max(t.started_at), 0) FROM turn t
			WHERE t.user = ?1 AND t.id <> ?2 AND t.kind IN ('chat', 'job', 'mcp') AND ` + quietTurn + `)`

	// A check's command has a row until the report after it. The worker may end before that report.
	// Then the report of a turn that started once the command was surely over covers the command.
	putCheckCommand = `INSERT INTO check_command (user, began_at) VALUES (?1, ?2)
		ON CONFLICT (user) DO UPDATE SET began_at = ?2`
	deleteCheckCommand = `DELETE FROM check_command WHERE user = ?`
	hasCheckCommand    = `SELECT EXISTS (SELECT 1 FROM check_command c WHERE c.user = ?1 AND c.began_at + ?3 >=
		(SELECT coalesce(max(t.started_at), 0) FROM turn t
			WHERE t.user = ?1 AND t.id <> ?2 AND t.kind IN ('chat', 'job', 'mcp') AND ` + quietTurn + `))`
)

// maxCheckCommandTime is a time after which a check's command has surely ended. A worker ends the
// command after protocol.MaxCheckSeconds.
const maxCheckCommandTime = (protocol.MaxCheckSeconds + 60) * time.Second

// Values of the column prompt_files of the table turn.
const (
	markReported = "reported"
	markPrograms = "programs"
)

// StoreReport stores a worker's report on prompt files. It returns the answer to the worker. told
// is the conversation that may have a new delivery; 0 means none. A report without a turn is of a
// check with a command.
func (s PromptFiles) StoreReport(
	ctx context.Context,
	r supervisor.PromptFileReport,
) (answer protocol.PromptFileReportResult, told int64, err error) {
	const doing = "take what turn %d reports of prompt files"
	read := s.db.reader(ctx, doing, r.Turn)
	rows, err := engine.AllRows(read, scanPromptFile, listPromptFiles, r.User, false)
	if err != nil {
		return answer, 0, err
	}
	mark := "" // before the first report of a new turn
	if r.Turn != 0 && (!r.First || r.Resumed) {
		mark, err = engine.FirstValue(read, engine.ScanString, findPromptMark, r.Turn)
	}
	changed := slices.DeleteFunc(slices.Clone(r.Files), func(seen protocol.PromptFile) bool {
		f := findPromptFile(rows, seen.Path)
		return len(rows) > 0 && f.IsStateDecided(seen.State) && (f.Path != "" || !isNotes(seen.Path))
	})
	for _, seen := range changed {
		if !seen.Inspected {
			answer.Need = append(answer.Need, seen.Path)
		}
	}
	if err != nil || len(answer.Need) > 0 {
		return answer, 0, err
	}
	if r.Turn == 0 || len(changed) > 0 || mark != markOf(r) {
		told, err = inTransaction(ctx, s.db, func(t *tx) int64 { return t.takeReport(r, changed, mark) }, doing, r.Turn)
	}
	differs := func(seen protocol.PromptFile) bool { return findPromptFile(rows, seen.Path).State != seen.State }
	earlier := func(f promptFile) bool { return f.waitsUnreported(r.Files) }
	if err == nil && r.InForce &&
		(told != 0 || slices.ContainsFunc(r.Files, differs) || slices.ContainsFunc(rows, earlier)) {
		answer.Files, err = s.inForce(read, r)
	}
	return answer, told, err
}

// inForce returns the texts in force that differ from the files in the home. Daily notes of past
// days are included if a text waits.
func (s PromptFiles) inForce(read reader, r supervisor.PromptFileReport) (texts []protocol.PromptFileText, err error) {
	rows, err := engine.AllRows(read, scanPromptFile, listPromptFiles, r.User, true)
	for _, seen := range r.Files {
		if f := findPromptFile(rows, seen.Path); f.State != seen.State {
			texts = append(texts, protocol.PromptFileText{Path: seen.Path, Text: f.Text})
		}
	}
	for _, f := range rows {
		if f.waitsUnreported(r.Files) {
			texts = append(texts, protocol.PromptFileText{Path: f.Path, Text: f.Text})
		}
	}
	return texts, err
}

// waitsUnreported reports whether the file has a waiting text and is not in the report. Notes of a
// past day are an example.
func (f promptFile) waitsUnreported(seen []protocol.PromptFile) bool {
	return f.Pending.Why != "" &&
		!slices.ContainsFunc(seen, func(s protocol.PromptFile) bool { return s.Path == f.Path })
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

// findAuthor reports whether somebody other than the user may have changed files of a report. by is
// the turn that may have changed them, or that has found the change; 0 means none.
func (t *tx) findAuthor(r supervisor.PromptFileReport, mark string) (by int64, dirty bool) {
	if !r.First || r.Resumed && mark != markReported {
		return r.Turn, true
	}
	if by, dirty = t.findRestless(r.User, r.Turn); by == 0 {
		by = r.Turn
	}
	return by, dirty
}

// findRestless reports whether a program may have changed a user's prompt files since the last
// report. by is the program's turn; 0 means that it is the command of a check. The turn except is
// left out.
func (t *tx) findRestless(user string, except int64) (by int64, dirty bool) {
	by = value(t, engine.ScanInteger, findRestless, user, except, int64(math.MaxInt64))
	return by, by != 0 || value(t, engine.ScanBool, hasCheckCommand, user, except, maxCheckCommandTime.Milliseconds())
}

// markReport marks what a report tells about its turn or command. After a command's last report,
// its row stays if a program still runs.
func (t *tx) markReport(r supervisor.PromptFileReport) {
	switch {
	case r.Turn != 0:
		t.Exec(setPromptMark, markOf(r), r.Turn)
	case !r.End:
		t.Exec(putCheckCommand, r.User, t.Now)
	case !r.Programs:
		t.Exec(deleteCheckCommand, r.User)
	}
}

// takeReport stores the changed files of a report. mark is the turn's final value of prompt_files.
func (t *tx) takeReport(r supervisor.PromptFileReport, changed []protocol.PromptFile, mark string) (told int64) {
	by, dirty := t.findAuthor(r, mark)
	t.markReport(r)
	if len(changed) == 0 {
		return 0
	}
	in, answers := t.conversationOfReport(r, by)
	rows := all(t, scanPromptFile, listPromptFiles, r.User, true)
	for _, seen := range changed {
		f := findPromptFile(rows, seen.Path)
		f.User, f.Path = r.User, seen.Path
		// A turn may have written daily notes before their day.
		never := f.Since.IsZero() && isNotes(seen.Path)
		next := promptFile{f.RecordState(seen, dirty || never, len(rows) == 0), f.card}
		if before, noted := f.FindStateBeforeNotes(seen, r.Notes); noted {
			next.PromptFile = f.RecordWrite(before, seen.State, seen.Text)
		}
		if p := &next.Pending; p.Why != "" && p.Since.IsZero() {
			p.Turn, p.Conversation, p.Since = by, in.ID, fromMillis(t.Now)
		}
		t.putPromptFile(f, next, true)
	}
	t.Exec(deleteOldNotes, r.User, oldestNotes(r.Files))
	if !answers { // otherwise the card comes later, below the answer
		t.putPromptCard(r.User, by)
	}
	return in.ID
}

// conversationOfReport returns the conversation for the card about a report's changes by a turn.
// answers reports whether the turn will still answer there.
func (t *tx) conversationOfReport(r supervisor.PromptFileReport, by int64) (in supervisor.Conversation, answers bool) {
	if by == 0 {
		return t.conversation(r.Private), false
	}
	turn := byID(t, "turn", scanTurn, findTurn, by)
	if in = turn.AnswerConversation(); in.IsInGroup() {
		in = t.conversation(r.Private)
	}
	return in, !turn.ended && in.ID == turn.AnswerConversation().ID
}

// RecordState stores a prompt file's state outside of turns, and returns its text in force.
//
// The card of a waiting text goes to the conversation private. told is the id of that conversation;
// 0 means that nothing changed.
func (s PromptFiles) RecordState(
	ctx context.Context,
	user string,
	seen protocol.PromptFile,
	private supervisor.Conversation,
) (inForce []byte, told int64, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) ([]byte, int64) {
		rows := all(t, scanPromptFile, listPromptFiles, user, true)
		f := findPromptFile(rows, seen.Path)
		if f.IsStateDecided(seen.State) && (f.Path != "" || seen.State == protocol.FileStateAbsent) {
			return f.Text, 0
		}
		f.User, f.Path = user, seen.Path
		by, dirty := t.findRestless(user, 0)
		next := promptFile{f.RecordState(seen, dirty, len(rows) == 0), f.card}
		in := t.conversation(private)
		if p := &next.Pending; p.Why != "" && p.Since.IsZero() {
			p.Turn, p.Conversation, p.Since = by, in.ID, fromMillis(t.Now)
		}
		t.putPromptFile(f, next, true)
		t.putPromptCard(user, by)
		return next.Text, in.ID
	}, "store the state of %s of %s", seen.Path, user)
}
