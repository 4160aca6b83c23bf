package access_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
)

// spendUnexpected sends an inbound of ann while nothing waits for a code.
func (p *rig) spendUnexpected(t *testing.T, in supervisor.Inbound) supervisor.GateDecision {
	t.Helper()
	m, err := p.SpendUnexpectedCode(t.Context(), in, p.decide(t, in))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A right code that nothing waits for is used up, and its text is not stored. Otherwise somebody
// could send guesses as words, without counted tries, and then use the right code.
func TestSpendUnexpectedCode_RightCode_IsUsedUp(t *testing.T) {
	for _, codes := range []supervisor.TOTPPolicy{supervisor.TOTPRequired, supervisor.TOTPOptional,
		supervisor.TOTPOff} {
		p := newRig(t)
		p.people = newPeople(t, codes)
		p.gate(p.seal)
		p.enrol(t, true)
		p.open("ann", supervisor.ChannelTerminal, "", p.now)
		text := code(p.secret, p.now)
		for _, words := range []string{wrongCode(p.secret, p.now), "call " + text,
			code(p.secret, p.now.Add(-5*time.Minute)), "hello"} {
			if m := p.spendUnexpected(t, terminalText(words)); m.CheckCode != nil {
				t.Errorf("codes %s: %q is no words", codes, words)
			}
		}
		m := p.spendUnexpected(t, terminalText(" "+text[:3]+" "+text[3:]))
		if m.CheckCode == nil {
			t.Fatalf("codes %s: a right code is words: %+v", codes, m)
		}
		before := p.factors["ann"]
		v := p.attempt("ann", m.CheckCode, p.now)
		if v.Right || v.Action != "code.unasked" || !strings.Contains(v.Text, "is used up") {
			t.Errorf("codes %s: %+v", codes, v)
		}
		if after := p.factors["ann"]; after.Failures != before.Failures || after.LastPeriod <= before.LastPeriod || len(after.Recovery) != 10 {
			t.Errorf("codes %s: it became %+v", codes, after)
		}
		if v := p.attempt("ann", p.DecideStepUp("ann", text), p.now); v.Right {
			t.Errorf("codes %s: it is right for something else afterwards", codes)
		}
		// of two equal codes, the second one comes after the first has opened the gate
		for _, spent := range []string{text, code(p.secret, p.now.Add(-2*time.Minute))} {
			m := p.spendUnexpected(t, terminalText(spent))
			if m.CheckCode == nil {
				t.Fatalf("codes %s: a code that was right a moment ago is words", codes)
			}
			before := p.factors["ann"]
			if v := p.attempt("ann", m.CheckCode, p.now); v.Right || !strings.Contains(v.Text, "used already") {
				t.Errorf("codes %s: %+v", codes, v)
			}
			if after := p.factors["ann"]; after.Failures != before.Failures || after.LastPeriod != before.LastPeriod {
				t.Errorf("codes %s: it became %+v", codes, after)
			}
		}
	}
}

// Users whose codes are off may have recovery codes too, for effects that need a new code.
func TestSpendUnexpectedCode_Recovery_IsUsedUp(t *testing.T) {
	p := newRig(t)
	p.people = newPeople(t, supervisor.TOTPOff)
	p.gate(p.seal)
	p.enrol(t, true)
	m := p.spendUnexpected(t, terminalText(p.codes[3]))
	if m.CheckCode == nil {
		t.Fatalf("it is words: %+v", m)
	}
	if v := p.attempt("ann", m.CheckCode, p.now); v.Right || !strings.Contains(v.Text, "You have 9 recovery codes left") {
		t.Errorf("%+v", v)
	}
	if m := p.spendUnexpected(t, terminalText(p.codes[3])); m.CheckCode != nil {
		t.Errorf("used up it is no words: %+v", m)
	}
}

// Without a confirmed and readable factor no text is a code.
func TestSpendUnexpectedCode_NoFactor_DoesNothing(t *testing.T) {
	for name, prepare := range map[string]func(*rig){
		"not confirmed": func(p *rig) { p.enrol(t, false) },
		"no key":        func(p *rig) { p.enrol(t, true); p.gate(nil) },
		"suspended": func(p *rig) {
			p.enrol(t, true)
			if err := p.people.SetUsers([]supervisor.User{{Name: "ann", Codes: supervisor.TOTPOff}},
				access.StoredUsers{Suspended: []string{"ann"}}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		p := newRig(t)
		p.people = newPeople(t, supervisor.TOTPOff)
		p.gate(p.seal)
		prepare(p)
		if m := p.spendUnexpected(t, terminalText(code(p.secret, p.now))); m.CheckCode != nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
