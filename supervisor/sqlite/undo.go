package sqlite

import (
	"context"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Undos stores the changes of users' files, and whether they can be undone.
type Undos struct{ db *DB }

// UndoTexts makes the texts and buttons about undoing changes.
type UndoTexts struct {
	// Buttons returns the buttons below an answer whose turn changed files.
	Buttons func(in supervisor.Conversation, turn int64) [][]supervisor.Button
	// ImpossibleNote returns the ledger's note about a change that can't be undone.
	ImpossibleNote func(why string) (note string)
	// RestoredNote returns the model's text about files that the user has undone or redone.
	RestoredNote func(undone, redone []string) string
}

// Undos returns the store of changes that can be undone.
func (db *DB) Undos() Undos { return Undos{db} }

// insertUndo stores the data to undo the effect that was stored last.
const insertUndo = `INSERT INTO undo (effect, user, turn, operation, path, moved_to, before, after, size, mode, why_not, created_at)
	VALUES (last_insert_rowid(), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (t *tx) putUndo(user string, turn, operation int64, u protocol.Undo) {
	t.Exec(insertUndo, user, turn, operation, u.Path, u.To, string(u.Before), string(u.After), u.Size, u.Mode, u.Obstacle, t.Now)
}

const undoable = `u.operation = 0 AND u.undone_by IS NULL AND u.why_not = ''`

// ranProgram is true of effects about a program, or about a call with an unknown end.
const ranProgram = `kind IN ('run', 'begin', 'call.begun')`

// findUndoable selects a turn that answered in a conversation, and changed files or ran a program
// since a time. A turn without a program counts if some of its changes can be undone, or if none
// was undone before. In the second case the user gets the reason why nothing can be undone.
const findUndoable = `SELECT t.id FROM turn t WHERE t.id IN (SELECT turn FROM undo WHERE user = ?1 AND operation = 0 AND created_at >= ?3
		UNION SELECT turn FROM effect WHERE user = ?1 AND created_at >= ?3 AND ` + ranProgram + `)
	AND coalesce(t.destination, t.conversation) = ?2 AND (EXISTS (SELECT 1 FROM effect WHERE turn = t.id AND ` + ranProgram + `)
		OR EXISTS (SELECT 1 FROM undo u WHERE u.turn = t.id AND ` + undoable + `)
		OR NOT EXISTS (SELECT 1 FROM undo u WHERE u.turn = t.id AND u.operation = 0 AND u.undone_by IS NOT NULL))
	ORDER BY t.id DESC LIMIT 1 OFFSET ?4`

// FindLastTurn finds the newest turn since a time that changed files or ran a program. It skips the
// newest skip turns of this kind. It never passes over a turn in which a program ran.
func (s Undos) FindLastTurn(ctx context.Context, in supervisor.Conversation, since time.Time, skip int) (turn int64,
	ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the last undoable turn of conversation %d", in.ID),
		engine.ScanInteger, findUndoable, in.User, in.ID, since.UnixMilli(), skip)
}

// findLastUndo selects the newest undo in force whose change was made in a conversation since a
// time. An undo that restored a turn's change does not count.
const findLastUndo = `SELECT u.turn, u.operation FROM undo u CROSS JOIN turn t ON t.id = u.turn WHERE u.user = ?1 AND u.operation > 0
	AND u.undone_by IS NULL AND u.created_at >= ?3 AND coalesce(t.destination, t.conversation) = ?2
	AND NOT EXISTS (SELECT 1 FROM undo o WHERE o.turn = u.turn AND o.undone_by = u.operation AND o.operation > 0)
	ORDER BY u.operation DESC LIMIT 1`

// FindLastUndo finds the newest undo in a conversation since a time that can be undone. The result
// turn is the turn that made the changes; 0 means that there is no undo.
func (s Undos) FindLastUndo(ctx context.Context, in supervisor.Conversation, since time.Time) (turn, operation int64,
	err error) {
	found, _, err := engine.FirstRow(s.db.reader(ctx, "find the last undo of conversation %d", in.ID),
		func(r *engine.Row) (ids [2]int64) {
			r.Scan(&ids[0], &ids[1])
			return ids
		}, findLastUndo, in.User, in.ID, since.UnixMilli())
	return found[0], found[1], err
}

const listProgramEffects = selectEffect + `WHERE turn = ?1 AND user = ?2 AND (` + ranProgram + ` OR kind = 'program'
	AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.effect = effect.id)) ORDER BY id`

// ListPrograms lists a turn's effects about programs, oldest first. It leaves out the files that
// ListChanges lists. For a turn of another user the list is empty.
func (s Undos) ListPrograms(ctx context.Context, user string, turn int64) ([]supervisor.Effect, error) {
	return engine.AllRows(s.db.reader(ctx, "list the programs of turn %d", turn), scanEffect, listProgramEffects, turn,
		user)
}

// hasUndo selects whether a turn made a change that can be undone.
const hasUndo = `SELECT EXISTS (SELECT 1 FROM undo u WHERE u.turn = ? AND ` + undoable + `)`

const (
	// listUntoldUndos selects the paths of undone changes. Its second column is true if the undo
	// was undone too, so that the turn's own change is in force again.
	listUntoldUndos = `SELECT u.path, EXISTS (SELECT 1 FROM undo o WHERE o.turn = u.turn AND o.undone_by = u.operation AND o.operation > 0) redone
		FROM undo u CROSS JOIN turn t ON t.id = u.turn WHERE u.user = ?1 AND u.operation > 0 AND u.told = 0 AND u.undone_by IS NULL
		AND coalesce(t.destination, t.conversation) = ?2 GROUP BY u.path ORDER BY min(u.effect)`
	markUndoTold = `UPDATE undo SET told = 1 WHERE user = ?1 AND operation > 0 AND told = 0
		AND (SELECT coalesce(t.destination, t.conversation) FROM turn t WHERE t.id = undo.turn) = ?2`
)

// untoldUndos returns the model's text about files that the user restored since the conversation's
// last turn. "" means that the user restored no file.
func (t turnTx) untoldUndos() (text string) {
	in := t.turn.Conversation
	paths := map[bool][]string{}
	t.Query(func(r *engine.Row) bool {
		path, redone := "", false
		r.Scan(&path, &redone)
		paths[redone] = append(paths[redone], path)
		return true
	}, listUntoldUndos, in.User, in.ID)
	if len(paths) == 0 {
		return ""
	}
	t.Exec(markUndoTold, in.User, in.ID)
	return t.policies.Undo.RestoredNote(paths[false], paths[true])
}

const findTurnUser = `SELECT user FROM turn WHERE id = ?`

// FindTurnUser returns the user of a turn, or "" if there is no such turn.
func (s Undos) FindTurnUser(ctx context.Context, turn int64) (user string, err error) {
	user, _, err = engine.FirstRow(s.db.reader(ctx, "find the user of turn %d", turn), engine.ScanString, findTurnUser,
		turn)
	return user, err
}

const listChanges = `SELECT u.effect, u.turn, u.operation, e.kind, u.path, u.moved_to, u.before, u.after, u.size, u.mode, u.why_not, u.created_at
	FROM undo u JOIN effect e ON e.id = u.effect WHERE u.turn = ? AND u.user = ? AND u.operation = ? AND u.undone_by IS NULL ORDER BY u.effect`

// ListChanges lists the changes in force of a turn or of an undo of the turn, oldest first. For a
// turn of another user the list is empty.
func (s Undos) ListChanges(ctx context.Context, user string, turn, operation int64) ([]supervisor.FileChange, error) {
	return engine.AllRows(s.db.reader(ctx, "list the changes of turn %d", turn),
		func(r *engine.Row) (c supervisor.FileChange) {
			r.Scan(&c.Effect, &c.Turn, &c.Operation, &c.Kind, &c.Path, &c.To, &c.Before, &c.After, &c.Size, &c.Mode, &c.Obstacle, &c.CreatedAt)
			return c
		}, listChanges, turn, user, operation)
}

const (
	markUndone = `UPDATE undo SET undone_by = ? WHERE effect = ? AND user = ? AND turn = ? AND undone_by IS NULL`
	// markRedone marks changes as in force again after their undo was undone.
	markRedone  = `UPDATE undo SET undone_by = NULL WHERE undone_by = ?1 AND turn = ?2 AND path IN (?3, ?4)`
	findUndoing = `SELECT conversation FROM turn WHERE id = ? AND user = ?`
)

// unbuttonUndone removes the undo buttons below an answer.
const unbuttonUndone = `INSERT INTO cleaning (user, conversation, message, what, due_at) SELECT p.user, p.conversation, p.message, ?, ?
	FROM outbox o JOIN post p ON p.delivery = o.id WHERE o.turn = ? AND o.kind = 'answer' AND o.buttons <> '' AND p.state = 'sent'
	AND p.message <> '' ORDER BY p.part DESC LIMIT 1`

// undoPeriod is how long an answer has undo buttons, and how long the old bytes are kept.
const undoPeriod = 7 * 24 * time.Hour

// unbuttonUndoLater schedules the removal of the undo buttons of a turn's answer.
func (t *tx) unbuttonUndoLater(turn int64) {
	t.Exec(unbuttonUndone, supervisor.CleanupRemoveButtons, t.Now+undoPeriod.Milliseconds(), turn)
}

// RecordUndo records that changes were undone, and how to redo them. It ignores changes that were
// undone before.
func (s Undos) RecordUndo(ctx context.Context, u supervisor.UndoneChanges) error {
	return s.db.write(ctx, func(t *tx) {
		if value(t, engine.ScanInteger, findUndoing, u.Turn, u.User) == 0 {
			t.fail(notFound("there is no turn %d of %s", u.Turn, u.User))
		}
		fresh := int64(0)
		for _, effect := range u.Effects {
			fresh += t.ExecCount(markUndone, u.Operation, effect, u.User, u.Turn)
		}
		if fresh == 0 {
			return
		}
		if u.UndoOf == 0 {
			t.Exec(unbuttonUndone, supervisor.CleanupRemoveButtons, t.Now, u.Turn)
		}
		for _, c := range u.Changes {
			t.putEffect(supervisor.Effect{User: u.User, Turn: u.Turn, Call: fmt.Sprint("undo ", u.Operation),
				Kind: supervisor.EffectChangeUndone, Target: c.Path})
			t.putUndo(u.User, u.Turn, u.Operation, c)
			if u.UndoOf != 0 {
				t.Exec(markRedone, u.UndoOf, u.Turn, c.Path, c.To)
			}
		}
	}, "record undone changes of turn %d", u.Turn)
}
