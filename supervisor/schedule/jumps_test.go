package schedule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/recurrence"
	"mews/supervisor/schedule"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// maxDelay is the longest delay of a reminder after the clock was set: the loop never sleeps
// longer.
const maxDelay = 30 * time.Second

// jumpBegins are start times near clock changes, new years and leap days, and ordinary start times.
var jumpBegins = []string{"2028-02-28T21:00:00Z", "2028-02-29T07:50:00Z", "2027-02-28T22:30:00Z", "2026-03-28T23:30:00Z", "2026-10-24T22:00:00Z", "2026-12-31T20:00:00Z",
	"2026-04-30T12:00:00Z", "2028-02-29T22:58:30Z"}

// jumpSpecs are times of reminders for users in Madrid.
var jumpSpecs = []string{"in 1 min", "in 90 min", "in 1 day", "every 1 min", "every 1 min 3 times", "every 45 min 4 times", "every 7 h", "every day at 2:30", "daily at 0:00, 9:00", "weekdays 8:30",
	"hourly", "every day", "0 9 29 2 *", "*/20 * * * *", "0 0 1 * *", "59 23 L * *", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0;BYMINUTE=0",
	"last day of the month at 23:30", "every 2 days at 3", "daily at 1 until 1 mar 2028"}

// Each time fires once and on time, for any jobs, clock changes and restarts of the loop. If the
// clock skips several times, they share one fire. No time fires early, twice or never. The database
// is real, inside a synctest bubble.
func TestLoop_ClockSet_FiresEachTimeOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		begin, err := time.Parse(time.RFC3339, rapid.SampledFrom(jumpBegins).Draw(rt, "begin"))
		if err != nil {
			rt.Fatal(err)
		}
		var failed any // rapid ends a failed run with a panic, which must not leave the bubble
		synctest.Test(t, func(t *testing.T) {
			j := newJumps(t, rt, begin)
			j.begin()
			defer func() { j.end() }()
			defer func() { failed = recover() }()
			for range rapid.IntRange(1, 3).Draw(rt, "reminders") {
				j.remind()
			}
			for range rapid.IntRange(2, 14).Draw(rt, "steps") {
				jumpSteps[rapid.SampledFrom(slices.Sorted(maps.Keys(jumpSteps))).Draw(rt, "step")](j)
				synctest.Wait()
			}
			j.wait(maxDelay)
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

// fireError describes a violated rule of the test.
type fireError string

// fail ends the test run with an error.
func (j *clockJumpTest) fail(format string, args ...any) {
	panic(fireError(fmt.Sprintf(format, args...)))
}

// jumpSteps are the possible steps of a test run.
var jumpSteps = map[string]func(*clockJumpTest){
	"remind":                (*clockJumpTest).remind,
	"wait a second":         func(j *clockJumpTest) { j.wait(time.Second) },
	"wait most of a minute": func(j *clockJumpTest) { j.wait(40 * time.Second) },
	"wait some minutes":     func(j *clockJumpTest) { j.wait(11 * time.Minute) },
	"wait an hour":          func(j *clockJumpTest) { j.wait(time.Hour) },
	"set an hour ahead":     func(j *clockJumpTest) { j.set(time.Hour) },
	"set an hour back":      func(j *clockJumpTest) { j.setBack(time.Hour) },
	"set a day ahead":       func(j *clockJumpTest) { j.set(24 * time.Hour) },
	"set a day back":        func(j *clockJumpTest) { j.setBack(24 * time.Hour) },
	"restart the loop":      func(j *clockJumpTest) { j.end(); j.begin() },
}

// clockJumpTest is a schedule whose clock the test sets.
type clockJumpTest struct {
	t      *testing.T
	rt     *rapid.T
	db     *sqlite.DB
	all    []supervisor.Job // the jobs as they were created
	made   []time.Time      // when the jobs were created, in time of the bubble
	spoken *schedule.Schedule
	open   func() schedule.Options // returns the options of a new loop
	end    func()                  // stops the loop

	mu     sync.Mutex // guards the fields below
	sets   []clockChange
	claims []firedAt
}

// clockChange is a moment from which the clock differs from the bubble's time.
type clockChange struct {
	at    time.Time
	ahead time.Duration
}

// firedAt is a due time of a job, and when the job fired for it.
type firedAt struct {
	job   int64
	due   time.Time
	at    time.Time // when the job fired, in time of the bubble
	clock time.Time // when the job fired, by the clock
}

func newJumps(t *testing.T, rt *rapid.T, begin time.Time) *clockJumpTest {
	j := &clockJumpTest{t: t, rt: rt, sets: []clockChange{{time.Now(), time.Until(begin)}}}
	j.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{Now: j.now})
	j.open = j.options
	return j
}

// options returns schedule options that record the fires.
func (j *clockJumpTest) options() schedule.Options {
	return schedule.Options{Store: j.db.Jobs(), Queue: clockJumpQueue{j.db.Jobs(), j}, CheckStore: j.db.Jobs(),
		Queued: func(int64) {}, Now: j.now, Log: hclog.NewNullLogger(),
		Person: func(name string) (supervisor.User, bool) { return inMadrid(name), true }}
}

// now returns the time of the clock, which may differ from the bubble's.
func (j *clockJumpTest) now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return time.Now().Add(j.sets[len(j.sets)-1].ahead)
}

// set changes the clock by a duration without telling the loop. Then it waits a second, so that
// later steps have a later time.
func (j *clockJumpTest) set(by time.Duration) {
	j.mu.Lock()
	j.sets = append(j.sets, clockChange{time.Now(), j.sets[len(j.sets)-1].ahead + by})
	j.mu.Unlock()
	j.wait(time.Second)
}

// setBack sets the clock back by less than clockWrongBy.
func (j *clockJumpTest) setBack(by time.Duration) {
	now := j.now()
	highest := now
	for i, s := range j.sets[1:] {
		if shown := s.at.Add(j.sets[i].ahead); shown.After(highest) {
			highest = shown
		}
	}
	if highest.Sub(now)+by <= 30*24*time.Hour {
		j.set(-by)
	}
}

// wait lets time pass, and lets due jobs fire.
func (j *clockJumpTest) wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// record adds fires to the recorded fires.
func (j *clockJumpTest) record(firings []supervisor.FireBatch) {
	clock := j.now()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range firings {
		for _, fire := range f.Fires {
			j.claims = append(j.claims, firedAt{fire.Job.ID, fire.Job.Next, time.Now(), clock})
		}
	}
}

// PutFires stores the fires and records them.
func (j *clockJumpTest) PutFires(ctx context.Context, firings []supervisor.FireBatch) ([]supervisor.Delivery, error) {
	said, err := j.db.Jobs().PutFires(ctx, firings)
	j.record(firings)
	if err != nil || len(said) != len(firings) {
		j.t.Errorf("of %d firings %d are kept: %v", len(firings), len(said), err)
	}
	return said, err
}

// clockJumpQueue is the database's queue; it also records the fires.
type clockJumpQueue struct {
	sqlite.Jobs
	*clockJumpTest
}

func (q clockJumpQueue) PutFires(ctx context.Context, firings []supervisor.FireBatch) ([]supervisor.Delivery, error) {
	return q.clockJumpTest.PutFires(ctx, firings)
}

// begin starts a new loop on the stored data.
func (j *clockJumpTest) begin() {
	j.spoken = schedule.New(j.open())
	ctx, cancel := context.WithCancel(j.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- j.spoken.Run(ctx) }()
	synctest.Wait()
	j.end = func() {
		cancel()
		if err := <-ended; err != nil {
			j.t.Error(err)
		}
	}
}

func inMadrid(name string) supervisor.User {
	return supervisor.User{Name: name, Timezone: "Europe/Madrid", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "7"}}
}

// remind sets a reminder.
func (j *clockJumpTest) remind() {
	user := inMadrid(rapid.SampledFrom([]string{"alice", "bob"}).Draw(j.rt, "who"))
	words := rapid.SampledFrom(jumpSpecs).Draw(j.rt, "when")
	c := supervisor.Conversation{User: user.Name, Channel: supervisor.ChannelTelegram, Chat: "7"}
	id := len(j.all) + 1
	if _, err := j.spoken.Chat.AddReminder(j.t.Context(), user, c, int64(id), fmt.Sprintf("%s: number %d.", words, id),
		j.now()); err != nil {
		if strings.Contains(err.Error(), "never comes") { // the reminder's last time has passed
			return
		}
		j.fail("%s: %v", words, err)
	}
	list, err := j.db.Jobs().List(j.t.Context(), user.Name)
	if err != nil || len(list) == 0 || list[len(list)-1].MadeBy != fmt.Sprint("inbound/", int64(id)) {
		j.fail("%s is not kept: %v, %v", words, list, err)
	}
	j.all, j.made = append(j.all, list[len(list)-1]), append(j.made, time.Now())
}

// span is a part of the bubble's time in which the clock has reached a given time.
type span struct {
	begin, end time.Time
	exact      bool // the clock reached the time without being set, so the loop wakes for it
}

// isSeen reports whether the loop must wake within the span.
func (s span) isSeen() bool { return s.exact || s.end.Sub(s.begin) >= maxDelay }

// spans returns all spans after a moment in which the clock has reached a time.
func (j *clockJumpTest) spans(due, from time.Time) (all []span) {
	for i, s := range j.sets {
		next := span{begin: due.Add(-s.ahead), end: time.Now()}
		if i+1 < len(j.sets) {
			next.end = j.sets[i+1].at
		}
		next.exact = i == 0 || next.begin.Sub(s.at) >= maxDelay
		for _, least := range []time.Time{s.at, from} {
			if least.After(next.begin) {
				next.begin = least
			}
		}
		switch last := len(all) - 1; {
		case next.begin.After(next.end):
		case last >= 0 && all[last].end.Equal(next.begin):
			all[last].end = next.end
		default:
			all = append(all, next)
		}
	}
	return all
}

// keptFires is the least number of fires of a job that the store keeps.
const keptFires = 200

// check compares the fires with the rules and with the clock.
func (j *clockJumpTest) check() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, job := range j.all {
		var rule recurrence.Rule
		if err := json.Unmarshal([]byte(job.Rule), &rule); err != nil {
			j.fail("%v", err)
		}
		mine := slices.DeleteFunc(slices.Clone(j.claims), func(c firedAt) bool { return c.job != job.ID })
		j.checkJob(rule, job, j.made[i], mine)
		said := strings.Join(sqlitetest.QueryColumn(j.t, j.db, "SELECT text FROM outbox"), "\n")
		kept := len(sqlitetest.QueryColumn(j.t, j.db, "SELECT due FROM fire WHERE job = ? AND state = 'said'", job.ID))
		if told := strings.Count(said, job.Text); told != len(mine) || kept < min(len(mine), keptFires) || kept > len(mine) {
			j.fail("%q was fired %d times, it is kept %d times, and told %d times", job.Text, len(mine), kept, told)
		}
	}
}

// If the clock is ten years ahead for a minute, jobs fire early once. Once the clock is right
// again, jobs fire on time. This holds for a running loop and for a new loop.
func TestLoop_ClockYearsAhead_Recovers(t *testing.T) {
	for name, then := range map[string]func(*clockJumpTest){"the same loop": func(*clockJumpTest) {},
		"restart the loop": func(j *clockJumpTest) { j.end(); j.begin() }} {
		synctest.Test(t, func(t *testing.T) {
			j := newJumps(t, nil, time.Date(2026, 3, 27, 11, 0, 0, 0, time.UTC))
			options := j.options()
			options.Queue = j.db.Jobs() // the queue does not repeat a fired time
			j.open = func() schedule.Options { return options }
			j.begin()
			defer func() { j.end() }()
			if _, err := j.spoken.Chat.AddReminder(t.Context(), inMadrid("alice"),
				supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "7"}, 1,
				"daily at 14:00: pills", j.now()); err != nil {
				t.Fatal(err)
			}
			j.set(10 * 365 * 24 * time.Hour)
			j.wait(time.Minute)
			j.set(-10 * 365 * 24 * time.Hour)
			then(j)
			j.wait(49 * time.Hour)
			// the first of these messages is for 27 March
			want := []string{"Reminder: pills\n\nIt was due at Sun 23 Mar 14:00, 22 hours ago.", "Reminder: pills", "Reminder: pills"}
			if said := sqlitetest.QueryColumn(t, j.db, "SELECT text FROM outbox ORDER BY id"); !slices.Equal(said,
				want) {
				t.Errorf("%s: in two days there is said %q", name, said)
			}
		})
	}
}

// checkJob compares a job's fires with its rule. The job's next time follows the clock's time at
// its last fire.
func (j *clockJumpTest) checkJob(rule recurrence.Rule, job supervisor.Job, from time.Time, fires []firedAt) {
	zone, err := time.LoadLocation(job.Zone)
	if err != nil {
		j.fail("%v", err)
	}
	since := job.FiredUntil
	for n := 0; ; n++ {
		due, any, err := rule.Next(since, zone)
		if err != nil {
			j.fail("%v", err)
		}
		var spans []span
		if any && (rule.MaxFires == 0 || n < rule.MaxFires) {
			spans = j.spans(due, from)
		}
		if n == len(fires) {
			if i := slices.IndexFunc(spans, span.isSeen); i >= 0 {
				j.fail("%+v is not fired for %s, which the clock has shown since %s", rule, due, spans[i].begin)
			}
			return
		}
		fire := fires[n]
		if !fire.due.Equal(due.Truncate(time.Millisecond)) {
			j.fail("%+v is fired for %s, want %s", rule, fire.due, due)
		}
		i := slices.IndexFunc(spans, func(s span) bool { return !fire.at.After(s.end) || s.isSeen() })
		if i < 0 || fire.at.Before(spans[i].begin) {
			j.fail("%+v is fired for %s at %s, before the clock has shown it: %v", rule, due, fire.at, spans)
		}
		if lateness := fire.at.Sub(spans[i].begin); lateness > maxDelay || spans[i].exact && lateness > 0 {
			j.fail("%+v is fired for %s at %s, which is %s late", rule, due, fire.at, lateness)
		}
		from, since = fire.at, fire.clock
	}
}
