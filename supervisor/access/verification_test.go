package access_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/internal/codes"
)

const step = 30 * time.Second

// The expected codes are the last six digits of the codes in RFC 6238, appendix B.
func TestVerify_CodesOfRFC6238_AreRight(t *testing.T) {
	seal := access.NewSealer(key)
	// the RFC's secret, 12345678901234567890, in base32
	sealed, err := seal.Seal("ann", []byte("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
	if err != nil {
		t.Fatal(err)
	}
	p := newRig(t)
	for seconds, text := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924",
		2000000000: "279037", 20000000000: "353130"} {
		p.factors["ann"] = supervisor.SecondFactor{User: "ann", Secret: sealed, Confirmed: true}
		p.now = time.Unix(seconds, 0)
		if v := p.try(text); !v.Right || v.Action != "login" {
			t.Errorf("at %d: %+v", seconds, v)
		}
		if f := p.factors["ann"]; f.LastPeriod != seconds/30 {
			t.Errorf("at %d the step is %d", seconds, f.LastPeriod)
		}
	}
}

func TestVerify_Code_IsValidForTwoPeriods(t *testing.T) {
	p := newRig(t)
	for steps, want := range map[int]bool{-3: false, -2: false, -1: true, 0: true, 1: false, 2: false, 2880: false} {
		p.enrol(t, true)
		if v := p.try(code(p.secret, p.now.Add(time.Duration(steps)*step))); v.Right != want {
			t.Errorf("%d steps away: %+v", steps, v)
		}
	}
}

func TestVerify_CodeWithSpacesOrDash_IsRight(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	was := p.factors["ann"]
	c := code(p.secret, p.now)
	a, b := c[:3], c[3:]
	for _, text := range []string{c, " " + c + "\n", a + " " + b, a + "-" + b, a + " - " + b, a + "\u00a0" + b, a + "\u2009" + b,
		a + "\u2013" + b, strings.Join(strings.Split(c, ""), " "), c + ".", "Code: " + c, "\u200e" + c,
		strings.Map(func(r rune) rune { return '\u06f0' + r - '0' }, c)} {
		p.factors["ann"] = was
		if v := p.try(text); !v.Right {
			t.Errorf("%q: %+v", text, v)
		}
	}
	for _, text := range []string{"", c[:5], c + "0", c[:4] + "-" + c[4:], c + "?", "code " + c, a + "_" + b, "-" + c, "hello",
		strings.Repeat(" ", 1<<20) + c} {
		p.factors["ann"] = was
		if v := p.try(text); v.Right || v.Action != "login.refused" || p.factors["ann"].Failures != 0 {
			t.Errorf("%q: %+v, %d failures", text, v, p.factors["ann"].Failures)
		}
	}
}

func TestVerify_UsedCode_IsRefused(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	first := code(p.secret, p.now)
	if v := p.try(first); !v.Right {
		t.Fatalf("%+v", v)
	}
	for _, c := range []struct {
		after time.Duration
		text  string
		right bool
		says  string
	}{
		{0, first, false, "used already"},
		{0, code(p.secret, noon.Add(-step)), false, "used already"}, // a code older than the last accepted one
		{step, first, false, "used already"},
		{2 * step, first, false, "Wrong code"},
		{2 * step, code(p.secret, noon.Add(step)), true, "Unlocked"},
		{2 * step, code(p.secret, noon.Add(2*step)), true, "Unlocked"},
		{2 * step, code(p.secret, noon.Add(step)), false, "used already"},
	} {
		p.now = noon.Add(c.after)
		if v := p.try(c.text); v.Right != c.right || !strings.Contains(v.Text, c.says) {
			t.Errorf("after %v: %+v, want %q", c.after, v, c.says)
		}
	}
	if f := p.factors["ann"]; f.Failures != 0 {
		t.Errorf("a code that was used counts as a guess: %d", f.Failures)
	}
}

func TestVerify_SameCodeAtOnce_IsRightOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		text func(p *rig, i int) string
		want int64
	}{
		{"the same code", func(p *rig, _ int) string { return code(p.secret, p.now) }, 1},
		{"the same recovery code", func(p *rig, _ int) string { return p.codes[3] }, 1},
		{"wrong codes", func(p *rig, _ int) string { return wrongCode(p.secret, p.now) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newRig(t)
			p.enrol(t, true)
			text := c.text(p, 0)
			var right atomic.Int64
			var crowd sync.WaitGroup
			for range 100 {
				crowd.Go(func() {
					if p.try(text).Right {
						right.Add(1)
					}
				})
			}
			crowd.Wait()
			f := p.factors["ann"]
			if right.Load() != c.want {
				t.Errorf("%d were right", right.Load())
			}
			if c.want == 0 && (f.Lockouts != 1 || !f.LockedUntil.Equal(noon.Add(15*time.Minute))) {
				t.Errorf("left %+v", f)
			}
		})
	}
}

func TestVerify_FirstCode_ConfirmsFactor(t *testing.T) {
	p := newRig(t)
	p.enrol(t, false)
	if v := p.try(p.codes[0]); v.Right {
		t.Errorf("a recovery code confirmed it: %+v", v)
	}
	if v := p.attempt("ann", p.DecideStepUp("ann", code(p.secret, p.now)), p.now); v.Right || p.factors["ann"].Confirmed {
		t.Errorf("a step-up confirmed it: %+v", v)
	}
	if v := p.try(wrongCode(p.secret, p.now)); v.Right || p.factors["ann"].Failures != 1 {
		t.Errorf("%+v", v)
	}
	first := code(p.secret, p.now)
	v := p.try(first)
	if f := p.factors["ann"]; !v.Right || v.Action != "totp.enrolled" || !f.Confirmed || f.LastPeriod != noon.Unix()/30 || f.Failures != 0 {
		t.Errorf("%+v leaves %+v", v, f)
	}
	if v := p.try(first); v.Right {
		t.Errorf("it was taken again: %+v", v)
	}
}

func TestDecideStepUp_UsedCode_IsRefused(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	used := code(p.secret, p.now)
	if v := p.try(used); !v.Right {
		t.Fatalf("%+v", v)
	}
	stepUp := func(text string) supervisor.LoginCodeResult {
		return p.attempt("ann", p.DecideStepUp("ann", text), p.now)
	}
	if v := stepUp(used); v.Right || v.Action != "stepup.refused" {
		t.Errorf("%+v", v)
	}
	p.now = noon.Add(step)
	if v := stepUp(code(p.secret, p.now)); !v.Right || v.Action != "stepup" || v.Text != "Confirmed." {
		t.Errorf("%+v", v)
	}
	if v := p.attempt("bob", p.DecideStepUp("bob", "123456"), p.now); v.Right || !strings.Contains(v.Text, "no second factor") {
		t.Errorf("%+v", v)
	}
	if err := p.people.SetUsers([]supervisor.User{{Name: "ann"}},
		access.StoredUsers{Suspended: []string{"ann"}}); err != nil {
		t.Fatal(err)
	}
	p.now = noon.Add(3 * step)
	for _, name := range []string{"ann", "eve"} {
		if v := p.attempt("ann", p.DecideStepUp(name, code(p.secret, p.now)), p.now); v.Right {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestVerify_RecoveryCode_WorksOnce(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	spoilt := strings.NewReplacer("1", "l", "0", "o", "-", " ").Replace(strings.ToLower(p.codes[0]))
	for i, c := range []struct{ text, says string }{
		{p.codes[4], "9 recovery codes left"},
		{spoilt, "8 recovery"},
		{strings.ReplaceAll(p.codes[1], "-", ""), "7 recovery"},
		{" " + strings.ReplaceAll(p.codes[2], "-", "\u2014") + "\n", "6 recovery"},
		{strings.ReplaceAll(p.codes[3], "-", "--"), "5 recovery"},
		{p.codes[5], "4 recovery"}, {p.codes[6], "3 recovery"}, {p.codes[7], "2 recovery"}, {p.codes[8], "1 recovery code left"},
		{p.codes[9], "last recovery code"},
	} {
		v := p.try(c.text)
		if !v.Right || v.Action != "login.recovery" || !strings.Contains(v.Text, c.says) {
			t.Errorf("%d: %+v", i, v)
		}
	}
	f := p.factors["ann"]
	if len(f.Recovery) != 0 || f.LastPeriod != 0 {
		t.Errorf("left %+v", f)
	}
	if v := p.try(p.codes[4]); v.Right || p.factors["ann"].Failures != 1 {
		t.Errorf("again: %+v, %d failures", v, p.factors["ann"].Failures)
	}
}

func TestVerify_RecoveryCode_KeepsCallersSlice(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	f := p.factors["ann"]
	was := slices.Clone(f.Recovery)
	left, v := p.DecideLogin("ann", p.codes[0])(f, p.now)
	if !v.Right || len(left.Recovery) != 9 || !slices.Equal(f.Recovery, was) {
		t.Errorf("%+v; %d left; changed: %v", v, len(left.Recovery), !slices.Equal(f.Recovery, was))
	}
}

func TestVerify_UnreadableFactor_AcceptsNoCode(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	text := code(p.secret, p.now)
	sound := p.factors["ann"]
	for name, spoil := range map[string]func(*supervisor.SecondFactor){
		"changed":   func(f *supervisor.SecondFactor) { f.Secret = append(slices.Clone(f.Secret[1:]), 0) },
		"bob's":     func(f *supervisor.SecondFactor) { f.Secret = enrol(t, p.seal, "bob").Sealed },
		"no secret": func(f *supervisor.SecondFactor) { f.Secret, _ = p.seal.Seal("ann", []byte("not base32!")) },
	} {
		f := sound
		spoil(&f)
		p.factors["ann"] = f
		if v := p.try(text); v.Right || v.Action != "login.broken" || p.factors["ann"].Failures != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	p.factors["ann"] = sound
	p.gate(nil)
	if v := p.try(text); v.Right || v.Action != "login.broken" {
		t.Errorf("without a key: %+v", v)
	}
	p.factors = map[string]supervisor.SecondFactor{}
	if v := p.try(text); v.Right {
		t.Errorf("without a factor: %+v", v)
	}
}

// Without the key a code is not checked, and stays valid: it opens the gate once the key is back. A
// recovery code that other people have read is still used up.
func TestCheck_MissingKey_CodeStaysValid(t *testing.T) {
	for what, enrolled := range map[string]bool{"confirmed": true, "not confirmed yet": false} {
		p := newRig(t)
		p.enrol(t, enrolled)
		p.gate(nil)
		for _, text := range []string{code(p.secret, p.now), p.codes[0]} {
			m := p.decide(t, from("ann", supervisor.ChannelTelegram, privateChat, text))
			if m.CheckCode == nil || m.Check != nil {
				t.Fatalf("%s, %q: %+v", what, text, m)
			}
			before := p.factors["ann"]
			v := p.attempt("ann", m.CheckCode, p.now)
			if v.Right || !cmp.Equal(p.factors["ann"], before) || enrolled && !strings.Contains(v.Text, "no code can be checked") {
				t.Errorf("%s, %q: %+v, and the factor is %+v", what, text, v, p.factors["ann"])
			}
		}
		shown := p.decide(t, from("ann", supervisor.ChannelTelegram, group, p.codes[1]))
		if v := p.attempt("ann", shown.CheckCode, p.now); v.Right || v.Action != "login.exposed" || len(p.factors["ann"].Recovery) != 9 {
			t.Errorf("%s, in a group: %+v", what, v)
		}
		p.gate(p.seal)
		first := code(p.secret, p.now) // this code confirms the factor
		if v := p.try(first); !v.Right {
			t.Errorf("%s, once the key is back: %+v", what, v)
		}
		if v := p.try(p.codes[0]); !v.Right {
			t.Errorf("%s, once the key is back, the recovery code: %+v", what, v)
		}
		if v := p.try(p.codes[1]); v.Right {
			t.Errorf("%s: what others have read opens the gate", what)
		}
	}
}

// No result contains the sent text or the secret.
func TestVerify_Results_ContainNoSecret(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for _, text := range []string{code(p.secret, p.now), code(p.secret, p.now), wrongCode(p.secret, p.now), p.codes[0], p.codes[0], "hello"} {
		v := p.try(text)
		if said := v.Text + v.Action; strings.Contains(said, text) || strings.Contains(said, p.secret) {
			t.Errorf("%q says too much", said)
		}
	}
}

// A text that counts as a code is short and has no words in it. Only a code opens a gate.
func FuzzIsCode(f *testing.F) {
	for _, text := range []string{"", "123456", "123-456", "l0o0 0000 0000 0000 0000 0000 oi", "what time does that show open at", "\xff",
		"/stop", strings.Repeat("1 ", 100), "\u0661\u0662\u0663\u0664\u0665\u0666", "\uff11\uff12\uff13\uff14\uff15\uff16", "\u200e123456", "123456.",
		"Code: 123456", "my recovery code: 0000-0000-0000-0000-0000-0000-00", "it is 0000-0000-0000-0000-0000-0000-00", "My code is 123456"} {
		f.Add(text)
	}
	p := newRig(f)
	p.enrol(f, true)
	was := p.factors["ann"]
	f.Fuzz(func(t *testing.T, text string) {
		p.gate(p.seal) // a new gate has a full bucket
		p.factors["ann"] = was
		code := p.decide(t, terminalText(text)).CheckCode != nil
		if code && (len(text) > 128 || !strings.ContainsAny(codes.Normalize(text), "0123456789")) {
			t.Errorf("%q is taken for a code", text)
		}
		if v := p.try(text); v.Right {
			t.Errorf("%q opened the gate", text)
		}
		if left := p.factors["ann"].Failures; !code && left != 0 {
			t.Errorf("%q is no code, and counts as a wrong one", text)
		}
	})
}
