package sqlite

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	listRestoredOpen = `SELECT ` + jobColumns + `, f.due FROM fire f JOIN job j ON j.id = f.job
		JOIN conversation c ON c.id = j.conversation WHERE f.state IN ('claimed', 'running', 'asked') ORDER BY f.due, j.id`
	missRestoredFires = `UPDATE fire SET state = 'missed', begin_at = NULL, leased = 0, inbound = NULL, ended_at = ?
		WHERE state IN ('claimed', 'running', 'asked')`
	listRestoredDue = selectJob + `WHERE j.next <= ?1 OR j.expires_at <= ?1 ORDER BY j.next, j.id`
	// dropRestoredSeen lets each job begin with what it finds at its next look.
	dropRestoredSeen = `DELETE FROM job_seen`
)

// restoreFires marks the fires as missed that ran at the time of the backup or were due after it.
// Whether they have come is not known.
func (t *tx) restoreFires(o Restore, r *RestoreReport) {
	now := fromMillis(t.Now)
	add := func(f supervisor.Fire) {
		if f.Job.Kind != supervisor.JobRoutine { // a routine is soon due again
			u := r.entryOf(f.Job.User)
			u.Fires = append(u.Fires, f)
		}
	}
	for _, f := range all(t, func(row *engine.Row) (f supervisor.Fire) {
		var due time.Time
		f.Job = scanJobAnd(row, &due)
		f.LastDue, f.NextDue = due, f.Job.Next
		return f
	}, listRestoredOpen) {
		add(f)
	}
	t.Exec(missRestoredFires, t.Now)
	for _, j := range all(t, scanJob, listRestoredDue, t.Now) {
		f := o.MissedFire(j, now)
		t.claim(supervisor.FireBatch{Fires: []supervisor.Fire{f}})
		add(f)
	}
	t.Exec(dropRestoredSeen)
}

const (
	listRestoredReminders = `SELECT ` + fileReminderColumns + ` FROM file_reminder WHERE state = 'waiting' AND due_at <= ?
		ORDER BY due_at, id`
	sayRestoredReminders = `UPDATE file_reminder SET state = 'counted', changed_at = ?1
		WHERE state = 'waiting' AND due_at <= ?1`
)

// restoreReminders counts the reminders from files that were due after the backup as said.
func (t *tx) restoreReminders(_ Restore, r *RestoreReport) {
	for _, reminder := range all(t, scanFileReminder, listRestoredReminders, t.Now) {
		u := r.entryOf(reminder.User)
		u.Reminders = append(u.Reminders, reminder)
	}
	t.Exec(sayRestoredReminders, t.Now)
}

const (
	listRestoredHeld = `SELECT user, text FROM held_notice ORDER BY id`
	unholdFires      = `UPDATE fire SET held = NULL WHERE held IS NOT NULL`
	dropRestoredHeld = `DELETE FROM held_notice`

	dropRepoNotices = `DELETE FROM repository_notice`
)

// restoreNotices lists the texts that waited for the end of quiet hours, and drops them.
func (t *tx) restoreNotices(_ Restore, r *RestoreReport) {
	t.Query(func(row *engine.Row) bool {
		var user, text string
		row.Scan(&user, &text)
		u := r.entryOf(user)
		u.Notices = append(u.Notices, text)
		return true
	}, listRestoredHeld)
	t.Exec(unholdFires)
	t.Exec(dropRestoredHeld)
	r.Ended["repository notice"] = t.ExecCount(dropRepoNotices)
}

const (
	skipRestoredReviews = `UPDATE review SET state = 'skipped', due_at = NULL, why = ?1, updated_at = ?2
		WHERE state IN ('settling', 'queued', 'confirming', 'running')`
	skipRestoredTriages = `UPDATE triage SET state = 'skipped', why = ?1, updated_at = ?2
		WHERE state IN ('settling', 'queued')`
	ignoreRestoredDeliveries = `UPDATE webhook_delivery SET state = 'ignored', why = ?1, ended_at = ?2
		WHERE state = 'new'`
	// renewPolls makes the next poll of each repository its first one: it reports no event.
	renewPolls = `UPDATE setting SET value = '{"restored":true}' WHERE user = '' AND name LIKE 'github seen %'`
)

// restoreReviews ends reviews and triages that waited, and lets the next poll of each repository
// begin with what it finds.
func (t *tx) restoreReviews(o Restore, r *RestoreReport) {
	r.Ended["review"] = t.ExecCount(skipRestoredReviews, o.Why, t.Now) + t.ExecCount(skipRestoredTriages, o.Why, t.Now)
	r.Ended["webhook delivery"] = t.ExecCount(ignoreRestoredDeliveries, o.Why, t.Now)
	t.Exec(renewPolls)
	t.settings = true
}
