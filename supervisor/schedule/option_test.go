package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func (h *harness) approve(_ context.Context, r approval.Request) error {
	if r.Effect == EffectChangeJobs {
		h.changeRequests = append(h.changeRequests, r)
		return nil
	}
	h.approvalRequests = append(h.approvalRequests, r)
	return h.approveErr
}

// ask answers a command's question with the harness's next answer.
func (h *harness) ask(_ context.Context, q supervisor.Question) (supervisor.Question, error) {
	if len(h.answers) == 0 {
		q.End = supervisor.QuestionExpired
		return q, nil
	}
	q.End, q.Answer, h.answers = supervisor.QuestionAnswered,
		supervisor.Answer{Say: supervisor.AnswerChoiceOther, Text: h.answers[0]}, h.answers[1:]
	return q, nil
}

// modelNamed resolves a model's name, for the models of one provider.
func modelNamed(_, spec string) (string, error) {
	if !strings.HasPrefix(spec, "far/") {
		return "", supervisor.Errorf(supervisor.CodeNotFound, "there is no model %s", spec)
	}
	return spec, nil
}

// callTool runs a tool call for alice in a chat.
func (h *harness) callTool(t testing.TB, in supervisor.Conversation, name, arguments string) (protocol.JobCallResult,
	error) {
	t.Helper()
	h.inbound++
	return h.RunCall(t.Context(), supervisor.JobToolCall{User: "alice", Turn: h.inbound, Kind: supervisor.TurnChat,
		Call: protocol.ToolCall{ID: "1", Name: name, Arguments: json.RawMessage(arguments)}}, in)
}

func (h *harness) job(t testing.TB, id int64) supervisor.Job {
	t.Helper()
	j, found, err := h.db.Jobs().Find(t.Context(), "alice", id)
	if err != nil || !found {
		t.Fatalf("job %d: %v", id, err)
	}
	return j
}

func alice() supervisor.User {
	user := person("alice")
	user.Workspaces = []string{"/srv/code", "/srv/site"}
	return user
}

// Each option accepts valid values. For an invalid value it returns the reason.
func TestOptions_InvalidValue_IsRefused(t *testing.T) {
	h := newHarness(t)
	for set, want := range map[string]string{
		"on_miss=skip": `{"on_miss":"skip"}`, "on_miss=ASK": `{"on_miss":"ask"}`,
		"on_miss=later": "on_miss can't be \"later\": want run, skip or ask",
		"grace=2h":      `{"grace":7200000000000}`, "grace=90 min": `{"grace":5400000000000}`,
		"grace=1s": "grace can't be", "grace=-2h": "grace can't be", "grace=169h": "grace can't be",
		"overlap=queue": `{"overlap":"queue"}`, "overlap=both": "overlap can't be",
		"priority=high": `{"priority":"high"}`, "priority=urgent": `{"priority":"high"}`, "priority=low": `{"priority":"low"}`, "priority=11": "priority can't be",
		"exact=yes": `{"exact":true}`, "exact=true": `{"exact":true}`, "exact=no": `{}`, "exact=x": "exact can't be",
		"model=far/one": `{"model":"far/one"}`, "model=one": "there is no model one", "model=default": `{}`, "model=": `{}`,
		"workspace=site": `{"workspace":"site"}`, "workspace=../etc": "workspace can't be \"../etc\": want code, site",
		"steps=7": `{"steps":7}`, "steps=0": "steps can't be \"0\": want a number from 1 to 200", "steps=201": "steps can't be", "steps=x": "steps can't be",
		"minutes=3": `{"minutes":3}`, "minutes=61": "minutes can't be", "colour=red": "there is no option \"colour\": there are exact, grace,",
	} {
		name, value, _ := strings.Cut(set, "=")
		j := supervisor.Job{Kind: supervisor.JobTask}
		got := ""
		if err := h.setOptions(alice(), &j, map[string]string{name: value}); err != nil {
			got = err.Error()
		} else {
			raw, err := json.Marshal(j.Options)
			if err != nil {
				t.Fatal(err)
			}
			got = string(raw)
		}
		if got != want && (strings.HasPrefix(want, "{") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
	j := supervisor.Job{Kind: supervisor.JobReminder}
	if err := h.setOptions(alice(), &j, map[string]string{"model": "far/one"}); err == nil || !strings.Contains(err.Error(), "a reminder has no model: it has grace, on_miss, priority, to") {
		t.Errorf("a reminder's model: %v", err)
	}
	if err := h.setOptions(person("alice"), &supervisor.Job{Kind: supervisor.JobTask}, map[string]string{"workspace": "x"}); err == nil || !strings.Contains(err.Error(), "no workspaces") {
		t.Errorf("without workspaces: %v", err)
	}
}

// A model can set the options of a job. These options are stored, shown on the card, and can be
// changed. If an option is invalid, nothing is stored.
func TestOptions_FromTool_AreStoredAndShown(t *testing.T) {
	h := newHarness(t)
	h.budget = supervisor.Budget{Turn: 100_000, Day: 500_000, Month: 5_000_000}
	if _, err := h.callTool(t, chatOf("alice"), "schedule_task", `{"when":"daily at 9","text":"look","kind":"task","options":{"on_miss":"skip","exact":true,"steps":7,"model":"far/one"}}`); err != nil {
		t.Fatal(err)
	}
	if got, want := h.job(t, 1).Options, (supervisor.JobOptions{Missed: supervisor.MissedRunModeSkip, Exact: true,
		Steps: 7, Model: "far/one"}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("kept are %+v", got)
	}
	h.wantSaid(t, "Task 1: look\n\nevery day at 09:00\nNext: Sat 28 Mar 2026 09:00 CET (+01:00); Sun 29 Mar 2026 09:00 CEST (+02:00); Mon 30 Mar 2026 09:00 CEST (+02:00)"+
		"\n\nIt goes to our private chat. If I am not running then, it is skipped. It may cost up to $3.10 a month, $0.10 each time."+
		" It begins exactly on time. It asks the model far/one. It takes at most 7 steps.")
	if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":1,"options":{"steps":null,"on_miss":"ask"}}`); err != nil {
		t.Fatal(err)
	}
	if o := h.job(t, 1).Options; o.Steps != 0 || o.Missed != supervisor.MissedRunModeAsk || o.Model != "far/one" {
		t.Errorf("changed to %+v", o)
	}
	for _, wrong := range []string{`{"on_miss":["skip"]}`, `{"steps":7.5}`, `{"x":1}`} {
		if _, err := h.callTool(t, chatOf("alice"), "schedule_task", `{"when":"daily at 9","text":"look","options":`+wrong+`}`); err == nil {
			t.Errorf("%s is kept", wrong)
		}
	}
	if n := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM job"); !slices.Equal(n, []string{"1"}) {
		t.Errorf("%s jobs are kept", n)
	}
}

// Each limit caps the month's cost of a job.
func TestMonthCost_EachLimit_CapsCost(t *testing.T) {
	for _, c := range []struct {
		when   string
		budget supervisor.Budget
		want   string
	}{
		{"every 30 min", supervisor.Budget{Turn: 100_000, Month: 5_000_000}, "up to $5.00 a month, $0.10 each time"},
		{"daily at 9", supervisor.Budget{Turn: 100_000, Month: 5_000_000}, "up to $3.10 a month"},
		{"daily at 9", supervisor.Budget{Turn: 100_000}, "up to $3.10 a month"},
		{"every 30 min", supervisor.Budget{Day: 100_000}, "up to $3.10 a month."},
		{"every 30 min", supervisor.Budget{Day: 500_000, Month: 5_000_000}, "up to $5.00 a month."},
		{"tomorrow at 9", supervisor.Budget{Turn: 100_000, Month: 5_000_000}, "It may cost up to $0.10."},
		{"daily at 9 until 30 mar", supervisor.Budget{Turn: 100_000}, "up to $0.30 a month"},
		{"daily at 9", supervisor.Budget{}, "has no limit"},
	} {
		h := newHarness(t)
		h.budget = c.budget
		if text := h.card(h.job(t, h.putTask(t, c.when, supervisor.JobOptions{}))).Text; !strings.Contains(text, c.want) {
			t.Errorf("%s with %+v: %s", c.when, c.budget, text)
		}
	}
	h := newHarness(t)
	if d := h.remind(t, "alice", "daily at 9: tea"); strings.Contains(d.Text, "cost") {
		t.Errorf("a reminder's card: %s", d.Text)
	}
}

// putGroups creates two groups: alice may speak in club, but no longer in secret.
func putGroups(t testing.TB, h *harness) (club, secret supervisor.Conversation) {
	t.Helper()
	for i, chat := range []string{"-5", "-6"} {
		c, err := h.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, chat, "")
		if err != nil {
			t.Fatal(err)
		}
		*[]*supervisor.Conversation{&club, &secret}[i] = c
	}
	h.closed = map[string]bool{"-6": true}
	return club, secret
}

// After a new rule, all next times of a job follow that rule, no matter how often the job has
// fired. Times that are too close together are refused.
func TestEdit_NewRule_SetsAllLaterTimes(t *testing.T) {
	for _, paused := range []bool{false, true} {
		h := newHarness(t)
		h.remind(t, "alice", "every 10 min: tea")
		id := h.putTask(t, "every 10 min", supervisor.JobOptions{Exact: true})
		for range 5 {
			for _, in := range h.passTime(t, 10*time.Minute) {
				h.endTurn(t, in, sqlite.TurnEnding{Why: protocol.TurnEndDone})
			}
		}
		answers := func(q JobRequest) error {
			t.Helper()
			_, err := h.Answer(t.Context(), person("alice"), q)
			return err
		}
		if err := answers(JobRequest{Action: "edit", Job: fmt.Sprint(id), Words: "every 1 min 5 times"}); err == nil || err.Error() != textTooOften {
			t.Errorf("a task that asks a model every minute: %v", err)
		}
		edits := []JobRequest{{Action: "pause", Job: "1"}, {Action: "edit", Job: "1", Words: "every 2 h 3 times"}, {Action: "resume", Job: "1"}}
		if !paused {
			edits = edits[1:2]
		}
		for _, q := range edits {
			if err := answers(q); err != nil {
				t.Fatal(err)
			}
		}
		if err := answers(JobRequest{Action: "delete", Job: fmt.Sprint(id)}); err != nil {
			t.Fatal(err)
		}
		was := len(h.saidTo(t, chatOf("alice")))
		for range 10 {
			h.passTime(t, time.Hour)
		}
		if n := len(h.saidTo(t, chatOf("alice"))) - was; n != 3 {
			t.Errorf("paused %t: it comes %d times", paused, n)
		}
	}
}

// A deleted routine can be restored only below the limit of jobs.
func TestDeletedRoutine_Restore_RespectsJobLimit(t *testing.T) {
	h := newHarness(t)
	h.switchRoutine(t, "7:30")
	if _, err := h.CancelJob(t.Context(), "alice", "1"); err != nil {
		t.Fatal(err)
	}
	for range supervisor.MaxJobs {
		h.remind(t, "alice", "in 1 h: x")
	}
	_, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineDigest, "7:30",
		h.now)
	if err == nil || err.Error() != fmt.Sprintf(textTooMany, supervisor.MaxJobs) {
		t.Errorf("beside so many: %v", err)
	}
}

// A routine with a used-up count counts from 0 again when it is turned on again.
func TestRoutine_TurnedOnAgain_ResetsFireCount(t *testing.T) {
	h := newHarness(t)
	for range 2 {
		if _, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineDigest,
			"daily at 14:00 2 times", h.now); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			h.passTime(t, 24*time.Hour)
		}
	}
	if n := strings.Count(h.states(t), " ") + 1; n != 4 {
		t.Errorf("it comes %d times: %s", n, h.states(t))
	}
}

// A task in a group does not see the task's results from the private chat. It sees results that
// were sent in the group.
func TestGroupTask_SeesOnlyResultsOfItsGroup(t *testing.T) {
	h := newHarness(t)
	putGroups(t, h)
	id := fmt.Sprint(h.putTask(t, "every 10 min", supervisor.JobOptions{Exact: true}))
	for i, to := range []string{"private", "-5", "-5", "private"} {
		if _, err := h.Answer(t.Context(), person("alice"), JobRequest{Action: "edit", Job: id, Set: map[string]string{"to": to}}); err != nil {
			t.Fatal(err)
		}
		begun := h.passTime(t, 10*time.Minute)[0]
		told := map[bool]string{true: "+"}[strings.Contains(begun.Text, "the diagnosis")] + map[bool]string{true: "-"}[strings.Contains(begun.Text, "the match")]
		if want := []string{"", "", "-", "+-"}[i]; told != want {
			t.Errorf("run %d, %s: the model reads %q", i, to, begun.Text)
		}
		h.endTurn(t, begun, sqlite.TurnEnding{Why: protocol.TurnEndDone, Partial: "CONDITION_MET: " +
			[]string{"the diagnosis", "the match", "", ""}[i]})
	}
	if r, err := h.Answer(t.Context(), person("alice"), JobRequest{Action: "results", Job: id}); err != nil || len(r.Results) != 4 || r.Results[3].Text != "the diagnosis" {
		t.Errorf("its person is told %+v, %v", r, err)
	}
}

// A job in another group needs an approval of exactly this job. A group is refused if users may not
// speak in it, or if the user has no conversation there.
func TestJob_PostToOtherChat_NeedsApproval(t *testing.T) {
	h := newHarness(t)
	club, _ := putGroups(t, h)
	const call = `{"when":"daily at 14:00","text":"look","options":{"to":"%s"}}`
	h.approveErr = supervisor.ErrWaitsForAnswer
	if _, err := h.callTool(t, chatOf("alice"), "schedule_task", fmt.Sprintf(call, "-5")); err != supervisor.ErrWaitsForAnswer {
		t.Fatalf("it does not wait: %v", err)
	}
	h.approveErr = nil
	if _, err := h.callTool(t, chatOf("alice"), "schedule_task", fmt.Sprintf(call, "-5")); err != nil {
		t.Fatal(err)
	}
	if a := h.approvalRequests; len(a) != 2 || a[0].Effect != "post_elsewhere" || a[0].Subject() != a[1].Subject() ||
		a[0].Text != "May a reminder write in the group -5? look\ndaily at 14:00" {
		t.Errorf("asked for were %+v", a)
	}
	for _, to := range []string{"-6", "-7", "-5/3", "100", "x"} {
		if _, err := h.callTool(t, chatOf("alice"), "schedule_task", fmt.Sprintf(call, to)); err == nil || !strings.Contains(err.Error(), "want one of here, private, -5") {
			t.Errorf("to %s: %v", to, err)
		}
	}
	if len(h.approvalRequests) != 2 {
		t.Errorf("asked for were %+v", h.approvalRequests)
	}
	h.passTime(t, time.Hour)
	if said := h.saidTo(t, club); !slices.Equal(said, []string{"Reminder: look"}) {
		t.Errorf("the group is told %q", said)
	}
	if said := h.saidTo(t, chatOf("alice")); len(said) != 1 || !strings.Contains(said[0], "It goes to the group -5.") {
		t.Errorf("alice is told %q", said)
	}
	// each change of the job's content needs a new approval; an unchanged value needs none
	for i, change := range []string{`"text":"buy"`, `"name":"Shop\nping"`, `"when":"daily at 15:00"`} {
		if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":1,`+change+`}`); err != nil || len(h.approvalRequests) != 3+i {
			t.Errorf("%s: %v, asked for were %+v", change, err, h.approvalRequests)
		}
	}
	if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":1,"options":{"priority":"low"}}`); err != nil || len(h.approvalRequests) != 5 {
		t.Errorf("%v, asked for were %+v", err, h.approvalRequests)
	}
	if name := h.job(t, 1).Name; name != "Shop ping" {
		t.Errorf("its name is %q", name)
	}
	h.closed["-5"] = true
	h.passTime(t, 25*time.Hour)
	if said := h.saidTo(t, chatOf("alice")); len(said) < 2 || !strings.HasPrefix(said[len(said)-1], "Reminder: buy") {
		t.Errorf("once nobody may speak in the group, alice is told %q", said)
	}
	if said := h.saidTo(t, club); len(said) != 1 {
		t.Errorf("the group is told %q", said)
	}
}

// The approval question for a check in another group shows the check.
func TestCheckToOtherChat_Approval_ShowsCheck(t *testing.T) {
	h := newHarness(t)
	putGroups(t, h)
	for _, command := range []string{"test -e out/app", "cat MEMORY.md"} {
		if _, err := h.callTool(t, chatOf("alice"), "schedule_task", `{"when":"daily at 14:00","text":"It is built.","kind":"check","check":{"command":"`+command+`"},"options":{"to":"-5"}}`); err != nil {
			t.Fatal(err)
		}
		if last := h.approvalRequests[len(h.approvalRequests)-1]; !strings.Contains(last.Text, command) {
			t.Errorf("alice is asked %q", last.Text)
		}
	}
	if len(h.approvalRequests) != 2 || h.approvalRequests[0].Subject() == h.approvalRequests[1].Subject() {
		t.Errorf("asked for were %+v", h.approvalRequests)
	}
}

// The approval question for a task shows the task's workspace, also when the workspace changes. It
// does not cover other options.
func TestTaskToOtherChat_Approval_ShowsWorkspace(t *testing.T) {
	h := newHarness(t)
	club, _ := putGroups(t, h)
	if _, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobTask, Text: "look", Zone: "Europe/Madrid", Conversation: club, MadeBy: "x"}, "daily at 14:00"); err != nil {
		t.Fatal(err)
	}
	edit := func(name, value string) {
		t.Helper()
		if _, err := h.edit(t.Context(), origin{user: alice(), in: chatOf("alice")}, h.job(t, 1), "", map[string]string{name: value}); err != nil {
			t.Fatal(err)
		}
	}
	edit("steps", "7")
	edit("model", "far/one")
	if len(h.approvalRequests) > 0 {
		t.Errorf("asked for were %+v", h.approvalRequests)
	}
	edit("workspace", "site")
	if len(h.approvalRequests) != 1 || !strings.HasSuffix(h.approvalRequests[0].Text, "\nIt works in the workspace site.") {
		t.Fatalf("asked for were %+v", h.approvalRequests)
	}
	edit("workspace", "code")
	if len(h.approvalRequests) != 2 || h.approvalRequests[0].Subject() == h.approvalRequests[1].Subject() {
		t.Errorf("asked for were %+v", h.approvalRequests)
	}
	h.approveErr = supervisor.Errorf(supervisor.CodeForbidden, "no")
	if _, err := h.edit(t.Context(), origin{user: alice(), in: chatOf("alice")}, h.job(t, 1), "", map[string]string{"workspace": "site"}); err == nil || h.job(t, 1).Options.Workspace != "code" {
		t.Errorf("after a no it works in %s: %v", h.job(t, 1).Options.Workspace, err)
	}
}

// A turn in a group, or of a job, may change only jobs that post in the same conversation. This
// keeps private text out of other conversations.
func TestUpdateTask_OtherConversation_IsRefused(t *testing.T) {
	h := newHarness(t)
	club, _ := putGroups(t, h)
	h.remind(t, "alice", "in 30 min: the results")
	for _, kind := range []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob} {
		for _, call := range []protocol.ToolCall{{ID: "1", Name: "update_task", Arguments: json.RawMessage(`{"id":1,"options":{"to":"here"}}`)},
			{ID: "2", Name: "cancel_task", Arguments: json.RawMessage(`{"id":1}`)}} {
			_, err := h.RunCall(t.Context(), supervisor.JobToolCall{User: "alice", Turn: 1, Kind: kind, Call: call},
				club)
			if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden || strings.Contains(err.Error(), "results") {
				t.Errorf("%s of a %s: %v", call.Name, kind, err)
			}
		}
	}
	set := protocol.ToolCall{ID: "3", Name: "schedule_task", Arguments: json.RawMessage(`{"when":"every 1 min","text":"spam"}`)}
	if _, err := h.RunCall(t.Context(), supervisor.JobToolCall{User: "alice", Turn: 2, Kind: supervisor.TurnJob,
		Call: set}, club); err != nil || len(h.approvalRequests) != 1 {
		t.Errorf("a task sets a reminder in the group unasked: %v, %+v", err, h.approvalRequests)
	}
	h.passTime(t, 30*time.Minute)
	h.wantSaid(t, "Reminder: the results")
}

// The name and text of a routine can't be changed.
func TestRoutine_NameAndText_CannotChange(t *testing.T) {
	h := newHarness(t)
	if _, err := h.callTool(t, chatOf("alice"), "enable_file_notifications", `{}`); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{`"name":"heartbeat"`, `"text":"all"`, `"when":"every 1 min"`} {
		if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":1,`+change+`}`); err == nil {
			t.Errorf("%s is changed", change)
		}
	}
	h.sources = worldTurnOrigins{}
	if _, err := h.callTool(t, chatOf("alice"), "cancel_task",
		`{"id":1}`); supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden {
		t.Errorf("a turn that has read others' words turns it off: %v", err)
	}
	if _, err := h.callTool(t, chatOf("alice"), "schedule_task", `{"when":"in 1 h","text":"tea"}`); err != nil {
		t.Fatal(err)
	}
	h.sources = h.db.Jobs()
	h.remind(t, "alice", "in 1 h: coffee")
	h.sources = worldTurnOrigins{}
	if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":3,"text":"mail the keys"}`); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{2, 3} {
		if !h.job(t, id).Options.World {
			t.Errorf("the words of reminder %d count as its person's own", id)
		}
	}
}

// A check of a page runs without the user's approval only if the user has named the address.
func TestScheduleTask_UnnamedPage_IsProposed(t *testing.T) {
	for words, want := range map[string]supervisor.JobState{
		"tell me when https://example.org/shop has tea": supervisor.JobActive,
		"tell me when the shop has tea":                 supervisor.JobProposed,
	} {
		h := newHarness(t)
		h.sources = ownTurnOrigins(words)
		answer, err := h.callTool(t, chatOf("alice"), "schedule_task", `{"when":"daily at 9","text":"tea","kind":"check",
			"check":{"url":"https://example.org/shop"}}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.job(t, 1).State; got != want || (want == supervisor.JobProposed) !=
			strings.Contains(answer.Text, textUnnamed) {
			t.Errorf("%q: it is %s, and the model reads %q", words, got, answer.Text)
		}
	}
}

// ownTurnOrigins says that every turn has read only these words of its user.
type ownTurnOrigins string

func (ownTurnOrigins) HasWorldWords(context.Context, int64) (bool, error) { return false, nil }
func (o ownTurnOrigins) OwnWords(context.Context, int64) (string, error)  { return string(o), nil }

// worldTurnOrigins says that every turn has read somebody else's words.
type worldTurnOrigins struct{}

func (worldTurnOrigins) HasWorldWords(context.Context, int64) (bool, error) { return true, nil }
func (worldTurnOrigins) OwnWords(context.Context, int64) (string, error)    { return "", nil }

// After a changed rule, the job counts its fires from 0. A rule without a future time is refused.
func TestSetRule_NewRule_ResetsFireCount(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "every 10 min 5 times: tea")
	for range 3 {
		h.passTime(t, 10*time.Minute)
	}
	if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":1,"when":"every 10 min 2 times"}`); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		h.passTime(t, 10*time.Minute)
	}
	if said := h.saidTo(t, chatOf("alice")); len(said) != 5 || h.job(t, 1).State != supervisor.JobDone {
		t.Errorf("it is %s and said %q", h.job(t, 1).State, said)
	}
	h.remind(t, "alice", "in 10 min: coffee")
	if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":2,"state":"paused"}`); err != nil {
		t.Fatal(err)
	}
	h.passTime(t, time.Hour)
	if _, err := h.callTool(t, chatOf("alice"), "update_task", `{"id":2,"state":"active"}`); err == nil || h.job(t, 2).State != supervisor.JobPaused {
		t.Errorf("what has no time left goes on: %v", err)
	}
}

// A job that posts in the group in which it was set, or in the private chat, needs no approval.
func TestJob_PostToItsOwnChat_NeedsNoApproval(t *testing.T) {
	h := newHarness(t)
	club, _ := putGroups(t, h)
	for _, to := range []string{"here", "-5", "private"} {
		if _, err := h.callTool(t, club, "schedule_task", `{"when":"in 10 min","text":"`+to+`","options":{"to":"`+to+`"}}`); err != nil {
			t.Fatal(err)
		}
	}
	h.passTime(t, 10*time.Minute)
	if len(h.approvalRequests) > 0 {
		t.Errorf("asked for were %+v", h.approvalRequests)
	}
	if said := h.saidTo(t, club); len(said) != 5 || !slices.Contains(said, "Reminder: here") || !slices.Contains(said, "Reminder: -5") {
		t.Errorf("the group is told %q", said)
	}
	h.wantSaid(t, "Reminder: private")
}

// The Change button asks for a job's new times or text, and changes the job. An unreadable answer
// changes nothing.
func TestChangeButton_Answer_ChangesJob(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "daily at 14:00: tea")
	for _, c := range []struct{ answer, card string }{
		{"daily at 15:00", "Reminder 1: tea\n\nevery day at 15:00\n"},
		{"weekdays 16:00: coffee", "Reminder 1: coffee\n\nweekdays at 16:00\n"},
		{": hot tea", "Reminder 1: hot tea\n\nweekdays at 16:00\n"},
		{": shopping: milk", "Reminder 1: shopping: milk\n\nweekdays at 16:00\n"},
		{"on_miss=skip priority=low", "it is skipped. Its messages make no sound."},
	} {
		h.answers = []string{c.answer}
		d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 7, "change 1", h.now)
		if err != nil || !strings.Contains(d.Text, c.card) || len(d.Buttons) != 1 || d.Buttons[0][0].Press != "job:change 1" {
			t.Errorf("%s: %+v, %v", c.answer, d, err)
		}
	}
	was := h.job(t, 1)
	for _, wrong := range []string{"at some time", ": ", "on_miss=x", "priority=low colour=red", "grace=2 h"} {
		h.answers = []string{wrong}
		if d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 7, "change 1", h.now); err == nil ||
			!strings.HasSuffix(err.Error(), ". Reminder 1 stays as it is; press Change to try again.") {
			t.Errorf("%s: %+v, %v", wrong, d, err)
		}
	}
	if d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 7, "change 1", h.now); err != nil ||
		d.Text != "Reminder 1 stays as it is." {
		t.Errorf("without an answer: %+v, %v", d, err)
	}
	if j := h.job(t, 1); j.Version != was.Version {
		t.Errorf("it is changed to %+v", j)
	}
}

// New times that the model sets for a paused task need the user's approval. Times decades ahead can
// be stored.
func TestPausedTask_FrequentTimes_NeedApproval(t *testing.T) {
	h := newHarness(t)
	id := h.putTask(t, "daily at 14:00", supervisor.JobOptions{})
	if _, err := h.Pause(t.Context(), h.job(t, id)); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{`{"id":1,"when":"every 10 min"}`, `{"id":1,"state":"active"}`} {
		if _, err := h.callTool(t, chatOf("alice"), "update_task", arguments); err != nil {
			t.Fatal(err)
		}
	}
	if state := h.job(t, id).State; state != supervisor.JobProposed {
		t.Errorf("it is %s", state)
	}
	if _, err := h.callTool(t, chatOf("alice"), "schedule_task", `{"when":"0 * 29 2 */7","text":"look","kind":"task"}`); err != nil {
		t.Error(err)
	}
}
