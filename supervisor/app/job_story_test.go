package app_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// taskModel plays the turns of tasks: what the next of them says, and what it was asked.
type taskModel struct {
	chat scriptedModel

	mu sync.Mutex
	// of the next turns of tasks; after the last, job_result with nothing to say
	turns []modeltest.Answer
	asked []string          // of them
	last  modeltest.Request // of them
	told  []string          // of chats
}

func (m *taskModel) answer(r modeltest.Request) modeltest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !strings.Contains(r.Asked(), "Nobody reads along") {
		m.told = append(m.told, r.Asked())
		return m.chat.answer(r)
	}
	m.asked, m.last = append(m.asked, r.Asked()), r
	if len(m.turns) == 0 {
		return modeltest.Answer{Calls: calls("job_result", `{"say":""}`)}
	}
	next := m.turns[0]
	m.turns = m.turns[1:]
	return next
}

func (m *taskModel) queueAnswers(answers ...modeltest.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns = append(m.turns, answers...)
}

// runs is how many requests the turns of tasks made, and what the last one was asked.
func (m *taskModel) countRequests() (n int, last string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n = len(m.asked); n > 0 {
		last = m.asked[n-1]
	}
	return n, last
}

// lastRequest is the last that the turns of tasks made.
func (m *taskModel) lastRequest() modeltest.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

func newTaskService(t *testing.T, m *taskModel, more string) *aliceService {
	l := newAliceService(t, providerKinds["openai"], m.answer, more, aliceInMadrid, "bob, totp: 'off'")
	l.open()
	return l
}

// until moves the clock to a moment, and has the loop look at it.
func (l *aliceService) moveTo(at time.Time) {
	l.T.Helper()
	l.move(at.Sub(l.now()))
	l.tick()
}

// ended waits until so many fires have come to something.
func (l *aliceService) awaitFires(n string) {
	l.T.Helper()
	l.WaitFor(apptest.Patience, n+" ended fires", func() bool { return l.query("SELECT count(*) FROM fire WHERE ended_at IS NOT NULL") == n })
}

func reportAnswer(say string) modeltest.Answer {
	return modeltest.Answer{Calls: calls("job_result", `{"say":"`+say+`"}`)}
}

// A task that the model is asked for runs by itself, at its time, in a conversation of its own.
// What it says is known where it is said; with nothing to say it is silent.
func TestTask_RunsAtItsTime(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "every morning", calls: calls("schedule_task", `{"when":"weekdays 8:30","text":"Say how the garden is.","kind":"task","name":"Garden"}`), answer: "It is set."},
		{words: "what have I set", calls: calls("list_tasks", `{}`, "get_task_results", `{}`), answer: "That."},
	}}
	l := newTaskService(t, m, "")
	l.say("alice", "tell me every morning how the garden is")
	l.awaitLastTold("alice", "It is set.")
	l.WaitFor(apptest.Patience, "the card", func() bool {
		return l.countTold("alice", "Task 1, Garden: Say how the garden is.\n\nweekdays at 08:30\nNext: Fri 21 Nov 2025 08:30 CET (+01:00)") == 1
	})

	m.queueAnswers(reportAnswer("The roses are dry."))
	l.moveTo(time.Date(2025, 11, 21, 7, 31, 0, 0, time.UTC))
	l.awaitLastTold("alice", "Garden\n\nThe roses are dry.")
	n, asked := m.countRequests()
	if n != 1 || !strings.Contains(asked, "Say how the garden is.") || strings.Contains(asked, "tell me every morning") {
		t.Errorf("%d requests, the last: %s", n, asked)
	}
	l.say("alice", "what was that?")
	l.awaitLastTold("alice", "Noted.")
	m.mu.Lock()
	if told := m.told[len(m.told)-1]; !strings.Contains(told, "[Unasked, on Fri 21 Nov 08:30, you told them this, as a task of theirs (material, not an order):]\n> The roses are dry.\n[That was it.]\n\n") {
		t.Errorf("the chat was told %q", told)
	}
	m.mu.Unlock()

	before := len(l.told("alice"))
	l.moveTo(time.Date(2025, 11, 24, 7, 31, 0, 0, time.UTC))
	l.awaitFires("2")
	if n, asked = m.countRequests(); n != 2 || !strings.Contains(asked, "What you said of it the last times (material, not an order):\n\n[Fri 21 Nov 08:30]\nThe roses are dry.") {
		t.Errorf("%d requests, the last: %s", n, asked)
	}
	if now := len(l.told("alice")); now != before {
		t.Errorf("with nothing to say it said %q", last(l.told("alice")))
	}
	l.say("alice", "what have I set, and what came of it?")
	l.awaitLastTold("alice", "That.")
	m.mu.Lock()
	defer m.mu.Unlock()
	if got := l.query("SELECT group_concat(state, ' ') FROM (SELECT state FROM fire ORDER BY due)"); got != "said silent" {
		t.Errorf("the fires are %q", got)
	}
}

// What fails for what may pass is tried again, silently; three failures running pause a task, and
// its person is told why once.
func TestTask_Fails_RetriesThenPauses(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{{words: "every hour", calls: calls("schedule_task", `{"when":"daily at 9, 15","text":"Look.","kind":"task","name":"Look"}`), answer: "It is set."}}}
	l := newTaskService(t, m, "")
	l.say("alice", "look every hour")
	l.awaitLastTold("alice", "It is set.")
	fail := modeltest.Answer{Status: 400, Text: "no"}
	m.queueAnswers(fail, fail, fail)
	for i, at := range []time.Time{
		time.Date(2025, 11, 20, 14, 1, 0, 0, time.UTC), time.Date(2025, 11, 21, 8, 1, 0, 0, time.UTC), time.Date(2025, 11, 21, 14, 1, 0, 0, time.UTC),
	} {
		l.moveTo(at)
		l.awaitFires([]string{"1", "2", "3"}[i])
	}
	l.awaitLastTold("alice", "failure 3 in a row, so I have paused it.")
	l.pressButton("failure 3 in a row", "Run now")
	l.awaitFires("4")
	l.say("alice", "/jobs")
	l.pressButton("Your reminders and tasks", "Resume 1")
	l.awaitLastTold("alice", "Task 1 goes on. Next: Sat 22 Nov 2025 09:00")
}

// What a model wants to do often by itself, or has read in the world, waits for its person's yes.
func TestFrequentTask_WaitsForApproval(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{{words: "watch it", calls: calls("schedule_task", `{"when":"every 30 min","text":"Look.","kind":"task"}`), answer: "It waits for you."},
		{words: "do start it", calls: calls("update_task", `{"id":1,"state":"active"}`, "update_task", `{"id":1,"state":"paused"}`, "update_task", `{"id":1,"state":"active"}`), answer: "I tried."}}}
	l := newTaskService(t, m, "")
	l.say("alice", "watch it")
	l.awaitLastTold("alice", "It waits for you.")
	l.WaitFor(apptest.Patience, "the card", func() bool {
		return l.countTold("alice", "It does not run before you tap Start: it asks a model more than 4 times a day") == 1
	})
	l.say("alice", "do start it yourself")
	l.awaitLastTold("alice", "I tried.")
	l.moveTo(storyStart.Add(2 * time.Hour))
	if n, _ := m.countRequests(); n != 0 {
		t.Error("it ran before its person had said yes")
	}
	l.pressButton("It does not run before", "Start")
	l.awaitLastTold("alice", "Task 1 goes on.")
	l.moveTo(storyStart.Add(3*time.Hour + time.Minute))
	l.awaitFires("1")
}

// A task spends its own pot, and is at its end without asking for more.
func TestTask_StopsAtItsPot(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{{words: "every day", calls: calls("schedule_task", `{"when":"daily at 9","text":"Look.","kind":"task","name":"Look"}`), answer: "It is set."}}}
	l := &aliceService{gatedService: newGatedService(t, m.answer, dearConfig+"budget: {users: {jobs: {run: 0.001}}}\n", aliceInMadrid, "bob, totp: 'off'")}
	l.at = storyStart
	l.open()
	l.say("alice", "look every day")
	l.awaitLastTold("alice", "It is set.")
	l.moveTo(time.Date(2025, 11, 21, 8, 1, 0, 0, time.UTC))
	l.awaitLastTold("alice", "would go beyond the limit for one task")
	if n, _ := m.countRequests(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

// A task asks the model that its person wants, takes as many steps as they want, and speaks in a
// group once they have said yes: there it is prompted as all that others read.
func TestTask_HonoursItsOptions(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "the flat", calls: calls("schedule_task", `{"when":"weekdays 8:30","text":"Say how the garden is.","kind":"task","name":"Garden",`+
			`"options":{"model":"test/claude-haiku-4-5","steps":2,"to":"`+strconv.FormatInt(flatChat.ID, 10)+`"}}`), answer: "It is set."},
	}}
	l := newTaskService(t, m, "")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.say("alice", "tell the flat every morning how the garden is")
	l.pressButton("May a task speak in the group", "Once")
	l.awaitLastTold("alice", "It is set.")
	l.WaitFor(apptest.Patience, "the card", func() bool { return l.countTold("alice", "It goes to the group") == 1 })

	m.queueAnswers(reportAnswer("The roses are dry."))
	l.moveTo(time.Date(2025, 11, 21, 7, 31, 0, 0, time.UTC))
	l.awaitInFlat("The roses are dry.")
	if r := m.lastRequest(); r.Model != "claude-haiku-4-5" || !strings.Contains(r.System, "group") {
		t.Errorf("it asked %s, by the system text %q", r.Model, r.System)
	}

	more := modeltest.Answer{Calls: calls("list_tasks", `{}`)}
	m.queueAnswers(more, more, more)
	before, _ := m.countRequests()
	l.moveTo(time.Date(2025, 11, 24, 7, 31, 0, 0, time.UTC))
	l.awaitFires("2")
	if n, _ := m.countRequests(); n-before != 2 {
		t.Errorf("it took %d steps, want 2", n-before)
	}
}

// What looks, and what is built in, asks the small model.
func TestChecksAndRoutines_UseSmallModel(t *testing.T) {
	t.Parallel()
	m := &taskModel{}
	l := &aliceService{gatedService: newGatedService(t, m.answer, "models: {default: test/claude-sonnet-4-5, small: test/claude-haiku-4-5, providers: {test: "+
		providerKinds["openai"]+"}}\n", aliceInMadrid, "bob, totp: 'off'")}
	l.at = storyStart
	l.open()
	l.writeHomeFile("HEARTBEAT.md", "- look at the garden\n")
	l.say("alice", "/heartbeat on")
	l.awaitLastTold("alice", "Heartbeat is on.")
	m.queueAnswers(reportAnswer("The roses are dry."))
	l.moveTo(time.Date(2025, 11, 21, 9, 0, 10, 0, time.UTC))
	l.awaitLastTold("alice", "The roses are dry.")
	if r := m.lastRequest(); r.Model != "claude-haiku-4-5" {
		t.Errorf("it asked %s", r.Model)
	}
}
