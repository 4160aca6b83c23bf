package app_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// A task that never ends stops at the limit of a run. Each of its calls costs the whole lease. Its
// second run stops at the day's limit. Neither run exceeds its limit by a millionth of a dollar.
// The user is told once a day and not asked for more, and the task runs again the next day. The
// user's own budget is not used.
func TestRunawayTask_PotEmpty_Stops(t *testing.T) {
	t.Parallel()
	const run, day = 100_000, 150_000
	m := &taskModel{chat: scriptedModel{{words: "every few hours", calls: calls("schedule_task",
		`{"when":"daily at 15, 18, 21","text":"Look.","kind":"task","name":"Look"}`), answer: "It is set."}}}
	var l *aliceService
	l = &aliceService{gatedService: newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		if !strings.Contains(r.NewestUserMessage(), "Nobody is watching") {
			return m.answer(r)
		}
		a := endlessModel(r)
		a.Usage = &modeltest.AnswerUsage{Prompt: int64(l.QueryCount("SELECT amount FROM lease")) - 1, Completion: 1}
		return a
	}, dearConfig+"budget: {users: {jobs: {run: 0.1}}}\n", aliceInMadrid+", budget: {jobs: {day: 0.15}}", "bob, totp: 'off'")}
	l.at = storyStart
	l.open()
	l.say("alice", "look every few hours")
	l.awaitLastTold("alice", "It is set.")
	chat := totalSpent(l.gatedService)
	spends := func(at time.Time, fires string, least, most int) {
		t.Helper()
		l.moveTo(at)
		l.awaitFires(fires)
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "nothing to be set aside",
			func() bool { return l.QueryCount("SELECT count(*) FROM lease") == 0 })
		n, kept := totalSpent(l.gatedService)-chat, l.QueryCount("SELECT sum(cost) FROM fire")
		if n > most || n < least || n != kept {
			t.Errorf("after %s runs %d millionths of a dollar are spent, want %d to %d; of the runs %d are kept", fires, n, least, most, kept)
		}
	}
	const shortest = 10_000 // the lowest cost of a call, in millionths of a dollar
	spends(time.Date(2025, 11, 20, 14, 1, 0, 0, time.UTC), "1", run-shortest, run)
	calls := l.QueryCount("SELECT count(*) FROM usage u JOIN conversation c ON c.id = u.conversation WHERE c.channel = 'job'")
	l.awaitLastTold("alice", "would go beyond the limit for one task")
	spends(time.Date(2025, 11, 20, 17, 1, 0, 0, time.UTC), "2", day-shortest, day)
	spends(time.Date(2025, 11, 20, 20, 1, 0, 0, time.UTC), "3", day-shortest, day)
	if n := l.countTold("alice", "would go beyond"); n != 1 || calls < 3 {
		t.Errorf("after %d calls in the first run alice is told %d times: %q", calls, n, l.told("alice"))
	}
	spends(time.Date(2025, 11, 21, 14, 1, 0, 0, time.UTC), "4", day+run-2*shortest, day+run)
	if n := l.QueryCount("SELECT count(*) FROM question"); n != 0 ||
		l.query("SELECT state FROM job WHERE id = 1") != "active" {
		t.Errorf("alice was asked %d times, and the task is %s", n, l.query("SELECT state FROM job WHERE id = 1"))
	}
}

// All attempts at one run share the limit of a run. The first attempt spends most of it and fails
// for a temporary reason. The second, a minute later, has exactly the rest. There is no third
// attempt.
func TestTaskRetries_ShareOnePot(t *testing.T) {
	t.Parallel()
	const run, left = 100_000, 15_000
	m := &taskModel{chat: scriptedModel{{words: "every day", calls: calls("schedule_task", `{"when":"daily at 9","text":"Look.","kind":"task","name":"Look"}`), answer: "It is set."}}}
	var l *aliceService
	var mu sync.Mutex      // guards the variables below
	var before, pays []int // total cost before each call, and the amount of the call's lease
	l = &aliceService{gatedService: newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		if !strings.Contains(r.NewestUserMessage(), "Nobody is watching") {
			return m.answer(r)
		}
		so, may := l.QueryCount("SELECT coalesce(sum(u.cost), 0) FROM usage u JOIN turn t ON t.id = u.turn WHERE t.kind = 'job'"), l.QueryCount("SELECT amount FROM lease")
		mu.Lock()
		before, pays = append(before, so), append(pays, may)
		mu.Unlock()
		if so == run-left && l.query("SELECT tries FROM fire") == "0" {
			return modeltest.Answer{Status: 429, Text: "later", Retry: 3600}
		}
		if so < run-left {
			may = min(may, run-left-so)
		}
		a := endlessModel(r)
		a.Usage = &modeltest.AnswerUsage{Prompt: int64(may) - 1, Completion: 1}
		return a
	}, dearConfig+"budget: {users: {jobs: {run: 0.1}}}\n", aliceInMadrid, "bob, totp: 'off'")}
	l.at = storyStart
	l.open()
	l.say("alice", "look every day")
	l.awaitLastTold("alice", "It is set.")
	at := time.Date(2025, 11, 21, 8, 1, 0, 0, time.UTC)
	l.moveTo(at)
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the first try to fail",
		func() bool { return l.query("SELECT state || tries FROM fire") == "claimed1" })
	mu.Lock()
	first := len(pays)
	mu.Unlock()
	l.moveTo(at.Add(2 * time.Minute))
	l.awaitLastTold("alice", "would go beyond the limit for one task, $0.10: $0.10 was spent")
	mu.Lock()
	defer mu.Unlock()
	if len(pays) != first+1 || before[first] != run-left || pays[first] != left {
		t.Errorf("before each call %d were spent; each could pay %d; those from %d on are of the second try", before, pays, first)
	}
	spentOnIt, kept := l.QueryCount("SELECT sum(u.cost) FROM usage u JOIN turn t ON t.id = u.turn WHERE t.kind = 'job'"), l.QueryCount("SELECT cost FROM fire")
	if state := l.query("SELECT state FROM fire"); spentOnIt != run || kept != run || state != "failed" {
		t.Errorf("%d are spent of %d, and %d kept of a fire that %s", spentOnIt, run, kept, state)
	}
}
