package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// After quiet hours one message has the newest notice of each job, with a count of the earlier
// notices. This holds even for a job with more fires than the store keeps.
func TestQuietHours_LongNight_EndsInOneMessage(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:00-23:00")
	for i := range 2 {
		// more fires than the store keeps
		h.remind(t, "alice", fmt.Sprintf("every 2 min 210 times: tea %d.", i))
	}
	for range 210 {
		h.passTime(t, 2*time.Minute)
	}
	if held := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM held_notice"); !slices.Equal(held, []string{"2"}) {
		t.Errorf("%s are held of 2 jobs", held)
	}
	h.now = noon.Add(12 * time.Hour)
	if err := h.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 2 {
		want = append(want, fmt.Sprintf("Reminder: tea %d.\n\n(And 209 earlier ones.)", i))
	}
	h.wantSaid(t, strings.Join(want, "\n\n"))
}

// A held message about a job is dropped if its user deletes the job during quiet hours. Messages
// about other jobs stay.
func TestQuietHours_JobDeleted_DropsNotice(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:00-23:00")
	h.remind(t, "alice", "every 2 hours 9 times: tea.")
	h.remind(t, "alice", "every 2 hours 9 times: walk.")
	h.passTime(t, 2*time.Hour)
	j := h.job(t, 1)
	j.State, j.Next = supervisor.JobDone, time.Time{}
	if err := h.Change(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	h.now = noon.Add(12 * time.Hour)
	if err := h.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wantSaid(t, "Reminder: walk.")
}

// A held message replaces an earlier held message with the same job, outcome and conversation.
func TestQuietHours_SameJobAndOutcome_ReplacesHeld(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:05-20:00")
	h.putCheck(t, supervisor.CheckCondition{Command: "x", NotifyOnCheck: true})
	looks := func(found string, err error) {
		h.found, h.checkErr = protocol.CheckResult{Found: found}, err
		h.passTime(t, 10*time.Minute)
	}
	looks("one", nil)
	looks("two", nil)
	looks("", supervisor.Errorf(supervisor.CodeInvalid, "no such command"))
	j := h.job(t, 1)
	j.Conversation.ID, j.Conversation.Thread = 0, "5"
	if err := h.Change(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	looks("three", nil)
	rows := sqlitetest.QueryColumn(t, h.db, "SELECT n.job || ' ' || n.state || ' ' || n.earlier || ' ' || c.thread FROM held_notice n JOIN conversation c ON c.id = n.conversation ORDER BY n.id")
	if want := []string{"1 said 1 ", "1 failed 0 ", "1 said 0 5"}; !slices.Equal(rows, want) {
		t.Errorf("held are %q, want %q", rows, want)
	}
	if held := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM fire WHERE held IS NOT NULL"); !slices.Equal(held,
		[]string{"3"}) {
		t.Errorf("%s fires are held", held)
	}
}

// Only a limited number of a hook's messages at night are stored, with a count of the rest.
// Questions do not count towards that limit.
func TestQuietHours_HookMessages_AreLimited(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "15:30-23:00")
	h.putTask(t, "every 4 h", supervisor.JobOptions{Exact: true})
	h.askInTurn(t, h.passTime(t, 4*time.Hour)[0], "More?")
	for i := range 1003 {
		if _, err := h.db.WebhookDeliveries().PutNotice(t.Context(), nil, supervisor.Delivery{Conversation: chatOf("alice"), Text: fmt.Sprintf("%d rings.", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if held := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM held_notice"); !slices.Equal(held,
		[]string{"1001"}) {
		t.Errorf("%s are held", held)
	}
	h.setQuietHours(t, "")
	h.passAndRelease(t, time.Minute)
	said := h.saidTo(t, chatOf("alice"))
	if len(said) != 2 || !strings.HasPrefix(said[0], "3 rings.\n\n(And 3 earlier ones.)\n\n4 rings.\n\n5 rings.") || said[1] != "More?" {
		t.Errorf("alice is told %.200q", said)
	}
}

// The text of a replaced message is only in its fire. The text and the turn's effects are deleted
// with the turn.
func TestQuietHours_ReplacedMessage_IsDropped(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:30-20:00")
	h.putTask(t, "every 1 h", supervisor.JobOptions{Exact: true})
	for i, says := range []string{"The xyzzy is wet.", "The roses are dry."} {
		turn, _, err := h.db.Turns().Start(t.Context(), h.passTime(t, time.Hour)[0].ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		sqlitetest.ExecStatements(t, h.db, fmt.Sprintf(`INSERT INTO effect (user, turn, call, kind, target, detail, reported_by, created_at)
			VALUES ('alice', %d, 'c', 'write', '%s', '', 'worker', 1)`, turn.ID, []string{"xyzzy.md", "roses.md"}[i]))
		if _, err := h.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID,
			State: supervisor.InboundAnswered, Why: protocol.TurnEndDone, Partial: says}); err != nil {
			t.Fatal(err)
		}
	}
	if held := sqlitetest.QueryColumn(t, h.db, "SELECT text || ' ' || effects FROM held_notice"); len(held) != 1 ||
		strings.Contains(held[0], "xyzzy") || !strings.Contains(held[0], "roses.md") {
		t.Errorf("held are %q", held)
	}
}
