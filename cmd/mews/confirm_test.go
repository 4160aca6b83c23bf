package main

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestACodeConfirmsWhatItWasAskedForAndNothingElse: not before it is kept, not twice, and not what was asked for next.
func TestACodeConfirmsWhatItWasAskedForAndNothingElse(t *testing.T) {
	now := time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC)
	c := newConfirmations(func() time.Time { return now })
	home := supervisor.Conversation{ID: 7, User: "ann", Channel: supervisor.ChannelTelegram, Chat: "101"}
	in := supervisor.Inbound{Kind: supervisor.KindText, Conversation: spot(home)}
	come, end, ok := c.begin(home)
	if _, _, twice := c.begin(home); !ok || twice {
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
	right, _ := c.takes(in)
	right(true)
	if c.kept(8); signalled() {
		t.Error("what was kept elsewhere confirms it")
	}
	right(false) // the transaction is made again, and the code is not right any more
	if c.kept(7); signalled() {
		t.Error("a code that was not kept confirms it")
	}
	right(true)
	if c.kept(7); !signalled() {
		t.Error("a right code that is kept does not confirm it")
	}
	end(false)
	if _, _, ok := c.begin(home); ok {
		t.Error("what was asked for next could be confirmed by a code for what was asked for before")
	}
	if _, taken := c.takes(in); !taken {
		t.Error("a code that comes late goes to the model")
	}
	now = now.Add(late)
	if _, taken := c.takes(in); taken {
		t.Error("a minute later a code is still taken")
	}
	_, end, ok = c.begin(home)
	if end(true); !ok {
		t.Error("a minute later nothing can be asked for")
	}
	if _, _, ok := c.begin(home); !ok {
		t.Error("after what was confirmed nothing can be asked for")
	}
	if _, taken := c.takes(supervisor.Inbound{Kind: supervisor.KindCommand, Conversation: spot(home)}); taken {
		t.Error("a command is taken for a code")
	}
}

// TestWhoIsNotServedSpendsNothing: however their turn came to run.
func TestWhoIsNotServedSpendsNothing(t *testing.T) {
	_, err := nothing{}.Reserve(t.Context(), supervisor.Bid{Spec: "a/b", Worst: 1, Priced: true})
	if supervisor.ErrorCode(err) != supervisor.CodeForbidden {
		t.Errorf("got %v", err)
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
		Items: []supervisor.Item{{Inbound: opened, Meeting: supervisor.Meeting{Decide: right}}}})
	must(t, err)
	e := &entrance{codes: newConfirmations(time.Now), gate: access.NewGate(access.Options{People: people, Factors: store.Factors,
		Logins: store.Logins, Seal: seal})}
	for _, want := range []string{"login.recovery", "stepup.recovery"} {
		m, err := e.Meet(t.Context(), supervisor.Inbound{Conversation: opened.Conversation, Kind: supervisor.KindText,
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
		_, _, began := e.codes.begin(receipt.Kept[0].Conversation)
		if want == "login.recovery" && !began {
			t.Fatal("nothing waits")
		}
	}
}
