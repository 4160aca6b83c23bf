package sqlite

import (
	"cmp"
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Jobs are what is due at times.
type Jobs struct{ db *DB }

// JobPolicy is what is decided and said of jobs.
type JobPolicy struct {
	// Away says whether a job rests whose person has last written at a time; the zero time is never.
	Away func(j supervisor.Job, written, now time.Time) bool
	// Pauses says whether a job is paused of whose last fires so many have failed.
	Pauses func(failures int) bool
	// Retry is after how long a fire begins again that failed for what may pass and was tried so
	// often before.
	Retry func(tries int) (after time.Duration, again bool)
	// AskAtMost is how long a question of a job's turn stands at most; next is when the job is due
	// again, the zero time is never.
	AskAtMost func(next, now time.Time) time.Duration
	// Outcome is what has come of a fire whose turn ends.
	Outcome func(FireEnd) FireOutcome

	// What people are told: what a job says; behind that, that it is paused for its failures; how
	// many are paused for who is away, and for a chat that takes nothing any more; what a job said
	// in a topic that is gone.
	Notice       func(j supervisor.Job, said string) supervisor.Delivery
	Paused       func(j supervisor.Job, failures int, d supervisor.Delivery) supervisor.Delivery
	PausedAway   func(paused int64) string
	PausedInChat func(paused int64, why string) string
	Elsewhere    func(text string) string
	// Told tells the model what fires have said, the newest of them first, and whether some of it
	// may be somebody else's words.
	Told func(fires []FireTold, zone *time.Location) (text string, world bool)
}

// Jobs are what is due at times.
func (db *DB) Jobs() Jobs { return Jobs{db} }

const (
	jobColumns = `j.id, j.user, j.kind, j.state, j.name, j.text, j.rule, j.zone, c.id, c.user, c.channel, c.chat, c.thread, j.made_by, j.options,
		j.version, j.since, coalesce(j.next, 0), j.fired, j.failures, j.created_at `
	selectJob    = `SELECT ` + jobColumns + `FROM job j JOIN conversation c ON c.id = j.conversation `
	findJob      = selectJob + `WHERE j.id = ? AND j.user = ?`
	findJobMade  = selectJob + `WHERE j.user = ? AND j.made_by = ?`
	listJobs     = selectJob + `WHERE j.user = ? AND j.state IN ('proposed', 'active', 'paused') ORDER BY j.id`
	countJobs    = `SELECT count(*) FROM job WHERE user = ? AND state IN ('proposed', 'active', 'paused')`
	listJobsNext = selectJob + `WHERE j.next > ?1 OR j.next = ?1 AND j.id > ?2 ORDER BY j.next, j.id LIMIT ?3`
	listDueJobs  = selectJob + `WHERE j.next <= ?1 AND j.user NOT IN (SELECT value FROM json_each(?2)) ORDER BY j.next, j.id LIMIT ?3`
	listDueOf    = selectJob + `WHERE j.user IN (SELECT value FROM json_each(?2)) AND j.state = 'active' AND j.next <= ?1 ORDER BY j.user, j.next, j.id LIMIT ?3`
	insertJob    = `INSERT INTO job (user, kind, state, name, text, rule, zone, conversation, made_by, options, since, next, created_at, changed_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13) RETURNING id`
	changeJob = `UPDATE job SET state = ?, name = ?, text = ?, rule = ?, zone = ?, conversation = ?, options = ?, since = ?, next = ?, fired = ?, failures = ?,
		version = version + 1, changed_at = ? WHERE id = ? AND version = ?`
	isDone    = `SELECT EXISTS (SELECT 1 FROM job WHERE id = ? AND state = 'done')`
	fireJob   = `UPDATE job SET state = ?, since = ?, next = ?, fired = fired + 1, version = version + 1, changed_at = ? WHERE id = ?`
	isAsItWas = `SELECT count(*) FROM job WHERE id = ? AND version = ? AND next = ?`
)

// Put keeps a new job: its fields from User on, but for what the store counts. What its MadeBy has
// made before is returned as it is, and is not new. Refused where the person has
// supervisor.MaxJobs. card, where it is not nil, is what is said of a new job at once: it asks the
// database for nothing.
func (s Jobs) Put(
	ctx context.Context,
	j supervisor.Job,
	card func(supervisor.Job) supervisor.Delivery,
) (made supervisor.Job, said []supervisor.Delivery, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Job, []supervisor.Delivery) {
		if made, ok := one(t, scanJob, findJobMade, j.User, j.MadeBy); ok {
			return made, nil
		}
		if value(t, engine.Integer, countJobs, j.User) >= supervisor.MaxJobs {
			t.fail(supervisor.ErrTooManyJobs)
		}
		c := t.conversation(j.Conversation)
		t.Insert(
			insertJob,
			j.User,
			j.Kind,
			cmp.Or(j.State, supervisor.JobActive),
			j.Name,
			j.Text,
			j.Rule,
			j.Zone,
			c.ID,
			j.MadeBy,
			encoded{j.Options},
			j.Since.UnixMilli(),
			orNull(millisOrZero(j.Next)),
			t.Now,
		)
		made, _ := one(t, scanJob, findJobMade, j.User, j.MadeBy)
		if card == nil {
			return made, nil
		}
		return made, []supervisor.Delivery{t.putNotice(card(made))}
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

// Change gives a job another State, Name, Text, Rule, Zone, Conversation, Options, Since, Next,
// Fired and Failures. Refused where it was changed since it was read, and where one that is done is
// to go on of a person who has supervisor.MaxJobs.
func (s Jobs) Change(ctx context.Context, j supervisor.Job) error {
	return s.db.write(ctx, func(t *tx) {
		if j.State != supervisor.JobDone && value(t, engine.Bool, isDone, j.ID) &&
			value(t, engine.Integer, countJobs, j.User) >= supervisor.MaxJobs {
			t.fail(supervisor.ErrTooManyJobs)
		}
		if t.Change(
			changeJob,
			j.State,
			j.Name,
			j.Text,
			j.Rule,
			j.Zone,
			t.conversation(j.Conversation).ID,
			encoded{j.Options},
			j.Since.UnixMilli(),
			orNull(millisOrZero(j.Next)),
			j.Fired,
			j.Failures,
			t.Now,
			j.ID,
			j.Version,
		) == 0 {
			t.fail(supervisor.ErrJobChanged)
		}
		if j.State != supervisor.JobActive { // what was to begin, or to be tried again, does not
			t.Exec(skipClaimed, t.Now, j.ID)
		}
	}, "change job %d", j.ID)
}

// ListDue lists, of all persons but some, the jobs that are due at a time, the longest due first.
// Where that is so since late, and there are more, it lists all that is due of one person after
// another: of as many as have no more than limit, or of one.
func (s Jobs) ListDue(ctx context.Context, now, late time.Time, but []string, limit int) ([]supervisor.Job, error) {
	list, err := engine.All(
		s.db.reader(ctx, "list the jobs that are due"),
		scanJob,
		listDueJobs,
		now.UnixMilli(),
		encoded{append([]string{}, but...)},
		limit,
	)
	if err != nil || len(list) < limit || list[0].Next.After(late) {
		return list, err
	}
	users := make([]string, len(list))
	for i, j := range list {
		users[i] = j.User
	}
	list, err = engine.All(
		s.db.reader(ctx, "list the jobs that are late"),
		scanJob,
		listDueOf,
		now.UnixMilli(),
		encoded{users},
		limit+supervisor.MaxJobs,
	)
	return wholePersons(list, limit), err
}

// wholePersons are the jobs of the first persons of a list, which has each one's together: of as
// many as have no more than limit, or of one.
func wholePersons(list []supervisor.Job, limit int) []supervisor.Job {
	whole := 0
	for i := range list {
		if i+1 < len(list) && list[i+1].User == list[i].User {
			continue
		}
		if whole > 0 && i+1 > limit {
			break
		}
		whole = i + 1
	}
	return list[:whole]
}

// ListNext lists all persons' jobs that are due after a job is, or after a moment where that has no
// id, in that order.
func (s Jobs) ListNext(ctx context.Context, after supervisor.Job, limit int) ([]supervisor.Job, error) {
	return engine.All(s.db.reader(ctx, "list the jobs"), scanJob, listJobsNext, after.Next.UnixMilli(), after.ID, limit)
}

// millisOrZero is a time as it is kept; 0 is the zero time.
func millisOrZero(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

func scanJob(row *engine.Row) supervisor.Job { return scanJobAnd(row) }

// scanJobAnd scans a job and the columns behind it.
func scanJobAnd(row *engine.Row, more ...any) (j supervisor.Job) {
	c := &j.Conversation
	row.Scan(
		append(
			[]any{
				&j.ID,
				&j.User,
				&j.Kind,
				&j.State,
				&j.Name,
				&j.Text,
				&j.Rule,
				&j.Zone,
				&c.ID,
				&c.User,
				&c.Channel,
				&c.Chat,
				&c.Thread,
				&j.MadeBy,
				decoded{&j.Options},
				&j.Version,
				&j.Since,
				&j.Next,
				&j.Fired,
				&j.Failures,
				&j.CreatedAt,
			},
			more...)...)
	return j
}
