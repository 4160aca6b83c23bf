package schedule

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/check"
	"mews/supervisor/routine"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the start of the tests, two days before the clocks change in Madrid
var noon = time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)

// harness is a schedule with a real database and a clock that the test sets.
type harness struct {
	*Schedule
	*Jobs
	*jobCards
	*editor
	*ChatCommands
	*JobRequests
	*toolCalls
	routines *routine.Routines

	db      *sqlite.DB
	now     time.Time
	resting map[string]bool
	closed  map[string]bool // groups in which no user may speak
	budget  supervisor.Budget

	approvalRequests []approval.Request // the requests for approval that were made
	changeRequests   []approval.Request // the requests to set, change or cancel a job
	approveErr       error              // the error that approvals return
	answers          []string           // the answers to the next questions
	translate        TranslateTimeFunc  // translates times; nil means no translation
	inbound          int64

	mu     sync.Mutex // guards the fields below against checks, which run concurrently
	queued int
	begun  []supervisor.Inbound

	agenda   []protocol.AgendaEntry // the agenda of the next digests
	found    protocol.CheckResult   // the result of the next checks
	checkErr error
	checked  []protocol.CheckParameters

	files   []supervisor.HomeFile
	listErr error // the error that listing files returns

	home fakeHome // the fake index of alice's home
}

// put stores a job with times in words.
func (h *harness) put(ctx context.Context, j supervisor.Job, when string) (supervisor.Job, error) {
	if err := SetRule(&j, when, h.now); err != nil {
		return j, err
	}
	return h.Jobs.Add(ctx, j, nil)
}

func newHarness(t *testing.T) *harness {
	h := &harness{now: noon, resting: map[string]bool{}}
	h.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{Now: func() time.Time { return h.now }})
	h.restart()
	return h
}

// restart creates a new schedule on the stored data.
func (h *harness) restart() {
	now := func() time.Time { return h.now }
	speaker := func(name string) (supervisor.User, bool) { return person(name), !h.resting[name] }
	h.routines = routine.New(routine.Options{Store: h.db.Jobs(), FileEffects: h.db.Effects(), Person: speaker, Now: now,
		IndexHomeNow: h.home.IndexHomeNow, Changes: h.home.ListChanges, ListFiles: h.listFiles, Check: h.fakeCheck,
		Agenda: func(context.Context, string, time.Time, time.Time) ([]protocol.AgendaEntry, []string, error) {
			return h.agenda, nil, nil
		},
		InForce: func(_ context.Context, _ string, f protocol.PromptFile) ([]byte, error) { return f.Text, nil },
		Jobs:    func() routine.JobScheduler { return h.Schedule }, SetRule: SetRule, ValidatePeriod: ValidatePeriod,
		DescribeTimes: DescribeTimes,
		Log:           hclog.NewNullLogger()})
	h.Schedule = New(Options{Store: h.db.Jobs(), Queue: h.db.Jobs(), Queued: h.countQueued, Now: now, Log: hclog.NewNullLogger(),
		Person:    speaker,
		StartTurn: h.keepBegun, Sources: h.db.Jobs(),
		CheckStore: h.db.Jobs(), RoutineTimes: h.routines.ValidateTimes, Tools: h.routines.Tools(),
		Checks: map[supervisor.JobKind]CheckFunc{supervisor.JobCheck: check.New(check.Options{Check: h.fakeCheck}).EvaluateCheck,
			supervisor.JobRoutine: h.routines.RunDueRoutine},
		CheckRules: CheckParser{Parse: check.ParseCondition, Typed: check.ValidateFlags, Text: check.DescribeCondition,
			Names: strings.Contains},
		Watches:   []EventTrigger{{Next: h.routines.NextHomeCheck, Run: h.routines.CheckChangedHomes}},
		Translate: h.translate, Command: h.db.Inbox().Find,
		Conversations: h.db.Conversations(), MaySpeakIn: func(c supervisor.Conversation) bool { return !h.closed[c.Chat] },
		Approve: h.approve, Ask: h.ask, Model: modelNamed, Budget: func(string) supervisor.Budget { return h.budget },
		Limits: func() protocol.TurnLimits { return protocol.TurnLimits{Steps: 200, Seconds: 3600} }})
	h.Jobs, h.jobCards, h.editor, h.ChatCommands = h.Schedule.Jobs, h.Schedule.jobCards, h.Schedule.calls.editor,
		h.Schedule.Chat
	h.JobRequests, h.toolCalls = h.Schedule.Requests, h.Schedule.calls
}

func (h *harness) countQueued(int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queued++
}

func (h *harness) keepBegun(in supervisor.Inbound) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun = append(h.begun, in)
}

func (h *harness) fakeCheck(_ context.Context, _ string, p protocol.CheckParameters) (protocol.CheckResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checked = append(h.checked, p)
	return h.found, h.checkErr
}

func (h *harness) listFiles(context.Context, string) ([]supervisor.HomeFile, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.files, h.listErr
}

func person(name string) supervisor.User {
	return supervisor.User{Name: name, Timezone: "Europe/Madrid", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "100"}}
}

func chatOf(name string) supervisor.Conversation {
	return supervisor.Conversation{User: name, Channel: supervisor.ChannelTelegram, Chat: "100"}
}

func (h *harness) remind(t testing.TB, name, words string) supervisor.Delivery {
	t.Helper()
	h.inbound++
	d, err := h.AddReminder(t.Context(), person(name), chatOf(name), h.inbound, words, h.now)
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	return d
}

func (h *harness) fireDue(t testing.TB) {
	t.Helper()
	if err := h.fire(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// saidTo returns the messages sent to a conversation.
func (h *harness) saidTo(t testing.TB, c supervisor.Conversation) []string {
	t.Helper()
	return sqlitetest.QueryColumn(t, h.db, `SELECT o.text FROM outbox o JOIN conversation c ON c.id = o.conversation
		WHERE c.user = ? AND c.channel = ? AND c.chat = ? ORDER BY o.id`, c.User, c.Channel, c.Chat)
}

// Each time of a reminder is sent once, never early and never lost, for any clock changes and
// restarts.
func TestReminders_EachTime_AreSentOnce(t *testing.T) {
	h := newHarness(t)
	people := 0
	rapid.Check(t, func(rt *rapid.T) {
		people++
		name := fmt.Sprint("user", people)
		h.now = noon.Add(time.Duration(rapid.IntRange(0, 300*24).Draw(rt, "hours")) * time.Hour)
		words := rapid.SampledFrom([]string{"in 20 min", "every 2 h", "every 90 min", "daily at 2:30", "weekdays 8:30", "*/15 * * * *", "0 3 * * *",
			"first monday of the month at 10", "daily at 9 3 times"}).Draw(rt, "when")
		h.remind(t, name, words+": tea")
		list, err := h.db.Jobs().List(t.Context(), name)
		if err != nil || len(list) != 1 {
			rt.Fatalf("%v, %v", list, err)
		}
		j, said := list[0], 0
		highest := h.now
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			h.now = h.now.Add(time.Duration(rapid.SampledFrom([]int{-24 * 60, -60, 1, 20, 60, 24 * 60, 9 * 24 * 60}).Draw(rt, "minutes")) * time.Minute)
			if rapid.Bool().Draw(rt, "restarts") {
				h.restart()
				if err := h.recompute(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
			due := !j.Next.IsZero() && !j.Next.After(h.now)
			h.fireDue(t)
			h.fireDue(t)
			if due {
				said++
				highest = h.now
			}
			if got := len(h.saidTo(t, chatOf(name))); got != said {
				rt.Fatalf("%s, due %s: said %d times at %s, want %d", words, j.Next, got, h.now, said)
			}
			if j, _, err = h.db.Jobs().Find(t.Context(), name, j.ID); err != nil {
				rt.Fatal(err)
			}
			if !j.Next.IsZero() && !j.Next.After(highest) {
				rt.Fatalf("%s is due again at %s, which was at %s", words, j.Next, highest)
			}
		}
	})
}

// A user's late reminders come in one message. Deleted and paused reminders are left out.
func TestLateReminders_OfOneUser_ShareMessage(t *testing.T) {
	h := newHarness(t)
	for i := range 6 {
		h.remind(t, "alice", fmt.Sprintf("in %d min: thing %d", i+1, i+1))
	}
	h.remind(t, "bob", "in 5 min: his own")
	if _, err := h.CancelJob(t.Context(), "alice", "2"); err != nil {
		t.Fatal(err)
	}
	if d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 100, "pause 3", h.now); err != nil ||
		!strings.Contains(d.Text, "paused") {
		t.Fatal(d.Text, err)
	}
	h.now = h.now.Add(3 * time.Hour)
	h.fireDue(t)
	said := h.saidTo(t, chatOf("alice"))
	if len(said) != 1 || strings.Count(said[0], "thing") != 4 || strings.Contains(said[0], "thing 2") || strings.Contains(said[0], "thing 3") {
		t.Errorf("alice was told %q", said)
	}
	if said := h.saidTo(t, chatOf("bob")); len(said) != 1 || !strings.Contains(said[0], "Reminder: his own\n\nIt was due at 13:05, 2 hours and 55 minutes ago.") {
		t.Errorf("bob was told %q", said)
	}
	if d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 101, "resume 3", h.now); err != nil ||
		d.Text != "Reminder 3 has ended." {
		t.Errorf("a reminder whose time has passed goes on: %q, %v", d.Text, err)
	}
}

// Each user's late reminders share messages, for any number of users and reminders. Reminders that
// are on time have their own messages.
func TestLateReminders_ManyUsers_ShareMessages(t *testing.T) {
	for _, c := range []struct{ people, each int }{{1, 200}, {12, 12}, {3, 60}} {
		h := newHarness(t)
		for i := range c.each { // all users' jobs, in turn one job of each user
			for p := range c.people {
				h.remind(t, fmt.Sprint("p", p), fmt.Sprintf("in %d min: tea", 1+i))
			}
		}
		h.remind(t, "bob", "in 10 h: the bus")
		h.passTime(t, 10*time.Hour)
		for p := range c.people {
			said := h.saidTo(t, chatOf(fmt.Sprint("p", p)))
			if n := strings.Count(strings.Join(said, ""), "tea"); len(said) != 1 || n != c.each {
				t.Fatalf("%d of each of %d people are late: p%d is told %d in %d messages", c.each, c.people, p, n, len(said))
			}
		}
		if said := h.saidTo(t, chatOf("bob")); !slices.Equal(said, []string{"Reminder: the bus"}) {
			t.Errorf("bob is told %q", said)
		}
	}
}

// A list of jobs stays short, for any number of jobs and long texts.
func TestList_ManyJobs_IsShort(t *testing.T) {
	h := newHarness(t)
	for range 150 {
		h.remind(t, "alice", "in 1 h: "+strings.Repeat("xyzzy ", 1000))
	}
	sqlitetest.ExecStatements(t, h.db, "UPDATE job SET state = 'paused', next = NULL WHERE id > 10")
	d, err := h.ListJobs(t.Context(), "alice")
	if err != nil || len(d.Text) > 16<<10 || len(d.Buttons) != maxListedRows || !strings.HasSuffix(d.Text, "\n\nAnd 110 more: mews job list shows all.") {
		t.Errorf("%d bytes with %d rows, %v: %s", len(d.Text), len(d.Buttons), err, d.Text)
	}
	h.now = h.now.Add(2 * time.Hour)
	h.fireDue(t)
	if said := h.saidTo(t, chatOf("alice")); len(said) != 1 || len(said[0]) > 4<<10 || strings.Count(said[0], "ago: xyzzy") != 10 {
		t.Errorf("alice is told %q", said)
	}
}

// A locked-out user gets no message until they may speak again. No other user waits for them.
func TestJobs_LockedOutUser_WaitForUnlock(t *testing.T) {
	h := newHarness(t)
	for range maxDue + 5 {
		h.remind(t, "mallory", "in 1 min: x")
	}
	h.remind(t, "alice", "in 2 min: tea")
	h.resting["mallory"] = true
	h.now = h.now.Add(3 * time.Minute)
	h.fireDue(t)
	if a, m := len(h.saidTo(t, chatOf("alice"))), len(h.saidTo(t, chatOf("mallory"))); a != 1 || m != 0 {
		t.Errorf("alice was told %d, mallory %d", a, m)
	}
	delete(h.resting, "mallory")
	h.fireDue(t)
	if m := len(h.saidTo(t, chatOf("mallory"))); m == 0 {
		t.Error("mallory may speak again and is told nothing")
	}
}

// A job with a rule of a later Mews version is paused, and its user is told. Other jobs fire on
// time.
func TestJob_UnreadableRule_IsPaused(t *testing.T) {
	h := newHarness(t)
	for i, rule := range []string{`{"kind":"moon"}`, `not json`, `{"kind":"cron","expression":"x"}`} {
		if _, _, err := h.db.Jobs().Put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobReminder, Text: "tea", Rule: rule, Conversation: chatOf("alice"),
			MadeBy: fmt.Sprint(int64(50 + i)), FiredUntil: h.now, Next: h.now}, nil); err != nil {
			t.Fatal(err)
		}
	}
	h.remind(t, "alice", "in 1 min: soup")
	h.now = h.now.Add(time.Minute)
	h.fireDue(t)
	h.fireDue(t)
	if said := strings.Join(h.saidTo(t, chatOf("alice")), "\n"); strings.Count(said, "so I paused it: tea") != 3 || !strings.Contains(said, "Reminder: soup") {
		t.Errorf("alice was told %q", said)
	}
	if d, err := h.ListJobs(t.Context(), "alice"); err != nil || !strings.Contains(d.Text, "paused") {
		t.Errorf("%q, %v", d.Text, err)
	}
}

// A reminder set in the terminal is sent to the private chat of a user who has one.
func TestReminder_SetInTerminal_ComesInChat(t *testing.T) {
	h := newHarness(t)
	terminal := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}
	if _, err := h.AddReminder(t.Context(), person("alice"), terminal, 1, "in 1 min: tea", h.now); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(time.Minute)
	h.fireDue(t)
	if said := h.saidTo(t, chatOf("alice")); len(said) != 1 || len(h.saidTo(t, terminal)) != 0 {
		t.Errorf("in the chat she was told %q, at the terminal %q", said, h.saidTo(t, terminal))
	}
}

// The loop wakes when a job is due, and ends with its context.
func TestLoop_DueJob_WakesLoop(t *testing.T) {
	h := newHarness(t)
	fired := make(chan int64, 1)
	h.wakeOutbox = func(c int64) { fired <- c }
	h.Jobs.now = func() time.Time { return noon.Add(time.Hour) }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	h.remind(t, "alice", "in 5 min: tea") // the reminder is due by the loop's clock
	<-fired
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// BenchmarkLoop_NoJobDue measures one pass of the loop when no job is due, with 10,000 jobs of
// fifty users. Its median should be at most 100 µs.
func BenchmarkLoop_NoJobDue(b *testing.B) {
	h := &harness{now: noon, resting: map[string]bool{}}
	h.db = sqlitetest.OpenPath(b, filepath.Join(b.TempDir(), "mews.db"),
		sqlite.Options{Now: func() time.Time { return h.now }})
	h.restart()
	for user := range 50 {
		for range supervisor.MaxJobs {
			h.remind(b, fmt.Sprint("user", user), "in 300 days: x")
		}
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		h.fireDue(b)
		_, err := h.untilNext(b.Context())
		if err = errors.Join(err, h.beginDue(b.Context()), h.release(b.Context())); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs-p50")
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds())/1000, "µs-p95")
}

// A fired reminder may be paused and resumed after the clock is set back. Other reminders still
// fire on time.
func TestResume_ClockSetBack_DelaysNoReminder(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "every 1 h: tea")
	h.now = h.now.Add(time.Hour + time.Minute)
	h.fireDue(t)
	h.now = h.now.Add(-30 * time.Minute)
	for i, press := range []string{"pause 1", "resume 1"} {
		if _, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), int64(100+i), press,
			h.now); err != nil {
			t.Fatal(err)
		}
	}
	h.remind(t, "bob", "in 31 min: his own")
	h.now = h.now.Add(32 * time.Minute)
	h.fireDue(t)
	if said := h.saidTo(t, chatOf("bob")); len(said) != 1 {
		t.Errorf("bob was told %q", said)
	}
}

// A reminder between two milliseconds fires once, and delays no other job.
func TestReminder_BetweenMilliseconds_FiresOnce(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "2026-03-27T12:05:00.0009Z: tea")
	h.remind(t, "bob", "in 5 min: his own")
	h.now = h.now.Add(5*time.Minute + 100*time.Microsecond)
	h.fireDue(t)
	h.now = h.now.Add(time.Second)
	h.fireDue(t)
	if a, b := h.saidTo(t, chatOf("alice")), h.saidTo(t, chatOf("bob")); len(a) != 1 || len(b) != 1 {
		t.Errorf("alice was told %q, bob %q", a, b)
	}
}

// Times that passed before a move to another time zone are not repeated, even after a restart.
func TestMoveZone_PastTimes_AreNotRepeated(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "daily at 14:00: tea")
	h.passTime(t, 2*time.Hour)
	moved := person("alice")
	moved.Timezone = "America/New_York"
	h.now = h.now.Add(5 * time.Hour) // it is 15:00 in New York now
	if _, err := h.HandlePress(t.Context(), moved, chatOf("alice"), 9, "zone America/New_York", h.now); err != nil {
		t.Fatal(err)
	}
	h.restart()
	if err := h.recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.passTime(t, time.Minute)
	h.wantSaid(t, "Reminder: tea\n\nIt was due at 14:00, 1 hour ago.")
}

// A list names jobs by their ids, even if ids are missing, because commands use these ids.
func TestList_ShowsJobNumbers(t *testing.T) {
	h := newHarness(t)
	for _, words := range []string{"in 1 h: one", "in 1 h: two", "in 1 h: three"} {
		h.remind(t, "alice", words)
	}
	if _, err := h.CancelJob(t.Context(), "alice", "2"); err != nil {
		t.Fatal(err)
	}
	d, err := h.ListJobs(t.Context(), "alice")
	if err != nil || !strings.Contains(d.Text, "\n- **1**: one\n") || !strings.Contains(d.Text, "\n- **3**: three\n") {
		t.Errorf("the list is %q, %v", d.Text, err)
	}
}
