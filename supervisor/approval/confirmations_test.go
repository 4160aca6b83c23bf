package approval

import (
	"context"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite/sqlitetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// annsChat is the chat in which ann is asked.
var annsChat = supervisor.Conversation{ID: 1, User: "ann", Channel: supervisor.ChannelTelegram, Chat: "101"}

// fakeQuestions has one question that waits for a code in a chat. factor means that every user has
// a second factor.
type fakeQuestions struct {
	q     supervisor.Question
	found bool
}

func (w fakeQuestions) FindQuestionForCode(_ context.Context, c supervisor.Conversation) (supervisor.Question, bool,
	error) {
	return w.q, w.found && c.Chat == w.q.Conversation.Chat, nil
}

func (fakeQuestions) FindConversation(_ context.Context, id int64) (supervisor.Conversation, bool, error) {
	return annsChat, id == annsChat.ID, nil
}

func (fakeQuestions) Find(context.Context, string) (supervisor.SecondFactor, bool, error) {
	return supervisor.SecondFactor{Confirmed: true}, true, nil
}

// A code confirms only one question. RefuseSecondQuestion refuses a second question while the first
// question waits for a code, or waited a moment ago.
func TestConfirmations_SecondQuestion_IsRefused(t *testing.T) {
	asked := supervisor.Question{ID: 5, Conversation: annsChat, Turn: 3, Subject: "a file"}
	for _, next := range []struct {
		q  supervisor.Question
		ok bool
	}{
		{asked, true},
		{supervisor.Question{Conversation: annsChat, Turn: 3, Subject: "another"}, false},
		{supervisor.Question{Conversation: annsChat, Turn: 4, Subject: "a file"}, false},
		{supervisor.Question{Conversation: annsChat, Subject: "a file"}, false},
	} {
		w := fakeQuestions{asked, true}
		c := Confirmations{Conversations: w, Factors: w, Codes: w}
		if err := c.RefuseSecondQuestion(t.Context(), next.q); (err == nil) != next.ok {
			t.Errorf("%+v: got %v", next.q, err)
		}
		w.found = false
		c.Codes = w
		if err := c.RefuseSecondQuestion(t.Context(), next.q); err != nil {
			t.Errorf("%+v, where none is asked for: got %v", next.q, err)
		}
	}
}

// A code answers only the question in its own chat and topic.
func TestCodeGate_Code_AnswersOwnChatOnly(t *testing.T) {
	w := fakeQuestions{supervisor.Question{ID: 5, Conversation: annsChat}, true}
	c := Confirmations{Codes: w}
	right := func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		return f, supervisor.LoginCodeResult{Right: true, Action: "stepup"}
	}
	elsewhere, topic := annsChat, annsChat
	elsewhere.Chat, topic.Thread = "7", "9"
	for _, c2 := range []struct {
		at       supervisor.Conversation
		confirms int64
		action   string // the audit action; "" means that the code answers no question
	}{{annsChat, 5, "stepup"}, {topic, 0, "stepup.elsewhere"}, {elsewhere, 0, ""}} {
		d, err := c.checkCode(t.Context(), supervisor.Inbound{Conversation: c2.at}, right)
		must(t, err)
		action := ""
		if d.CheckCode != nil {
			_, v := d.CheckCode(supervisor.SecondFactor{}, time.Now())
			action = v.Action
		}
		if d.Question != c2.confirms || action != c2.action {
			t.Errorf("in %+v it is for %d: %q", c2.at, d.Question, action)
		}
	}
}

// Codes of the question's period and of later periods confirm. An older code is refused, but does
// not count as a wrong guess and is not used up.
func TestCodeGate_OldCode_ConfirmsNothing(t *testing.T) {
	asked := time.Date(2026, 9, 14, 12, 0, 10, 0, time.UTC)
	step := asked.Unix() / 30
	of := func(code int64) supervisor.LoginCodeChecker { // makes a checker that decides as package access does
		return func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
			if code <= f.LastPeriod {
				return f, supervisor.LoginCodeResult{Text: "That code was used already."}
			}
			f.LastPeriod = code
			return f, supervisor.LoginCodeResult{Right: true}
		}
	}
	for _, c := range []struct {
		last, code, after int64
		right             bool
		text              string
	}{
		{0, step - 1, 0, false, "That code is from before I asked. Send me the one that your app shows now."},
		{0, step, step, true, ""},
		{step, step, step, false, "That code was used already."},
		{step, step + 1, step + 1, true, ""},
	} {
		f, v := requireFresh(of(c.code), asked)(supervisor.SecondFactor{LastPeriod: c.last}, asked)
		if v.Right != c.right || v.Text != c.text || f.LastPeriod != c.after {
			t.Errorf("%+v: got %+v and the last step %d", c, v, f.LastPeriod)
		}
	}
}

// A recovery code for a waiting effect confirms that effect. The gate does not use the code,
// because the gate is open.
func TestCodeGate_RecoveryCode_ConfirmsEffect(t *testing.T) {
	db, seal := sqlitetest.Open(t), access.NewSealer([access.SealingKeySize]byte{7})
	people, err := access.NewPeople([]supervisor.User{{Name: "ann"}}, 1, nil)
	must(t, err)
	made, err := seal.NewEnrolment("ann")
	must(t, err)
	codes, digests := access.NewRecoveryCodes()
	store := db.UserAccessStores()
	must(t, store.Factors.Put(t.Context(), "ann", made.Sealed, digests))
	opened := supervisor.Inbound{Source: "test", Key: "1", Kind: supervisor.KindLoginCode, Text: "x",
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}}
	right := func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		f.Confirmed = true
		return f, supervisor.LoginCodeResult{Right: true, Action: "login", Text: "Unlocked."}
	}
	receipt, err := db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
		Items: []supervisor.BatchItem{{Inbound: opened, Decision: supervisor.GateDecision{CheckCode: right}}}})
	must(t, err)
	e := &CodeGate{IsCode: access.IsCode, Confirmations: &Confirmations{Codes: db.Questions()},
		Gate: access.NewGate(access.Options{People: people, Factors: store.Factors, Logins: store.Logins, Seal: seal, Now: time.Now,
			Command: func(string) (c supervisor.SlashCommand) { return c }})}
	for _, want := range []string{"login.recovery", "stepup.recovery"} {
		m, err := e.Check(t.Context(), supervisor.Inbound{Conversation: opened.Conversation, Kind: supervisor.KindText,
			Text: codes[0].Reveal()})
		must(t, err)
		if m.CheckCode == nil {
			t.Fatalf("%+v", m)
		}
		f, _, err := store.Factors.Find(t.Context(), "ann")
		must(t, err)
		if _, v := m.CheckCode(f, time.Now()); !v.Right || v.Action != want {
			t.Errorf("%+v; want %s", v, want)
		}
		if want == "login.recovery" {
			_, _, err = db.Questions().Ask(t.Context(),
				supervisor.Question{Conversation: receipt.Stored[0].Conversation, Kind: supervisor.QuestionLoginCode,
					Subject: strings.Repeat("5", 64), Text: "May I?", OpenFor: time.Hour}, strings.Repeat("a", 64), nil)
			must(t, err)
		}
	}
}
