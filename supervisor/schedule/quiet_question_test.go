package schedule

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// askInTurn asks the user a question in the turn of a fire.
func (h *harness) askInTurn(t testing.TB, in supervisor.Inbound, text string) (supervisor.Turn, supervisor.Question) {
	t.Helper()
	turn, _, err := h.db.Turns().Start(t.Context(), in.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := h.db.Questions().Ask(t.Context(), supervisor.Question{Conversation: turn.AnswerConversation(),
		Turn: turn.ID, Kind: supervisor.QuestionFromModel, Subject: strings.Repeat("b", 64),
		Ask: protocol.AskArguments{Kind: protocol.AskKindConfirm, Text: text}, Text: text, OpenFor: 24 * time.Hour},
		strings.Repeat("a", 64), [][]supervisor.Button{{{Text: "Yes", Press: "q:1:yes"}}})
	if err != nil {
		t.Fatal(err)
	}
	return turn, q
}

func (h *harness) expireQuestions(t testing.TB) {
	t.Helper()
	if _, err := h.db.Questions().EndExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A task's question in quiet hours is sent once, after the held messages, with its buttons. The
// question does not stay open longer.
func TestQuietHours_Question_WaitsForEnd(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "15:30-18:00") // the store reads quiet hours in UTC if it has no zone of the user
	h.putTask(t, "every 4 h", supervisor.JobOptions{Exact: true})
	_, q := h.askInTurn(t, h.passTime(t, 4*time.Hour)[0], "More?")
	h.remind(t, "alice", "every 90 min: drink")
	h.passAndRelease(t, 90*time.Minute)
	h.wantSaid(t)
	h.wantStates(t, "asked said")
	h.restart()
	h.passAndRelease(t, 30*time.Minute)
	h.wantSaid(t, "Reminder: drink", "More?")
	h.passAndRelease(t, time.Minute)
	h.wantSaid(t, "Reminder: drink", "More?")
	put := sqlitetest.QueryColumn(t, h.db, "SELECT o.silent || o.buttons FROM question q JOIN outbox o ON o.id = q.delivery WHERE q.held IS NULL")
	if !slices.Equal(put, []string{`0[[{"text":"Yes","press":"q:1:yes"}]]`}) {
		t.Errorf("it is put as %q", put)
	}
	delivery, err := strconv.ParseInt(sqlitetest.QueryColumn(t, h.db, "SELECT delivery FROM question")[0], 10, 64)
	if err == nil {
		err = h.db.Outbox().MarkDelivered(t.Context(), delivery)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.now = q.CreatedAt.Add(4*time.Hour - time.Minute - time.Second)
	h.expireQuestions(t)
	h.wantStates(t, "asked said")
	h.now = h.now.Add(time.Second)
	h.expireQuestions(t)
	h.wantStates(t, "running said")
}

// A question that ends during quiet hours is never sent. A question ends when it expires or its
// turn is stopped.
func TestQuietHours_EndedQuestion_IsNotSent(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		h := newHarness(t)
		h.setQuietHours(t, "15:30-20:30")
		h.putTask(t, "every 4 h", supervisor.JobOptions{Exact: true})
		turn, _ := h.askInTurn(t, h.passTime(t, 4*time.Hour)[0], "More?")
		end := sqlite.TurnEnding{Turn: turn.ID, State: supervisor.InboundAnswered, Why: protocol.TurnEndDone,
			Partial: "It was not to be."}
		if stopped {
			end.Why, end.Partial = protocol.TurnEndStopped, ""
		} else {
			h.passAndRelease(t, 4*time.Hour-time.Minute)
			h.expireQuestions(t)
			h.wantStates(t, "running")
		}
		if _, err := h.db.Turns().Finish(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		h.passAndRelease(t, 2*time.Hour)
		if said := h.saidTo(t, chatOf("alice")); strings.Contains(strings.Join(said, ""), "More?") || !stopped && len(said) != 1 {
			t.Errorf("stopped: %t: she is told %q", stopped, said)
		}
		if left := sqlitetest.QueryColumn(t, h.db,
			"SELECT id FROM held_notice UNION ALL SELECT id FROM question WHERE held IS NOT NULL OR why IS NULL"); len(left) > 0 {
			t.Errorf("stopped: %t: %d rows are left", stopped, len(left))
		}
	}
}

// An urgent question is sent at once, like an urgent message.
func TestQuietHours_UrgentQuestion_DoesNotWait(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "12:30-20:00")
	h.putTask(t, "in 1 h", supervisor.JobOptions{Priority: supervisor.JobPriorityHigh})
	h.askInTurn(t, h.passTime(t, time.Hour)[0], "More?")
	h.wantSaid(t, "More?")
}

// A question of a task with low priority makes no sound, like the task's messages.
func TestLowPriorityTask_Question_MakesNoSound(t *testing.T) {
	h := newHarness(t)
	h.putTask(t, "in 1 h", supervisor.JobOptions{Priority: supervisor.JobPriorityLow})
	h.askInTurn(t, h.passTime(t, time.Hour)[0], "More?")
	if silent := sqlitetest.QueryColumn(t, h.db, "SELECT silent FROM outbox WHERE text = 'More?'"); len(silent) != 1 ||
		silent[0] != "1" {
		t.Errorf("silent is %q", silent)
	}
}
