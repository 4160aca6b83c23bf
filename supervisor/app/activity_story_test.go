package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/problem"
)

// diaryModel is a model that writes the file that the user names, or reads the activity by time and
// kind. Then it says the result.
func diaryModel(r modeltest.Request) modeltest.Answer {
	if done := r.AnsweredCalls(); len(done) > 0 {
		return modeltest.Answer{Text: done[len(done)-1].Result}
	}
	words := append(strings.Fields(strings.TrimPrefix(r.NewestUserMessage(), "@mews_bot ")), "", "")
	if words[0] == "log" {
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "read_activity_log", Args: fmt.Sprintf(`{"time":%q,"kind":%q}`, words[1], words[2])}}}
	}
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "write_file", Args: fmt.Sprintf(`{"path":%q,"content":"x"}`, words[0])}}}
}

// A user's effects are listed below the answer, unless that is turned off. The model and an admin
// can list them, too. No user sees another user's effects, and a group sees none.
func TestActivity_ShowsOwnEffectsOnly(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, diaryModel, "", "alice, role: admin, totp: 'off'", "bob, totp: 'off'")
	l.open()
	l.say("alice", "hers.txt")
	l.awaitNewest("alice", "What I did\nwrote hers.txt (created, 1 byte)")
	l.say("bob", "his.txt")
	l.awaitNewest("bob", "What I did\nwrote his.txt (created, 1 byte)")
	l.say("bob", "/settings ledger off")
	l.awaitNewest("bob", "From now on ledger is off, set by you.")
	l.say("bob", "more.txt")
	l.awaitNewest("bob", "more.txt")
	if told := lastOf(l.told("bob")); strings.Contains(told, "What I did") {
		t.Errorf("bob is told %q", told)
	}
	l.say("bob", "log today changed")
	l.awaitNewest("bob", " wrote more.txt (created, 1 byte)\n", " wrote his.txt (created, 1 byte)")
	l.say("bob", "log soon")
	l.awaitNewest("bob", `"soon" is neither a time`)
	l.say("bob", "/activity 30d") // 30 days, because the test's clock is behind the machine's
	l.awaitNewest("bob", "wrote more.txt (created, 1 byte)", "wrote his.txt")
	l.say("alice", "/activity all 30d")
	l.awaitNewest("alice", "alice: changed, 1", "bob: changed, 2")
	for _, told := range l.told("bob") {
		if strings.Contains(told, "hers") {
			t.Errorf("bob is told %q", told)
		}
	}
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("")
	l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot log")
	l.awaitInFlat("is not shown in a group")
	l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot third.txt")
	l.awaitInFlat("third.txt")
	for _, m := range l.bot.BotMessages(flatChat.ID) {
		if strings.Contains(m.Text, "What I did") || strings.Contains(m.Text, "hers") {
			t.Errorf("the group is told %q", m.Text)
		}
	}
	l.checkOperatorView()
}

// checkOperatorView checks that an admin on the machine sees only counts, unless the admin asks for
// one user's effects. The audit log records that the admin asked.
func (l *gatedService) checkOperatorView() {
	l.T.Helper()
	ask := func(q api.ActivityQuery) (r api.ActivityReport) {
		l.T.Helper()
		if err := control.CallOnce(l.T.Context(), l.Socket, api.MethodActivity, q, &r); err != nil {
			l.T.Fatal(err)
		}
		return r
	}
	if r := ask(api.ActivityQuery{Kind: "changed"}); fmt.Sprint(r.Counts) != "[{alice changed 2} {bob changed 2}]" || r.Rows != nil {
		l.T.Errorf("counts: %+v", r)
	}
	r := ask(api.ActivityQuery{User: "bob"})
	if text, _ := json.Marshal(r.Rows); len(r.Rows) != 2 || r.Rows[1].Text != "wrote more.txt (created, 1 byte)" ||
		r.Rows[1].ReportedBy != supervisor.ReportedByWorker || strings.Contains(string(text), "hers") {
		l.T.Errorf("bob's: %+v", r)
	}
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the look at bob's to be audited", func() bool {
		return l.QueryCount("SELECT count(*) FROM audit WHERE action = 'activity.read' AND user = 'bob'") == 1
	})
	var none api.ActivityReport
	if err := control.CallOnce(l.T.Context(), l.Socket, api.MethodActivity, api.ActivityQuery{Kind: "sold"},
		&none); err == nil ||
		!strings.Contains(problem.UserText(err), "There is no kind") {
		l.T.Errorf("a kind that there is not: %v", err)
	}
}
