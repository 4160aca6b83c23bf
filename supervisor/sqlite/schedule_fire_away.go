package sqlite

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const lastWritten = `SELECT coalesce((SELECT received_at FROM inbox WHERE user = ? AND kind IN ('text', 'command', 'press') ORDER BY id DESC LIMIT 1), 0)`

// skipPaused skips the waiting fires of a user's paused jobs.
const skipPaused = `UPDATE fire SET state = 'skipped', begin_at = NULL, ended_at = ?1 WHERE state = 'claimed' AND user = ?2
	AND job IN (SELECT id FROM job WHERE user = ?2 AND state = 'paused')`

// isResting reports whether a job does not run because its user is away.
func (t *tx) isResting(j supervisor.Job) bool {
	away, now := t.policies.Jobs.IsResting, fromMillis(t.Now)
	return away(j, time.Time{}, now) && away(j, t.lastWritten(j.User), now)
}

// lastWritten returns the time of a user's last message.
func (t *tx) lastWritten(user string) time.Time { return value(t, engine.ScanTime, lastWritten, user) }

// pauseAway pauses the jobs of a user who is away, before any of the jobs' fires begin. The user
// gets one notice, in a private chat and outside quiet hours.
func (t *tx) pauseAway(user string, private supervisor.Conversation) (said []supervisor.Delivery) {
	paused, written := int64(0), t.lastWritten(user)
	for _, j := range all(t, scanJob, listJobs, user) {
		if t.policies.Jobs.IsResting(j, written, fromMillis(t.Now)) {
			paused += t.ExecCount(pauseJob, t.Now, j.ID)
		}
	}
	t.Exec(skipPaused, t.Now, user)
	d, _ := t.sayOrHold(supervisor.Delivery{Conversation: private, Text: t.policies.Jobs.PausedAwayText(paused)})
	if d.ID != 0 {
		said = append(said, d)
	}
	return said
}
