package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
)

// A recovery code that other people have read is used up, because it is no secret any more.
// Otherwise it would stay valid wherever its text is stored.
func TestCheck_RecoveryCodeAnywhere_IsUsedUp(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	p.open("ann", supervisor.ChannelTelegram, privateChat, p.now)
	p.open("ann", supervisor.ChannelTelegram, group, p.now)
	left := func() int { return len(p.factors["ann"].Recovery) }
	all := left()

	private := p.decide(t, from("ann", supervisor.ChannelTelegram, privateChat, strings.ToLower(p.codes[0])))
	if private.CheckCode == nil || private.Check == nil {
		t.Fatalf("in the open private chat: %+v", private)
	}
	if v := p.attempt("ann", private.CheckCode, p.now); !v.Right || v.Action != "login.recovery" || left() != all-1 {
		t.Errorf("%+v, and %d of %d are left", v, left(), all)
	}
	for i, lock := range []bool{false, true} {
		if lock {
			p.fail(5)
		}
		failures, in := p.factors["ann"].Lockouts, from("ann", supervisor.ChannelTelegram, group, p.codes[i+1])
		m := p.decide(t, in)
		if m.CheckCode == nil || m.Check != nil {
			t.Fatalf("in the group: %+v", m)
		}
		v := p.attempt("ann", m.CheckCode, p.now)
		if v.Right || v.Action != "login.exposed" || !strings.Contains(v.Text, "is used up") ||
			!strings.Contains(v.Text, "our private chat") || left() != all-2-i || p.factors["ann"].Lockouts != failures {
			t.Errorf("locked %v: %+v, and %d of %d are left", lock, v, left(), all)
		}
		if m := p.decide(t, in); m.CheckCode != nil {
			t.Errorf("used up, it is still one: %+v", m)
		}
	}
	if m := p.decide(t, from("ann", supervisor.ChannelTelegram, group, "0000-0000-0000-0000-0000-0000-00")); m.CheckCode != nil {
		t.Errorf("one that was never good: %+v", m)
	}
}

func TestCheck_LockCommand_RequestsLock(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for text, want := range map[string]supervisor.GateLock{
		"/lock": supervisor.LockChatGate, "/Lock@mews_bot ": supervisor.LockChatGate,
		"/lock ALL": supervisor.LockAllGates,
		"/lock me":  "", "/stop": "", "/stop all": "",
	} {
		if m := p.decide(t, asCommand(terminalText(text))); m.Lock != want || outcomeOf(m) != passes {
			t.Errorf("%s: %+v", text, m)
		}
		if m := p.decide(t, terminalText(text)); m.Lock != "" {
			t.Errorf("%s as text: %+v", text, m)
		}
	}
}

func TestRateLimit_RepeatedMessage_DoesNotCount(t *testing.T) {
	p := newRig(t)
	p.SetLimits(access.GateLimits{Burst: 3, PerSecond: 0.5})
	send := func(user, source string, keys ...string) (got []outcome) {
		for _, key := range keys {
			in := from(user, supervisor.ChannelTerminal, "", "hello")
			in.Source, in.Key = source, key
			got = append(got, outcomeOf(p.decide(t, in)))
		}
		return got
	}
	for _, c := range []struct {
		what, user, source, keys string
		want                     []outcome
	}{
		{"at first", "ann", "x", "abcde", []outcome{passes, passes, passes, refused, quiet}},
		{"again", "ann", "x", "abcde", []outcome{passes, passes, passes, refused, quiet}},
		{"of another source", "ann", "y", "a", []outcome{quiet}},
		{"another person's", "bob", "x", "abcd", []outcome{passes, passes, passes, refused}},
	} {
		if got := send(c.user, c.source, strings.Split(c.keys, "")...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	if got := send("ann", "x", ""); !slices.Equal(got, []outcome{quiet}) {
		t.Errorf("without a key: %v", got)
	}
	p.SetLimits(access.GateLimits{Burst: 1000})
	send("ann", "x", "a") // from now on the bucket is larger
	p.now = p.now.Add(time.Hour)
	for i := range 256 {
		send("ann", "x", strings.Repeat("z", i+1))
	}
	p.SetLimits(access.GateLimits{Burst: 1, PerSecond: 0.001})
	if got := send("ann", "x", strings.Repeat("z", 256), "n", "a"); !slices.Equal(got[:1], []outcome{passes}) || got[2] == passes {
		t.Errorf("not the last 256 messages are recognized: %v", got)
	}
}

// A batch that could not be stored is repeated. Each of its refused texts gets its reply again.
func TestCheck_RefusedTextAgain_IsRefusedAgain(t *testing.T) {
	p := newRig(t)
	p.SetLimits(access.GateLimits{Burst: 1, PerSecond: 0.001, Waiting: 1})
	for n := range 50 {
		for i, want := range []outcome{passes, passes, refused, refused} {
			in := terminalText("hello")
			in.Key = fmt.Sprint(i)
			if got := outcomeOf(p.decide(t, in)); got != want {
				t.Fatalf("text %d, the %dth time: %s, want %s", i, n, got, want)
			}
		}
	}
}
