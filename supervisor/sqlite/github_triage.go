package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Triages stores the triages of GitHub issues, planned and done.
type Triages struct{ db *DB }

// Triages returns the store of triages.
func (db *DB) Triages() Triages { return Triages{db} }

const (
	selectTriage = `SELECT id, user, repo, number, state, round, asked, wanted_at, due_at, report, labels, comment, why FROM triage `
	// wantTriage lets an issue be triaged automatically only once. A person's request triages the
	// issue again, unless a triage of the issue is running.
	wantTriage = `INSERT INTO triage (user, repo, number, state, asked, wanted_at, due_at, updated_at)
		VALUES (?1, ?2, ?3, 'settling', ?4, ?5, ?6, ?7)
		ON CONFLICT (user, repo, number) DO UPDATE SET state = 'settling', round = round + 1, asked = excluded.asked,
			wanted_at = excluded.wanted_at, due_at = excluded.due_at, report = '', why = '', updated_at = excluded.updated_at
		WHERE excluded.asked <> '' AND excluded.wanted_at > triage.wanted_at AND NOT EXISTS (SELECT 1 FROM conversation c
			JOIN turn t ON t.conversation = c.id AND t.ended_at IS NULL
			WHERE c.user = ?1 AND c.channel = 'github' AND c.chat = ?2 AND c.thread = CAST(?3 AS TEXT))`
	findTriage = selectTriage + `WHERE user = ? AND repo = ? AND number = ?`
	dueTriages = selectTriage + `WHERE state IN ('settling', 'queued') AND (state = 'queued' OR due_at <= ?) ORDER BY due_at, id`
	nextTriage = `SELECT due_at FROM triage WHERE state IN ('settling', 'queued') AND state = 'settling' ORDER BY due_at LIMIT 1`
	keepTriage = `UPDATE triage SET state = ?, due_at = ?, report = ?, labels = ?, comment = ?, why = ?, updated_at = ?
		WHERE id = ? AND round = ? AND state IN ('settling', 'queued')`
)

// RequestTriage requests the triage of an issue. It reads the fields of w up to Due. The same
// request again changes nothing. A zero WantedAt means now.
func (s Triages) RequestTriage(ctx context.Context, w supervisor.IssueTriage) error {
	return s.db.write(ctx, func(t *tx) {
		at := t.Now
		if !w.WantedAt.IsZero() {
			at = w.WantedAt.UnixMilli()
		}
		t.Exec(wantTriage, w.User, w.Repo, w.Number, w.Requester, at, w.Due, t.Now)
	}, "request the triage of %s#%d", w.Repo, w.Number)
}

// Find returns a user's triage of an issue, if there is one.
func (s Triages) Find(ctx context.Context, user, repo string, number int) (supervisor.IssueTriage, bool, error) {
	return engine.FirstRow(
		s.db.reader(ctx, "find the triage of %s#%d", repo, number),
		scanTriage,
		findTriage,
		user,
		repo,
		number,
	)
}

// ListDue lists the due and the queued triages of all users.
func (s Triages) ListDue(ctx context.Context, now time.Time) ([]supervisor.IssueTriage, error) {
	return engine.AllRows(s.db.reader(ctx, "list due triages"), scanTriage, dueTriages, now.UnixMilli())
}

// NextDue returns when the next settling triage is due. ok is false without a triage.
func (s Triages) NextDue(ctx context.Context) (due time.Time, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next due triage"), engine.ScanTime, nextTriage)
}

// Update stores a triage's progress: the fields State, Due, and all fields from Report on. It fails
// if the triage has ended. It fails if the triage was requested again meanwhile.
func (s Triages) Update(ctx context.Context, w supervisor.IssueTriage) error {
	return s.db.write(ctx, func(t *tx) { t.keepTriage(w) }, "store the progress of the triage of %s#%d", w.Repo,
		w.Number)
}

// UpdateWithNotices does what Update does, and sends messages in the same transaction. It returns
// the messages, except those that wait for the end of quiet hours.
func (s Triages) UpdateWithNotices(ctx context.Context, w supervisor.IssueTriage,
	notices []supervisor.Delivery) ([]supervisor.Delivery, error) {
	return inTransaction(ctx, s.db, func(t *tx) (queued []supervisor.Delivery) {
		t.keepTriage(w)
		for _, d := range notices {
			if said, held := t.sayOrHold(d); held == 0 {
				queued = append(queued, said)
			}
		}
		return queued
	}, "store the progress of the triage of %s#%d with %d messages", w.Repo, w.Number, len(notices))
}

func (t *tx) keepTriage(w supervisor.IssueTriage) {
	if t.ExecCount(
		keepTriage,
		w.State,
		w.Due,
		w.Report,
		columnEncoder{append([]string{}, w.Labels...)},
		w.Comment,
		w.Why,
		t.Now,
		w.ID,
		w.Round,
	) == 0 {
		t.fail(invalid("round %d of triage %d is over", w.Round, w.ID))
	}
}

func scanTriage(row *engine.Row) (w supervisor.IssueTriage) {
	row.Scan(
		&w.ID,
		&w.User,
		&w.Repo,
		&w.Number,
		&w.State,
		&w.Round,
		&w.Requester,
		&w.WantedAt,
		&w.Due,
		&w.Report,
		columnDecoder{&w.Labels},
		&w.Comment,
		&w.Why,
	)
	return w
}
