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
	// RestoredNote returns the model's text about changes that the user has undone or redone.
	RestoredNote func(undone, redone supervisor.RestoredNames) string
}

// Undos returns the store of changes that can be undone.
func (db *DB) Undos() Undos { return Undos{db} }

// insertUndo stores the data to undo the effect that was stored last.
const insertUndo = `INSERT INTO undo (effect, user, turn, operation, path, moved_to, before, after, size, mode, why_not, kept,
		from_point, to_point, shared, nonce, created_at)
	VALUES (last_insert_rowid(), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (t *tx) putUndo(user string, turn, operation int64, u protocol.Undo) {
	span := protocol.HistorySpan{}
	if u.Span != nil {
		span = *u.Span
	}
	t.Exec(insertUndo, user, turn, operation, u.Path, u.To, string(u.Before), string(u.After), u.Size, u.Mode,
		u.Obstacle, u.Kept, span.From, span.To, span.Shared,
		string(span.Nonce), t.Now)
}

const undoable = `u.operation = 0 AND u.undone_by IS NULL AND u.why_not = ''`

const (
	// ranProgram is true of effects about a program, or about a call with an unknown end.
	ranProgram = `kind IN ('run', 'begin', 'call.begun')`
	// hasSpan is true of an effect whose changes are a span of the file history.
	hasSpan = `EXISTS (SELECT 1 FROM undo p WHERE p.effect = effect.id AND p.to_point > 0)`
	// callHasSpan is true of an effect whose tool call has a span of the file history.
	callHasSpan = `EXISTS (SELECT 1 FROM undo p JOIN effect c ON c.id = p.effect
		WHERE p.turn = effect.turn AND p.operation = 0 AND p.to_point > 0 AND c.call = effect.call)`
	// callChangedFiles is true of an effect whose tool call is known to have changed files.
	callChangedFiles = `EXISTS (SELECT 1 FROM undo p JOIN effect c ON c.id = p.effect
		WHERE p.turn = effect.turn AND p.operation = 0 AND c.call = effect.call)`
)

// findUndoable selects a turn that answered in a conversation, and changed files or ran a program
// since a time. A turn without a program counts if some of its changes can be undone, or if none
// was undone before. In the second case the user gets the reason why nothing can be undone.
const findUndoable = `SELECT t.id FROM turn t WHERE t.id IN (SELECT turn FROM undo WHERE user = ?1 AND operation = 0 AND created_at >= ?3
		UNION SELECT turn FROM effect WHERE user = ?1 AND created_at >= ?3 AND ` + ranProgram + `)
	AND coalesce(t.destination, t.conversation) = ?2
	AND (EXISTS (SELECT 1 FROM effect WHERE turn = t.id AND ` + ranProgram + ` AND NOT ` + hasSpan + `
			AND (kind <> 'run' OR NOT ?5 OR ` + callChangedFiles + `))
		OR EXISTS (SELECT 1 FROM undo u WHERE u.turn = t.id AND ` + undoable + `)
		OR EXISTS (SELECT 1 FROM undo u WHERE u.turn = t.id AND u.operation = 0)
			AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.turn = t.id AND u.operation = 0 AND u.undone_by IS NOT NULL))
	ORDER BY t.id DESC LIMIT 1 OFFSET ?4`

// FindLastTurn finds the newest turn since a time that changed files or ran a program. It skips the
// newest skip turns of this kind. It passes over a program only if the program's changes were
// undone, or if kept is true and the program changed nothing. The argument kept says that all
// changes of programs are kept.
func (s Undos) FindLastTurn(ctx context.Context, in supervisor.Conversation, since time.Time, skip int, kept bool) (
	turn int64, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the last undoable turn of conversation %d", in.ID),
		engine.ScanInteger, findUndoable, in.User, in.ID, since.UnixMilli(), skip, kept)
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

const listProgramEffects = selectEffect + `WHERE turn = ?1 AND user = ?2 AND (` + ranProgram + `
		AND (kind <> 'run' OR NOT ?3 OR ` + callChangedFiles + `)
	OR kind = 'program' AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.effect = effect.id))
	AND NOT ` + callHasSpan + ` ORDER BY id`

// ListPrograms lists a turn's effects about programs without kept changes, oldest first. It leaves
// out the files that ListChanges lists. If kept is true, it also leaves out programs that
// changed nothing. For a turn of another user the list is empty.
func (s Undos) ListPrograms(ctx context.Context, user string, turn int64, kept bool) ([]supervisor.Effect, error) {
	return engine.AllRows(s.db.reader(ctx, "list the programs of turn %d", turn), scanEffect, listProgramEffects, turn,
		user, kept)
}

// hasUndo selects whether a turn made a change that can be undone.
const hasUndo = `SELECT EXISTS (SELECT 1 FROM undo u WHERE u.turn = ? AND ` + undoable + `)`

const (
	// listUntoldUndos selects the paths of undone changes, or the programs that made them. An
	// undone restore by a tool has its path. The last column is true if the undo was undone too, so
	// that the turn's own change is in force again.
	listUntoldUndos = `SELECT iif(u.to_point > 0, e.target, u.path) name, e.kind = 'program.undone' program,
		EXISTS (SELECT 1 FROM undo o WHERE o.turn = u.turn AND o.undone_by = u.operation AND o.operation > 0) redone
		FROM undo u CROSS JOIN turn t ON t.id = u.turn JOIN effect e ON e.id = u.effect
		WHERE u.user = ?1 AND u.operation > 0 AND u.told = 0 AND u.undone_by IS NULL
		AND coalesce(t.destination, t.conversation) = ?2 GROUP BY name, program ORDER BY min(u.effect)`
	markUndoTold = `UPDATE undo SET told = 1 WHERE user = ?1 AND operation > 0 AND told = 0
		AND (SELECT coalesce(t.destination, t.conversation) FROM turn t WHERE t.id = undo.turn) = ?2`
)

// untoldUndos returns the model's text about files that the user restored since the conversation's
// last turn. "" means that the user restored no file.
func (t turnTx) untoldUndos() (text string) {
	in := t.turn.Conversation
	names, any := map[bool]supervisor.RestoredNames{}, false
	t.Query(func(r *engine.Row) bool {
		name, program, redone := "", false, false
		r.Scan(&name, &program, &redone)
		known := names[redone]
		if program {
			known.Programs = append(known.Programs, name)
		} else {
			known.Paths = append(known.Paths, name)
		}
		names[redone], any = known, true
		return true
	}, listUntoldUndos, in.User, in.ID)
	if !any {
		return ""
	}
	t.Exec(markUndoTold, in.User, in.ID)
	return t.policies.Undo.RestoredNote(names[false], names[true])
}

const findTurnUser = `SELECT user FROM turn WHERE id = ?`

// FindTurnUser returns the user of a turn, or "" if there is no such turn.
func (s Undos) FindTurnUser(ctx context.Context, turn int64) (user string, err error) {
	user, _, err = engine.FirstRow(s.db.reader(ctx, "find the user of turn %d", turn), engine.ScanString, findTurnUser,
		turn)
	return user, err
}

const listChanges = `SELECT u.effect, u.turn, u.operation, effect.kind, effect.target, u.path, u.moved_to, u.before, u.after, u.size, u.mode,
		u.why_not, u.kept, u.from_point, u.to_point, u.shared, u.nonce, u.created_at
	FROM undo u JOIN effect ON effect.id = u.effect WHERE u.turn = ?1 AND u.user = ?2 AND u.operation = ?3 AND u.undone_by IS NULL
	AND NOT (u.why_not = ?4 AND ` + callHasSpan + `) ORDER BY u.effect`

// ListChanges lists the changes in force of a turn or of an undo of the turn, oldest first. A span
// stands for all changes of its program, so it leaves out the program's single files. For a turn of
// another user the list is empty.
func (s Undos) ListChanges(ctx context.Context, user string, turn, operation int64) ([]supervisor.FileChange, error) {
	return engine.AllRows(s.db.reader(ctx, "list the changes of turn %d", turn),
		func(r *engine.Row) (c supervisor.FileChange) {
			var span protocol.HistorySpan
			r.Scan(&c.Effect, &c.Turn, &c.Operation, &c.Kind, &c.Target, &c.Path, &c.To, &c.Before, &c.After, &c.Size,
				&c.Mode, &c.Obstacle, &c.Kept, &span.From, &span.To, &span.Shared, &span.Nonce, &c.CreatedAt)
			if span.To > 0 {
				c.Span = &span
			}
			return c
		}, listChanges, turn, user, operation, protocol.ObstacleProgramChange)
}

const (
	markUndone = `UPDATE undo SET undone_by = ? WHERE effect = ? AND user = ? AND turn = ? AND undone_by IS NULL`
	// markRedone and markSpanRedone mark changes as in force again after their undo was undone.
	markRedone     = `UPDATE undo SET undone_by = NULL WHERE undone_by = ?1 AND turn = ?2 AND to_point = 0 AND path IN (?3, ?4)`
	markSpanRedone = `UPDATE undo SET undone_by = NULL WHERE undone_by = ?1 AND turn = ?2 AND to_point > 0
		AND EXISTS (SELECT 1 FROM effect e WHERE e.id = undo.effect AND e.target = ?3)`
	findUndoing  = `SELECT conversation FROM turn WHERE id = ? AND user = ?`
	findEffect   = selectEffect + `WHERE id = ? AND user = ? AND turn = ?`
	isUndoStored = `SELECT EXISTS (SELECT 1 FROM undo WHERE turn = ? AND operation = ?)`
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
// undone before. A span that was undone only in part stays in force.
func (s Undos) RecordUndo(ctx context.Context, u supervisor.UndoneChanges) error {
	return s.db.write(ctx, func(t *tx) {
		if value(t, engine.ScanInteger, findUndoing, u.Turn, u.User) == 0 {
			t.fail(notFound("there is no turn %d of %s", u.Turn, u.User))
		}
		stored := value(t, engine.ScanBool, isUndoStored, u.Turn, u.Operation)
		fresh := int64(0)
		for _, effect := range u.Effects {
			fresh += t.ExecCount(markUndone, u.Operation, effect, u.User, u.Turn)
		}
		if fresh > 0 {
			for _, c := range u.Changes {
				t.putUndone(u, supervisor.EffectChangeUndone, c.Path, c)
				marker{t, u.User, u.Turn}.markChange(protocol.Change{Kind: supervisor.EffectChangeUndone,
					Undo: &c}, nil)
			}
		}
		for _, span := range u.Spans {
			if t.recordSpan(u, span, stored) {
				fresh++
			}
		}
		if fresh > 0 && u.UndoOf == 0 {
			t.Exec(unbuttonUndone, supervisor.CleanupRemoveButtons, t.Now, u.Turn)
		}
	}, "record undone changes of turn %d", u.Turn)
}

// putUndone stores how to redo an undone change.
func (t *tx) putUndone(u supervisor.UndoneChanges, kind, target string, inverse protocol.Undo) {
	t.putEffect(supervisor.Effect{User: u.User, Turn: u.Turn, Call: fmt.Sprint("undo ", u.Operation), Kind: kind,
		Target: target})
	t.putUndo(u.User, u.Turn, u.Operation, inverse)
	switch {
	case u.UndoOf == 0:
	case inverse.Span != nil:
		t.Exec(markSpanRedone, u.UndoOf, u.Turn, target)
	default:
		t.Exec(markRedone, u.UndoOf, u.Turn, inverse.Path, inverse.To)
	}
}

// recordSpan records the undo of a span. The argument stored says whether the operation is recorded
// already. The result is false if the whole span was undone before.
func (t *tx) recordSpan(u supervisor.UndoneChanges, span supervisor.UndoneSpan, stored bool) (whole bool) {
	whole = !span.Partly && t.ExecCount(markUndone, u.Operation, span.Effect, u.User, u.Turn) > 0
	if span.Inverse == nil || !whole && (stored || !span.Partly) {
		return whole
	}
	of, ok := one(t, scanEffect, findEffect, span.Effect, u.User, u.Turn)
	if !ok {
		t.fail(notFound("there is no effect %d of turn %d", span.Effect, u.Turn))
	}
	kind := supervisor.EffectProgramUndone
	if supervisor.IsRestoreKind(of.Kind) {
		kind = supervisor.EffectRestoreUndone
	}
	t.putUndone(u, kind, of.Target, protocol.Undo{Path: ".", Span: span.Inverse})
	return whole
}
