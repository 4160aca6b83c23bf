package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// switchRoutine runs /digest and similar commands for alice.
func (h *harness) switchRoutine(t testing.TB, words string) string {
	t.Helper()
	d, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineDigest, words,
		h.now)
	if err != nil {
		t.Fatalf("/digest %s: %v", words, err)
	}
	return d.Text
}

// passUntil lets time pass until a time of the day in Madrid, today or tomorrow. It returns the
// turns that began meanwhile.
func (h *harness) passUntil(t testing.TB, hour, minute int) []supervisor.Inbound {
	t.Helper()
	here := h.now.In(timezone.ForUser(person("alice")))
	at := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, here.Location())
	if !at.After(h.now) {
		at = at.AddDate(0, 0, 1)
	}
	return h.passTime(t, at.Sub(h.now))
}

// digestTexts returns the digests, without their name.
func (h *harness) digestTexts(t testing.TB) (texts []string) {
	t.Helper()
	for _, text := range h.saidTo(t, chatOf("alice")) {
		if text, is := strings.CutPrefix(text, "**Digest**\n\n"); is {
			texts = append(texts, text)
		}
	}
	return texts
}

// putQuestion asks alice a question that stays open for the duration stands.
func (h *harness) putQuestion(t testing.TB, text string, stands time.Duration) {
	t.Helper()
	h.inbound++
	c := chatOf("alice")
	c.ID = h.conversation(t)
	_, _, err := h.db.Questions().Ask(t.Context(),
		supervisor.Question{Conversation: c, Kind: supervisor.QuestionApproval, Tool: "send_file",
			Subject: strings.Repeat("5", 64), Text: text, OpenFor: stands}, fmt.Sprintf("%064d", h.inbound), nil)
	if err != nil {
		t.Fatal(err)
	}
}

// conversation returns alice's chat, which her first job has created.
func (h *harness) conversation(t testing.TB) (id int64) {
	t.Helper()
	list, err := h.db.Jobs().List(t.Context(), "alice")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d jobs: %v", len(list), err)
	}
	return list[0].Conversation.ID
}

// endTurnAtCost ends the turn of a task with a text and a cost.
func (h *harness) endTurnAtCost(t testing.TB, in supervisor.Inbound, f sqlite.TurnEnding, cost int) {
	t.Helper()
	h.endTurn(t, in, f)
	sqlitetest.ExecStatements(t, h.db, fmt.Sprintf("UPDATE fire SET cost = %d WHERE inbound = %d", cost, in.ID))
}

var doneTurn = sqlite.TurnEnding{Why: protocol.TurnEndDone, Partial: "The roses are dry."}

// A digest counts all fires and costs of a day, no matter how often a task is due.
func TestDigest_FrequentTask_CountsAllFires(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	id := h.putTask(t, "in 900 days", supervisor.JobOptions{Exact: true})
	h.passUntil(t, 7, 20)
	sqlitetest.ExecStatements(t, h.db, fmt.Sprintf(`INSERT INTO fire (job, due, user, state, cost, fired_at, ended_at)
		WITH RECURSIVE at (n, ms) AS (SELECT 1, %d UNION ALL SELECT n + 1, ms - 300000 FROM at WHERE n < 900)
		SELECT %d, ms, 'alice', 'said', 1000, ms, ms FROM at`, h.now.UnixMilli()-1, id))
	if _, err := h.RunNow(t.Context(), h.job(t, id), h.now); err != nil {
		t.Fatal(err)
	}
	// the fires of two days, and the current fire
	if got := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM fire WHERE job = ?", id)[0]; got != "577" {
		t.Errorf("%s are kept", got)
	}
	h.endTurn(t, h.passTime(t, 0)[0], sqlite.TurnEnding{Why: protocol.TurnEndDone})
	h.passUntil(t, 7, 30)
	if got := strings.Join(h.digestTexts(t), ""); !strings.Contains(got, "- Look: 286 with news, 1 without news; "+
		"$0.29") {
		t.Errorf("it tells %s", got)
	}
}

// A digest has all sections: due jobs, results and costs, new files and open questions.
func TestDigest_FullDay_HasAllSections(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	h.remind(t, "alice", "tomorrow at 9: call the plumber\nabout the bath")
	h.remind(t, "alice", "every 2 h: drink")
	h.remind(t, "alice", "in 19 h: the bus")
	h.remind(t, "alice", "in 50 h: after the next digest")
	h.putTask(t, "daily at 16:00", supervisor.JobOptions{Exact: true})
	h.putTask(t, "daily at 17:00", supervisor.JobOptions{Exact: true, Missed: supervisor.MissedRunModeSkip})
	h.putCheck(t, supervisor.CheckCondition{Command: "make"})
	h.putProposed(t)
	h.putQuestion(t, "May I send `a.txt` to bob?\nIt has 3 lines.", 24*time.Hour)
	h.endTurnAtCost(t, h.passUntil(t, 16, 0)[0], stays, 120_000)
	h.passUntil(t, 18, 0)
	h.files = []supervisor.HomeFile{{Path: "old.md", Modified: noon.Add(-48 * time.Hour)},
		{Path: "garden/plan`s.md", Modified: h.now},
		{Path: "MEMORY.md", Modified: h.now}, {Path: "memory/2026-03-27.md", Modified: h.now},
		{Path: "logs/2026-03-27.md", Modified: h.now}}
	h.passUntil(t, 7, 30)
	const want = `**Today**
- 08:00: the bus
- 09:00: call the plumber
- 09:00, 11:00, 13:00 and later: drink
- 16:00: Look (task)
- 17:00: Look (task)

**Since Fri 27 Mar 07:30**
- Look: 1 failed; $0.12
- Look: 1 missed

**1 new file**
- ` + "`garden/plan's.md`" + `

**Waiting for you**
- a question: May I send ` + "`a.txt`" + ` to bob?
- Watch waits for you to start it: /jobs`
	if got := h.digestTexts(t); len(got) != 1 || got[0] != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := sqlitetest.QueryColumn(t, h.db, "SELECT f.world FROM fire f JOIN job j ON j.id = f.job WHERE j.name = "+
		"'digest'"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("names of files count as the person's own: %q", got)
	}
}

// putProposed stores a task that waits for the user's approval.
func (h *harness) putProposed(t testing.TB) {
	t.Helper()
	h.inbound++
	if _, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobTask,
		State: supervisor.JobProposed, Name: "Watch", Text: "watch",
		Zone: "Europe/Madrid", Conversation: chatOf("alice"), MadeBy: fmt.Sprint(h.inbound)}, "every 1 h"); err != nil {
		t.Fatal(err)
	}
}

// A digest without news is not sent. Due tasks, checks without findings, sent reminders and old
// questions are no news.
func TestDigest_NoNews_IsSilent(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	h.passUntil(t, 7, 30)
	h.wantStates(t, "silent")
	h.remind(t, "alice", "in 1 h: tea")
	h.putCheck(t, supervisor.CheckCondition{Command: "make"})
	h.passTime(t, 10*time.Minute)
	sqlitetest.ExecStatements(t, h.db, "UPDATE job SET state = 'paused', next = NULL WHERE kind = 'check'")
	h.putTask(t, "daily at 12:00", supervisor.JobOptions{Exact: true})
	h.putProposed(t)
	h.passTime(t, 50*time.Minute)
	h.endTurnAtCost(t, h.passUntil(t, 12, 0)[0],
		sqlite.TurnEnding{Why: protocol.TurnEndDone, Text: "CONDITION_NOT_MET: no"}, 0)
	h.passUntil(t, 7, 30)
	const waits = "**Today**\n- 12:00: Look (task)\n\n**Waiting for you**\n- Watch waits for you to start it: /jobs"
	if got := h.digestTexts(t); len(got) != 1 || got[0] != waits {
		t.Fatalf("what waits since then is told of by %q, want %q", got, waits)
	}
	h.endTurnAtCost(t, h.passUntil(t, 12, 0)[0],
		sqlite.TurnEnding{Why: protocol.TurnEndDone, Text: "CONDITION_NOT_MET: no"}, 0)
	h.passUntil(t, 7, 30)
	if got := h.digestTexts(t); len(got) != 1 {
		t.Errorf("nothing is new, and it says %q", got[1:])
	}
	h.endTurnAtCost(t, h.passUntil(t, 12, 0)[0],
		sqlite.TurnEnding{Why: protocol.TurnEndDone, Text: "CONDITION_NOT_MET: no"},
		5_000)
	h.passUntil(t, 7, 30)
	if got := h.digestTexts(t); len(got) != 2 || !strings.Contains(got[1], "- Look: 1 without news; $0.005") {
		t.Errorf("what had nothing to tell and has cost something is told as %q", got)
	}
}

// Each section of a digest is cut, and says how many entries are left out.
func TestDigest_LongSections_AreCut(t *testing.T) {
	const maxLines, maxNames = 10, 20
	h := newHarness(t)
	h.switchRoutine(t, "on")
	for n := range maxLines + 2 {
		h.remind(t, "alice", fmt.Sprintf("tomorrow at 9: thing %d %s", n, strings.Repeat("ä", 500)))
	}
	for n := range maxNames + 3 {
		h.files = append(h.files, supervisor.HomeFile{Path: fmt.Sprintf("%02d%s.md", n, strings.Repeat("x", 200)),
			Modified: noon})
	}
	h.passUntil(t, 7, 30)
	got := strings.Join(h.digestTexts(t), "")
	if strings.Count(got, "thing ") != maxLines || !strings.Contains(got, "\n- and 2 more\n") {
		t.Errorf("of what is due it says %q", got)
	}
	if strings.Count(got, "xx…") != maxNames || !strings.Contains(got,
		"**23 new files**") || !strings.HasSuffix(got, "\n- and 3 more") {
		t.Errorf("of new files it says %q", got)
	}
}

// A digest lists a file as new only once. The file is not new again if it changes, or if a rebuilt
// index lacks it for a while.
func TestDigest_NewFile_IsListedOnce(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	a, b := supervisor.HomeFile{Path: "a.md", Modified: noon},
		supervisor.HomeFile{Path: "b.md", Modified: noon.Add(-48 * time.Hour)}
	for n, day := range []struct {
		files []supervisor.HomeFile
		says  string // the new files in the digest; "" means no digest
	}{
		{[]supervisor.HomeFile{a}, "a.md"},
		{[]supervisor.HomeFile{{Path: "a.md", Modified: noon.Add(30 * time.Hour)}}, ""},
		{nil, ""},
		{[]supervisor.HomeFile{a, b}, "b.md"}, // b.md is older than the last digest, but the index found it later
		{[]supervisor.HomeFile{a, b}, ""},
	} {
		before := len(h.digestTexts(t))
		h.files = day.files
		h.passUntil(t, 7, 30)
		got := h.digestTexts(t)[before:]
		want := []string{}
		if day.says != "" {
			want = append(want, "**1 new file**\n- `"+day.says+"`")
		}
		if !slices.Equal(got, want) {
			t.Errorf("on day %d it says %q, want %q", n, got, day.says)
		}
	}
}

// If the files can't be listed, the digest is tried once more and then sent without files. The next
// digest lists the files.
func TestDigest_FilesUnavailable_OmitsFiles(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	h.remind(t, "alice", "tomorrow at 9: call")
	h.listErr = fmt.Errorf("the index is not open yet")
	h.passUntil(t, 7, 30)
	h.wantStates(t, "claimed")
	h.passTime(t, time.Minute)
	h.wantStates(t, "said")
	h.listErr, h.files = nil, []supervisor.HomeFile{{Path: "a.md", Modified: h.now}}
	h.passUntil(t, 7, 30)
	if got := h.digestTexts(t); len(got) != 2 || got[0] != "**Today**\n- 09:00: call" ||
		!strings.Contains(got[1], "a.md") {
		t.Errorf("it says %q", got)
	}
}

// A digest that a model writes is the material of one turn. If the turn fails, the next digest
// repeats its news.
func TestDigest_WrittenByModel_StartsOneTurn(t *testing.T) {
	h := newHarness(t)
	if text := h.switchRoutine(t, "written 7:30"); !strings.Contains(text,
		"every day at 07:30") || !strings.Contains(text, "A small model writes the text.") {
		t.Errorf("it answers %q", text)
	}
	h.passUntil(t, 7, 30)
	h.wantStates(t, "silent")
	h.files = []supervisor.HomeFile{{Path: "a.md", Modified: noon}}
	for range 2 {
		begun := h.passUntil(t, 7, 30)
		if len(begun) != 1 || !strings.Contains(begun[0].Text,
			"Write their digest") || !strings.Contains(begun[0].Text, "- `a.md`") ||
			begun[0].Origin != supervisor.OriginWorld {
			t.Fatalf("it begins %+v", begun)
		}
		h.endTurn(t, begun[0], stays)
	}
	h.endTurn(t, h.passUntil(t, 7, 30)[0], sqlite.TurnEnding{Why: protocol.TurnEndDone, Partial: "A file came."})
	if begun := h.passUntil(t, 7, 30); len(begun) > 0 {
		t.Errorf("what was told is told again: %q", begun[0].Text)
	}
	h.wantStates(t, "silent failed failed said silent")
}

// A digest covers the time since the last digest that was sent. A missed digest makes no
// difference.
func TestDigest_AfterMissedDigest_CoversMissedTime(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	h.passUntil(t, 7, 30)
	h.putTask(t, "daily at 10:00", supervisor.JobOptions{Exact: true})
	h.endTurnAtCost(t, h.passUntil(t, 10, 0)[0], stays, 0)
	h.passUntil(t, 7, 40)
	h.endTurnAtCost(t, h.passUntil(t, 10, 0)[0], doneTurn, 0)
	h.passUntil(t, 7, 30)
	if got := h.digestTexts(t); len(got) != 1 || !strings.Contains(got[0], "**Since Sat 28 Mar 07:30**\n- Look: 1 "+
		"with news, 1 failed") {
		t.Errorf("it says %q", got)
	}
}

// If a clock that was far ahead is set back, the next digest covers the last day again.
func TestDigest_ClockSetBack_CoversOneDay(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	h.passUntil(t, 7, 30)
	sqlitetest.ExecStatements(t, h.db, "UPDATE job_seen SET seen = json_set(seen, '$.until', '2027-03-28T07:30:00Z')")
	h.putTask(t, "daily at 10:00", supervisor.JobOptions{Exact: true})
	h.endTurnAtCost(t, h.passUntil(t, 10, 0)[0], stays, 0)
	h.passUntil(t, 7, 30)
	h.passUntil(t, 7, 31)
	// the clocks in Madrid change on 29 March, so 24 hours before 07:30 it was 06:30
	if got := h.digestTexts(t); len(got) != 1 ||
		!strings.Contains(got[0], "**Since Sat 28 Mar 06:30**\n- Look: 1 failed") {
		t.Errorf("it says %q", got)
	}
}

// A digest that is due in quiet hours waits until they end.
func TestDigest_QuietHours_Waits(t *testing.T) {
	h := newHarness(t)
	h.setQuietHours(t, "22:00-08:00") // the hours are in UTC, because the store knows no zone of the user
	h.switchRoutine(t, "on")
	h.remind(t, "alice", "tomorrow at 11: call")
	h.passUntil(t, 7, 30)
	h.wantStates(t, "said")
	if got := h.digestTexts(t); len(got) > 0 {
		t.Errorf("in quiet hours it says %q", got)
	}
	h.passUntil(t, 9, 0)
	h.passAndRelease(t, 0)
	if got := h.digestTexts(t); len(got) != 1 {
		t.Errorf("after them it says %q", got)
	}
}

// /digest turns the digest on and off, and confirms the change.
func TestDigestCommand_TurnsOnAndOff(t *testing.T) {
	h := newHarness(t)
	for _, step := range []struct{ words, answer, job string }{
		{"", "Digest is off.", ""},
		{"off", "Digest is off.", ""},
		{"on", "Digest is on. It comes every day at 07:30: Sat 28 Mar 2026 07:30 CET (+01:00).", "active 0"},
		{"8:15", "every day at 08:15", "active 0"},
		{"written", "every day at 08:15: Sat 28 Mar 2026 08:15 CET (+01:00). A small model writes the text.",
			"active 1"},
		{"weekdays 7:30", "weekdays at 07:30: Mon 30 Mar 2026 07:30 CEST (+02:00). A small model writes the text.",
			"active 1"},
		{"Plain", "weekdays at 07:30: Mon 30 Mar 2026 07:30 CEST (+02:00). It goes", "active 0"},
		{"off", "Digest is off.", "paused 0"},
		{"", "Digest is off.", "paused 0"},
		{"written", "weekdays at 07:30: Mon 30 Mar 2026 07:30 CEST (+02:00). A small model writes the text.",
			"active 1"},
		{"plain daily at 6", "every day at 06:00: Sat 28 Mar 2026 06:00 CET (+01:00). It goes", "active 0"},
		{"", "Digest is on. It comes every day at 06:00", "active 0"},
	} {
		if got := h.switchRoutine(t, step.words); !strings.Contains(got, step.answer) {
			t.Errorf("/digest %s: %q, want %q", step.words, got, step.answer)
		}
		got := strings.Join(sqlitetest.QueryColumn(t, h.db, "SELECT state || ' ' || coalesce(options ->> '$.written', "+
			"0) FROM job"), ", ")
		if got != step.job {
			t.Errorf("after /digest %s the job is %q, want %q", step.words, got, step.job)
		}
	}
	for words, want := range map[string]string{
		"soonish": "soonish", "written every 2 min": "at most every 5 minutes", "7:30 please": "please",
		"written 30 february": "february",
	} {
		_, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineDigest,
			words,
			h.now)
		if told := new(supervisor.Error); !errors.As(err, &told) || !strings.Contains(told.Message, want) {
			t.Errorf("/digest %s: %v, want %q", words, err, want)
		}
	}
	h.switchRoutine(t, "every 2 min")
	_, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineDigest,
		"written",
		h.now)
	if err == nil || !strings.Contains(err.Error(), "every 5 minutes") {
		t.Errorf("a model words it every 2 minutes: %v", err)
	}
	if _, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineHeartbeat,
		"written", h.now); err == nil {
		t.Error("a heartbeat is worded by a model")
	}
}

// The digest lists changed prompt files, messages that the gate holds, and messages that may be
// lost.
func TestDigest_PendingDecisions_AreListed(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "on")
	h.putQuestion(t, "Gone before it is told?", time.Minute)
	h.remind(t, "alice", "in 1 min: x")
	task := h.putTask(t, "in 1 min", supervisor.JobOptions{Exact: true})
	h.endTurn(t, h.passTime(t, time.Minute)[0], sqlite.TurnEnding{Why: protocol.TurnEndDone,
		Text: "CONDITION_NOT_MET: no"})
	sqlitetest.ExecStatements(t, h.db, fmt.Sprintf(`DELETE FROM fire WHERE job = %[2]d; UPDATE inbox SET held = 1; UPDATE outbox SET outcome = 'failed', delivered_at = created_at;
		UPDATE question SET expires_at = created_at + 60000;
		INSERT INTO prompt_file (user, path, state, accepted, since, pending_state, pending_why, pending_since,
			refused) VALUES
			('alice', 'HEARTBEAT.md', '', 1, 0, 'x', 'turn', %[1]d, ''),
				('alice', 'SOUL.md', '', 1, 0, 'y', 'turn', %[1]d, '["y"]'),
			('bob', 'USER.md', '', 1, 0, 'x', 'turn', %[1]d, '')`,
		h.now.UnixMilli(), task))
	h.passUntil(t, 7, 30)
	const want = "**Waiting for you**\n- HEARTBEAT.md has changed, and counts once you accept it\n- 1 message of " +
		"yours, held until you send a code\n- 2 messages that may not have reached you: /resend"
	if got := h.digestTexts(t); len(got) != 1 || got[0] != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
