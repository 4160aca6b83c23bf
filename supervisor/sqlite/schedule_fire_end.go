package sqlite

import (
	"context"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	findFire = `SELECT ` + jobColumns + `, f.due, f.tries FROM fire f JOIN job j ON j.id = f.job JOIN conversation c ON c.id = j.conversation
		WHERE f.inbound = ?`
	retryFire = `UPDATE fire SET state = 'claimed', begin_at = ?1, leased = 0, tries = tries + 1, inbound = NULL, cost = cost + ?2 WHERE job = ?3 AND due = ?4
		AND (SELECT state = 'active' OR state = 'paused' AND fire.by_hand OR state = 'done' AND options ->> '$.deleted' IS NULL FROM job WHERE id = ?3)`
	skipFire        = `UPDATE fire SET state = 'skipped', begin_at = NULL, cost = cost + ?, ended_at = ? WHERE job = ? AND due = ?`
	endFire         = `UPDATE fire SET state = ?, text = ?, cost = cost + ?, world = ?, why = ?, ended_at = ? WHERE job = ? AND due = ?`
	setFireDelivery = `UPDATE fire SET delivery = ? WHERE inbound = ?`
	countJob        = `UPDATE job SET failures = ?, version = version + 1, changed_at = ? WHERE id = ?`
	pauseJob        = `UPDATE job SET state = 'paused', next = NULL, version = version + 1, changed_at = ? WHERE id = ? AND state = 'active'`
	endJob          = `UPDATE job SET state = 'done', next = NULL, version = version + 1, changed_at = ? WHERE id = ? AND state IN ('active', 'paused')`
	sumCost         = `SELECT coalesce(sum(cost), 0) FROM usage WHERE turn IN (SELECT ?1 UNION ALL SELECT id FROM turn WHERE parent = ?1)`
	toldShort       = `SELECT EXISTS (SELECT 1 FROM fire WHERE user = ? AND why = 'budget' AND (delivery IS NOT NULL OR held IS NOT NULL) AND ended_at > ?)`
	hasWorldMessage = `SELECT EXISTS (SELECT 1 FROM message WHERE turn = ? AND source = 'world')`
)

// endFire ends the fire of a job's turn and fills d with the notice for the user. The result says
// reports whether there is a notice. After a passing failure the turn is tried again later, without
// a notice. A deleted or paused job has no notice either.
func (t turnTx) endFire(f TurnEnding, d *supervisor.Delivery) (says bool) {
	e, found := t.endingFire()
	if !found { // the job was forgotten
		return true
	}
	if f.Temporary && t.retry(e) {
		return false
	}
	r := t.fireOutcome(f, e.job, d.Text)
	t.keepResult(e, r)
	notice := t.policies.Jobs.Notice(e.job, r.Text)
	d.Text, d.Silent, d.Urgent = notice.Text, notice.Silent, notice.Urgent
	t.countFailures(e.job, r.Failures, d)
	t.putCheckResult(e, r)
	return r.Text != "" && !r.Told && !t.holdResult(e, r, *d)
}

// endingFire is a fire whose turn ends.
type endingFire struct {
	job   supervisor.Job
	due   time.Time
	tries int    // number of earlier tries
	cost  int64  // cost of the fire's turn
	seen  string // new data for the job's next check; stored if the fire succeeds
}

// endingFire returns the fire of the ending turn. It also removes the check data from the fire's
// row.
func (t turnTx) endingFire() (e endingFire, found bool) {
	e, found = one(t, func(row *engine.Row) (e endingFire) {
		e.job = scanJobAnd(row, &e.due, &e.tries)
		return e
	}, findFire, t.turn.Inbound)
	if found {
		e.cost, e.seen = value(t, engine.ScanInteger, sumCost, t.turn.ID), value(t, engine.ScanString, heldSeen,
			t.turn.Inbound)
		t.Exec(dropSeen, t.turn.Inbound)
	}
	return e, found
}

// retry schedules another try of a fire, unless too many tries have failed. If the job was deleted
// or paused meanwhile, the fire ends as skipped. The result again reports whether there is another
// try.
func (t *tx) retry(e endingFire) (again bool) {
	after, again := t.policies.Jobs.RetryDelay(e.tries)
	if again && t.ExecCount(retryFire, t.Now+after.Milliseconds(), e.cost, e.job.ID, e.due.UnixMilli()) == 0 {
		t.Exec(skipFire, e.cost, t.Now, e.job.ID, e.due.UnixMilli())
	}
	return again
}

// FireEnd has the facts about the end of a fire's turn.
type FireEnd struct {
	Job            supervisor.Job
	Why            protocol.TurnEndReason
	Said           []protocol.Message // the messages of the turn
	Failed         string             // error text of a failed turn; "" if the turn did not fail
	OverBudget     bool               // the turn failed for lack of budget
	ToldOverBudget bool               // the user got a notice about the budget for another fire within a day
}

// FireOutcome is the result of a fire.
type FireOutcome struct {
	State    supervisor.FireState
	Text     string // text for the user; "" means none
	Reason   string // reason of a failure: "budget" for lack of budget, "" for any other reason
	Met      bool   // the condition of the job's check is met
	Failures int    // number of consecutive failed fires of the job
	Told     bool   // the user already got the same notice today
}

// fireOutcome returns the result of a job's fire. The argument failed is the error text of a failed
// turn.
func (t turnTx) fireOutcome(f TurnEnding, j supervisor.Job, failed string) FireOutcome {
	said, err := t.messageReader().messages(listTurnMessages, t.turn.ID)
	t.fail(err)
	return t.policies.Jobs.DecideOutcome(FireEnd{Job: j, Why: f.Why, Said: said, Failed: failed,
		OverBudget: f.OverBudget,
		ToldOverBudget: f.OverBudget && value(t, engine.ScanBool, toldShort, j.User,
			t.Now-(24*time.Hour).Milliseconds())})
}

// keepResult stores the result of a fire, and the beginning of the result's text up to a limit.
func (t turnTx) keepResult(e endingFire, r FireOutcome) {
	kept := r.Text
	if len(kept) > supervisor.MaxJobText {
		kept = strings.ToValidUTF8(kept[:supervisor.MaxJobText], "")
	}
	t.Exec(
		endFire,
		r.State,
		kept,
		e.cost,
		value(t, engine.ScanBool, hasWorldMessage, t.turn.ID),
		r.Reason,
		t.Now,
		e.job.ID,
		e.due.UnixMilli(),
	)
}

// putCheckResult stores the data for the job's next check, and ends a one-time job.
func (t turnTx) putCheckResult(e endingFire, r FireOutcome) {
	if r.State != supervisor.FireFailed {
		t.putSeen(e.job, e.seen)
	}
	if r.Met && e.job.Options.Check.AutoRemove {
		t.endJob(e.job)
	}
}

// holdResult holds the notice about a fire if it must wait for the end of the user's quiet hours.
func (t turnTx) holdResult(e endingFire, r FireOutcome, d supervisor.Delivery) bool {
	if _, holds := t.holdsUntil(d); !holds {
		return false
	}
	_, held := t.sayOrHoldAbout(d, noticeSubject{e.job.ID, r.State})
	t.Exec(holdFire, held, e.job.ID, e.due.UnixMilli())
	return true
}

// endJob ends a one-time job. Its waiting fires do not begin.
func (t *tx) endJob(j supervisor.Job) {
	t.Exec(endJob, t.Now, j.ID)
	t.Exec(skipClaimed, t.Now, j.ID)
}

// countFailures stores the number of consecutive failed fires of a job. After too many failures it
// pauses the job, drops the waiting fires, and adds a sentence about the pause to d.
func (t *tx) countFailures(j supervisor.Job, failures int, d *supervisor.Delivery) {
	if failures != j.FailuresInARow {
		t.Exec(countJob, failures, t.Now, j.ID)
	}
	if t.policies.Jobs.ShouldPause(failures) && t.ExecCount(pauseJob, t.Now, j.ID) > 0 {
		t.Exec(skipClaimed, t.Now, j.ID)
		*d = t.policies.Jobs.AddPausedNote(j, failures, *d)
	}
}

// HasWorldWords reports whether a turn is tainted: there are words of others in its request.
func (s Jobs) HasWorldWords(ctx context.Context, turn int64) (bool, error) {
	origins, err := Taints(s).Origins(ctx, turn)
	return len(origins) > 0, err
}

// OwnWords returns the words of a turn's user in that turn.
func (s Jobs) OwnWords(ctx context.Context, turn int64) (string, error) {
	return Taints(s).OwnWords(ctx, turn)
}

const (
	// listUntoldFires selects the texts of jobs in a conversation since its last turn, newest
	// first. Missed fires have no text.
	listUntoldFires = `SELECT f.rowid, iif(j.kind = 'reminder' AND f.state = 'said', j.text, f.text),
			coalesce(o.delivered_at, f.fired_at), f.world, j.kind FROM fire f JOIN outbox o ON o.id = f.delivery JOIN job j ON j.id = f.job
		WHERE f.user = ?1 AND f.told = 0 AND f.delivery IS NOT NULL AND o.conversation = ?2 ORDER BY f.due DESC`
	markFireTold = `UPDATE fire SET told = 1 WHERE rowid = ?`
)

// FireMessage is a text that a fire has sent.
type FireMessage struct {
	Text  string
	At    time.Time // when the chat took the text
	World bool      // the text may have words of others
	Kind  supervisor.JobKind

	row int64
}

// untoldFires returns the model's text about the messages of jobs, and about reminders from files,
// in the conversation since its last turn; "" means none. If world is set, the text may have words
// of others.
func (t turnTx) untoldFires() (text string, world bool) {
	if t.turn.Kind != supervisor.TurnChat {
		return "", false
	}
	list := all(t, func(r *engine.Row) (f FireMessage) {
		r.Scan(&f.row, &f.Text, &f.At, &f.World, &f.Kind)
		return f
	}, listUntoldFires, t.turn.Conversation.User, t.turn.Conversation.ID)
	for _, f := range list {
		t.Exec(markFireTold, f.row)
	}
	list = append(t.untoldFileReminders(), list...)
	if len(list) == 0 {
		return "", false
	}
	return t.policies.Jobs.JobMessagesText(list, t.zoneOrUTC(t.turn.Conversation.User))
}
