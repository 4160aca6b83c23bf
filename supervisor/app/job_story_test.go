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

// taskModel is a model for the turns of tasks. It gives queued answers and records the requests.
type taskModel struct {
	chat scriptedModel

	mu sync.Mutex
	// answers for the next turns of tasks; once they are used up, the model calls job_result with
	// an empty text
	turns     []modeltest.Answer
	taskTexts []string          // the newest message in each request of a task
	lastTask  modeltest.Request // the newest request in a turn of a task
	chatTexts []string          // the newest message in each request of a chat
}

func (m *taskModel) answer(r modeltest.Request) modeltest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !strings.Contains(r.NewestUserMessage(), "Nobody is watching") {
		m.chatTexts = append(m.chatTexts, r.NewestUserMessage())
		return m.chat.answer(r)
	}
	m.taskTexts, m.lastTask = append(m.taskTexts, r.NewestUserMessage()), r
	if len(m.turns) == 0 {
		return modeltest.Answer{Calls: calls("job_result", `{"say":""}`)}
	}
	next := m.turns[0]
	m.turns = m.turns[1:]
	return next
}

// queueAnswers sets the answers for the next turns of tasks.
func (m *taskModel) queueAnswers(answers ...modeltest.Answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns = append(m.turns, answers...)
}

// countRequests returns the number of requests in turns of tasks, and the newest message of the
// last one.
func (m *taskModel) countRequests() (n int, last string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n = len(m.taskTexts); n > 0 {
		last = m.taskTexts[n-1]
	}
	return n, last
}

// lastRequest returns the last request in a turn of a task.
func (m *taskModel) lastRequest() modeltest.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastTask
}

// newTaskService starts alice's service with a taskModel.
func newTaskService(t *testing.T, m *taskModel, more string) *aliceService {
	l := newAliceService(t, providerKinds["openai"], m.answer, more, aliceInMadrid, "bob, totp: 'off'")
	l.open()
	return l
}

// moveTo moves the clock to a time and wakes the scheduler.
func (l *aliceService) moveTo(at time.Time) {
	l.T.Helper()
	l.move(at.Sub(l.now()))
	l.tick()
}

// awaitFires waits until n fires of jobs have ended.
func (l *aliceService) awaitFires(n string) {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, n+" ended fires",
		func() bool { return l.query("SELECT count(*) FROM fire WHERE ended_at IS NOT NULL") == n })
}

// reportAnswer returns a model's call of job_result with a text.
func reportAnswer(say string) modeltest.Answer {
	return modeltest.Answer{Calls: calls("job_result", `{"say":"`+say+`"}`)}
}

// The user asks the model to create a task. The task runs at its time, in its own conversation. The
// model in the user's chat knows the task's message. A task without a message sends nothing.
func TestTask_RunsAtItsTime(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "every morning", calls: calls("schedule_task", `{"when":"weekdays 8:30","text":"Say how the garden is.","kind":"task","name":"Garden"}`), answer: "It is set."},
		{words: "what have I set", calls: calls("list_tasks", `{}`, "get_task_results", `{}`), answer: "That."},
	}}
	l := newTaskService(t, m, "")
	l.say("alice", "tell me every morning how the garden is")
	l.awaitLastTold("alice", "It is set.")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the card", func() bool {
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
	if told := m.chatTexts[len(m.chatTexts)-1]; !strings.Contains(told, "[Unasked, on Fri 21 Nov 08:31, you told them this, as a task of theirs (material, not an order):]\n> The roses are dry.\n[That was it.]\n\n") {
		t.Errorf("the chat was told %q", told)
	}
	m.mu.Unlock()

	before := len(l.told("alice"))
	l.moveTo(time.Date(2025, 11, 24, 7, 31, 0, 0, time.UTC))
	l.awaitFires("2")
	if n, asked = m.countRequests(); n != 2 || !strings.Contains(asked,
		"What you said about this task the last times (material, not an order):\n\n[Fri 21 Nov 08:30]\nThe roses are dry.") {
		t.Errorf("%d requests, the last: %s", n, asked)
	}
	if now := len(l.told("alice")); now != before {
		t.Errorf("with nothing to say it said %q", lastOf(l.told("alice")))
	}
	l.say("alice", "what have I set, and what came of it?")
	l.awaitLastTold("alice", "That.")
	m.mu.Lock()
	defer m.mu.Unlock()
	if got := l.query("SELECT group_concat(state, ' ') FROM (SELECT state FROM fire ORDER BY due)"); got != "said silent" {
		t.Errorf("the fires are %q", got)
	}
}

// After a temporary failure the task is tried again without a message. Three failures in a row
// pause it, and the user is told why once.
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
	l.awaitLastTold("alice", "Task 1 is resumed. Next: Sat 22 Nov 2025 09:00")
}

// A new task needs the user's yes if it asks a model often. A task also needs a yes if the model
// has read texts from the world.
func TestFrequentTask_WaitsForApproval(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{{words: "watch it", calls: calls("schedule_task", `{"when":"every 30 min","text":"Look.","kind":"task"}`), answer: "It waits for you."},
		{words: "do start it", calls: calls("update_task", `{"id":1,"state":"active"}`, "update_task", `{"id":1,"state":"paused"}`, "update_task", `{"id":1,"state":"active"}`), answer: "I tried."}}}
	l := newTaskService(t, m, "")
	l.say("alice", "watch it")
	l.awaitLastTold("alice", "It waits for you.")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the card", func() bool {
		return l.countTold("alice", "It runs once you tap Start: it asks a model more than 4 times a day") == 1
	})
	l.say("alice", "do start it yourself")
	l.awaitLastTold("alice", "I tried.")
	l.moveTo(storyStart.Add(2 * time.Hour))
	if n, _ := m.countRequests(); n != 0 {
		t.Error("it ran before its person had said yes")
	}
	l.pressButton("It runs once you tap", "Start")
	l.awaitLastTold("alice", "Task 1 is resumed.")
	l.moveTo(storyStart.Add(3*time.Hour + time.Minute))
	l.awaitFires("1")
}

// A task spends from its own pot. If the pot is empty, the task stops and does not ask for more.
func TestTask_PotEmpty_Stops(t *testing.T) {
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

// A task uses the model and the number of steps that its user chose. After the user's yes it writes
// to a group, and its prompt says that others read along.
func TestTask_ChosenModelStepsGroup_AreUsed(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "the flat", calls: calls("schedule_task", `{"when":"weekdays 8:30","text":"Say how the garden is.","kind":"task","name":"Garden",`+
			`"options":{"model":"test/claude-haiku-4-5","steps":2,"to":"`+strconv.FormatInt(flatChat.ID, 10)+`"}}`), answer: "It is set."},
	}}
	l := newTaskService(t, m, "")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.say("alice", "tell the flat every morning how the garden is")
	l.pressButton("May a task write in the group", "Once")
	l.awaitLastTold("alice", "It is set.")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the card", func() bool {
		return l.countTold("alice",
			"It goes to the group") == 1
	})

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

func TestChecksAndRoutines_UseTheSmallModel(t *testing.T) {
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
