package sqlite

import (
	"cmp"
	"context"
	"math"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Effects are the ledger: what was done for people.
type Effects struct{ db *DB }

// EffectPolicy is how the ledger words what was done.
type EffectPolicy struct {
	// Lines stand below an answer whose turn has done so.
	Lines func(done []supervisor.Effect) []string

	// What the ledger has of a text and of a file that were sent, and of a file that was taken in.
	MessageSent func(text string) (detail string)
	FileSent    func(supervisor.File) (target, detail string)
	Received    func(supervisor.Attachment) (target, detail string)
}

// Effects are the ledger: what was done for people.
func (db *DB) Effects() Effects { return Effects{db} }

const (
	insertEffect = `INSERT INTO effect (user, turn, call, kind, target, detail, reported_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	findSent     = `SELECT count(*) FROM effect WHERE turn = ? AND call = ? AND kind IN ('file.sent', 'message.sent')`
	selectEffect = `SELECT id, user, coalesce(turn, 0), call, kind, target, detail, reported_by, created_at FROM effect `
	listDone     = selectEffect + `WHERE turn = ? ORDER BY id`
	listEffects  = selectEffect + `WHERE user = ?1 AND created_at >= ?2 AND created_at < ?3 AND (?4 = '' OR kind IN (SELECT value FROM json_each(?4)))
		AND id < ?5 ORDER BY id DESC LIMIT ?6`
	countEffects = `SELECT user, kind, count(*) FROM effect WHERE created_at >= ?1 AND created_at < ?2 GROUP BY 1, 2`
)

// putEffect keeps what was done for a person: e's User, Turn, Call, Kind, Target and Detail. Whose
// word it is its kind says.
func (t *tx) putEffect(e supervisor.Effect) {
	t.Exec(
		insertEffect,
		e.User,
		orNull(e.Turn),
		e.Call,
		e.Kind,
		e.Target,
		e.Detail,
		supervisor.EffectReporter(e.Kind),
		t.Now,
	)
}

// putEffect is tx's for the turn and its person.
func (t turnTx) putEffect(e supervisor.Effect) {
	e.User, e.Turn = t.turn.Conversation.User, t.turn.ID
	t.tx.putEffect(e)
}

// Put keeps what was done for a person outside turns.
func (s Effects) Put(ctx context.Context, e supervisor.Effect) error {
	return s.db.write(ctx, func(t *tx) { t.putEffect(e) }, "keep that %s was done for %s", e.Kind, e.User)
}

// List lists effects of a person, the newest first.
func (s Effects) List(ctx context.Context, q supervisor.EffectQuery) ([]supervisor.Effect, error) {
	return engine.All(
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

// Count counts everybody's effects between two moments, by person and kind.
func (s Effects) Count(ctx context.Context, from, to time.Time) ([]supervisor.EffectCount, error) {
	return engine.All(s.db.reader(ctx, "count the effects"), func(row *engine.Row) (c supervisor.EffectCount) {
		row.Scan(&c.User, &c.Group, &c.Count)
		return c
	}, countEffects, since(from), until(to))
}

func scanEffect(row *engine.Row) (e supervisor.Effect) {
	row.Scan(&e.ID, &e.User, &e.Turn, &e.Call, &e.Kind, &e.Target, &e.Detail, &e.ReportedBy, &e.At)
	return e
}

// SettingLedger is the setting by which a person has what a turn did stand below its answer;
// LedgerOff is not to.
const (
	SettingLedger = "ledger"
	LedgerOff     = "off"
)

// effectLines are what is to stand below the turn's answer: nothing in a group, where others read
// it.
func (t turnTx) effectLines() []string {
	done := all(t, scanEffect, listDone, t.turn.ID)
	in := t.turn.AnswersIn()
	if len(done) == 0 || in.InGroup() || value(t, engine.String, findSetting, in.User, SettingLedger) == LedgerOff {
		return nil
	}
	return t.policies.Effects.Lines(done)
}

// Send puts the Text and the Files of d into the outbox of the conversation that a turn answers in,
// and into the ledger, for a call of the turn's that has no result. The inbound that the turn
// answers is done only when they were delivered too. A call sends once: a second time changes
// nothing, whatever is to be sent then, for what the folder held may have changed since. in is the
// conversation, 0 where nothing was changed. Refused if the turn has ended, if the call is not one
// of the turn's or has a result, and if the bytes are not the person's.
func (s Turns) Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) (in int64, err error) {
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
	if value(t, engine.Bool, findSent, t.turn.ID, call) {
		return 0
	}
	kind := supervisor.DeliveryNotice
	if d.Text != "" {
		kind = supervisor.DeliveryMessage
		t.putEffect(
			supervisor.Effect{
				Call:   call,
				Kind:   supervisor.EffectMessageSent,
				Detail: t.policies.Effects.MessageSent(d.Text),
			},
		)
	}
	for _, f := range d.Files {
		size, owned := one(t, engine.Integer, findBlob, t.turn.Conversation.User, f.SHA256)
		if !owned || size != f.Size {
			t.fail(invalid("%s has no blob %.64s of %d bytes", t.turn.Conversation.User, f.SHA256, f.Size))
		}
		target, detail := t.policies.Effects.FileSent(f)
		t.putEffect(supervisor.Effect{Call: call, Kind: supervisor.EffectFileSent, Target: target, Detail: detail})
	}
	return t.putDelivery(
		supervisor.Delivery{Conversation: t.turn.AnswersIn(), Inbound: t.turn.Inbound, Kind: kind, Text: d.Text,
			Files: d.Files},
	).Conversation.ID
}

// Sent says whether Send has sent something for a call of a turn's.
func (s Turns) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	return engine.Value(
		s.db.reader(ctx, "look whether call %s of turn %d has sent something", call, turn),
		engine.Bool,
		findSent,
		turn,
		call,
	)
}

// checkUnanswered refuses a call that the turn has not made, or that has a result.
func (t turnTx) checkUnanswered(call string) {
	if t.call(call).result != 0 {
		t.fail(invalid("call %s of turn %d has a result", call, t.turn.ID))
	}
}
