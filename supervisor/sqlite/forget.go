package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// ForgetRequestStore stores requests to forget and carries them out. A turn is forgotten as a
// whole: the user's messages and everything that followed from them. Messages whose answer is not
// delivered yet are forgotten later.
type ForgetRequestStore struct{ db *DB }

// ForgetRequestStore returns the store of requests to forget.
func (db *DB) ForgetRequestStore() ForgetRequestStore { return ForgetRequestStore{db} }

const (
	selectForgetting = `SELECT id, user, inbound, conversation, since, until, next, counts, ended_at IS NOT NULL FROM forgetting `
	findForgetting   = selectForgetting + `WHERE inbound = ?`
	listForgettings  = selectForgetting + `WHERE ended_at IS NULL ORDER BY id`
	insertForgetting = `INSERT INTO forgetting (user, inbound, conversation, since, until, created_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (inbound) DO NOTHING`
	moveForgetting = `UPDATE forgetting SET next = ?, counts = ? WHERE id = ?`
	endForgetting  = `UPDATE forgetting SET ended_at = ? WHERE id = ?`
	// invalidateReaders increments a counter, so that readers of a user's messages read all
	// messages again.
	invalidateReaders = `UPDATE conversation SET forgotten = forgotten + 1 WHERE user = ?`
)

// Put stores a request to forget. If the inbound has made a request before, Put returns the earlier
// request with its current state.
func (s ForgetRequestStore) Put(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetRequest, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.ForgetRequest {
		t.Exec(insertForgetting, f.User, f.Inbound, f.Conversation, f.Since.UnixMilli(), f.Until.UnixMilli(), t.Now)
		return value(t, scanForgetting, findForgetting, f.Inbound)
	}, "store a request to forget of %s", f.User)
}

// Find returns the request to forget that an inbound made.
func (s ForgetRequestStore) Find(ctx context.Context, inbound int64) (supervisor.ForgetRequest, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find the request to forget of inbound %d", inbound), scanForgetting,
		findForgetting, inbound)
}

// ListUnfinished lists the unfinished requests to forget.
func (s ForgetRequestStore) ListUnfinished(ctx context.Context) ([]supervisor.ForgetRequest, error) {
	return engine.AllRows(s.db.reader(ctx, "list open requests to forget"), scanForgetting, listForgettings)
}

// PutProgress stores the progress of a request to forget. The request ends if no message waits.
// PutProgress also empties the journal, which may hold the forgotten data.
func (s ForgetRequestStore) PutProgress(ctx context.Context, f supervisor.ForgetRequest) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(moveForgetting, f.Next, columnEncoder{f.Counts}, f.ID)
		if !f.Expired {
			t.invalidateReaders(f.User)
		}
		if f.Counts.Waiting == 0 {
			t.Exec(endForgetting, t.Now, f.ID)
		}
		t.ScrubJournal()
	}, "store the progress of a request to forget of %s", f.User)
}

// invalidateReaders makes all caches of a user's messages and system texts invalid.
func (t *tx) invalidateReaders(user string) {
	t.Exec(invalidateReaders, user)
	t.renewSystemText(user)
}

func scanForgetting(r *engine.Row) (f supervisor.ForgetRequest) {
	r.Scan(&f.ID, &f.User, &f.Inbound, &f.Conversation, &f.Since, &f.Until, &f.Next, columnDecoder{&f.Counts}, &f.Ended)
	return f
}

const (
	forgetPage = 1000 // number of rows that are checked at once
	// number of exchanges per transaction, so that other writers wait only some milliseconds
	exchangesPerCommit = 8

	// listForgettable selects the inbounds of exchanges in a span of time. An inbound is in the
	// span if it came, was edited or got a message of its turn in the span.
	listForgettable = `SELECT i.id, coalesce(t.id, i.turn, 0) FROM inbox i NOT INDEXED LEFT JOIN turn t ON t.inbound = i.id
		WHERE i.id >= ?5 AND i.id < ?6 AND i.user = ?1 AND (?4 = 0 OR i.conversation = ?4 OR i.destination = ?4)
		AND (i.received_at >= ?2 AND i.received_at < ?3 OR i.edited_at > 0 AND i.edited_at >= ?2 AND i.edited_at < ?3
			OR EXISTS (SELECT 1 FROM message m WHERE m.turn = coalesce(t.id, i.turn) AND m.created_at >= ?2 AND m.created_at < ?3))
		ORDER BY i.id`
	// listExpiredExchanges selects the inbounds of exchanges that are completely expired, still
	// have data, and are in no conversation's window.
	listExpiredExchanges = `SELECT i.id, coalesce(t.id, i.turn, 0) FROM inbox i NOT INDEXED LEFT JOIN turn t ON t.inbound = i.id
		WHERE i.id >= ?5 AND i.id < ?6 AND i.user = ?1 AND ?2 <= i.received_at AND ?4 = 0 AND max(i.received_at, i.edited_at) < ?3
		AND (i.text <> '' OR i.parts IS NOT NULL OR EXISTS (SELECT 1 FROM message m WHERE m.turn = coalesce(t.id, i.turn)))
		AND NOT EXISTS (SELECT 1 FROM message m JOIN conversation c ON c.id = m.conversation
			WHERE m.turn = coalesce(t.id, i.turn) AND (m.id >= c.window_from OR m.created_at >= ?3))
		ORDER BY i.id`
	lastInbound = `SELECT coalesce(max(id), 0) FROM inbox`
)

// forgettableInbound is an inbound and its turn; turn 0 means none.
type forgettableInbound struct{ inbound, turn int64 }

func scanForgettable(r *engine.Row) (f forgettableInbound) { r.Scan(&f.inbound, &f.turn); return f }

// spanParameters returns the parameters of the statements that select a span of time.
func spanParameters(f supervisor.ForgetRequest, from, to int64) []any {
	return []any{f.User, f.Since.UnixMilli(), f.Until.UnixMilli(), f.Conversation, from, to}
}

// walk visits the exchanges of a span, starting at an inbound. It passes the exchanges to the
// function each, page by page. That function returns whether to continue.
func (s ForgetRequestStore) walk(ctx context.Context, f supervisor.ForgetRequest, from int64,
	each func(list []forgettableInbound, next int64) (bool, error)) error {
	read := s.db.reader(ctx, "list exchanges that %s wants forgotten", f.User)
	query := map[bool]string{false: listForgettable, true: listExpiredExchanges}[f.Expired]
	last, err := engine.FirstValue(read, engine.ScanInteger, lastInbound)
	for more := true; more && err == nil && from <= last; from += forgetPage {
		var list []forgettableInbound
		if list, err = engine.AllRows(read, scanForgettable, query, spanParameters(f, from,
			from+forgetPage)...); err == nil {
			more, err = each(list, from+forgetPage)
		}
	}
	return err
}

// CountMatches returns the counts of data that a request to forget would remove.
func (s ForgetRequestStore) CountMatches(ctx context.Context,
	f supervisor.ForgetRequest) (counts supervisor.ForgetCounts,
	err error) {
	read, seen, changed := s.db.reader(ctx, "count the data that %s wants forgotten", f.User), map[int64]bool{}, map[string]bool{}
	return counts, s.walk(ctx, f, 0, func(list []forgettableInbound, _ int64) (bool, error) {
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
			counts = counts.Add(n)
			for _, path := range e.changedFiles(read) {
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

// ForgetNextPart removes the next part of a request's data, starting at the inbound f.Next.
// Messages that still wait stay and are counted.
func (s ForgetRequestStore) ForgetNextPart(ctx context.Context,
	f supervisor.ForgetRequest) (p supervisor.ForgetStepResult,
	err error) {
	waits := int64(0) // id of the first inbound that stays because it waits
	first := f.Next == 0
	f.Counts.Waiting = 0
	err = s.walk(ctx, f, f.Next, func(list []forgettableInbound, next int64) (bool, error) {
		for len(list) > 0 {
			some := list[:min(len(list), exchangesPerCommit)]
			list = list[len(some):]
			if err := s.db.write(ctx, func(t *tx) {
				if !f.Expired { // expired messages are in no window, so no request to a model has them
					t.invalidateReaders(f.User)
				}
				counts := f.Counts
				for _, item := range some {
					gone, messages := t.forgetExchange(item, f)
					if counts = counts.Add(gone); gone.Waiting > 0 && waits == 0 {
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
				t.Exec(moveForgetting, f.Next, columnEncoder{f.Counts}, f.ID)
			}, "delete the data that %s wants forgotten", f.User); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err == nil {
		err = s.forgetSpan(ctx, &f, first)
	}
	p.ForgetRequest = f
	return p, err
}

// countWaitingInSpan counts the unfinished rows of a span that belong to no exchange.
const countWaitingInSpan = `SELECT count(*) FROM outbox WHERE conversation IN (SELECT id FROM conversation WHERE user = ?1 AND (?4 = 0 OR id = ?4))
	AND delivered_at IS NULL AND turn IS NULL AND inbound IS NULL AND created_at >= ?2 AND created_at < ?3`

// forgetSpan removes the rows of a span that belong to no exchange, page by page. It also makes the
// system texts stale.
func (s ForgetRequestStore) forgetSpan(ctx context.Context, f *supervisor.ForgetRequest, first bool) error {
	read := s.db.reader(ctx, "delete the data that %s wants forgotten", f.User)
	n, err := engine.FirstValue(read, engine.ScanInteger, countWaitingInSpan, f.User, f.Since.UnixMilli(),
		f.Until.UnixMilli(), f.Conversation)
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
		last, err := engine.FirstValue(read, engine.ScanInteger, `SELECT coalesce(max(rowid), 0) FROM `+row.table)
		for from := int64(0); from < last && err == nil; from += forgetPage {
			err = s.db.write(ctx, func(t *tx) { t.Exec(statement, spanParameters(*f, from, from+forgetPage)...) },
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
	isOthersBlob  = `SELECT EXISTS (SELECT 1 FROM blob WHERE user <> ?1 AND sha256 = ?2 AND forgotten = 0)
		OR EXISTS (SELECT 1 FROM external_blob WHERE sha256 = ?2)
		OR EXISTS (SELECT 1 FROM calendar_copy WHERE sha256 = ?2)`
	deleteBlob = `DELETE FROM blob WHERE user = ? AND sha256 = ? AND forgotten = 1`
)

// RemoveForgottenBlobs calls remove for a user's forgotten blobs that nobody else needs. It deletes
// the rows of all forgotten blobs of the user.
func (s ForgetRequestStore) RemoveForgottenBlobs(ctx context.Context, user string,
	remove func(sha256 string) error) error {
	read := s.db.reader(ctx, "list the forgotten blobs of %s", user)
	for after := ""; ; {
		list, err := engine.AllRows(read, engine.ScanString, listForgotten, user, after)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, sha := range list {
			others, err := engine.FirstValue(read, engine.ScanBool, isOthersBlob, user, sha)
			if err == nil && !others {
				err = remove(sha)
			}
			if err == nil {
				err = s.db.write(ctx, func(t *tx) { t.Exec(deleteBlob, user, sha) }, "delete the row of blob %s of %s", sha, user)
			}
			if err != nil {
				return err
			}
			after = sha
		}
	}
}
