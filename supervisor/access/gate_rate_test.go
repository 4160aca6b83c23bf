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

func TestCheck_TooManyMessages_WarnsOnce(t *testing.T) {
	p := newRig(t)
	outcomes := func(n int) (got []outcome) {
		for range n {
			got = append(got, outcomeOf(p.decide(t, terminalText("hello"))))
		}
		return got
	}
	if got := outcomes(20); slices.ContainsFunc(got, func(o outcome) bool { return o != passes }) {
		t.Fatalf("of a burst: %v", got)
	}
	if got := outcomes(3); !slices.Equal(got, []outcome{refused, quiet, quiet}) {
		t.Errorf("behind it: %v", got)
	}
	for _, text := range []string{"/stop", "/lock", "/STOP@mews_bot now"} {
		if m := p.decide(t, asCommand(terminalText(text))); outcomeOf(m) != passes {
			t.Errorf("%s: %+v", text, m)
		}
	}
	// refused texts do not block commands
	for i, want := range append(slices.Repeat([]outcome{passes}, 20), refused, quiet) {
		if m := p.decide(t, asCommand(terminalText("/help"))); outcomeOf(m) != want {
			t.Errorf("/help, number %d: %+v", i, m)
		}
	}
	if m := p.decide(t, from("bob", supervisor.ChannelTerminal, "", "hello")); outcomeOf(m) != passes {
		t.Errorf("bob: %+v", m)
	}
	p.now = noon.Add(time.Second)
	if got := outcomes(3); !slices.Equal(got, []outcome{passes, refused, quiet}) {
		t.Errorf("a second later: %v", got)
	}
	p.now = noon.Add(time.Minute)
	if got := outcomes(21); got[19] != passes || got[20] != refused {
		t.Errorf("a minute later: %v", got)
	}
	p.now = noon.AddDate(-1, 0, 0)
	if got := outcomes(2); !slices.Equal(got, []outcome{passes, passes}) {
		t.Errorf("after the clock was set back: %v", got)
	}
}

func TestCheck_TextsBeyondRate_Wait(t *testing.T) {
	p := newRig(t)
	p.SetLimits(access.GateLimits{Waiting: 200})
	for i := range 220 {
		if m := p.decide(t, terminalText("hello")); outcomeOf(m) != passes {
			t.Fatalf("text %d: %+v", i, m)
		}
	}
	for i := range 20 {
		m := p.decide(t, terminalText("hello"))
		if outcomeOf(m) != refused || !strings.HasPrefix(m.Refusal, "This message was not taken") ||
			strings.Contains(m.Refusal, "right after it") != (i == 19) {
			t.Errorf("number %d beyond what may wait: %+v", i, m)
		}
	}
	for range 1000 { // a flood of texts
		if m := p.decide(t, terminalText("hello")); outcomeOf(m) != quiet {
			t.Fatalf("in a flood: %+v", m)
		}
	}
	if m := p.decide(t, asCommand(terminalText("/help"))); outcomeOf(m) != passes {
		t.Errorf("a command while texts wait: %+v", m)
	}
	p.now = noon.Add(time.Second)
	if m := p.decide(t, terminalText("hello")); outcomeOf(m) != passes {
		t.Errorf("a second later: %+v", m)
	}
	p.now = noon.Add(11 * time.Second)
	m := p.decide(t, terminalText("hello"))
	for outcomeOf(m) == passes {
		m = p.decide(t, terminalText("hello"))
	}
	if outcomeOf(m) != refused || !strings.Contains(m.Refusal, " 1,000 messages before it, ") {
		t.Errorf("after a flood: %+v", m)
	}
}

func TestSetLimits_OtherRate_TakesEffect(t *testing.T) {
	p := newRig(t)
	p.decide(t, terminalText("hello"))
	p.SetLimits(access.GateLimits{Burst: 2, PerSecond: 0.5})
	var got []string
	for i := range 4 {
		m := p.decide(t, terminalText(fmt.Sprint(i)))
		got = append(got, string(outcomeOf(m)))
		if i == 2 &&
			(!strings.Contains(m.Refusal, "2 messages at once, and then 0.5 a "+
				"second") || m.Code != supervisor.CodeUnavailable) {
			t.Errorf("%q", m.Refusal)
		}
	}
	if strings.Join(got, " ") != "passes passes refused quiet" {
		t.Errorf("got %v", got)
	}
}
