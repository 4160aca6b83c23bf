package approval

import (
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

// tries holds a code against a factor as if it were kept at a time.
func tries(hold func(supervisor.Decide) supervisor.Decide, right bool, at time.Time) supervisor.Verdict {
	_, v := hold(func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		return f, supervisor.Verdict{Right: right, Action: "stepup", Text: "Confirmed."}
	})(supervisor.Factor{}, at)
	return v
}

// TestACodeConfirmsWhatItWasAskedForAndNothingElse: not before it is kept, not twice, and not what was asked for next.
func TestACodeConfirmsWhatItWasAskedForAndNothingElse(t *testing.T) {
	now := time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC)
	c := NewConfirmations(ConfirmationsOptions{Now: func() time.Time { return now }})
	home := supervisor.Conversation{ID: 7, User: "ann", Channel: supervisor.ChannelTelegram, Chat: "101"}
	q := supervisor.Question{Conversation: home, Turn: 3, Subject: "a file"}
	in := supervisor.Inbound{Kind: supervisor.KindText, Conversation: chatOf(home)}
	come, end, ok := c.begin(q)
	if _, _, twice := c.begin(q); !ok || twice {
		t.Fatalf("began %v, and again %v", ok, twice)
	}
	signalled := func() bool {
		select {
		case <-come:
			return true
		default:
			return false
		}
	}
	hold, _ := c.expects(in)
	tries(hold, true, now)
	if c.Stored(8); signalled() {
		t.Error("what was kept elsewhere confirms it")
	}
	tries(hold, false, now) // the transaction is made again, and the code is not right any more
	if c.Stored(7); signalled() {
		t.Error("a code that was not kept confirms it")
	}
	tries(hold, true, now)
	if c.Stored(7); !signalled() {
		t.Error("a right code that is kept does not confirm it")
	}
	topic := in
	topic.Conversation.Thread = "9"
	if other, _ := c.expects(topic); tries(other, true, now).Action != "stepup.elsewhere" {
		t.Error("a code in another topic, of which nobody is told when it is kept, is taken")
	}
	end(false)
	if v := tries(hold, true, now); v.Right || v.Action != "stepup.late" {
		t.Errorf("of a code that comes as the wait ends they are told %+v", v)
	}
	for _, next := range []supervisor.Question{{Conversation: home, Turn: 3, Subject: "another"},
		{Conversation: home, Turn: 4, Subject: "a file"}, {Conversation: home, Subject: "a file"}} {
		if _, _, ok := c.begin(next); ok {
			t.Errorf("a code for what was asked for before could confirm %+v", next)
		}
	}
	hold, taken := c.expects(in)
	if !taken {
		t.Fatal("a code that comes late goes to the model")
	}
	if v := tries(hold, true, now); v.Right || v.Action != "stepup.late" {
		t.Errorf("of a code that comes late they are told %+v", v)
	}
	_, end, ok = c.begin(q)
	if !ok {
		t.Fatal("what lost its worker can't be asked for again")
	}
	end(false)
	now = now.Add(lateWindow)
	if _, taken := c.expects(in); taken {
		t.Error("a minute later a code is still taken")
	}
	q.Subject = "another"
	_, end, ok = c.begin(q)
	if end(true); !ok {
		t.Error("a minute later nothing can be asked for")
	}
	q.Subject = "a third"
	if _, _, ok := c.begin(q); !ok {
		t.Error("after what was confirmed nothing can be asked for")
	}
	if _, taken := c.expects(supervisor.Inbound{Kind: supervisor.KindCommand, Conversation: chatOf(home)}); taken {
		t.Error("a command is taken for a code")
	}
}

// TestACodeThatIsNotFreshConfirmsNothing: that of the time when it was asked for does, and so does the next; one from before
// is neither right nor a guess, and it is not used up.
func TestACodeThatIsNotFreshConfirmsNothing(t *testing.T) {
	asked := time.Date(2026, 9, 14, 12, 0, 10, 0, time.UTC)
	step := asked.Unix() / 30
	of := func(code int64) supervisor.Decide { // as access decides
		return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
			if code <= f.LastPeriod {
				return f, supervisor.Verdict{Text: "That code was used already."}
			}
			f.LastPeriod = code
			return f, supervisor.Verdict{Right: true}
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
		f, v := decideFresh(of(c.code), asked)(supervisor.Factor{LastPeriod: c.last}, asked)
		if v.Right != c.right || v.Text != c.text || f.LastPeriod != c.after {
			t.Errorf("%+v: got %+v and the last step %d", c, v, f.LastPeriod)
		}
	}
}

// A recovery code for an effect that waits is for that, and not for the gate, which is open.
func TestARecoveryCodeConfirmsToo(t *testing.T) {
	db, seal := sqlitetest.Open(t), access.NewSeal([access.KeySize]byte{7})
	people, err := access.New([]supervisor.User{{Name: "ann"}}, 1, nil)
	must(t, err)
	made, err := seal.Enrol("ann")
	must(t, err)
	codes, digests := access.NewRecovery()
	store := db.Access()
	must(t, store.Factors.Put(t.Context(), "ann", made.Sealed, digests))
	opened := supervisor.Inbound{Source: "test", Key: "1", Kind: supervisor.KindCode, Text: "x",
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}}
	right := func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		f.Confirmed = true
		return f, supervisor.Verdict{Right: true, Action: "login", Text: "Unlocked."}
	}
	receipt, err := db.Inbox().PutBatch(t.Context(), supervisor.Batch{Source: "test",
		Items: []supervisor.Item{{Inbound: opened, Decision: supervisor.GateDecision{Decide: right}}}})
	must(t, err)
	e := &CodeCheck{IsCode: access.IsCode, InWords: func(string) (none supervisor.Answer) { return none }, Confirmations: NewConfirmations(ConfirmationsOptions{Now: time.Now}),
		Gate: access.NewGate(access.Options{People: people, Factors: store.Factors, Logins: store.Logins, Seal: seal, Now: time.Now,
			Command: func(string) (c supervisor.SlashCommand) { return c }})}
	for _, want := range []string{"login.recovery", "stepup.recovery"} {
		m, err := e.Check(t.Context(), supervisor.Inbound{Conversation: opened.Conversation, Kind: supervisor.KindText,
			Text: codes[0].Reveal()})
		must(t, err)
		if m.Decide == nil {
			t.Fatalf("%+v", m)
		}
		f, _, err := store.Factors.Find(t.Context(), "ann")
		must(t, err)
		if _, v := m.Decide(f, time.Now()); !v.Right || v.Action != want {
			t.Errorf("%+v; want %s", v, want)
		}
		_, _, began := e.Confirmations.begin(supervisor.Question{Conversation: receipt.Kept[0].Conversation})
		if want == "login.recovery" && !began {
			t.Fatal("nothing waits")
		}
	}
}
