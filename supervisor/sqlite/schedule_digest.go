package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// longestFire is the longest time that a fire may take. Its question may be open for a day, and the
// fire may be tried again.
const longestFire = 2 * 24 * time.Hour

const (
	listDid = `SELECT j.id, j.kind, j.state, j.name, j.text, j.options, f.state, count(*), sum(f.cost) FROM fire f JOIN job j ON j.id = f.job
		WHERE f.user = ?1 AND f.fired_at > ?2 AND f.ended_at > ?3 AND f.ended_at <= ?4 AND NOT (j.kind = 'routine' AND j.name = 'digest')
		GROUP BY j.id, f.state ORDER BY j.id, f.state`
	listOpenQuestions = `SELECT q.text, q.created_at FROM conversation c CROSS JOIN question q ON q.conversation = c.id
		WHERE c.user = ? AND q.why IS NULL AND q.held IS NULL AND coalesce(q.expires_at > ?, 1) ORDER BY q.id`
	listPendingFiles = `SELECT path, pending_since FROM prompt_file WHERE user = ? AND pending_why <> ''
		AND pending_state NOT IN (SELECT value FROM json_each(iif(refused = '', '[]', refused))) ORDER BY path`
	sumHeldOf = `SELECT count(*), max(received_at) FROM inbox WHERE held = 1 AND user = ? HAVING count(*) > 0`
	sumLostOf = `SELECT count(*), max(o.created_at) FROM conversation c CROSS JOIN outbox o ON o.conversation = c.id
		WHERE c.user = ? AND o.outcome IN ('unknown', 'failed') AND o.told < 2 AND o.vanish = 0 AND o.created_at >= ? HAVING count(*) > 0`
)

// ReadDigestRows returns results of a user's jobs in a span. It also returns the items that wait
// for the user. The digest job itself is left out.
func (s Jobs) ReadDigestRows(ctx context.Context, user string, after, until time.Time) (d supervisor.DigestData,
	err error) {
	read := s.db.reader(ctx, "read the digest of %s", user)
	err = read.Query(func(row *engine.Row) bool {
		var did supervisor.JobSummary
		var state supervisor.FireState
		var n int
		j := &did.Job
		row.Scan(&j.ID, &j.Kind, &j.State, &j.Name, &j.Text, columnDecoder{&j.Options}, &state, &n, &did.Cost)
		if last := len(d.Jobs) - 1; last < 0 || d.Jobs[last].Job.ID != j.ID {
			did.Fires, did.World = map[supervisor.FireState]int{state: n}, j.Options.World
			d.Jobs = append(d.Jobs, did)
		} else {
			d.Jobs[last].Fires[state] = n
			d.Jobs[last].Cost += did.Cost
		}
		return true
	}, listDid, user, after.Add(-longestFire).UnixMilli(), after.UnixMilli(), until.UnixMilli())
	for _, of := range []struct {
		kind  supervisor.WaitingItemKind
		query string
		args  []any
	}{
		{supervisor.WaitingQuestion, listOpenQuestions, []any{user, until.UnixMilli()}},
		{supervisor.WaitingPromptFile, listPendingFiles, []any{user}},
		{supervisor.WaitingHeldMessages, sumHeldOf, []any{user}},
		{supervisor.WaitingLostMessages, sumLostOf, []any{user, until.Add(-maxResendAge).UnixMilli()}},
	} {
		if err != nil {
			return d, err
		}
		var list []supervisor.WaitingItem
		list, err = engine.AllRows(
			read,
			func(row *engine.Row) supervisor.WaitingItem { return scanWaiting(row, of.kind) },
			of.query,
			of.args...)
		d.Waiting = append(d.Waiting, list...)
	}
	return d, err
}

// scanWaiting reads a row about one waiting item, or about the number of waiting items. The row has
// the time since which the oldest item waits.
func scanWaiting(row *engine.Row, kind supervisor.WaitingItemKind) supervisor.WaitingItem {
	w := supervisor.WaitingItem{Kind: kind}
	switch kind {
	case supervisor.WaitingHeldMessages, supervisor.WaitingLostMessages:
		row.Scan(&w.Count, &w.Since)
	default:
		row.Scan(&w.Text, &w.Since)
		w.World = true
	}
	return w
}
