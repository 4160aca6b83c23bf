package access_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
)

// outcome is the gate's decision in one word.
type outcome string

const (
	passes    outcome = "passes"    // the inbound is accepted
	guarded   outcome = "guarded"   // the inbound is held if the gate is closed
	never     outcome = "never"     // the inbound is answered with a reason, even if the gate is open
	tried     outcome = "tried"     // the text is checked as a code
	refused   outcome = "refused"   // the inbound is not accepted, and a refusal is sent
	quiet     outcome = "quiet"     // the inbound is not accepted, and no refusal is sent
	elsewhere outcome = "elsewhere" // held if the gate is closed, and the challenge goes to the private chat
	apart     outcome = "apart"     // the inbound is answered even if the gate is open, in the private chat
)

func outcomeOf(m supervisor.GateDecision) outcome {
	g := m.Check
	switch {
	case m.Refusal != "" && m.AlreadyTold:
		return quiet
	case m.Refusal != "":
		return refused
	case m.CheckCode != nil:
		return tried
	case g == nil:
		return passes
	case g.AnswerOnly && g.ChallengeIn != (supervisor.Conversation{}):
		return apart
	case g.AnswerOnly:
		return never
	case g.ChallengeIn != (supervisor.Conversation{}):
		return elsewhere
	}
	return guarded
}

const (
	privateChat = "101"  // ann's private chat
	group       = "-100" // a group that has ann as a member
)

// sent makes each kind of inbound from ann, by its name in decisions.
var sent = map[string]func(p *rig, in supervisor.Inbound) supervisor.Inbound{
	"text":   func(_ *rig, in supervisor.Inbound) supervisor.Inbound { return in },
	"digits": func(_ *rig, in supervisor.Inbound) supervisor.Inbound { in.Text = "12 34 56"; return in },
	"recovery": func(p *rig, in supervisor.Inbound) supervisor.Inbound {
		in.Text = p.codes[0]
		return in
	},
	"/stop":  func(_ *rig, in supervisor.Inbound) supervisor.Inbound { in.Text = "/stop"; return asCommand(in) },
	"/start": func(_ *rig, in supervisor.Inbound) supervisor.Inbound { in.Text = "/start"; return asCommand(in) },
	"/new":   func(_ *rig, in supervisor.Inbound) supervisor.Inbound { in.Text = "/new"; return asCommand(in) },
	"press":  func(_ *rig, in supervisor.Inbound) supervisor.Inbound { in.Text = "123456"; return asPress(in) },
	"voice": func(_ *rig, in supervisor.Inbound) supervisor.Inbound {
		in.Kind, in.Text = "voice", "123456"
		return in
	},
}

// states sets up each state of ann's factor, by its name in decisions.
var states = map[string]func(t *testing.T, p *rig){
	"none":      func(*testing.T, *rig) {},
	"enrolling": func(t *testing.T, p *rig) { p.enrol(t, false) },
	"closed":    func(t *testing.T, p *rig) { p.enrol(t, true) },
	"open": func(t *testing.T, p *rig) {
		p.enrol(t, true)
		for channel, chats := range map[supervisor.Channel][]string{supervisor.ChannelTelegram: {privateChat, group},
			supervisor.ChannelTerminal: {""}} {
			for _, chat := range chats {
				p.open("ann", channel, chat, p.now.Add(-time.Minute))
			}
		}
	},
	"keyless": func(t *testing.T, p *rig) { p.enrol(t, true); p.gate(nil) },
	"halfway": func(t *testing.T, p *rig) { p.enrol(t, false); p.gate(nil) },
	"failing": func(t *testing.T, p *rig) { p.enrol(t, true); p.broken = errors.New("disk I/O error") },
}

// decisions has the outcome of each inbound, by the user's codes and the state of the factor. The
// outcome in a group is in brackets; * means all other inbounds.
var decisions = map[supervisor.TOTPPolicy]map[string]string{
	supervisor.TOTPOptional: {
		"none":      "*:passes(passes)",
		"enrolling": "*:passes(passes) digits:tried(passes) recovery:tried(tried)",
		"closed":    "*:guarded(elsewhere) digits:tried(elsewhere) recovery:tried(tried) press:refused(refused)",
		"open":      "*:guarded(elsewhere) recovery:tried(tried)",
		"keyless":   "*:never(apart) digits:tried(apart) recovery:tried(tried) press:refused(refused)",
		"halfway":   "*:passes(passes) digits:tried(passes) recovery:tried(tried)",
		"failing":   "*:never(apart) recovery:refused(refused) press:refused(refused)",
	},
	supervisor.TOTPRequired: {
		"none":      "*:never(apart) recovery:refused(refused) press:refused(refused)",
		"enrolling": "*:never(apart) digits:tried(apart) recovery:tried(tried) press:refused(refused)",
		"closed":    "*:guarded(elsewhere) digits:tried(elsewhere) recovery:tried(tried) press:refused(refused)",
		"open":      "*:guarded(elsewhere) recovery:tried(tried)",
		"keyless":   "*:never(apart) digits:tried(apart) recovery:tried(tried) press:refused(refused)",
		"halfway":   "*:never(apart) digits:tried(apart) recovery:tried(tried) press:refused(refused)",
		"failing":   "*:never(apart) recovery:refused(refused) press:refused(refused)",
	},
	supervisor.TOTPOff: {
		"none": "*:passes(passes)", "enrolling": "*:passes(passes)", "closed": "*:passes(passes)", "open": "*:passes(passes)",
		"keyless": "*:passes(passes)", "halfway": "*:passes(passes)", "failing": "*:passes(passes)",
	},
}

// wantOutcome reads the outcome from a row of decisions. /stop and /start always pass.
func wantOutcome(row, what string, private bool) outcome {
	if what == "/stop" || what == "/start" {
		return passes
	}
	var found string
	for _, cell := range strings.Fields(row) {
		if name, of, _ := strings.Cut(cell, ":"); name == what || name == "*" && found == "" {
			found = of
		}
	}
	one, other, _ := strings.Cut(strings.TrimSuffix(found, ")"), "(")
	if private {
		return outcome(one)
	}
	return outcome(other)
}

func TestCheck_EachInboundAndState_MatchesTable(t *testing.T) {
	decisions := maps.Clone(decisions)
	decisions[""] = decisions[supervisor.TOTPOptional]
	// an unknown policy of codes is as strict as TOTPRequired
	decisions["sometimes"] = decisions[supervisor.TOTPRequired]
	places := []struct {
		channel supervisor.Channel
		chat    string
		private bool
	}{{supervisor.ChannelTerminal, "", true}, {supervisor.ChannelTerminal, "side", true},
		{supervisor.ChannelTelegram, privateChat, true},
		{supervisor.ChannelTelegram, group, false}}
	for codes, rows := range decisions {
		for state, row := range rows {
			for what, made := range sent {
				for _, place := range places {
					p := newRig(t)
					p.people = newPeople(t, codes)
					p.gate(p.seal)
					states[state](t, p)
					if p.codes == nil {
						p.codes = []string{"0000-0000-0000-0000-0000-0000-00"}
					}
					if state == "open" {
						p.open("ann", place.channel, place.chat, p.now)
					}
					m := p.decide(t, made(p, from("ann", place.channel, place.chat, "hello")))
					if got, want := outcomeOf(m), wantOutcome(row, what, place.private); got != want {
						t.Errorf("codes %q, %s, %s in %s %q: %s, want %s", codes, state, what, place.channel, place.chat, got, want)
					}
					p.checkChallenge(t, m)
				}
			}
		}
	}
}

// checkChallenge fails unless codes are asked for in private, in sentences and without a secret.
func (p *rig) checkChallenge(t *testing.T, m supervisor.GateDecision) {
	t.Helper()
	said := m.Refusal
	if m.Check != nil {
		said = m.Check.Challenge
		home := supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: privateChat}
		if m.Check.ChallengeIn != (supervisor.Conversation{}) && m.Check.ChallengeIn != home {
			t.Errorf("the challenge is in %+v", m.Check.ChallengeIn)
		}
		if !m.Check.AnswerOnly && (m.Check.IdleTimeout != 30*time.Minute || m.Check.Lifetime != 12*time.Hour) {
			t.Errorf("open for %v, %v", m.Check.IdleTimeout, m.Check.Lifetime)
		}
		if said == "" {
			t.Error("nothing is said")
		}
	}
	if said != "" && (!strings.HasSuffix(said, ".") || said[0] < 'A' || said[0] > 'Z') {
		t.Errorf("%q is no sentence", said)
	}
	for _, secret := range []string{p.secret, "disk I/O"} {
		if secret != "" && strings.Contains(said, secret) {
			t.Errorf("%q says too much", said)
		}
	}
}

// A code is accepted only in a chat that its user alone can read.
func TestCheck_CodeOutsidePrivateChat_IsNoLogin(t *testing.T) {
	for name, in := range map[string]supervisor.Inbound{
		"a group":                     from("ann", supervisor.ChannelTelegram, group, "123456"),
		"another user's private chat": from("ann", supervisor.ChannelTelegram, "102", "123456"),
		"no chat":                     from("ann", supervisor.ChannelTelegram, "", "123456"),
		"a channel's post":            {Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: "-100"}, Sender: "-100", Kind: supervisor.KindText, Text: "123456"},
		"no sender":                   {Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: privateChat}, Kind: supervisor.KindText, Text: "123456"},
		"an unknown channel":          from("ann", "pigeon", "1", "123456"),
	} {
		p := newRig(t)
		p.enrol(t, true)
		m := p.decide(t, in)
		if m.CheckCode != nil || m.Check == nil {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		if in.Sender != "101" && !m.Check.AnswerOnly {
			t.Errorf("%s: it waits for a code that can't be sent", name)
		}
	}
}

func TestIsCode_OtherTexts_IsFalse(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	mistyped := strings.Replace(p.codes[0], p.codes[0][:1], map[bool]string{true: "3", false: "2"}[p.codes[0][0] == '2'], 1)
	for text, want := range map[string]bool{
		"123456": true, "123 456": true, "123-456": true, " 123456\n": true, "1 2 3 4 5 6": true,
		p.codes[1]: true, strings.ToLower(p.codes[1]): true, strings.ReplaceAll(p.codes[1], "-", " "): true,
		strings.ReplaceAll(p.codes[1], "-", ""): true, p.codes[1][:9] + " - " + p.codes[1][10:]: true, mistyped: true,
		"0000-0000-0000-0000-0000-0000-00": true, "l0o0 0000 0000 0000 0000 0000 oi": true,
		"12345": false, "1234567": false, "2026-11": false, "12-34-56": false, "123456?": false, "call 123456": false,
		"what time does that show open at": false, "WHAT-TIME-DOES-THAT-SHOW-OPEN-AT": false, "meet ann at 5": false,
		p.codes[1] + "0": false, p.codes[1][1:]: false, "/stop": false,
		"\u0661\u0662\u0663\u0664\u0665\u0666": true, "\uff11\uff12\uff13\uff14\uff15\uff16": true, "\u200e123456": true, "123456.": true,
		"Code: 123456": true, "My code is 123456": false, "Recovery code: " + p.codes[1]: true, "\u202a" + p.codes[1] + "\u202c.": true,
	} {
		if got := p.decide(t, terminalText(text)).CheckCode != nil; got != want {
			t.Errorf("%q is a code: %v", text, got)
		}
		if got := access.IsCode(text); got != want {
			t.Errorf("%q looks like a code: %v", text, got)
		}
		p.now = p.now.Add(time.Second)
	}
}

// A recovery code is valid for years. If the gate held a message with such a code, a model would
// read the code once the gate is open.
func TestCheck_RecoveryCodeInSentence_IsRefused(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for text, want := range map[string]outcome{
		"my recovery code is " + p.codes[0]: refused, "a " + strings.ReplaceAll(p.codes[0], "-", " ") + " b": refused,
		strings.Join(p.codes, "\n"): refused, "(" + strings.ToLower(strings.ReplaceAll(p.codes[0], "-", "")) + ")": refused,
		"say what time does that show open at all": guarded, "order 4711-0815": guarded,
		"is long long long long long 716708": guarded,
	} {
		for name, in := range map[string]supervisor.Inbound{"private": terminalText(text), "a command": asCommand(terminalText("/ask " + text)),
			"a group": from("ann", supervisor.ChannelTelegram, group, text)} {
			if got := outcomeOf(p.decide(t, in)); got != want && (got != elsewhere || want != guarded) {
				t.Errorf("%q, %s: %s, want %s", text, name, got, want)
			}
			p.now = p.now.Add(time.Second)
		}
	}
	p.open("ann", supervisor.ChannelTerminal, "", p.now)
	if got := outcomeOf(p.decide(t, terminalText("it was "+p.codes[0]))); got != guarded {
		t.Errorf("while it is open: %s", got)
	}
}

// Six digits next to a word open nothing, but the user gets an answer.
func TestCheck_CodeInSentence_RepeatsChallenge(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for text, want := range map[string]bool{"my code is 716708": true, "716 708 x": true, "716708x": true, "hello": false, "1716708": false,
		"order 4711": false, strings.Repeat("long ", 30) + "716708": false} {
		m := p.decide(t, terminalText(text))
		if m.Check == nil || m.Check.RepeatSoon != want || strings.HasPrefix(m.Check.Challenge,
			"Send the code alone, without other words. Locked.") != want {
			t.Errorf("%q: %+v", text, m)
		}
		p.now = p.now.Add(time.Second)
	}
}

// A recovery code with other spaces or dashes has the same digest.
func TestCheck_SpacedRecoveryCode_IsRecognized(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	text := strings.Join(strings.Split(strings.ReplaceAll(p.codes[2], "-", ""), ""), " ")
	if m := p.decide(t, terminalText(text)); m.CheckCode == nil || access.IsCode(text) {
		t.Errorf("%+v", m)
	}
}

func TestCheck_Commands_PassLockedGate(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for text, want := range map[string]bool{
		"/start": true, "/help": true, "/stop": true, "/lock": true, "/STOP@mews_bot x": true, "/Lock\tnow": true, "/help\n": true,
		"/start CODE": true, "/status": false, "/new": false, "/stopp": false, "/st": false, "/model x": false, "/unlock": false,
		"/@stop": false, "//stop": false, "/ stop": false, "/resend": false, "/usage": false,
	} {
		if got := outcomeOf(p.decide(t, asCommand(terminalText(text)))); (got == passes) != want {
			t.Errorf("%q is open: %v", text, !want)
		}
		for name, in := range map[string]supervisor.Inbound{"as text": terminalText(text), "pressed": asPress(terminalText(text))} {
			if got := p.decide(t, in); got.Check == nil && got.Refusal == "" {
				t.Errorf("%q %s is let through", text, name)
			}
		}
		p.now = p.now.Add(10 * time.Second)
	}
}

func TestCheck_ExpiredLogin_NeedsACode(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	for after, want := range map[time.Duration]outcome{
		-time.Second: tried, 0: guarded, 30*time.Minute - 1: guarded, 30 * time.Minute: tried, 13 * time.Hour: tried,
	} {
		p.open("ann", supervisor.ChannelTerminal, "", noon)
		p.now = noon.Add(after)
		if got := outcomeOf(p.decide(t, terminalText("123456"))); got != want {
			t.Errorf("%v after: %s, want %s", after, got, want)
		}
	}
	p.SetLimits(access.GateLimits{IdleTimeout: 20 * time.Hour, Lifetime: 14 * time.Hour})
	p.now = noon.Add(13 * time.Hour)
	m := p.decide(t, terminalText("123456"))
	if m.Check == nil || m.Check.IdleTimeout != 20*time.Hour || m.Check.Lifetime != 14*time.Hour {
		t.Errorf("with other limits: %+v", m)
	}
	if v := p.try(code(p.secret, p.now)); !strings.Contains(v.Text, "14 hours") || !strings.Contains(v.Text, "20 hours") {
		t.Errorf("%+v", v)
	}
}

// A held group message needs a code from the private chat, even if the gate there is open.
func TestCheck_HeldGroupMessage_NeedsPrivateCode(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	at := access.AccountBinding{Channel: supervisor.ChannelTerminal, User: "ann"}
	p.logins[at] = supervisor.Login{User: "ann", Channel: supervisor.ChannelTerminal, OpenedAt: p.now, UsedAt: p.now}
	text := code(p.secret, p.now)
	m := p.decide(t, terminalText(text))
	if m.CheckCode != nil || m.Check == nil {
		t.Fatalf("if nothing waits: got %+v", m)
	}
	if m.Check.CheckCode == nil || !p.attempt("ann", m.Check.CheckCode, p.now).Right {
		t.Errorf("if the gate closes meanwhile, it is no code: %+v", m.Check)
	}
	p.held = map[supervisor.Conversation]int64{from("ann", supervisor.ChannelTelegram, "101", "").Conversation: 1}
	if m := p.decide(t, terminalText(text)); m.CheckCode != nil || m.Check == nil {
		t.Errorf("if a message waits for a code from another chat: got %+v", m)
	}
	p.held[terminalText("").Conversation] = 1
	if m := p.decide(t, terminalText(text)); m.CheckCode == nil {
		t.Errorf("if a message waits for a code from here: got %+v", m)
	}
	p.heldErr = errors.New("boom")
	if m := p.decide(t, terminalText(text)); m.Check == nil || !m.Check.AnswerOnly {
		t.Errorf("if the waiting messages are unknown: got %+v", m)
	}
}

func TestCheck_RightCode_OpensTheGate(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	m := p.decide(t, terminalText(code(p.secret, p.now)))
	if m.CheckCode == nil {
		t.Fatalf("%+v", m)
	}
	if v := p.attempt("ann", m.CheckCode, p.now); !v.Right || v.Action != "login" ||
		v.Text != "Unlocked for 12 hours at most. If you send nothing for 30 minutes, I lock again. "+
			"/lock locks at once." {
		t.Errorf("%+v", v)
	}
}

func TestCheck_LockedOut_ChallengeSaysUntilWhen(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	p.fail(5)
	if m := p.decide(t, terminalText("hello")); !strings.HasSuffix(m.Check.Challenge,
		"Too many codes were wrong, so I accept none before 18:00 (Asia/Kathmandu).") {
		t.Errorf("%q", m.Check.Challenge)
	}
	p.now = noon.Add(15 * time.Minute)
	if m := p.decide(t, terminalText("hello")); strings.Contains(m.Check.Challenge, "before") {
		t.Errorf("%q", m.Check.Challenge)
	}
}

func TestCheck_UnknownOrSuspendedUser_IsIgnored(t *testing.T) {
	p := newRig(t)
	if err := p.people.SetUsers([]supervisor.User{{Name: "ann",
		Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: fmt.Sprint(annsID)}}},
		access.StoredUsers{Suspended: []string{"ann"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "eve", ""} {
		for _, in := range []supervisor.Inbound{from(name, supervisor.ChannelTelegram, privateChat, "hi"),
			asCommand(from(name, supervisor.ChannelTerminal, "", "/stop")),
			asPress(from(name, supervisor.ChannelTerminal, "", "x"))} {
			if m := p.decide(t, in); outcomeOf(m) != quiet {
				t.Errorf("%q: %+v", name, m)
			}
		}
	}
}

func TestCheck_UnreadableFactor_AlertsHourly(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	p.factors["bob"] = p.factors["ann"] // ann's sealed secret does not open for bob
	meet := func() {
		p.decide(t, terminalText("hello"))
		p.decide(t, from("bob", supervisor.ChannelTerminal, "", "hello"))
	}
	meet()
	if len(p.alerts) != 1 || !strings.HasPrefix(p.alerts[0], "bob: bob is locked out, because Mews could not ") {
		t.Fatalf("%q", p.alerts)
	}
	p.gate(nil)
	for _, c := range []struct {
		at   time.Time
		want int // the number of alerts so far
	}{{noon, 3}, {noon.Add(time.Hour - 1), 3}, {noon.Add(time.Hour), 5}, {noon.AddDate(-1, 0, 0), 7}} {
		p.now = c.at
		meet()
		meet()
		if len(p.alerts) != c.want {
			t.Errorf("at %v there were %d alarms, want %d: %q", c.at, len(p.alerts), c.want, p.alerts)
		}
	}
	for _, a := range p.alerts {
		if strings.Contains(a, p.secret) {
			t.Errorf("%q says a secret", a)
		}
	}
}

func TestCheck_ContextEnded_DecidesNothing(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	p.broken = context.Canceled
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := p.Check(ctx, terminalText("hello")); !errors.Is(err, context.Canceled) || outcomeOf(m) != passes || len(p.alerts) != 0 {
		t.Errorf("%+v, %v, %q", m, err, p.alerts)
	}
}

func TestNewGate_Limits_ApplyAtOnce(t *testing.T) {
	p := newRig(t)
	p.enrol(t, true)
	gate := access.NewGate(access.Options{People: p.people, Factors: p.memoryFactors, Logins: p.memoryFactors,
		Seal:    p.seal,
		Now:     time.Now,
		Command: func(string) (c supervisor.SlashCommand) { return c },
		Held:    func(context.Context, supervisor.Conversation) (int64, error) { return 0, nil }, AlertAdmins: func(_,
			_ string) {
		}, Limits: access.GateLimits{IdleTimeout: time.Minute, Burst: 1, PerSecond: 0.01}})
	for _, want := range []outcome{guarded, refused, quiet} {
		m, err := gate.Check(t.Context(), terminalText("hello"))
		if err != nil || outcomeOf(m) != want || want == guarded && (m.Check.IdleTimeout != time.Minute || m.Check.Lifetime != 12*time.Hour) {
			t.Errorf("%+v, %v; want %s", m, err, want)
		}
	}
	p.broken = errors.New("disk I/O error") // the factor can't be read, and the gate can't alert any admin
	if m, err := gate.Check(t.Context(), from("bob", supervisor.ChannelTerminal, "", "hello")); err != nil || outcomeOf(m) != never {
		t.Errorf("%+v, %v", m, err)
	}
}

// NeedsCode follows the same rules as Check.
func TestNeedsCode_AgreesWithCheck(t *testing.T) {
	for name, c := range map[string]struct {
		codes     supervisor.TOTPPolicy
		enrolled  bool
		confirmed bool
		broken    error
		asks      bool
	}{
		"off":                     {codes: supervisor.TOTPOff, enrolled: true, confirmed: true},
		"optional, no factor":     {codes: supervisor.TOTPOptional},
		"optional, not confirmed": {codes: supervisor.TOTPOptional, enrolled: true},
		"optional, confirmed":     {codes: supervisor.TOTPOptional, enrolled: true, confirmed: true, asks: true},
		"required, no factor":     {codes: supervisor.TOTPRequired, asks: true},
		"required, confirmed":     {codes: supervisor.TOTPRequired, enrolled: true, confirmed: true, asks: true},
		"optional, unreadable":    {codes: supervisor.TOTPOptional, broken: errors.New("disk"), asks: true},
		"off, unreadable":         {codes: supervisor.TOTPOff, broken: errors.New("disk")},
	} {
		p := newRig(t)
		p.people = newPeople(t, c.codes)
		p.gate(p.seal)
		if c.enrolled {
			p.enrol(t, c.confirmed)
		}
		p.memoryFactors.broken = c.broken
		asks, err := p.NeedsCode(t.Context(), "ann")
		if asks != c.asks || (err != nil) != (c.broken != nil && c.asks) {
			t.Errorf("%s: got %v, %v", name, asks, err)
		}
		if m := p.decide(t, terminalText("hello")); (m.Check == nil) == asks {
			t.Errorf("%s: NeedsCode is %v, and the decision is %+v", name, asks, m)
		}
	}
	if asks, err := newRig(t).NeedsCode(t.Context(), "nobody"); !asks || err != nil {
		t.Errorf("of nobody: got %v, %v", asks, err)
	}
}
