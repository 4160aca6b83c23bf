package sqlite

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	ofTurn       = ` inbound = (SELECT inbound FROM turn WHERE id = ?) `
	askFire      = `UPDATE fire SET state = 'asked' WHERE state = 'running' AND` + ofTurn
	continueFire = `UPDATE fire SET state = 'running' WHERE state = 'asked' AND` + ofTurn + `
		AND NOT EXISTS (SELECT 1 FROM question WHERE turn = ? AND why IS NULL)`
	isFireAsked  = `SELECT EXISTS (SELECT 1 FROM fire WHERE state = 'asked' AND` + ofTurn + `)`
	findAskedJob = `SELECT coalesce(next, 0), coalesce(options ->> '$.priority', '') FROM job WHERE id = (SELECT job FROM fire WHERE state = 'asked' AND` + ofTurn + `)`
)

// askInJob marks the fire of a job's turn as waiting for its user. The result stands is how long
// the question stays open after its delivery. The result ends is the time in milliseconds at which
// an undelivered question ends. Both are 0 if the turn has no job. The result priority is the job's
// priority, or high without a job. It decides whether the question waits for the end of quiet
// hours.
func (t *tx) askInJob(q supervisor.Question) (stands time.Duration, ends int64, priority supervisor.JobPriority) {
	if q.Turn == 0 || t.ExecCount(askFire, q.Turn) == 0 && !value(t, engine.ScanBool, isFireAsked, q.Turn) {
		return q.OpenFor, 0, supervisor.JobPriorityHigh
	}
	var next time.Time
	priority = value(t, func(row *engine.Row) (p supervisor.JobPriority) {
		row.Scan(&next, &p)
		return p
	}, findAskedJob, q.Turn)
	most := t.policies.Jobs.MaxQuestionTime(next, fromMillis(t.Now))
	return min(q.OpenFor, most), t.Now + most.Milliseconds(), priority
}

// endAskInJob handles the end of a question. It drops the question from the held notices. The fire
// of a job's turn continues unless another question is open.
func (t *tx) endAskInJob(q questionRow) {
	t.Exec(dropHeld, q.held)
	if q.Turn != 0 {
		t.Exec(continueFire, q.Turn, q.Turn)
	}
}
