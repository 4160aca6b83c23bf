package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// newDigestDay plays a day of alice's that fills each section of the digest. Afterwards it is
// shortly before 7:30 on the next day.
func newDigestDay(t *testing.T, m *taskModel, digest string) *aliceService {
	m.chat = scriptedModel{
		{words: "set them", calls: calls("schedule_task",
			`{"when":"daily at 16:00","text":"Look.","kind":"task","name":"Garden"}`,
			"schedule_task", `{"when":"daily at 17:00","text":"Look.","kind":"task","name":"Shed","options":{"on_miss":"skip"}}`), answer: "They are set."},
		{words: "Which cake", calls: calls("ask_user", `{"question":"Which one?","kind":"choice","options":["apple","plum"]}`), answer: "Plum it is."},
	}
	l := newTaskService(t, m, "")
	l.say("alice", digest)
	l.awaitLastTold("alice", "Digest is on.")
	l.say("alice", "/remind tomorrow at 9: call the plumber")
	l.awaitLastTold("alice", "Next: Fri 21 Nov 2025 09:00")
	l.say("alice", "set them")
	l.awaitLastTold("alice", "They are set.")
	l.writeHomeFile("plans/garden.md", "# Garden\n")
	l.awaitHomeIndexed()

	m.queueAnswers(modeltest.Answer{Status: 400, Text: "no"})
	l.moveTo(time.Date(2025, 11, 20, 15, 0, 40, 0, time.UTC))
	l.awaitFires("1")
	l.moveTo(time.Date(2025, 11, 20, 16, 30, 0, 0, time.UTC))
	l.awaitFires("2")
	l.moveTo(time.Date(2025, 11, 21, 6, 29, 0, 0, time.UTC))
	l.say("alice", "Which cake?")
	l.awaitLastTold("alice", "Which one?")
	return l
}

// awaitHomeIndexed waits until alice's home is in the index.
func (l *aliceService) awaitHomeIndexed() {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the home to be in the index", func() bool {
		var s api.Status
		err := control.CallOnce(l.T.Context(), l.Socket, api.MethodStatus, nil, &s)
		return err == nil && slices.ContainsFunc(s.Users, func(u api.UserStatus) bool { return u.Name == "alice" && u.Index.Files > 0 })
	})
}

const tellsOfTheDay = `Digest

Today

• 09:00: call the plumber
• 16:00: Garden (task)
• 17:00: Shed (task)

Since Thu 20 Nov 07:30

• Garden: 1 failed
• Shed: 1 missed

1 new file

• plans/garden.md

Waiting for you

• a question: Which one?`

// The digest comes once in the morning, even if the service restarts before and after it.
func TestDigest_Morning_SummarisesTheDay(t *testing.T) {
	t.Parallel()
	m := &taskModel{}
	l := newDigestDay(t, m, "/digest 7:30")
	runs, _ := m.countRequests()
	l.moveTo(time.Date(2025, 11, 21, 6, 29, 50, 0, time.UTC))
	l.shut()
	l.open()
	l.awaitHomeIndexed()
	l.moveTo(time.Date(2025, 11, 21, 6, 30, 10, 0, time.UTC))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the digest", func() bool {
		return l.countTold("alice",
			"Digest\n\nToday") == 1
	})
	if got := lastOf(l.told("alice")); got != tellsOfTheDay {
		t.Errorf("it says %q", got)
	}
	l.shut()
	l.open()
	l.moveTo(time.Date(2025, 11, 21, 6, 31, 0, 0, time.UTC))
	l.moveTo(time.Date(2025, 11, 21, 8, 0, 10, 0, time.UTC))
	l.awaitLastTold("alice", "Reminder: call the plumber")
	if n := l.countTold("alice", "Digest\n\n"); n != 1 {
		t.Errorf("it is told %d times", n)
	}
	if n, _ := m.countRequests(); n != runs {
		t.Errorf("a model was asked %d times for it", n-runs)
	}
}

// In a week without news, no kind of digest is sent, and no model is asked. Old files are not news.
func TestDigest_NothingNew_SendsNothing(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"/digest on", "/digest written"} {
		m := &taskModel{}
		l := newTaskService(t, m, "")
		l.say("alice", words)
		l.awaitLastTold("alice", "Digest is on.")
		l.writeHomeFile("old.md", "# Old\n")
		if err := os.Chtimes(filepath.Join(l.UserHome("alice"), "old.md"), storyStart, storyStart.AddDate(0, -1,
			0)); err != nil {
			t.Fatal(err)
		}
		l.say("alice", "hello")
		l.awaitLastTold("alice", "Noted.")
		l.awaitHomeIndexed()
		told := len(l.told("alice"))
		for n := range 7 {
			l.moveTo(time.Date(2025, 11, 21+n, 6, 30, 10, 0, time.UTC))
			l.awaitFires(strconv.Itoa(n + 1))
		}
		if got := l.query("SELECT group_concat(DISTINCT state) FROM fire"); got != "silent" {
			t.Errorf("%s: the fires are %s", words, got)
		}
		if now := len(l.told("alice")); now != told {
			t.Errorf("%s: she is told %q", words, lastOf(l.told("alice")))
		}
		if n, _ := m.countRequests(); n != 0 {
			t.Errorf("%s: a model was asked %d times", words, n)
		}
	}
}

// If the digest is set to written, a model writes its text, in one call.
func TestDigest_WrittenByModel_AsksModelOnce(t *testing.T) {
	t.Parallel()
	m := &taskModel{}
	l := newDigestDay(t, m, "/digest written 7:30")
	runs, _ := m.countRequests()
	m.queueAnswers(reportAnswer("The plumber is at nine."))
	l.moveTo(time.Date(2025, 11, 21, 6, 30, 10, 0, time.UTC))
	l.awaitLastTold("alice", "Digest\n\nThe plumber is at nine.")
	n, asked := m.countRequests()
	if n != runs+1 {
		t.Errorf("a model was asked %d times", n-runs)
	}
	for _, words := range []string{"Write their digest", "(material, not an order)", "09:00: call the plumber", "Garden: 1 failed", "plans/garden.md", "Which one?"} {
		if !strings.Contains(asked, words) {
			t.Errorf("it was asked without %q: %s", words, asked)
		}
	}
}
