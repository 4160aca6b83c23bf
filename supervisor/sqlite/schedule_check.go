package sqlite

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// checkingUsers selects the users with a running check. Callers append a condition on begin_at.
const checkingUsers = `SELECT user FROM fire WHERE state = 'claimed' AND leased AND begin_at`

const (
	findSeen   = `SELECT seen FROM job_seen WHERE job = ?`
	putSeen    = `INSERT INTO job_seen (job, user, seen, changed_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (job) DO UPDATE SET seen = ?3, changed_at = ?4`
	forgetSeen = `DELETE FROM job_seen WHERE job = ?`
	leaseFire  = `UPDATE fire SET begin_at = ?1, leased = 1, began_at = ?4 WHERE job = ?2 AND due = ?3 AND state = 'claimed' AND begin_at <= ?4
		AND user NOT IN (` + checkingUsers + ` > ?4)`
	freeFires   = `UPDATE fire SET begin_at = ?1, leased = 0 WHERE state = 'claimed' AND begin_at > ?1 AND (leased OR begin_at > ?2)`
	restartFire = `UPDATE fire SET begin_at = ?, leased = 0 WHERE job = ? AND due = ?`
	holdSeen    = `UPDATE fire SET seen = ? WHERE job = ? AND due = ?`
	heldSeen    = `SELECT seen FROM fire WHERE inbound = ?`
	dropSeen    = `UPDATE fire SET seen = '' WHERE inbound = ?`
	endCheck    = `UPDATE fire SET state = ?, begin_at = NULL, leased = 0, text = ?, world = ?, delivery = ?, ended_at = ? WHERE job = ? AND due = ?`
)

// FindCheckState returns the data that a job's last check has stored; "" means none.
func (s Jobs) FindCheckState(ctx context.Context, job int64) (seen string, err error) {
	seen, _, err = engine.FirstRow(s.db.reader(ctx, "find the check data of job %d", job), engine.ScanString, findSeen,
		job)
	return seen, err
}

// ForgetCheckState deletes the data of a job's last check. The next check counts as the first
// check.
func (s Jobs) ForgetCheckState(ctx context.Context, job int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(forgetSeen, job) }, "delete the check data of job %d", job)
}

// ReserveFire marks a fire as being checked until a time. After that time the fire begins again. ok
// is false if the fire has ended, or if another fire of the user is being checked.
func (s Jobs) ReserveFire(ctx context.Context, f supervisor.ClaimedFire, now, until time.Time) (ok bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		return t.mayBegin(f) &&
			t.ExecCount(leaseFire, until.UnixMilli(), f.Job.ID, f.Due.UnixMilli(), now.UnixMilli()) > 0
	}, "lease a fire of job %d", f.Job.ID)
}

// maxBeginWait is a time longer than the wait of any fire.
const maxBeginWait = 24 * time.Hour

// FreeReservedFires lets fires begin again that an earlier process had reserved. It also lets fires
// begin whose wait is so long that the clock must have been wrong.
func (s Jobs) FreeReservedFires(ctx context.Context, now time.Time) error {
	return s.db.write(
		ctx,
		func(t *tx) { t.Exec(freeFires, now.UnixMilli(), now.Add(maxBeginWait).UnixMilli()) },
		"free the fires of an earlier life",
	)
}

// mayBegin reports whether a fire may still begin: no other fire of its job runs, and the job was
// not forgotten. A one-time job has no next due time, but its fire may begin.
func (t *tx) mayBegin(f supervisor.ClaimedFire) bool {
	forgotten, waits := one(t, engine.ScanBool, claimedFire, f.Job.ID, f.Due.UnixMilli(), f.Tries)
	if waits && forgotten {
		t.Exec(skipClaimed, t.Now, f.Job.ID)
	}
	return waits && !forgotten
}

// EndCheck stores the result of a check in one transaction. The result is the data for the next
// check, and a message or the inbound of a turn. A result without a State has failed.
//
// EndCheck returns the new deliveries and the stored inbound. If the fire has ended before,
// EndCheck returns nothing. If the job has changed since f was read, EndCheck also returns nothing,
// and the job is checked again.
func (s Jobs) EndCheck(
	ctx context.Context,
	f supervisor.ClaimedFire,
	l supervisor.CheckFireResult,
) (said []supervisor.Delivery, begun supervisor.Inbound, err error) {
	l.State = cmp.Or(l.State, supervisor.FireFailed)
	return inTransaction2(ctx, s.db, func(t *tx) (said []supervisor.Delivery, begun supervisor.Inbound) {
		switch {
		case !t.mayBegin(f):
			return nil, begun
		case !t.isSameJob(&f.Job):
			t.Exec(restartFire, t.Now, f.Job.ID, f.Due.UnixMilli())
			return nil, begun
		case l.Retry && t.retry(endingFire{job: f.Job, due: f.Due, tries: f.Tries}):
			return nil, begun
		case l.Turn.Text != "": // the turn's end stores the new check data, after the user was told
			t.Exec(holdSeen, l.Seen, f.Job.ID, f.Due.UnixMilli())
			return nil, t.beginFire(f, l.Turn)
		}
		t.putSeen(f.Job, l.Seen)
		return t.endCheck(f, l), begun
	}, "end a check of job %d", f.Job.ID)
}

// isSameJob reports whether a job's work and conversation have not changed since j was read. It
// sets j to the stored job.
func (t *tx) isSameJob(j *supervisor.Job) bool {
	was := *j
	*j, _ = one(t, scanJob, findJob, was.ID, was.User)
	return j.Text == was.Text && j.Name == was.Name && j.Conversation == was.Conversation &&
		reflect.DeepEqual(j.Options, was.Options)
}

// endCheck ends a fire without a turn.
func (t *tx) endCheck(f supervisor.ClaimedFire, l supervisor.CheckFireResult) (said []supervisor.Delivery) {
	d := t.policies.Jobs.Notice(f.Job, l.Text)
	d.Conversation = l.Conversation
	failures, delivery, held := 0, int64(0), int64(0)
	if l.State == supervisor.FireFailed {
		failures = f.Job.FailuresInARow + 1
	}
	t.countFailures(f.Job, failures, &d)
	if l.Text != "" {
		d, held = t.sayOrHoldAbout(d, noticeSubject{f.Job.ID, l.State})
		if delivery = d.ID; delivery != 0 {
			said = append(said, d)
		}
	}
	t.Exec(endCheck, l.State, l.Text, l.World, orNull(delivery), t.Now, f.Job.ID, f.Due.UnixMilli())
	t.Exec(holdFire, orNull(held), f.Job.ID, f.Due.UnixMilli())
	if l.Done {
		t.endJob(f.Job)
	}
	return said
}

// putSeen stores the data for a job's next check. "" leaves it unchanged.
func (t *tx) putSeen(j supervisor.Job, seen string) {
	if seen != "" {
		t.Exec(putSeen, j.ID, j.User, seen, t.Now)
	}
}

// beginFire stores the inbound of a fire's turn.
func (t *tx) beginFire(f supervisor.ClaimedFire, in supervisor.Inbound) supervisor.Inbound {
	in.State = supervisor.InboundNew
	kept, _ := t.putInbound(in)
	t.Exec(beginFire, t.Now, kept.ID, f.Job.ID, f.Due.UnixMilli(), f.Tries)
	return kept
}
