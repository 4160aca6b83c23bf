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
	asksFire     = `SELECT EXISTS (SELECT 1 FROM fire WHERE state = 'asked' AND` + ofTurn + `)`
	nextOfAsking = `SELECT coalesce(next, 0) FROM job WHERE id = (SELECT job FROM fire WHERE state = 'asked' AND` + ofTurn + `)`
)

// How long a question of a job's turn stands: so that the turn has ended before the job is due again.
const (
	jobQuestionStands = 24 * time.Hour
	beforeNext        = time.Minute
	leastStands       = time.Minute
)

// standsInJob has the fire of a job's turn wait for its person, and is how long the question may stand. It ends then whether it was delivered or
// not: at a time in milliseconds, which is 0 of another turn's. It makes no sound in quiet hours.
func (t *tx) standsInJob(q supervisor.Question, in supervisor.Conversation) (stands time.Duration, ends int64, silent bool) {
	if q.Turn == 0 || t.Change(askFire, q.Turn) == 0 && !value(t, engine.Bool, asksFire, q.Turn) {
		return q.Stands, 0, false
	}
	if _, silent = t.quietUntil(in.User); silent {
		silent = !t.conversationByID(in.ID).InGroup()
	}
	stands = min(q.Stands, jobQuestionStands)
	if next := value(t, engine.Integer, nextOfAsking, q.Turn); next > 0 {
		stands = min(stands, time.Duration(next-t.Now)*time.Millisecond-beforeNext)
	}
	stands = max(stands, leastStands)
	return stands, t.Now + stands.Milliseconds(), silent
}

// answeredInJob has the fire of a job's turn go on that has no open question any more.
func (t *tx) answeredInJob(turn int64) {
	if turn != 0 {
		t.Exec(goOnFire, turn, turn)
	}
}
