package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// What is kept of fires: for so long, as a job that is done, and so many of a job, but those that a
// digest may yet count.
const (
	keepFires  = 90 * 24 * time.Hour
	keptOfAJob = 200
	keepWhole  = longestFire
)

const (
	nextFire = `SELECT min(at) FROM (SELECT (SELECT next FROM job WHERE next > ?1 ORDER BY next LIMIT 1) AS at
		UNION ALL SELECT (SELECT due_at FROM held_notice WHERE due_at > ?1 ORDER BY due_at LIMIT 1)
		UNION ALL SELECT (SELECT begin_at FROM fire WHERE state = 'claimed' AND begin_at > ?1 ORDER BY begin_at LIMIT 1)) HAVING min(at) IS NOT NULL`
	insertFire  = `INSERT INTO fire (job, due, user, state, begin_at, delivery, world, fired_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	hasFire     = `SELECT EXISTS (SELECT 1 FROM fire WHERE job = ? AND due = ?)`
	lastFire    = `SELECT coalesce(max(iif(begin_at IS NULL OR leased, coalesce(began_at, fired_at), begin_at)), 0) FROM fire WHERE job = ?`
	insertExtra = `INSERT INTO fire (job, due, user, state, begin_at, material, fired_at, by_hand)
		SELECT id, ?, user, 'claimed', ?, ?, ?, state = 'paused' FROM job WHERE id = ?`
	openFires  = `SELECT count(*) FROM fire WHERE job = ? AND state IN ('claimed', 'running', 'asked')`
	waitsFire  = `SELECT count(*) FROM fire WHERE job = ? AND state = 'claimed' AND NOT leased`
	pruneJobs  = `DELETE FROM job WHERE state = 'done' AND changed_at < ?1 AND NOT EXISTS (SELECT 1 FROM fire WHERE job = job.id)`
	pruneSeen  = `DELETE FROM job_seen WHERE job IN (SELECT id FROM job WHERE state = 'done')`
	pruneFires = `DELETE FROM fire WHERE fired_at < ? AND state NOT IN ('claimed', 'running', 'asked')`
	boundFires = `DELETE FROM fire WHERE job = ?1 AND state NOT IN ('claimed', 'running', 'asked') AND due <= min(?3, (SELECT due FROM fire WHERE job = ?1
		ORDER BY due DESC LIMIT 1 OFFSET ?2))`
	listBegin = `SELECT ` + jobColumns + `, f.due, f.tries, f.material FROM (SELECT w.rowid AS id, k.kind = 'agent' AS turn,
		row_number() OVER (PARTITION BY w.user, k.kind = 'agent' ORDER BY w.begin_at, w.job, w.due) AS place FROM fire w CROSS JOIN job k ON k.id = w.job
			WHERE w.state = 'claimed' AND w.begin_at <= ?1 AND w.user NOT IN (SELECT value FROM json_each(?2))
			AND (k.kind = 'agent' OR ?4 AND w.user NOT IN (` + looking + ` > ?1))
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

// NextDue is when the next job is due after a time, or the next fire is to begin, if there is one.
func (s Jobs) NextDue(ctx context.Context, after time.Time) (due time.Time, ok bool, err error) {
	return engine.One(s.db.reader(ctx, "find when the next job is due"), engine.Time, nextFire, after.UnixMilli())
}

// Claim keeps that jobs were due, when they are due again, and what is said of it, all at once. A
// claim is passed over of which a job has changed. It returns what is said.
func (s Jobs) Claim(ctx context.Context, firings []supervisor.Firing) (said []supervisor.Delivery, err error) {
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		t.Exec(pruneFires, t.Now-keepFires.Milliseconds())
		t.Exec(pruneSeen)
		t.Exec(pruneJobs, t.Now-keepFires.Milliseconds())
		for _, c := range firings {
			switch {
			case !t.isAsItWas(c.Fires):
			case t.isAway(c.Fires[0].Job):
				said = append(said, t.pauseAway(c.Fires[0].Job.User, c.Private)...)
			default:
				said = append(said, t.claim(c)...)
			}
		}
		return said
	}, "keep that %d jobs were due", len(firings))
}

func (t *tx) isAsItWas(fires []supervisor.Fire) bool {
	for _, f := range fires {
		if value(t, engine.Integer, isAsItWas, f.Job.ID, f.Job.Version, f.Job.Next.UnixMilli()) == 0 {
			return false
		}
	}
	return true
}

// claim keeps that jobs were due. Of a moment that was fired before, as where the clock was set
// back, nothing is said again.
func (t *tx) claim(c supervisor.Firing) (said []supervisor.Delivery) {
	delivery, held, fresh := int64(0), int64(0), slices.DeleteFunc(slices.Clone(c.Fires), func(f supervisor.Fire) bool {
		return value(t, engine.Bool, hasFire, f.Job.ID, f.Job.Next.UnixMilli())
	})
	if c.Say.Text != "" && len(fresh) > 0 {
		var d supervisor.Delivery
		d, held = t.sayOrHoldOf(c.Say, ofFires(fresh))
		if delivery = d.ID; delivery != 0 {
			said = append(said, d)
		}
	}
	for _, f := range c.Fires {
		t.Exec(fireJob, f.State, f.Since.UnixMilli(), orNull(millisOrZero(f.Next)), t.Now, f.Job.ID)
	}
	for _, f := range fresh {
		t.putFire(f, delivery)
		if held != 0 {
			t.Exec(holdFire, held, f.Job.ID, f.Job.Next.UnixMilli())
		}
	}
	return said
}

// putFire keeps a fire. One that is to begin while another of its job runs is skipped, or waits for
// that one's end.
func (t *tx) putFire(f supervisor.Fire, delivery int64) {
	as, begin, ended := f.As, int64(0), t.Now
	if as == supervisor.FireClaimed {
		busy := openFires
		if f.Job.Options.Overlap == supervisor.OverlapQueue {
			busy = waitsFire
		}
		if value(t, engine.Integer, busy, f.Job.ID) > 0 {
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
	t.boundFires(f.Job.ID)
}

// boundFires deletes those of a job that are too many.
func (t *tx) boundFires(job int64) {
	t.Exec(boundFires, job, keptOfAJob, t.Now-keepWhole.Milliseconds())
}

// RunNow has a job be done once more, and says whether it is. It is not where it was for that
// moment before, or is under way; of a job that queues, where one waits. It changes nothing of when
// it is due. It returns what is said: that what begins by itself rests.
func (s Jobs) RunNow(
	ctx context.Context,
	j supervisor.Job,
	tr supervisor.Trigger,
) (begun bool, said []supervisor.Delivery, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (bool, []supervisor.Delivery) {
		if tr.Private.Channel != "" && t.isAway(j) {
			return false, t.pauseAway(j.User, tr.Private)
		}
		busy := openFires
		if j.Options.Overlap == supervisor.OverlapQueue {
			busy = waitsFire
		}
		if value(t, engine.Bool, hasFire, j.ID, tr.Due.UnixMilli()) || value(t, engine.Integer, busy, j.ID) > 0 {
			return false, nil
		}
		begin, gap := tr.Due.UnixMilli(), tr.Gap.Milliseconds()
		if gap > 0 { // the clock may have been set back since the last one
			begin = min(max(begin, value(t, engine.Integer, lastFire, j.ID)+gap), begin+gap)
		}
		t.Exec(insertExtra, tr.Due.UnixMilli(), begin, tr.Material, t.Now, j.ID)
		t.boundFires(j.ID)
		return true, nil
	}, "run job %d", j.ID)
}

// ListBegin lists, of all persons but some, the fires that are to begin by now; those with a look
// only where that is asked for, and of each person who has none the first.
func (s Jobs) ListBegin(
	ctx context.Context,
	now time.Time,
	but []string,
	looks bool,
	limit int,
) ([]supervisor.ClaimedFire, error) {
	return engine.All(
		s.db.reader(ctx, "list the fires that are to begin"),
		func(row *engine.Row) (f supervisor.ClaimedFire) {
			f.Job = scanJobAnd(row, &f.Due, &f.Tries, &f.Material)
			return f
		},
		listBegin,
		now.UnixMilli(),
		encoded{append([]string{}, but...)},
		limit,
		looks,
	)
}

// Begin has a fire begin: the inbound of its turn is kept. It is not ok where it has begun before,
// or another of its job runs, nor of a job that was forgotten, whose fires are skipped.
func (s Jobs) Begin(
	ctx context.Context,
	f supervisor.ClaimedFire,
	in supervisor.Inbound,
) (kept supervisor.Inbound, ok bool, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Inbound, bool) {
		if !t.claimedFire(f) {
			return supervisor.Inbound{}, false
		}
		return t.beginFire(f, in), true
	}, "begin a fire of job %d", f.Job.ID)
}

// Results lists what came of a person's fires, the newest first; of all jobs where job is 0.
func (s Jobs) Results(ctx context.Context, user string, job int64, limit int) ([]supervisor.FireResult, error) {
	return engine.All(
		s.db.reader(ctx, "list what came of the jobs of %s", user),
		func(row *engine.Row) (r supervisor.FireResult) {
			row.Scan(&r.Job, &r.Due, &r.State, &r.Text, &r.Cost, &r.EndedAt, &r.World, &r.SaidIn)
			return r
		},
		listResults,
		user,
		job,
		limit,
	)
}
