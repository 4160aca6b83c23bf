package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// refuse makes a user's chat refuse messages.
func (h *harness) refuse(t testing.TB, c supervisor.Conversation) {
	t.Helper()
	sqlitetest.ExecStatements(t, h.db, fmt.Sprintf(
		"INSERT INTO refusing_chat (channel, chat, user, tries, retry_at) VALUES ('%s', '%s', '%s', 1, %d)",
		c.Channel, c.Chat, c.User, h.now.Add(365*24*time.Hour).UnixMilli()))
}

// comeBack lets a user's chat take messages again, and lets the schedule notice that.
func (h *harness) comeBack(t testing.TB, c supervisor.Conversation) {
	t.Helper()
	if _, err := h.db.Jobs().MarkChatReachable(t.Context(), c.Channel, c.Chat); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second round finds nothing left to do
		if err := h.resumeReturned(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// While a chat refuses messages, nothing is due there. Later one message lists the missed jobs,
// with buttons for one-time reminders. A one-time reminder that is less than a day late is still
// sent.
func TestUnblockedChat_MissedJobs_AreOneMessage(t *testing.T) {
	h := newHarness(t)
	for _, words := range []string{"in 2 h: the oven", "in 70 h: the bus", "daily at 11:00: pills", "in 100 h: later"} {
		h.remind(t, "alice", words)
	}
	h.putTask(t, "daily at 6:00", supervisor.JobOptions{})
	h.remind(t, "bob", "in 3 h: his own")
	h.refuse(t, chatOf("alice"))
	if begun := h.passTime(t, 72*time.Hour); len(begun) != 0 {
		t.Errorf("%d turns begin", len(begun))
	}
	if said := h.saidTo(t, chatOf("alice")); len(said) != 0 {
		t.Errorf("meanwhile alice is told %q", said)
	}
	if said := h.saidTo(t, chatOf("bob")); len(said) != 1 {
		t.Errorf("bob is told %q", said)
	}
	d, err := h.ListJobs(t.Context(), "alice")
	if err != nil || !strings.Contains(d.Text, "pills\n  every day at 11:00: "+textIsHeld) {
		t.Errorf("listed are %s, %v", d.Text, err)
	}

	h.comeBack(t, chatOf("alice"))
	said := h.saidTo(t, chatOf("alice"))
	if len(said) != 2 || !strings.HasPrefix(said[0], "This chat did not take my messages.") ||
		!strings.Contains(said[0], ": the oven") || !strings.Contains(said[0], ": pills") ||
		!strings.Contains(said[0], ": Look") {
		t.Fatalf("alice is told %q", said)
	}
	if !strings.HasPrefix(said[1], "Reminder: the bus\n\nIt was due at ") {
		t.Errorf("alice is told %q", said[1])
	}
	buttons := sqlitetest.QueryColumn(t, h.db, "SELECT buttons FROM outbox WHERE text LIKE 'This chat%'")
	if strings.Count(buttons[0], "job:list-") != 3 ||
		!strings.Contains(buttons[0], `"1: 10 min","press":"job:list-soon 1"`) {
		t.Errorf("the buttons are %s", buttons)
	}
	if _, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 70, "list-hour 1", h.now); err != nil {
		t.Fatal(err)
	}
	h.passTime(t, 61*time.Minute)
	if said = h.saidTo(t, chatOf("alice")); said[len(said)-1] != "Reminder: the oven" {
		t.Errorf("after a snooze alice is told %q", said)
	}
	h.passTime(t, 30*time.Hour)
	if rest := strings.Join(h.saidTo(t, chatOf("alice")), "\n"); !strings.Contains(rest, "Reminder: pills") ||
		!strings.Contains(rest, "Reminder: later") {
		t.Errorf("afterwards alice is told %q", rest)
	}
}

// The user is told nothing if nothing was due meanwhile.
func TestUnblockedChat_NothingDue_IsSilent(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "in 100 h: later")
	h.refuse(t, chatOf("alice"))
	h.passTime(t, time.Hour)
	h.comeBack(t, chatOf("alice"))
	if said := h.saidTo(t, chatOf("alice")); len(said) != 0 {
		t.Errorf("alice is told %q", said)
	}
}

// A press below the answer to /jobs changes a job and shows all jobs again. Below a list of late
// reminders the buttons stay.
func TestJobsButton_Pressed_ShowsJobsAgain(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "daily at 14:00: pills")
	h.remind(t, "alice", "in 5 h: the oven")
	press := func(what string) supervisor.Delivery {
		t.Helper()
		h.inbound++
		d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), h.inbound, what, h.now)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	labels := func(d supervisor.Delivery) (list []string) {
		for _, row := range d.Buttons {
			for _, b := range row {
				list = append(list, b.Text)
			}
		}
		return list
	}
	d, err := h.ListJobs(t.Context(), "alice")
	if want := []string{"Pause 1", "Delete 1", "Delete 2"}; err != nil || !slices.Equal(labels(d), want) {
		t.Errorf("the buttons are %q, %v", labels(d), err)
	}
	d = press(strings.TrimPrefix(d.Buttons[0][0].Press, supervisor.JobPressPrefix))
	if want := []string{"Resume 1", "Delete 1", "Delete 2"}; !strings.HasPrefix(d.Text, "Reminder 1 is paused.") ||
		!slices.Equal(labels(d), want) {
		t.Errorf("%s, %q", d.Text, labels(d))
	}
	d = press("jobs-resume 1")
	if !strings.HasPrefix(d.Text, "Reminder 1 is resumed.") || !strings.Contains(d.Text, textJobs) {
		t.Error(d.Text)
	}
	press("jobs-delete 1")
	if d = press("jobs-delete 2"); !strings.HasSuffix(d.Text, textNoJobs) || len(d.Buttons) != 0 {
		t.Errorf("%s, %q", d.Text, labels(d))
	}
	if keepsButtons("pause 1") || keepsButtons("jobs-pause 1") || !keepsButtons("list-soon 1") {
		t.Error("the wrong buttons stay")
	}
}
