package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Forgettings are what people want to be forgotten. What a turn has answered goes as a whole: what
// its person sent, and all that came of it. What is not answered or delivered yet goes once it is.
type Forgettings struct{ db *DB }

// Forgettings are what people want to be forgotten.
func (db *DB) Forgettings() Forgettings { return Forgettings{db} }

const (
	selectForgetting = `SELECT id, user, inbound, conversation, since, until, next, counts, ended_at IS NOT NULL FROM forgetting `
	findForgetting   = selectForgetting + `WHERE inbound = ?`
	listForgettings  = selectForgetting + `WHERE ended_at IS NULL ORDER BY id`
	insertForgetting = `INSERT INTO forgetting (user, inbound, conversation, since, until, created_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (inbound) DO NOTHING`
	moveForgetting = `UPDATE forgetting SET next = ?, counts = ? WHERE id = ?`
	endForgetting  = `UPDATE forgetting SET ended_at = ? WHERE id = ?`
	// rereadAll has whoever has read messages of a person's read them anew.
	rereadAll = `UPDATE conversation SET forgotten = forgotten + 1 WHERE user = ?`
)

// Put keeps what a person wants to be forgotten. Where its inbound has wanted something before,
// that is returned as it is now.
func (s Forgettings) Put(ctx context.Context, f supervisor.Forgetting) (supervisor.Forgetting, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Forgetting {
		t.Exec(insertForgetting, f.User, f.Inbound, f.Conversation, f.Since.UnixMilli(), f.Until.UnixMilli(), t.Now)
		return value(t, scanForgetting, findForgetting, f.Inbound)
	}, "keep what %s wants to be forgotten", f.User)
}

// Find is what an inbound wants to be forgotten.
func (s Forgettings) Find(ctx context.Context, inbound int64) (supervisor.Forgetting, bool, error) {
	return engine.One(s.db.reader(ctx, "find what inbound %d wants to be forgotten", inbound), scanForgetting, findForgetting, inbound)
}

// Open lists those of which something is left.
func (s Forgettings) Open(ctx context.Context) ([]supervisor.Forgetting, error) {
	return engine.All(s.db.reader(ctx, "list what is to be forgotten"), scanForgetting, listForgettings)
}

// Done keeps what is forgotten, and that nothing is left where nothing waits. Nothing of it is in
// the journal either.
func (s Forgettings) Done(ctx context.Context, f supervisor.Forgetting) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(moveForgetting, f.Next, encoded{f.Counts}, f.ID)
		if !f.Expired {
			t.reread(f.User)
		}
		if f.Counts.Waiting == 0 {
			t.Exec(endForgetting, t.Now, f.ID)
		}
		t.Scrub()
	}, "keep what %s has had forgotten", f.User)
}

// reread has whoever has read something of a person's for requests read it anew.
func (t *tx) reread(user string) {
	t.Exec(rereadAll, user)
	t.renewSystemText(user)
}

func scanForgetting(r *engine.Row) (f supervisor.Forgetting) {
	r.Scan(&f.ID, &f.User, &f.Inbound, &f.Conversation, &f.Since, &f.Until, &f.Next, decoded{&f.Counts}, &f.Ended)
	return f
}

const (
	forgetWindow = 1000 // how many inbounds, or other rows, are looked at in one go
	// how many exchanges go in one transaction: others who write wait for a few milliseconds
	forgetPiece = 8

	// listForgettable are the inbounds of an exchange in the span, by its first hint: its own time,
	// that of an edit, or of a message of its turn.
	listForgettable = `SELECT i.id, coalesce(t.id, i.turn, 0) FROM inbox i NOT INDEXED LEFT JOIN turn t ON t.inbound = i.id
		WHERE i.id >= ?5 AND i.id < ?6 AND i.user = ?1 AND (?4 = 0 OR i.conversation = ?4 OR i.destination = ?4)
		AND (i.received_at >= ?2 AND i.received_at < ?3 OR i.edited_at > 0 AND i.edited_at >= ?2 AND i.edited_at < ?3
			OR EXISTS (SELECT 1 FROM message m WHERE m.turn = coalesce(t.id, i.turn) AND m.created_at >= ?2 AND m.created_at < ?3))
		ORDER BY i.id`
	// listTooOld are the inbounds of an exchange that is older as a whole, has something left, and
	// is in no conversation's window.
	listTooOld = `SELECT i.id, coalesce(t.id, i.turn, 0) FROM inbox i NOT INDEXED LEFT JOIN turn t ON t.inbound = i.id
		WHERE i.id >= ?5 AND i.id < ?6 AND i.user = ?1 AND ?2 <= i.received_at AND ?4 = 0 AND max(i.received_at, i.edited_at) < ?3
		AND (i.text <> '' OR i.parts IS NOT NULL OR EXISTS (SELECT 1 FROM message m WHERE m.turn = coalesce(t.id, i.turn)))
		AND NOT EXISTS (SELECT 1 FROM message m JOIN conversation c ON c.id = m.conversation
			WHERE m.turn = coalesce(t.id, i.turn) AND (m.id >= c.window_from OR m.created_at >= ?3))
		ORDER BY i.id`
	lastInbound = `SELECT coalesce(max(id), 0) FROM inbox`
)

// forgettable is an inbound with its turn, 0 where it has none.
type forgettable struct{ inbound, turn int64 }

func scanForgettable(r *engine.Row) (f forgettable) { r.Scan(&f.inbound, &f.turn); return f }

// span are the parameters of the statements about it.
func span(f supervisor.Forgetting, from, to int64) []any {
	return []any{f.User, f.Since.UnixMilli(), f.Until.UnixMilli(), f.Conversation, from, to}
}

// walk goes through the exchanges of a span, window by window, from an inbound on. each gets those
// of a window, and says whether to go on.
func (s Forgettings) walk(ctx context.Context, f supervisor.Forgetting, from int64, each func(list []forgettable, next int64) (bool, error)) error {
	read := s.db.reader(ctx, "list what %s wants to be forgotten", f.User)
	query := map[bool]string{false: listForgettable, true: listTooOld}[f.Expired]
	last, err := engine.Value(read, engine.Integer, lastInbound)
	for more := true; more && err == nil && from <= last; from += forgetWindow {
		var list []forgettable
		if list, err = engine.All(read, scanForgettable, query, span(f, from, from+forgetWindow)...); err == nil {
			more, err = each(list, from+forgetWindow)
		}
	}
	return err
}

// Count says how much there is to be forgotten.
func (s Forgettings) Count(ctx context.Context, f supervisor.Forgetting) (counts supervisor.ForgetCounts, err error) {
	read, seen, changed := s.db.reader(ctx, "count what %s wants to be forgotten", f.User), map[int64]bool{}, map[string]bool{}
	return counts, s.walk(ctx, f, 0, func(list []forgettable, _ int64) (bool, error) {
		for _, item := range list {
			if item.turn != 0 && seen[item.turn] {
				continue
			}
			seen[item.turn] = true
			e := exchangeOf(read, item)
			n := e.count(read)
			if e.busy(read) {
				n.Waiting = n.Messages
			}
			counts = counts.Plus(n)
			for _, path := range e.changed(read) {
				changed[path] = true
			}
			if e.err != nil {
				return false, e.err
			}
		}
		counts.Changed = int64(len(changed))
		return true, nil
	})
}

// Forget takes out some of what is to be forgotten: what is sent from f's Next on. What waits is
// left, and counted.
func (s Forgettings) Forget(ctx context.Context, f supervisor.Forgetting) (p supervisor.ForgottenPiece, err error) {
	waits := int64(0) // the first of what was left
	first := f.Next == 0
	f.Counts.Waiting = 0
	err = s.walk(ctx, f, f.Next, func(list []forgettable, next int64) (bool, error) {
		for len(list) > 0 {
			some := list[:min(len(list), forgetPiece)]
			list = list[len(some):]
			if err := s.db.write(ctx, func(t *tx) {
				if !f.Expired { // no request has what no window has
					t.reread(f.User)
				}
				counts := f.Counts
				for _, item := range some {
					gone, messages := t.forgetExchange(item, f)
					if counts = counts.Plus(gone); gone.Waiting > 0 && waits == 0 {
						waits = item.inbound
					}
					p.Messages = append(p.Messages, messages...)
				}
				f.Counts, f.Next = counts, next
				if len(list) > 0 {
					f.Next = list[0].inbound
				}
				if waits != 0 {
					f.Next = waits
				}
				t.Exec(moveForgetting, f.Next, encoded{f.Counts}, f.ID)
			}, "forget what %s wants to be forgotten", f.User); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err == nil {
		err = s.forgetSpan(ctx, &f, first)
	}
	p.Forgetting = f
	return p, err
}

// waitsInSpan is what is in a span that is not part of an exchange, and is not done.
const waitsInSpan = `SELECT count(*) FROM outbox WHERE conversation IN (SELECT id FROM conversation WHERE user = ?1 AND (?4 = 0 OR id = ?4))
	AND delivered_at IS NULL AND turn IS NULL AND inbound IS NULL AND created_at >= ?2 AND created_at < ?3`

// forgetSpan takes out what is in a span and is not part of an exchange, in pieces, and has no
// request begin with what was known.
func (s Forgettings) forgetSpan(ctx context.Context, f *supervisor.Forgetting, first bool) error {
	read := s.db.reader(ctx, "forget what %s wants to be forgotten", f.User)
	n, err := engine.Value(read, engine.Integer, waitsInSpan, f.User, f.Since.UnixMilli(), f.Until.UnixMilli(), f.Conversation)
	if f.Counts.Waiting += n; err != nil || f.Counts.Waiting > 0 && !first {
		return err
	}
	for _, row := range forgetTable {
		statement := row.span
		if f.Expired && row.expired != "" {
			statement = row.expired
		}
		if statement == "" {
			continue
		}
		last, err := engine.Value(read, engine.Integer, `SELECT coalesce(max(rowid), 0) FROM `+row.table)
		for from := int64(0); from < last && err == nil; from += forgetWindow {
			err = s.db.write(ctx, func(t *tx) { t.Exec(statement, span(*f, from, from+forgetWindow)...) },
				"forget what %s wants to be forgotten from %s", f.User, row.table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	listForgotten = `SELECT sha256 FROM blob WHERE forgotten = 1 AND user = ? AND sha256 > ? ORDER BY sha256 LIMIT 100`
	isOthersBlob  = `SELECT EXISTS (SELECT 1 FROM blob WHERE user <> ? AND sha256 = ? AND forgotten = 0)`
	deleteBlob    = `DELETE FROM blob WHERE user = ? AND sha256 = ? AND forgotten = 1`
)

// ForgetBytes has remove take those of a person's bytes out of the spool that are forgotten, and
// that are nobody else's.
func (s Forgettings) ForgetBytes(ctx context.Context, user string, remove func(sha256 string) error) error {
	read := s.db.reader(ctx, "list the forgotten bytes of %s", user)
	for after := ""; ; {
		list, err := engine.All(read, engine.String, listForgotten, user, after)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, sha := range list {
			others, err := engine.Value(read, engine.Bool, isOthersBlob, user, sha)
			if err == nil && !others {
				err = remove(sha)
			}
			if err == nil {
				err = s.db.write(ctx, func(t *tx) { t.Exec(deleteBlob, user, sha) }, "keep that blob %s of %s is gone", sha, user)
			}
			if err != nil {
				return err
			}
			after = sha
		}
	}
}
