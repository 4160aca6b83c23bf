package sqlite

import (
	"cmp"
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Jobs stores jobs, their fires and the data of their checks.
type Jobs struct{ db *DB }

// JobPolicy decides about jobs and makes their texts.
type JobPolicy struct {
	// IsResting reports whether a job is paused because its user is away. The argument written is
	// when the user last wrote; the zero time means never.
	IsResting func(j supervisor.Job, written, now time.Time) bool
	// ShouldPause reports whether a job is paused after a number of consecutive failures.
	ShouldPause func(failures int) bool
	// RetryDelay returns the delay before the next try of a fire after a passing failure. It gets
	// the number of earlier tries. If again is false, no further try is allowed.
	RetryDelay func(tries int) (after time.Duration, again bool)
	// MaxQuestionTime returns the longest time that a question of a job's turn stays open. The
	// argument next is the job's next due time; zero means never.
	MaxQuestionTime func(next, now time.Time) time.Duration
	// DecideOutcome returns the result of a fire whose turn has ended.
	DecideOutcome func(FireEnd) FireOutcome

	// Notice returns a job's message. AddPausedNote adds that the job is paused after failures.
	// PausedAwayText is the notice that jobs are paused for an absent user. WaitingInChatText is
	// the notice that jobs wait for a chat that refuses messages. DeletedTopicText returns a job's
	// message for a deleted topic.
	Notice            func(j supervisor.Job, said string) supervisor.Delivery
	AddPausedNote     func(j supervisor.Job, failures int, d supervisor.Delivery) supervisor.Delivery
	PausedAwayText    func(paused int64) string
	WaitingInChatText func(waiting int64, why string) string
	DeletedTopicText  func(text string) string
	// RefusedRetryDelay returns the delay until jobs of a chat that refuses messages run again. The
	// argument tries is the number of earlier tries.
	RefusedRetryDelay func(tries int64) time.Duration
	// JobMessagesText returns the model's text about the messages of fires, newest first. The
	// result world means that the text may have words of others.
	JobMessagesText func(fires []FireMessage, zone *time.Location) (text string, world bool)
}

// Jobs returns the store of jobs.
func (db *DB) Jobs() Jobs { return Jobs{db} }

const (
	jobColumns = `j.id, j.user, j.kind, j.state, j.name, j.text, j.rule, j.zone, c.id, c.user, c.channel, c.chat, c.thread, j.made_by, j.options,
		j.version, j.since, coalesce(j.next, j.expires_at, 0), j.fired, j.failures, j.created_at, ` + isHeld + ` `
	selectJob    = `SELECT ` + jobColumns + `FROM job j JOIN conversation c ON c.id = j.conversation `
	findJob      = selectJob + `WHERE j.id = ? AND j.user = ?`
	findJobMade  = selectJob + `WHERE j.user = ? AND j.made_by = ?`
	listJobs     = selectJob + `WHERE j.user = ? AND j.state IN ('proposed', 'active', 'paused') ORDER BY j.id`
	countJobs    = `SELECT count(*) FROM job WHERE user = ? AND state IN ('proposed', 'active', 'paused')`
	listJobsNext = selectJob + `WHERE j.next > ?1 OR j.next = ?1 AND j.id > ?2 ORDER BY j.next, j.id LIMIT ?3`
	listDueJobs  = selectJob +
		`WHERE NOT ` + isHeld + ` AND j.next <= ?1 AND j.user NOT IN (SELECT value FROM json_each(?2))
		ORDER BY j.next, j.id LIMIT ?3`
	listExpiredJobs = selectJob +
		`WHERE NOT ` + isHeld + ` AND j.expires_at <= ?1 AND j.user NOT IN (SELECT value FROM json_each(?2))
		ORDER BY j.expires_at, j.id LIMIT ?3`
	listDueOf = selectJob + `WHERE NOT ` + isHeld +
		` AND j.user IN (SELECT value FROM json_each(?2)) AND j.state = 'active' AND j.next <= ?1 ORDER BY j.user, j.next, j.id LIMIT ?3`
	insertJob = `INSERT INTO job (user, kind, state, name, text, rule, zone, conversation, made_by, options, since, next, created_at, changed_at,
			expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, ?14) RETURNING id`
	changeJob = `UPDATE job SET state = ?, name = ?, text = ?, rule = ?, zone = ?, conversation = ?, options = ?, since = ?, next = ?, expires_at = ?, fired = ?, failures = ?,
		version = version + 1, changed_at = ? WHERE id = ? AND version = ?`
	isDone = `SELECT EXISTS (SELECT 1 FROM job WHERE id = ? AND state = 'done')`
	// fireJob counts no fire of a job that never had its user's consent.
	fireJob = `UPDATE job SET state = ?, since = ?, next = ?, expires_at = NULL, fired = fired + (state <> 'proposed'), version = version + 1,
		changed_at = ? WHERE id = ?`
	isJobUnchanged = `SELECT count(*) FROM job WHERE id = ? AND version = ? AND coalesce(next, expires_at) = ?`
)

// Put stores a new job: its fields from User on, except counts. If the user has a job with the same
// MadeBy, Put returns the existing job, and fresh is false. It fails if the user has
// supervisor.MaxJobs. The function card returns the message about a new job, which is sent at once;
// nil means no message. The function card must not use the database.
func (s Jobs) Put(
	ctx context.Context,
	j supervisor.Job,
	card func(supervisor.Job) supervisor.Delivery,
) (made supervisor.Job, said []supervisor.Delivery, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Job, []supervisor.Delivery) {
		if made, ok := one(t, scanJob, findJobMade, j.User, j.MadeBy); ok {
			return made, nil
		}
		if value(t, engine.ScanInteger, countJobs, j.User) >= supervisor.MaxJobs {
			t.fail(supervisor.ErrTooManyJobs)
		}
		c := t.conversation(j.Conversation)
		next, expires := dueColumns(j)
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
			columnEncoder{j.Options},
			j.FiredUntil.UnixMilli(),
			next,
			t.Now,
			expires,
		)
		made, _ := one(t, scanJob, findJobMade, j.User, j.MadeBy)
		if card == nil {
			return made, nil
		}
		return made, []supervisor.Delivery{t.putNotice(card(made))}
	}, "store a job of %s", j.User)
}

// Find returns a user's job by its id, if there is one.
func (s Jobs) Find(ctx context.Context, user string, id int64) (supervisor.Job, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find job %d of %s", id, user), scanJob, findJob, id, user)
}

// List lists a user's jobs that are not done, oldest first.
func (s Jobs) List(ctx context.Context, user string) ([]supervisor.Job, error) {
	return engine.AllRows(s.db.reader(ctx, "list the jobs of %s", user), scanJob, listJobs, user)
}

// Change stores a changed job. It reads the fields State, Name, Text, Rule, Zone, Conversation,
// Options, Since, Next, Fired and Failures. It fails if the stored job has changed since it was
// read. It also fails if a done job is restored while the user has supervisor.MaxJobs.
func (s Jobs) Change(ctx context.Context, j supervisor.Job) error {
	return s.db.write(ctx, func(t *tx) {
		if j.State != supervisor.JobDone && value(t, engine.ScanBool, isDone, j.ID) &&
			value(t, engine.ScanInteger, countJobs, j.User) >= supervisor.MaxJobs {
			t.fail(supervisor.ErrTooManyJobs)
		}
		next, expires := dueColumns(j)
		if t.ExecCount(
			changeJob,
			j.State,
			j.Name,
			j.Text,
			j.Rule,
			j.Zone,
			t.conversation(j.Conversation).ID,
			columnEncoder{j.Options},
			j.FiredUntil.UnixMilli(),
			next,
			expires,
			j.FireCount,
			j.FailuresInARow,
			t.Now,
			j.ID,
			j.Version,
		) == 0 {
			t.fail(supervisor.ErrJobChanged)
		}
		if j.State != supervisor.JobActive { // Fires that wait to begin, or to be tried again, are dropped.
			t.Exec(skipClaimed, t.Now, j.ID)
		}
		if j.State == supervisor.JobDone {
			t.dropHeldOf(j.ID)
		}
	}, "change job %d", j.ID)
}

// ListDue lists at most limit due jobs, the longest due first. Jobs that wait for consent after
// their only time come last. ListDue leaves out jobs of the users in the list but, and jobs whose
// chat refuses messages.
//
// If more than limit jobs were due by the time late, ListDue lists all due jobs of one user after
// the other. In this case it lists the jobs of at least one user, even if they are more than limit.
func (s Jobs) ListDue(ctx context.Context, now, late time.Time, but []string, limit int) ([]supervisor.Job, error) {
	list, err := engine.AllRows(
		s.db.reader(ctx, "list due jobs"),
		scanJob,
		listDueJobs,
		now.UnixMilli(),
		columnEncoder{append([]string{}, but...)},
		limit,
	)
	if err == nil && len(list) < limit {
		expired, err := engine.AllRows(s.db.reader(ctx, "list expired jobs"), scanJob, listExpiredJobs, now.UnixMilli(),
			columnEncoder{append([]string{}, but...)}, limit-len(list))
		return append(list, expired...), err
	}
	if err != nil || list[0].Next.After(late) {
		return list, err
	}
	users := make([]string, len(list))
	for i, j := range list {
		users[i] = j.User
	}
	list, err = engine.AllRows(
		s.db.reader(ctx, "list late jobs"),
		scanJob,
		listDueOf,
		now.UnixMilli(),
		columnEncoder{users},
		limit+supervisor.MaxJobs,
	)
	return wholeUsers(list, limit), err
}

// wholeUsers returns the jobs of the first users in a list that is sorted by user. It takes as many
// users as have at most limit jobs together, and at least one user.
func wholeUsers(list []supervisor.Job, limit int) []supervisor.Job {
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

// ListUpcoming lists jobs of all users by their due times, after a given job. If the given job has
// no id, only its due time counts.
func (s Jobs) ListUpcoming(ctx context.Context, after supervisor.Job, limit int) ([]supervisor.Job, error) {
	return engine.AllRows(s.db.reader(ctx, "list upcoming jobs"), scanJob, listJobsNext, after.Next.UnixMilli(),
		after.ID, limit)
}

// dueColumns returns a job's columns next and expires_at. A job that waits for its user's consent
// is not due. Its Next is the time at which the proposal expires.
func dueColumns(j supervisor.Job) (next, expires any) {
	at := orNull(millisOrZero(j.Next))
	if j.State == supervisor.JobProposed {
		return nil, at
	}
	return at, nil
}

// millisOrZero returns the stored form of a time; 0 is the zero time.
func millisOrZero(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

func scanJob(row *engine.Row) supervisor.Job { return scanJobAnd(row) }

// scanJobAnd reads a job and the further columns of its row.
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
				columnDecoder{&j.Options},
				&j.Version,
				&j.FiredUntil,
				&j.Next,
				&j.FireCount,
				&j.FailuresInARow,
				&j.CreatedAt,
				&j.IsHeld,
			},
			more...)...)
	return j
}
