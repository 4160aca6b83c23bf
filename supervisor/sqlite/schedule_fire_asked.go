package sqlite

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	ofTurn   = ` inbound = (SELECT inbound FROM turn WHERE id = ?) `
	askFire  = `UPDATE fire SET state = 'asked' WHERE state = 'running' AND` + ofTurn
	goOnFire = `UPDATE fire SET state = 'running' WHERE state = 'asked' AND` + ofTurn + `
		AND NOT EXISTS (SELECT 1 FROM question WHERE turn = ? AND why IS NULL)`
	asksFire = `SELECT EXISTS (SELECT 1 FROM fire WHERE state = 'asked' AND` + ofTurn + `)`
	asking   = `SELECT coalesce(next, 0), coalesce(options ->> '$.priority', '') FROM job WHERE id = (SELECT job FROM fire WHERE state = 'asked' AND` + ofTurn + `)`
)

// standsInJob has the fire of a job's turn wait for its person, and is how long the question may
// stand from its delivery. Whether it was delivered or not, it ends at a time in milliseconds,
// which is 0 of another turn's. It has the job's priority, by which it may wait for the end of
// quiet hours; another turn's is high.
func (t *tx) standsInJob(q supervisor.Question) (stands time.Duration, ends int64, priority supervisor.JobPriority) {
	if q.Turn == 0 || t.Change(askFire, q.Turn) == 0 && !value(t, engine.Bool, asksFire, q.Turn) {
		return q.Stands, 0, supervisor.JobHigh
	}
	var next time.Time
	priority = value(t, func(row *engine.Row) (p supervisor.JobPriority) {
		row.Scan(&next, &p)
		return p
	}, asking, q.Turn)
	most := t.policies.Jobs.AskAtMost(next, fromMillis(t.Now))
	return min(q.Stands, most), t.Now + most.Milliseconds(), priority
}

// answeredInJob is for a question that has ended: nobody is asked it after quiet hours any more, and
// the fire of a job's turn goes on that has no open one.
func (t *tx) answeredInJob(q questionRow) {
	t.Exec(dropHeld, q.held)
	if q.Turn != 0 {
		t.Exec(goOnFire, q.Turn, q.Turn)
	}
}
