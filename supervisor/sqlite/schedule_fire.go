package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Limits of stored fires: their age, and their number for one job. Fires that a digest may still
// count are kept. A done job is kept as long as its fires.
const (
	maxFireAge    = 90 * 24 * time.Hour
	maxFiresOfJob = 200
	minFireAge    = longestFire
)

const (
	nextFire = `SELECT min(at) FROM (SELECT (SELECT next FROM job WHERE next > ?1 ORDER BY next LIMIT 1) AS at
		UNION ALL SELECT (SELECT expires_at FROM job WHERE expires_at > ?1 ORDER BY expires_at LIMIT 1)
		UNION ALL SELECT (SELECT due_at FROM held_notice WHERE due_at > ?1 ORDER BY due_at LIMIT 1)
		UNION ALL SELECT (SELECT begin_at FROM fire WHERE state = 'claimed' AND begin_at > ?1 ORDER BY begin_at LIMIT 1)) HAVING min(at) IS NOT NULL`
	insertFire  = `INSERT INTO fire (job, due, user, state, begin_at, delivery, world, fired_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	hasFire     = `SELECT EXISTS (SELECT 1 FROM fire WHERE job = ? AND due = ?)`
	lastFire    = `SELECT coalesce(max(iif(begin_at IS NULL OR leased, coalesce(began_at, fired_at), begin_at)), 0) FROM fire WHERE job = ?`
	insertExtra = `INSERT INTO fire (job, due, user, state, begin_at, material, fired_at, by_hand)
		SELECT id, ?, user, 'claimed', ?, ?, ?, state = 'paused' FROM job WHERE id = ?`
	countOpenFires    = `SELECT count(*) FROM fire WHERE job = ? AND state IN ('claimed', 'running', 'asked')`
	countWaitingFires = `SELECT count(*) FROM fire WHERE job = ? AND state = 'claimed' AND NOT leased`
	pruneJobs         = `DELETE FROM job WHERE state = 'done' AND changed_at < ?1 AND NOT EXISTS (SELECT 1 FROM fire WHERE job = job.id)`
	pruneSeen         = `DELETE FROM job_seen WHERE job IN (SELECT id FROM job WHERE state = 'done')`
	pruneFires        = `DELETE FROM fire WHERE fired_at < ? AND state NOT IN ('claimed', 'running', 'asked')`
	pruneFiresOf      = `DELETE FROM fire WHERE job = ?1 AND state NOT IN ('claimed', 'running', 'asked') AND due <= min(?3, (SELECT due FROM fire WHERE job = ?1
		ORDER BY due DESC LIMIT 1 OFFSET ?2))`
	listBegin = `SELECT ` + jobColumns + `, f.due, f.tries, f.material FROM (SELECT w.rowid AS id, k.kind = 'agent' AS turn,
		row_number() OVER (PARTITION BY w.user, k.kind = 'agent' ORDER BY w.begin_at, w.job, w.due) AS place FROM fire w CROSS JOIN job k ON k.id = w.job
			WHERE w.state = 'claimed' AND w.begin_at <= ?1 AND w.user NOT IN (SELECT value FROM json_each(?2))
			AND (k.kind = 'agent' OR ?4 AND w.user NOT IN (` + checkingUsers + ` > ?1))
			AND NOT EXISTS (SELECT 1 FROM fire r WHERE r.job = w.job AND r.state IN ('running', 'asked'))) b
		CROSS JOIN fire f ON f.rowid = b.id JOIN job j ON j.id = f.job JOIN conversation c ON c.id = j.conversation
		WHERE b.turn OR b.place = 1 ORDER BY f.begin_at, f.job LIMIT ?3`
	beginFire = `UPDATE fire SET state = 'running', begin_at = NULL, leased = 0, began_at = ?, inbound = ?
		WHERE job = ? AND due = ? AND state = 'claimed' AND tries = ?`
	listResults = `SELECT job, due, state, text, cost, coalesce(ended_at, fired_at), world,
		coalesce((SELECT conversation FROM outbox WHERE id = fire.delivery), 0) FROM fire WHERE user = ?1 AND (?2 = 0 OR job = ?2)
		ORDER BY fired_at DESC, due DESC LIMIT ?3`
	claimedFire = `SELECT j.text = '' FROM fire f JOIN job j ON j.id = f.job WHERE f.job = ?1 AND f.due = ?2 AND f.state = 'claimed' AND f.tries = ?3
		AND NOT EXISTS (SELECT 1 FROM fire r WHERE r.job = ?1 AND r.state IN ('running', 'asked'))`
	skipClaimed = `UPDATE fire SET state = 'skipped', begin_at = NULL, ended_at = ? WHERE job = ? AND state = 'claimed'`
)

// NextDue returns when the next job is due after a time, or the next fire begins.
func (s Jobs) NextDue(ctx context.Context, after time.Time) (due time.Time, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next due job"), engine.ScanTime, nextFire, after.UnixMilli())
}

// PutFires stores due fires, the next times of their jobs and the notices, all at once. It skips a
// batch if one of its jobs has changed. It returns the stored notices.
func (s Jobs) PutFires(ctx context.Context, firings []supervisor.FireBatch) (said []supervisor.Delivery, err error) {
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		t.Exec(pruneFires, t.Now-maxFireAge.Milliseconds())
		t.Exec(pruneSeen)
		t.Exec(pruneJobs, t.Now-maxFireAge.Milliseconds())
		return t.putFires(firings)
	}, "store %d batches of due fires", len(firings))
}

func (t *tx) putFires(firings []supervisor.FireBatch) (said []supervisor.Delivery) {
	for _, c := range firings {
		switch {
		case !t.isUnchanged(c.Fires):
		case c.Fires[0].Job.State != supervisor.JobProposed && t.isResting(c.Fires[0].Job):
			said = append(said, t.pauseAway(c.Fires[0].Job.User, c.Private)...)
		default:
			said = append(said, t.claim(c)...)
		}
	}
	return said
}

func (t *tx) isUnchanged(fires []supervisor.Fire) bool {
	for _, f := range fires {
		if value(t, engine.ScanInteger, isJobUnchanged, f.Job.ID, f.Job.Version, f.Job.Next.UnixMilli()) == 0 {
			return false
		}
	}
	return true
}

// claim stores due fires. A due time that was stored before, as after the clock was set back,
// causes no second notice.
func (t *tx) claim(c supervisor.FireBatch) (said []supervisor.Delivery) {
	delivery, held, fresh := int64(0), int64(0), slices.DeleteFunc(slices.Clone(c.Fires), func(f supervisor.Fire) bool {
		return value(t, engine.ScanBool, hasFire, f.Job.ID, f.Job.Next.UnixMilli())
	})
	if c.Notice.Text != "" && len(fresh) > 0 {
		var d supervisor.Delivery
		d, held = t.sayOrHoldAbout(c.Notice, subjectOf(fresh))
		if delivery = d.ID; delivery != 0 {
			said = append(said, d)
		}
	}
	for _, f := range c.Fires {
		t.Exec(fireJob, f.JobState, f.JobSince.UnixMilli(), orNull(millisOrZero(f.NextDue)), t.Now, f.Job.ID)
	}
	for _, f := range fresh {
		t.putFire(f, delivery)
		if held != 0 {
			t.Exec(holdFire, held, f.Job.ID, f.Job.Next.UnixMilli())
		}
	}
	return said
}

// putFire stores a fire. If another fire of the job runs, the new fire is skipped or waits, as the
// job's Overlap says.
func (t *tx) putFire(f supervisor.Fire, delivery int64) {
	as, begin, ended := f.State, int64(0), t.Now
	if as == supervisor.FireClaimed {
		busy := countOpenFires
		if f.Job.Options.Overlap == supervisor.OverlapQueue {
			busy = countWaitingFires
		}
		if value(t, engine.ScanInteger, busy, f.Job.ID) > 0 {
			as = supervisor.FireSkipped
		} else {
			begin, ended = f.BeginAt.UnixMilli(), 0
		}
	}
	t.Exec(
		insertFire,
		f.Job.ID,
		f.Job.Next.UnixMilli(),
		f.Job.User,
		as,
		orNull(begin),
		orNull(delivery),
		f.Job.Options.World,
		t.Now,
		orNull(ended),
	)
	t.pruneFiresOf(f.Job.ID)
}

// pruneFiresOf deletes the oldest fires of a job if it has more than the limit.
func (t *tx) pruneFiresOf(job int64) {
	t.Exec(pruneFiresOf, job, maxFiresOfJob, t.Now-minFireAge.Milliseconds())
}

// RunNow starts a job once more, outside its own times, and reports whether it did. The job's next
// due time stays.
//
// A job is not started if it already runs, or if it was started for the same time before. With
// OverlapQueue a running job is started too, unless another of its fires waits. If the job is
// paused because its user is away, RunNow returns the notice about the pause.
func (s Jobs) RunNow(
	ctx context.Context,
	j supervisor.Job,
	tr supervisor.JobTrigger,
) (begun bool, said []supervisor.Delivery, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (bool, []supervisor.Delivery) {
		if tr.Private.Channel != "" && t.isResting(j) {
			return false, t.pauseAway(j.User, tr.Private)
		}
		busy := countOpenFires
		if j.Options.Overlap == supervisor.OverlapQueue {
			busy = countWaitingFires
		}
		if value(t, engine.ScanBool, hasFire, j.ID, tr.Due.UnixMilli()) || value(t, engine.ScanInteger, busy,
			j.ID) > 0 {
			return false, nil
		}
		begin, gap := tr.Due.UnixMilli(), tr.Gap.Milliseconds()
		if gap > 0 { // the clock may have been set back since the last start
			begin = min(max(begin, value(t, engine.ScanInteger, lastFire, j.ID)+gap), begin+gap)
		}
		t.Exec(insertExtra, tr.Due.UnixMilli(), begin, tr.Material, t.Now, j.ID)
		t.pruneFiresOf(j.ID)
		return true, nil
	}, "run job %d", j.ID)
}

// ListFiresToBegin lists the fires that should begin by now, except fires of some users. Fires with
// a check are listed only on request. Then it lists the first fire with a check of each user who
// has no running check.
func (s Jobs) ListFiresToBegin(
	ctx context.Context,
	now time.Time,
	but []string,
	checks bool,
	limit int,
) ([]supervisor.ClaimedFire, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list fires that should begin"),
		func(row *engine.Row) (f supervisor.ClaimedFire) {
			f.Job = scanJobAnd(row, &f.Due, &f.Tries, &f.Material)
			return f
		},
		listBegin,
		now.UnixMilli(),
		columnEncoder{append([]string{}, but...)},
		limit,
		checks,
	)
}

// BeginFire starts a fire: it stores the inbound that starts the turn. ok is false if the fire has
// begun before or another fire of the job runs. A fire of a forgotten job is skipped.
func (s Jobs) BeginFire(
	ctx context.Context,
	f supervisor.ClaimedFire,
	in supervisor.Inbound,
) (kept supervisor.Inbound, ok bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Inbound, bool) {
		if !t.mayBegin(f) {
			return supervisor.Inbound{}, false
		}
		return t.beginFire(f, in), true
	}, "begin a fire of job %d", f.Job.ID)
}

// ListResults lists the results of a user's fires, the newest first. Job 0 means all jobs.
func (s Jobs) ListResults(ctx context.Context, user string, job int64, limit int) ([]supervisor.FireResult, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list job results of %s", user),
		func(row *engine.Row) (r supervisor.FireResult) {
			row.Scan(&r.Job, &r.Due, &r.State, &r.Text, &r.Cost, &r.EndedAt, &r.World, &r.Conversation)
			return r
		},
		listResults,
		user,
		job,
		limit,
	)
}
