package sqlite

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Jobs are what is due at times.
type Jobs struct{ db *DB }

// Jobs are what is due at times.
func (db *DB) Jobs() Jobs { return Jobs{db} }

const (
	selectJob = `SELECT j.id, j.user, j.kind, j.state, j.text, j.rule, j.zone, c.id, c.user, c.channel, c.chat, c.thread, j.inbound, j.version, j.since,
		coalesce(j.next, 0), j.fired, j.created_at FROM job j JOIN conversation c ON c.id = j.conversation `
	findJob      = selectJob + `WHERE j.id = ? AND j.user = ?`
	findJobMade  = selectJob + `WHERE j.inbound = ?`
	listJobs     = selectJob + `WHERE j.user = ? AND j.state IN ('active', 'paused') ORDER BY j.id`
	countJobs    = `SELECT count(*) FROM job WHERE user = ? AND state IN ('active', 'paused')`
	listJobsNext = selectJob + `WHERE j.next > ?1 OR j.next = ?1 AND j.id > ?2 ORDER BY j.next, j.id LIMIT ?3`
	listDueJobs  = selectJob + `WHERE j.next <= ?1 AND j.user NOT IN (SELECT value FROM json_each(?2)) ORDER BY j.next, j.id LIMIT ?3`
	nextJob      = `SELECT next FROM job WHERE next > ? ORDER BY next LIMIT 1`
	insertJob    = `INSERT INTO job (user, kind, state, text, rule, zone, conversation, inbound, since, next, created_at, changed_at)
		VALUES (?1, ?2, 'active', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10) RETURNING id`
	changeJob  = `UPDATE job SET state = ?, since = ?, next = ?, version = version + 1, changed_at = ? WHERE id = ? AND version = ?`
	fireJob    = `UPDATE job SET state = ?, since = ?, next = ?, fired = fired + 1, version = version + 1, changed_at = ? WHERE id = ?`
	isAsItWas  = `SELECT count(*) FROM job WHERE id = ? AND version = ? AND next = ?`
	insertFire = `INSERT INTO fire (job, due, user, state, fired_at) VALUES (?, ?, ?, ?, ?)`
	pruneJobs  = `DELETE FROM job WHERE state = 'done' AND changed_at < ?1 AND NOT EXISTS (SELECT 1 FROM fire WHERE job = job.id)`
	pruneFires = `DELETE FROM fire WHERE fired_at < ?`
)

// keepFires is how long it is kept that something was due, and a job that is done.
const keepFires = 90 * 24 * time.Hour

// Put keeps a new job: its fields from User on but for State and Version. What its Inbound has made before is returned as it is.
// Refused where the person has supervisor.MaxJobs.
func (s Jobs) Put(ctx context.Context, j supervisor.Job) (supervisor.Job, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Job {
		if made, ok := one(t, scanJob, findJobMade, j.Inbound); ok {
			return made
		}
		if value(t, engine.Integer, countJobs, j.User) >= supervisor.MaxJobs {
			t.fail(supervisor.ErrTooManyJobs)
		}
		c := t.conversation(j.Conversation)
		t.Insert(insertJob, j.User, j.Kind, j.Text, j.Rule, j.Zone, c.ID, j.Inbound, j.Since.UnixMilli(), orNull(millisOrZero(j.Next)), t.Now)
		made, _ := one(t, scanJob, findJobMade, j.Inbound)
		return made
	}, "keep a job of %s", j.User)
}

// Find is a job of a person's, if there is one with an id.
func (s Jobs) Find(ctx context.Context, user string, id int64) (supervisor.Job, bool, error) {
	return engine.One(s.db.reader(ctx, "find job %d of %s", id, user), scanJob, findJob, id, user)
}

// List lists a person's jobs that are not done, in the order in which they were made.
func (s Jobs) List(ctx context.Context, user string) ([]supervisor.Job, error) {
	return engine.All(s.db.reader(ctx, "list the jobs of %s", user), scanJob, listJobs, user)
}

// Change gives a job another State, Since and Next. Refused where it was changed since it was read.
func (s Jobs) Change(ctx context.Context, j supervisor.Job) error {
	return s.db.write(ctx, func(t *tx) {
		if t.Change(changeJob, j.State, j.Since.UnixMilli(), orNull(millisOrZero(j.Next)), t.Now, j.ID, j.Version) == 0 {
			t.fail(supervisor.ErrJobChanged)
		}
	}, "change job %d", j.ID)
}

// ListDue lists, of all persons but some, the jobs that are due at a time, the longest due first.
func (s Jobs) ListDue(ctx context.Context, now time.Time, but []string, limit int) ([]supervisor.Job, error) {
	return engine.All(s.db.reader(ctx, "list the jobs that are due"), scanJob, listDueJobs, now.UnixMilli(), encoded{append([]string{}, but...)}, limit)
}

// ListNext lists all persons' jobs that are due after a job is, or after a moment where that has no id, in that order.
func (s Jobs) ListNext(ctx context.Context, after supervisor.Job, limit int) ([]supervisor.Job, error) {
	return engine.All(s.db.reader(ctx, "list the jobs"), scanJob, listJobsNext, after.Next.UnixMilli(), after.ID, limit)
}

// NextDue is when the next job is due after a time, if there is one.
func (s Jobs) NextDue(ctx context.Context, after time.Time) (due time.Time, ok bool, err error) {
	return engine.One(s.db.reader(ctx, "find when the next job is due"), engine.Time, nextJob, after.UnixMilli())
}

// Claim keeps that jobs were due, when they are due again, and what is said of it, all at once. A claim is passed over of which a job has
// changed. It returns what is said.
func (s Jobs) Claim(ctx context.Context, firings []supervisor.Firing) (said []supervisor.Delivery, err error) {
	return inTransaction(ctx, s.db, func(t *tx) (said []supervisor.Delivery) {
		t.Exec(pruneFires, t.Now-keepFires.Milliseconds())
		t.Exec(pruneJobs, t.Now-keepFires.Milliseconds())
		for _, c := range firings {
			if t.isAsItWas(c.Fires) {
				said = append(said, t.claim(c))
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

func (t *tx) claim(c supervisor.Firing) supervisor.Delivery {
	for _, f := range c.Fires {
		state := "said"
		if f.State == supervisor.JobPaused {
			state = "failed"
		}
		t.Exec(fireJob, f.State, f.Since.UnixMilli(), orNull(millisOrZero(f.Next)), t.Now, f.Job.ID)
		t.Exec(insertFire, f.Job.ID, f.Job.Next.UnixMilli(), f.Job.User, state, t.Now)
	}
	return t.putNotice(c.Say)
}

// millisOrZero is a time as it is kept; 0 is the zero time.
func millisOrZero(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

func scanJob(row *engine.Row) (j supervisor.Job) {
	c, next := &j.Conversation, int64(0)
	row.Scan(&j.ID, &j.User, &j.Kind, &j.State, &j.Text, &j.Rule, &j.Zone, &c.ID, &c.User, &c.Channel, &c.Chat, &c.Thread, &j.Inbound, &j.Version, &j.Since,
		&next, &j.Fired, &j.CreatedAt)
	if next > 0 {
		j.Next = fromMillis(next)
	}
	return j
}
