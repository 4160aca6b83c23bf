package access_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
)

// fail sends n wrong codes of ann.
func (p *rig) fail(n int) (v supervisor.LoginCodeResult) {
	for range n {
		v = p.try(wrongCode(p.secret, p.now))
	}
	return v
}

func TestLockout_EachTime_IsLonger(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for i, c := range []struct {
		locked time.Duration
		until  string // the end of the lockout, in Kathmandu, whose time is 17:45 now
	}{
		{15 * time.Minute, "18:00 (Asia/Kathmandu)"},
		{time.Hour, "19:00 (Asia/Kathmandu)"},
		{24 * time.Hour, "19:00 on Tuesday, 15 September (Asia/Kathmandu)"},
		{24 * time.Hour, "19:00 on Wednesday, 16 September (Asia/Kathmandu)"},
	} {
		if v := p.fail(4); v.Action != "login.refused" || !strings.Contains(v.Text, "1 try is left") {
			t.Fatalf("%d: %+v", i, v)
		}
		if v := p.fail(1); v.Action != "login.locked" || !strings.Contains(v.Text, "before "+c.until) {
			t.Fatalf("%d: %+v", i, v)
		}
		end := p.now.Add(c.locked)
		p.now = end.Add(-time.Millisecond)
		was := p.factors["ann"]
		for _, text := range []string{wrongCode(p.secret, p.now), code(p.secret, p.now), p.codes[0]} {
			if v := p.try(text); v.Right || v.Action != "login.barred" || !strings.Contains(v.Text, "before "+c.until[:5]) {
				t.Errorf("%d, still locked: %+v", i, v)
			}
		}
		if is := p.factors["ann"]; is.Failures != was.Failures || is.Lockouts != was.Lockouts || !is.LockedUntil.Equal(was.LockedUntil) {
			t.Errorf("%d: a try during the lockout counts: %+v", i, is)
		}
		p.now = end
	}
	if v := p.try(code(p.secret, p.now)); !v.Right {
		t.Errorf("%+v", v)
	}
	if f := p.factors["ann"]; f.Failures != 0 || f.Lockouts != 0 || !f.LockedUntil.IsZero() {
		t.Errorf("a right code leaves %+v", f)
	}
	if v := p.fail(5); !p.factors["ann"].LockedUntil.Equal(p.now.Add(15 * time.Minute)) {
		t.Errorf("it does not begin anew: %+v", v)
	}
}

func TestVerify_ClockSetBack_SaysSo(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	if v := p.try(code(p.secret, p.now)); !v.Right {
		t.Fatalf("%+v", v)
	}
	p.now = noon.AddDate(-1, 0, 0)
	for range 20 {
		v := p.try(code(p.secret, p.now))
		if v.Right || !strings.Contains(v.Text, "clock") || !strings.Contains(v.Text, "14 September 2025") {
			t.Fatalf("%+v", v)
		}
	}
	if f := p.factors["ann"]; f.Failures != 0 || f.Lockouts != 0 {
		t.Errorf("the clock's error counts: %+v", f)
	}
	if v := p.try(p.codes[0]); !v.Right {
		t.Errorf("a recovery code: %+v", v)
	}
	p.now = noon.Add(step)
	if v := p.try(code(p.secret, p.now)); !v.Right {
		t.Errorf("when the clock is right again: %+v", v)
	}
}

func TestLockout_WrongClock_LastsOneDay(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	p.now = noon.AddDate(40, 0, 0)
	p.fail(5)
	p.now = noon
	if v := p.try(code(p.secret, p.now)); v.Right || v.Action != "login.barred" {
		t.Errorf("%+v", v)
	}
	p.now = noon.Add(12 * time.Hour)
	p.try(code(p.secret, p.now)) // a try during a lockout does not prolong it
	p.now = noon.Add(24 * time.Hour)
	if v := p.try(code(p.secret, p.now)); !v.Right {
		t.Errorf("a day later: %+v", v)
	}
}

// model is a simple second factor, to compare with the real factor.
type model struct {
	failures, lockouts int
	locked             time.Time
	last               int64
	recovery           map[string]bool
}

// enter says whether a code is right: the app code of a step, a recovery code, or a wrong code.
func (m *model) enter(now time.Time, step int64, recovery string) (right bool) {
	if m.locked.After(now.Add(24 * time.Hour)) {
		m.locked = now.Add(24 * time.Hour)
	}
	current := now.Unix() / 30
	switch {
	case m.locked.After(now):
		return false
	case recovery != "":
		right = m.recovery[recovery]
		delete(m.recovery, recovery)
	case step == current, step == current-1:
		if step <= m.last {
			return false // a used code is no failure
		}
		m.last, right = step, true
	case current < m.last:
		return false // refused, because the clock was set back
	}
	if right {
		m.failures, m.lockouts, m.locked = 0, 0, time.Time{}
		return true
	}
	if m.failures++; m.failures == 5 {
		m.failures = 0
		m.lockouts++
		m.locked = now.Add(map[int]time.Duration{1: 15 * time.Minute, 2: time.Hour}[m.lockouts])
		if m.lockouts > 2 {
			m.locked = now.Add(24 * time.Hour)
		}
	}
	return false
}

// The lockouts equal those of a simple factor, for any codes and any jumps of the clock. No lockout
// is longer than a day of the current clock.
func TestLockout_RandomCodes_MatchesReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newRig(t)
		p.enrol(t, true)
		m := model{recovery: map[string]bool{}}
		for _, c := range p.codes {
			m.recovery[c] = true
		}
		for range rapid.IntRange(1, 80).Draw(rt, "events") {
			switch rapid.SampledFrom([]string{"wait", "jump", "step", "wrong", "wrong", "wrong", "recovery"}).Draw(rt, "event") {
			case "wait":
				p.now = p.now.Add(time.Duration(rapid.Int64Range(0, int64(26*time.Hour)).Draw(rt, "wait")))
				continue
			case "jump":
				p.now = p.now.Add(time.Duration(rapid.Int64Range(-1e5, 1e5).Draw(rt, "hours")) * time.Hour)
				if p.now.Year() < 1971 {
					p.now = noon
				}
				continue
			case "step":
				ahead := rapid.Int64Range(-3, 2).Draw(rt, "ahead")
				at := p.now.Add(time.Duration(ahead) * step)
				// this code may be valid by chance, and the simple factor can't know that
				if ahead < -1 || ahead > 0 {
					if c := code(p.secret, at); c == code(p.secret, p.now) || c == code(p.secret, p.now.Add(-step)) {
						continue
					}
				}
				compareWithModel(rt, p, &m, code(p.secret, at), p.now.Unix()/30+ahead, "")
			case "wrong":
				compareWithModel(rt, p, &m, wrongCode(p.secret, p.now), -10, "")
			case "recovery":
				c := rapid.SampledFrom(p.codes).Draw(rt, "code")
				compareWithModel(rt, p, &m, c, -10, c)
			}
		}
	})
}

func compareWithModel(t *rapid.T, p *rig, m *model, text string, step int64, recovery string) {
	t.Helper()
	want := m.enter(p.now, step, recovery)
	v := p.try(text)
	f := p.factors["ann"]
	if v.Right != want {
		t.Fatalf("%+v, want %v", v, want)
	}
	if f.Failures != m.failures || f.Lockouts != m.lockouts || !f.LockedUntil.Equal(m.locked) || f.LastPeriod != m.last ||
		len(f.Recovery) != len(m.recovery) {
		t.Fatalf("the factor is %+v, the model %+v", f, *m)
	}
	if f.LockedUntil.After(p.now.Add(24 * time.Hour)) {
		t.Fatalf("locked until %v at %v", f.LockedUntil, p.now)
	}
}
