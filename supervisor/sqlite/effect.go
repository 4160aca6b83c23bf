package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Effects is the ledger: the changes made and the messages sent for users.
type Effects struct{ db *DB }

// EffectTexts makes the texts about effects.
type EffectTexts struct {
	// Lines returns the lines below an answer that list the effects of its turn.
	Lines func(done []supervisor.Effect) []string

	// RefusedNotice returns the user's text about effects that a channel refused late.
	RefusedNotice func(refused []supervisor.Effect) string
	// RefusedNote returns the model's text about effects that the channel refused.
	RefusedNote func(refused []supervisor.Effect) string

	// SentMessageDetail, SentFileEntry and ReceivedFileEntry return the ledger's words about a sent
	// text, a sent file and a received file.
	SentMessageDetail func(text string) (detail string)
	SentFileEntry     func(supervisor.File) (target, detail string)
	ReceivedFileEntry func(supervisor.Attachment) (target, detail string)
}

// Effects returns the ledger.
func (db *DB) Effects() Effects { return Effects{db} }

const (
	insertEffect = `INSERT INTO effect (user, turn, call, kind, target, detail, delivery, reported_by, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	findSent = `SELECT count(*) FROM effect WHERE turn = ? AND call = ?
		AND (delivery > 0 OR kind IN ('file.sent', 'message.sent'))`
	selectEffect = `SELECT id, user, coalesce(turn, 0), call, kind, target, detail, reported_by, created_at FROM effect `
	listDone     = selectEffect + `WHERE turn = ? ORDER BY id`
	listEffects  = selectEffect + `WHERE user = ?1 AND created_at >= ?2 AND created_at < ?3 AND (?4 = '' OR kind IN (SELECT value FROM json_each(?4)))
		AND id < ?5 ORDER BY id DESC LIMIT ?6`
	countEffects = `SELECT user, kind, count(*) FROM effect WHERE created_at >= ?1 AND created_at < ?2 GROUP BY 1, 2`
)

// putEffect stores an effect in the ledger. It reads the User, Turn, Call, Kind, Target, Detail and
// Delivery of e. The kind decides ReportedBy.
func (t *tx) putEffect(e supervisor.Effect) {
	t.Exec(
		insertEffect,
		e.User,
		orNull(e.Turn),
		e.Call,
		e.Kind,
		e.Target,
		e.Detail,
		e.Delivery,
		supervisor.EffectReporterOf(e.Kind),
		t.Now,
	)
	switch e.Kind {
	case supervisor.EffectRestore, supervisor.EffectRestoreUndone, supervisor.EffectFilesRestored,
		supervisor.EffectFilesRestoredByAdmin, supervisor.EffectProgramUndone:
		t.Exec(reopenMarks, e.User)
	}
}

// putEffect stores an effect of the turn for its user.
func (t turnTx) putEffect(e supervisor.Effect) {
	e.User, e.Turn = t.turn.Conversation.User, t.turn.ID
	t.tx.putEffect(e)
}

// Put stores an effect that no turn made.
func (s Effects) Put(ctx context.Context, e supervisor.Effect) error {
	return s.db.write(ctx, func(t *tx) { t.putEffect(e) }, "store the effect %s for %s", e.Kind, e.User)
}

const hasEffectOfOperation = `SELECT EXISTS (SELECT 1 FROM effect WHERE user = ? AND turn IS NULL AND call = ?)`

// PutOfOperation stores the effect of an operation that an inbound asked for. If the inbound's
// command runs again after a crash, the effect is not stored again.
func (s Effects) PutOfOperation(ctx context.Context, operation int64, e supervisor.Effect) error {
	e.Call = fmt.Sprint("operation/", operation)
	return s.db.write(ctx, func(t *tx) {
		if !value(t, engine.ScanBool, hasEffectOfOperation, e.User, e.Call) {
			t.putEffect(e)
		}
	}, "store the effect %s of operation %d", e.Kind, operation)
}

// List lists the effects of a user that match a query, the newest first.
func (s Effects) List(ctx context.Context, q supervisor.EffectQuery) ([]supervisor.Effect, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list the effects of %s", q.User),
		scanEffect,
		listEffects,
		q.User,
		since(q.From),
		until(q.To),
		encodedList(q.Kinds),
		cmp.Or(q.Before, math.MaxInt64),
		q.Limit,
	)
}

// Count counts the effects of all users between two times, by user and kind.
func (s Effects) Count(ctx context.Context, from, to time.Time) ([]supervisor.EffectCount, error) {
	return engine.AllRows(s.db.reader(ctx, "count the effects"), func(row *engine.Row) (c supervisor.EffectCount) {
		row.Scan(&c.User, &c.Group, &c.Count)
		return c
	}, countEffects, since(from), until(to))
}

func scanEffect(row *engine.Row) (e supervisor.Effect) {
	row.Scan(&e.ID, &e.User, &e.Turn, &e.Call, &e.Kind, &e.Target, &e.Detail, &e.ReportedBy, &e.At)
	return e
}

// SettingEffectLines is the name of the setting for effect lines below answers; the value
// EffectLinesOff hides them.
const (
	SettingEffectLines = "ledger"
	EffectLinesOff     = "off"
)

// effectLines returns the effect lines below the turn's answer. An answer in a group has no effect
// lines, since other people read the answer.
func (t turnTx) effectLines() []string {
	done := all(t, scanEffect, listDone, t.turn.ID)
	in := t.turn.AnswerConversation()
	if len(done) == 0 || in.IsInGroup() || value(t, engine.ScanString, findSetting, in.User,
		SettingEffectLines) == EffectLinesOff {
		return nil
	}
	return t.policies.Effects.Lines(done)
}

// SendMessage puts a delivery of an unanswered tool call into the outbox and the ledger. It sends
// the Text and Files of d to the conversation that gets the turn's answer. The inbound is done only
// after this delivery is done too. A tool call sends only once: a second SendMessage for the call
// changes nothing, even with another d.
//
// The result in is the id of the conversation; 0 means that nothing changed. SendMessage fails if
// the turn has ended, or if the turn has no such open call. It also fails if the user does not own
// the bytes of the files.
func (s Turns) SendMessage(ctx context.Context, turn int64, call string, d supervisor.Delivery) (in int64, err error) {
	return inTurn(
		ctx,
		s.db,
		turn,
		func(t turnTx) int64 { return t.send(call, d) },
		"send for call %s of turn %d",
		call,
		turn,
	)
}

func (t turnTx) send(call string, d supervisor.Delivery) (in int64) {
	t.checkUnanswered(call)
	if value(t, engine.ScanBool, findSent, t.turn.ID, call) {
		return 0
	}
	kind := supervisor.DeliveryNotice
	if d.Text != "" {
		kind = supervisor.DeliveryMessage
	}
	for _, f := range d.Files {
		size, owned := one(t, engine.ScanInteger, findBlob, t.turn.Conversation.User, f.SHA256)
		if !owned || size != f.Size {
			t.fail(invalid("%s has no blob %.64s of %d bytes", t.turn.Conversation.User, f.SHA256, f.Size))
		}
	}
	silent := false // a job sends its pictures at any time, but nothing wakes its user
	if t.turn.Kind == supervisor.TurnJob {
		_, silent = t.quietUntil(t.turn.Conversation.User)
	}
	d = t.putDelivery(supervisor.Delivery{Conversation: t.turn.AnswerConversation(), Inbound: t.turn.Inbound,
		Kind:   kind,
		Text:   d.Text,
		Files:  d.Files,
		Silent: silent})
	for _, e := range t.effectsOf(d) {
		e.Call, e.Delivery = call, d.ID
		t.putEffect(e)
	}
	return d.Conversation.ID
}

// WasMessageSent reports whether a tool call of a turn has put a delivery into the outbox.
func (s Turns) WasMessageSent(ctx context.Context, turn int64, call string) (bool, error) {
	return engine.FirstValue(
		s.db.reader(ctx, "check whether call %s of turn %d sent a delivery", call, turn),
		engine.ScanBool,
		findSent,
		turn,
		call,
	)
}

// checkUnanswered fails the transaction unless the turn has made the call and the call has no
// result.
func (t turnTx) checkUnanswered(call string) {
	if t.call(call).result != 0 {
		t.fail(invalid("call %s of turn %d has a result", call, t.turn.ID))
	}
}
