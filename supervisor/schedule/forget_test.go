package schedule

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// forget deletes alice's data in a conversation, from the given time ago until now; 0 means all
// conversations.
func (h *harness) forget(t testing.TB, conversation int64, ago time.Duration) {
	t.Helper()
	sqlitetest.ExecStatements(t, h.db, "UPDATE outbox SET delivered_at = 1, outcome = 'sent'")
	if _, err := h.db.ForgetRequestStore().ForgetNextPart(t.Context(), supervisor.ForgetRequest{User: "alice",
		Conversation: conversation, Since: h.now.Add(-ago),
		Until: h.now.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
}

// modelTexts returns the texts that the model reads with alice's next message in a chat.
func (h *harness) modelTexts(t testing.TB, c supervisor.Conversation) string {
	t.Helper()
	h.inbound++
	in, _, err := h.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: c, Source: "test",
		Key: h.now.String(), Kind: supervisor.KindText, Text: "hi", Origin: supervisor.OriginOwn})
	if err != nil {
		t.Fatal(err)
	}
	turn, _, err := h.db.Turns().Start(t.Context(), in.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(sqlitetest.QueryColumn(t, h.db, "SELECT parts FROM message WHERE turn = ?", turn.ID), "\n")
}

// Messages of checks and of older reminders are deleted with their conversation. Later turns do not
// see them.
func TestForgetConversation_DropsJobMessages(t *testing.T) {
	h := newHarness(t)
	club, _ := putGroups(t, h)
	h.remind(t, "alice", "in 10 min: the xyzzy")
	h.putCheck(t, supervisor.CheckCondition{Command: "x"})
	h.found = protocol.CheckResult{Met: true, Found: "plugh: positive"}
	h.passTime(t, 10*time.Minute)
	texts := func() string { return strings.Join(sqlitetest.QueryColumn(t, h.db, "SELECT text FROM fire"), "") }
	h.forget(t, club.ID, time.Hour)
	if !strings.Contains(texts(), "plugh") {
		t.Errorf("what was said elsewhere is gone: %q", texts())
	}
	h.forget(t, h.conversation(t), time.Minute)
	if strings.Contains(texts(), "plugh") {
		t.Errorf("the fires have %q", texts())
	}
	if got := h.modelTexts(t, chatOf("alice")); strings.Contains(got, "plugh") || strings.Contains(got, "xyzzy") {
		t.Errorf("the model gets %s", got)
	}
}

// A forgotten job keeps no words of the user: no text, command, question or pattern.
func TestForgetJob_ClearsItsOptions(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "grep xyzzy x", Ask: "Is xyzzy there?"})
	h.putCheck(t, supervisor.CheckCondition{Files: "xyzzy/*"})
	h.forget(t, 0, time.Hour)
	rows := sqlitetest.QueryColumn(t, h.db, "SELECT name || text || rule || options || ' ' || state FROM job")
	if want := []string{"{}{} done", "{}{} done"}; !slices.Equal(rows, want) {
		t.Errorf("the jobs are %q, want %q", rows, want)
	}
}

// A forgotten fact is removed from messages of tasks, messages that wait for quiet hours, and
// finished tasks. Tasks that are still to run keep the user's text.
func TestForgetFact_TaskMessages_LoseFact(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "in 1 h: Takes xyzzy tea")
	h.remind(t, "alice", "in 2 h: Takes xyzzy tea, again")
	h.passTime(t, time.Hour)
	sqlitetest.ExecStatements(t, h.db, "UPDATE outbox SET delivered_at = 1, outcome = 'sent'")
	h.setQuietHours(t, "13:05-20:00")
	h.putCheck(t, supervisor.CheckCondition{Command: "x"})
	h.found = protocol.CheckResult{Met: true, Found: "takes xyzzy tea"}
	h.passTime(t, 10*time.Minute)
	fact := supervisor.ForgottenFact{ID: "k7", Text: "Takes xyzzy tea"}
	counts, err := h.db.Memories().CountFactMentions(t.Context(), "alice", fact)
	if err != nil || counts["fire"] != 1 || counts["held_notice"] != 1 || counts["job"] != 1 {
		t.Errorf("counted %v, %v", counts, err)
	}
	if err := h.db.Memories().ForgetFacts(t.Context(), "alice", []supervisor.ForgottenFact{fact}); err != nil {
		t.Fatal(err)
	}
	if left, err := h.db.Memories().EraseFactWords(t.Context(), "alice", func(context.Context, string,
		[]int64) error {
		return nil
	}); left != 0 || err != nil {
		t.Errorf("%d are left: %v", left, err)
	}
	has := sqlitetest.QueryColumn(t, h.db, `SELECT text FROM (SELECT text FROM fire UNION ALL SELECT text FROM held_notice UNION ALL SELECT text FROM job) WHERE text LIKE '%xyzzy%'`)
	if !slices.Equal(has, []string{"Takes xyzzy tea, again"}) {
		t.Errorf("the words stand in %q", has)
	}
}

// A message that waits for the end of quiet hours is deleted with its turn. It is deleted even if
// the turn ended after the forgotten span.
func TestForgetTurn_DropsHeldMessages(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:30-20:00")
	h.putTask(t, "in 1 h", supervisor.JobOptions{})
	begun := h.passTime(t, time.Hour)
	h.now = h.now.Add(5 * time.Minute)
	h.endTurn(t, begun[0], sqlite.TurnEnding{Why: protocol.TurnEndDone, Partial: "The xyzzy is dry."})
	h.now = h.now.Add(-4 * time.Minute)
	h.forget(t, 0, 2*time.Minute)
	if held := sqlitetest.QueryColumn(t, h.db, "SELECT text FROM held_notice UNION ALL SELECT text FROM fire WHERE text <> ''"); len(held) > 0 {
		t.Errorf("kept %q", held)
	}
}

// A message of a check from the terminal waits in a chat for the end of quiet hours. The message is
// deleted with that chat.
func TestForgetConversation_DropsHeldMessages(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:05-20:00")
	if _, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobCheck, Text: "xyzzy", Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal},
		MadeBy:  "x",
		Options: supervisor.JobOptions{Check: supervisor.CheckCondition{Command: "x"}}}, "every 10 min"); err != nil {
		t.Fatal(err)
	}
	h.found = protocol.CheckResult{Met: true}
	h.passTime(t, 11*time.Minute)
	c, err := h.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "100", "")
	if held := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM held_notice WHERE conversation = ?",
		c.ID); err != nil || held[0] != "1" {
		t.Fatalf("%s are held there, %v", held, err)
	}
	h.forget(t, c.ID, time.Hour)
	if left := sqlitetest.QueryColumn(t, h.db, "SELECT text FROM held_notice UNION ALL SELECT text FROM fire WHERE text <> ''"); len(left) > 0 {
		t.Errorf("kept %q", left)
	}
}
