package access_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/command"
	"mews/supervisor/slash"
)

var noon = time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC)

// annsID is the number of ann on Telegram, and of her private chat there.
const annsID = 101

// memoryFactors stores factors and logins in memory.
type memoryFactors struct {
	mu      sync.Mutex // guards the fields below
	factors map[string]supervisor.SecondFactor
	logins  map[access.AccountBinding]supervisor.Login
	broken  error
}

func (k *memoryFactors) Find(_ context.Context, user string) (supervisor.SecondFactor, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.factors[user]
	return f, ok, k.broken
}

func (k *memoryFactors) FindLogin(_ context.Context, user string, channel supervisor.Channel,
	chat string) (supervisor.Login, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.logins[access.AccountBinding{Channel: channel, Account: chat, User: user}]
	return l, ok, k.broken
}

// attempt checks a code in a transaction, as the real store does.
func (k *memoryFactors) attempt(user string, decide supervisor.LoginCodeChecker,
	now time.Time) supervisor.LoginCodeResult {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, v := decide(k.factors[user], now)
	k.factors[user] = f
	return v
}

func (k *memoryFactors) open(user string, channel supervisor.Channel, chat string, at time.Time) {
	k.logins[access.AccountBinding{Channel: channel, Account: chat, User: user}] =
		supervisor.Login{User: user, Channel: channel, Chat: chat, OpenedAt: at, UsedAt: at}
}

// rig is a gate with the users ann and bob, and a clock that stands still.
type rig struct {
	*access.Gate
	*memoryFactors
	people *access.People
	seal   *access.Sealer
	now    time.Time
	secret string   // ann's secret
	codes  []string // ann's recovery codes
	alerts []string

	held    map[supervisor.Conversation]int64 // held inbounds that a code from the conversation releases
	heldErr error
}

func newRig(t testing.TB) *rig {
	p := &rig{seal: access.NewSealer(key), now: noon, memoryFactors: &memoryFactors{
		factors: map[string]supervisor.SecondFactor{}, logins: map[access.AccountBinding]supervisor.Login{}}}
	p.people = newPeople(t, supervisor.TOTPOptional)
	p.gate(p.seal)
	return p
}

func newPeople(t testing.TB, codes supervisor.TOTPPolicy) *access.People {
	t.Helper()
	p, err := access.NewPeople([]supervisor.User{
		{Name: "ann", Role: supervisor.RoleUser, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: strconv.Itoa(annsID)}, Timezone: "Asia/Kathmandu", Codes: codes},
		{Name: "bob", Role: supervisor.RoleUser, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "102"}, Codes: codes},
	}, own, accounts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *rig) gate(seal *access.Sealer) {
	commands, err := command.New(command.Options{})
	if err != nil {
		panic(err)
	}
	p.Gate = access.NewGate(access.Options{People: p.people, Factors: p.memoryFactors, Logins: p.memoryFactors,
		Seal:    seal,
		Command: commands.FindCommand,
		Now:     func() time.Time { return p.now }, Held: func(_ context.Context, c supervisor.Conversation) (int64, error) { return p.held[c], p.heldErr },
		AlertAdmins: func(user, text string) { p.alerts = append(p.alerts, user+": "+text) }})
}

// enrol gives ann a second factor.
func (p *rig) enrol(t testing.TB, confirmed bool) {
	e := enrol(t, p.seal, "ann")
	codes, digests := access.NewRecoveryCodes()
	p.codes = nil
	for _, c := range codes {
		p.codes = append(p.codes, c.Reveal())
	}
	p.secret = e.Secret.Reveal()
	p.factors["ann"] = supervisor.SecondFactor{User: "ann", Secret: e.Sealed, Confirmed: confirmed, Recovery: digests}
}

// code returns the code that an app shows at a time.
func code(secret string, at time.Time) string {
	text, err := totp.GenerateCode(secret, at)
	if err != nil {
		panic(err)
	}
	return text
}

// wrongCode returns a code that is not valid around a time.
func wrongCode(secret string, at time.Time) string {
	near := map[string]bool{}
	for step := -2; step <= 2; step++ {
		near[code(secret, at.Add(time.Duration(step)*30*time.Second))] = true
	}
	for n := 100_000; ; n++ {
		if text := strconv.Itoa(n); !near[text] {
			return text
		}
	}
}

// try sends a code of ann at the rig's time.
func (p *rig) try(text string) supervisor.LoginCodeResult {
	return p.attempt("ann", p.DecideLogin("ann", text), p.now)
}

func (p *rig) decide(t testing.TB, in supervisor.Inbound) supervisor.GateDecision {
	t.Helper()
	m, err := p.Check(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// from returns the inbound of a user's text in a chat of a channel. On Telegram the sender is ann.
func from(user string, channel supervisor.Channel, chat, text string) supervisor.Inbound {
	in := supervisor.Inbound{Conversation: supervisor.Conversation{User: user, Channel: channel, Chat: chat},
		Kind: supervisor.KindText, Text: text}
	if channel == supervisor.ChannelTelegram {
		in.Sender = strconv.Itoa(annsID)
	}
	return in
}

// terminalText returns a text of ann in the terminal.
func terminalText(text string) supervisor.Inbound {
	return from("ann", supervisor.ChannelTerminal, "", text)
}

// asCommand returns the inbound as a command.
func asCommand(in supervisor.Inbound) supervisor.Inbound {
	in.Kind = supervisor.KindCommand
	in.Command, _ = slash.Parse(in.Text)
	return in
}

func asPress(in supervisor.Inbound) supervisor.Inbound {
	in.Kind = supervisor.KindPress
	return in
}
