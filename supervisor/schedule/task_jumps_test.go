package schedule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/check"
	"mews/supervisor/recurrence"
	"mews/supervisor/schedule"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// taskSpecs are times of tasks for users in Madrid.
var taskSpecs = []string{"in 1 min", "in 90 min", "in 1 day", "every 5 min", "every 6 min 3 times",
	"every 45 min 4 times", "every 7 h", "every day at 2:30", "daily at 0:00, 9:00",
	"weekdays 8:30", "hourly", "0 9 29 2 *", "*/20 * * * *", "0 0 1 * *",
	"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0;BYMINUTE=0", "daily at 1 until 1 mar 2028"}

// taskOptions are options of tasks.
var taskOptions = []supervisor.JobOptions{{}, {Exact: true}, {Overlap: supervisor.OverlapQueue}}

// turnDurations are durations of turns.
var turnDurations = []time.Duration{0, time.Second, 50 * time.Second, 8 * time.Minute, 3 * time.Hour}

// Limits on turns: the delay that spreads turns, the part of the period that this delay may take,
// and the time between late turns.
const (
	maxApart   = 30 * time.Second
	periodPart = 20
	lateApart  = 30 * time.Second
	isLate     = 2 * time.Minute // a turn with a smaller delay does not count as late
)

// Each time of a task is claimed once, for any turns, clock changes and restarts of the loop. One
// turn of a task runs at a time. No turn begins twice or early. A turn waits only as long as other
// turns delay it.
func TestLoop_ClockSet_RunsEachTaskOnce(t *testing.T) {
	steps := maps.Clone(jumpSteps)
	delete(steps, "remind")
	rapid.Check(t, func(rt *rapid.T) {
		begin, err := time.Parse(time.RFC3339, rapid.SampledFrom(jumpBegins).Draw(rt, "begin"))
		if err != nil {
			rt.Fatal(err)
		}
		var failed any // rapid ends a failed run with a panic, which must not leave the bubble
		synctest.Test(t, func(t *testing.T) {
			j := newTaskJumps(t, rt, begin)
			j.begin()
			defer func() { j.end(); j.turns.Wait() }()
			defer func() { failed = recover() }()
			for range rapid.IntRange(1, 3).Draw(rt, "tasks") {
				j.task()
			}
			for range rapid.IntRange(2, 14).Draw(rt, "steps") {
				steps[rapid.SampledFrom(slices.Sorted(maps.Keys(steps))).Draw(rt, "step")](j.clockJumpTest)
				synctest.Wait()
			}
			j.wait(slices.Max(turnDurations) + maxDelay)
			j.check()
		})
		if wrong, is := failed.(fireError); is {
			rt.Fatal(wrong)
		}
		if failed != nil {
			panic(failed)
		}
	})
}

// taskJumps is a schedule of tasks whose clock the test sets. Turns begin and end by themselves.
type taskJumps struct {
	*clockJumpTest
	takes  map[int64]time.Duration // durations of turns, by job
	turns  sync.WaitGroup
	begins []firedAt
}

func newTaskJumps(t *testing.T, rt *rapid.T, begin time.Time) *taskJumps {
	j := &taskJumps{clockJumpTest: newJumps(t, rt, begin), takes: map[int64]time.Duration{}}
	j.open = j.options
	return j
}

// options returns schedule options that record fires and turns.
func (j *taskJumps) options() schedule.Options {
	return schedule.Options{Store: j.db.Jobs(), Queue: taskQueue{j.db.Jobs(), j}, CheckStore: j.db.Jobs(),
		Sources: j.db.Jobs(), Queued: func(int64) {}, StartTurn: j.run, Now: j.now,
		CheckRules: schedule.CheckParser{Parse: check.ParseCondition, Typed: check.ValidateFlags,
			Text: check.DescribeCondition},
		Log:    hclog.NewNullLogger(),
		Person: func(name string) (supervisor.User, bool) { return inMadrid(name), true }}
}

// taskQueue is the database's queue; it also records claims and begun turns.
type taskQueue struct {
	sqlite.Jobs
	*taskJumps
}

func (q taskQueue) PutFires(ctx context.Context, firings []supervisor.FireBatch) ([]supervisor.Delivery, error) {
	said, err := q.Jobs.PutFires(ctx, firings)
	q.record(firings)
	return said, err
}

func (q taskQueue) BeginFire(ctx context.Context, f supervisor.ClaimedFire, in supervisor.Inbound) (supervisor.Inbound,
	bool, error) {
	kept, begun, err := q.Jobs.BeginFire(ctx, f, in)
	if begun {
		clock := q.now()
		q.mu.Lock()
		q.begins = append(q.begins, firedAt{f.Job.ID, f.Due, time.Now(), clock})
		q.mu.Unlock()
		if n := sqlitetest.QueryColumn(q.t, q.db, "SELECT count(*) FROM fire WHERE job = ? AND state = 'running'",
			f.Job.ID)[0]; n != "1" {
			q.t.Errorf("%s fires of task %d run at once", n, f.Job.ID)
		}
	}
	return kept, begun, err
}

// run is a running turn; it ends after its duration even if the loop ends first.
func (j *taskJumps) run(in supervisor.Inbound) {
	var job int64
	if _, err := fmt.Sscan(in.Conversation.Chat, &job); err != nil {
		j.t.Error(err)
	}
	j.mu.Lock()
	takes := j.takes[job]
	j.mu.Unlock()
	j.turns.Go(func() {
		<-time.After(takes)
		turn, _, err := j.db.Turns().Start(j.t.Context(), in.ID, nil)
		if err == nil {
			_, err = j.db.Turns().Finish(j.t.Context(),
				sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered,
					Partial: "CONDITION_NOT_MET:", Unanswered: "none"})
		}
		if err != nil {
			j.t.Error(err)
		}
	})
}

// task creates a task.
func (j *taskJumps) task() {
	user := inMadrid(rapid.SampledFrom([]string{"alice", "bob"}).Draw(j.rt, "who"))
	words := rapid.SampledFrom(taskSpecs).Draw(j.rt, "when")
	j.wait(time.Millisecond) // a later time for the next command, because commands are identified by their times
	if _, err := j.spoken.Requests.Answer(j.t.Context(), user,
		schedule.JobRequest{Action: "add", Task: true, Words: words + ": look"}); err != nil {
		if strings.Contains(err.Error(), "never comes") { // the task's last time has passed
			return
		}
		j.fail("%s: %v", words, err)
	}
	list, err := j.db.Jobs().List(j.t.Context(), user.Name)
	if err != nil || len(list) == 0 {
		j.fail("%s is not kept: %v, %v", words, list, err)
	}
	made := &list[len(list)-1]
	made.Options = rapid.SampledFrom(taskOptions).Draw(j.rt, "options")
	options, err := json.Marshal(made.Options)
	if err != nil {
		j.fail("%v", err)
	}
	sqlitetest.ExecStatements(j.t, j.db, fmt.Sprintf("UPDATE job SET options = '%s' WHERE id = %d", options, made.ID))
	j.all, j.made = append(j.all, *made), append(j.made, time.Now())
	takes := rapid.SampledFrom(turnDurations).Draw(j.rt, "takes")
	j.mu.Lock()
	defer j.mu.Unlock()
	j.takes[made.ID] = takes
}

// check compares the claimed fires and turns with the rules and the clock.
func (j *taskJumps) check() {
	j.mu.Lock()
	defer j.mu.Unlock()
	of := func(all []firedAt, job supervisor.Job) []firedAt {
		return slices.DeleteFunc(slices.Clone(all), func(f firedAt) bool { return f.job != job.ID })
	}
	for i, job := range j.all {
		var rule recurrence.Rule
		if err := json.Unmarshal([]byte(job.Rule), &rule); err != nil {
			j.fail("%v", err)
		}
		claims := of(j.claims, job)
		j.checkJob(rule, job, j.made[i], claims)
		zone, err := time.LoadLocation(job.Zone)
		if err != nil {
			j.fail("%v", err)
		}
		j.checkBegins(job, rule, zone, claims, of(j.begins, job))
		if kept := len(sqlitetest.QueryColumn(j.t, j.db, "SELECT due FROM fire WHERE job = ?",
			job.ID)); kept != min(len(claims), keptFires) {
			j.fail("%+v was claimed %d times, and is kept %d times", rule, len(claims), kept)
		}
	}
	// A fire may wait for another fire of its job. It begins at the loop's next pass after the
	// other fire ends.
	if lost := sqlitetest.QueryColumn(j.t, j.db, `SELECT job || ' ' || due FROM fire f WHERE state = 'claimed' AND begin_at <= ?1
		AND NOT EXISTS (SELECT 1 FROM fire WHERE job = f.job AND (state = 'running' OR ended_at > ?1))`, j.longAgo().UnixMilli()); len(lost) > 0 {
		j.fail("these have not begun: %q", lost)
	}
}

// lastTimeBy returns the last of a rule's times up to a claim. A fire for several times is for the
// last of them.
func lastTimeBy(rule recurrence.Rule, zone *time.Location, c firedAt) time.Time {
	last := c.due
	for {
		next, found, err := rule.Next(last, zone)
		if err != nil || !found || next.After(c.clock) {
			return last
		}
		last = next
	}
}

// longAgo returns an earlier time of the clock, by which all due turns have begun.
func (j *taskJumps) longAgo() time.Time {
	return time.Now().Add(j.sets[len(j.sets)-1].ahead - maxDelay)
}

// checkBegins compares the turns of a task with its fires: each fire has one turn. A turn begins on
// time if the clock is not set and no other turn delays it. A late turn begins after the late turns
// before it.
func (j *taskJumps) checkBegins(job supervisor.Job, rule recurrence.Rule, zone *time.Location, claims,
	begins []firedAt) {
	seen := map[int64]bool{}
	for _, b := range begins {
		i := slices.IndexFunc(claims, func(c firedAt) bool { return c.due.Equal(b.due) })
		if i < 0 || seen[b.due.UnixMilli()] || b.at.Before(claims[i].at) {
			j.fail("%+v: the turn for %s begins at %s; it was claimed in %v, and had begun before: %t", rule, b.due,
				b.at, claims, seen[b.due.UnixMilli()])
		}
		seen[b.due.UnixMilli()] = true
		c := claims[i]
		if job.Options.Overlap == supervisor.OverlapQueue || slices.ContainsFunc(j.sets,
			func(s clockChange) bool { return !s.at.Before(c.at) && s.at.Before(b.at) }) {
			continue
		}
		last := lastTimeBy(rule, zone, c)
		after, most := b.clock.Sub(last), time.Duration(0)
		if next, found, err := rule.Next(c.clock, zone); err == nil && found && !job.Options.Exact {
			most = min(maxApart, next.Sub(last)/periodPart)
		}
		if c.clock.Sub(last) >= isLate {
			after, most = b.at.Sub(c.at), lateApart*time.Duration(len(j.all)-1)
		} else if c.clock.After(last) { // the loop noticed the time a little late
			most = max(most, c.clock.Sub(last))
		}
		if after < 0 || after > most {
			j.fail("%+v: the turn for %s, which was claimed at %s, begins %s after that, at most %s was to be",
				rule, b.due, c.clock, after, most)
		}
	}
}
