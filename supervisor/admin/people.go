package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/placement"
	"mews/supervisor/sqlite"
)

// UserName are the parameters of what is about one person.
type UserName struct {
	User string `json:"user,omitempty"` // "" is whoever asks, where that may be
}

// People is what `mews user list` is told: everybody for an admin, else whoever asks.
type People struct {
	Users []Person `json:"users"`
}

// Person is somebody who may talk, with what lets them.
type Person struct {
	Name       string       `json:"name"`
	Role       string       `json:"role"`
	Configured bool         `json:"configured"` // they stand in the configuration; else they were added while Mews ran
	Suspended  bool         `json:"suspended,omitempty"`
	Account    string       `json:"account,omitempty"`
	Timezone   string       `json:"timezone,omitempty"`
	Home       string       `json:"home"`
	Model      string       `json:"model,omitempty"`
	Telegram   []string     `json:"telegram,omitempty"` // ids there
	Factor     SecondFactor `json:"second_factor"`
	Logins     []OpenLogin  `json:"logins,omitempty"` // where their gate is open
	Invites    int          `json:"invites,omitempty"`
	Budget     SpendLimits  `json:"budget,omitzero"`
}

// SecondFactor is how it stands with a person's second factor.
type SecondFactor struct {
	Mode        string    `json:"mode"`  // required, optional, off
	State       string    `json:"state"` // none, offered, confirmed
	LockedUntil time.Time `json:"locked_until,omitzero"`
}

// What a SecondFactor's State can be.
const (
	FactorNone      = "none"
	FactorOffered   = "offered" // made, and no code of it was sent yet
	FactorConfirmed = "confirmed"
)

type OpenLogin struct {
	Channel string    `json:"channel"`
	Chat    string    `json:"chat,omitempty"`
	Since   time.Time `json:"since"`
}

// SpendLimits is a budget in millionths of a US dollar; 0 is no limit.
type SpendLimits struct {
	Turn  int64 `json:"turn,omitempty"`
	Day   int64 `json:"day,omitempty"`
	Month int64 `json:"month,omitempty"`
}

// ListPeople tells of one person, or of all.
func (o *Service) ListPeople(ctx context.Context, by Caller, q UserName) (People, error) {
	names := []string{q.User}
	if by.Admin && q.User == "" {
		names = o.People.Names()
	}
	r, err := o.accessRecords(ctx)
	if err != nil {
		return People{}, err
	}
	list := People{Users: []Person{}}
	for _, name := range names {
		u, err := o.person(by, name)
		if err != nil {
			return People{}, err
		}
		list.Users = append(list.Users, o.describe(u, r))
	}
	return list, nil
}

// accessRecords is what is kept of all people's ways in.
type accessRecords struct {
	factors  []supervisor.Factor
	bindings []sqlite.Binding
	logins   []supervisor.Login
	invites  []sqlite.Invite
}

func (o *Service) accessRecords(ctx context.Context) (r accessRecords, err error) {
	if r.factors, err = o.Store.Factors.List(ctx); err != nil {
		return r, err
	}
	if r.bindings, err = o.Store.Bindings.List(ctx); err != nil {
		return r, err
	}
	if r.logins, err = o.Store.Logins.List(ctx); err != nil {
		return r, err
	}
	r.invites, err = o.Store.Invites.List(ctx)
	return r, err
}

func (o *Service) describe(u supervisor.User, r accessRecords) Person {
	p := Person{
		Name: u.Name, Role: string(u.Role), Configured: o.configured(u.Name), Suspended: o.People.Suspended(u.Name), Account: u.Account,
		Timezone: u.Timezone, Home: u.Home, Model: u.Model,
		Factor: SecondFactor{Mode: string(cmp.Or(u.Codes, supervisor.CodesOptional)), State: FactorNone},
		Budget: SpendLimits{Turn: u.Budget.Turn, Day: u.Budget.Day, Month: u.Budget.Month},
	}
	accounts := map[supervisor.Channel][]string{}
	for channel, number := range u.Accounts {
		accounts[channel] = []string{number}
	}
	for _, b := range r.bindings {
		if b.User == u.Name && !slices.Contains(accounts[b.Channel], b.Account) {
			accounts[b.Channel] = append(accounts[b.Channel], b.Account)
		}
	}
	p.Telegram = accounts[supervisor.ChannelTelegram]
	now, limits := o.Now(), o.Configuration.Facts().Logins
	for _, f := range r.factors {
		if f.User == u.Name {
			p.Factor.State = map[bool]string{false: FactorOffered, true: FactorConfirmed}[f.Confirmed]
			if now.Before(f.LockedUntil) {
				p.Factor.LockedUntil = f.LockedUntil
			}
		}
	}
	for _, l := range r.logins {
		if l.User == u.Name && l.Open(now, limits.IdleTimeout, limits.Lifetime) {
			p.Logins = append(p.Logins, OpenLogin{string(l.Channel), l.Chat, l.OpenedAt})
		}
	}
	for _, i := range r.invites {
		if i.User == u.Name {
			p.Invites++
		}
	}
	return p
}

// NewUser are the parameters of user.add.
type NewUser struct {
	Name     string `json:"name"`
	Role     string `json:"role"`
	Account  string `json:"account,omitempty"`
	Timezone string `json:"timezone,omitempty"`
	Again    bool   `json:"again,omitempty"` // they were here before, and are given what is kept of them
}

// Result is what became of a call, for a person.
type Result struct {
	Text string `json:"text"`
}

// AddPerson keeps a person, and gives them a folder below the state folder. The name is to be one that nobody had before, unless
// they are that person.
func (o *Service) AddPerson(ctx context.Context, by Caller, q NewUser) (Result, error) {
	facts := o.Configuration.Facts()
	u := supervisor.User{Name: q.Name, Role: supervisor.Role(q.Role), Account: q.Account, Timezone: q.Timezone, Home: facts.HomeOf(q.Name)}
	if err := o.Configuration.CheckAdded(u); err != nil {
		return Result{}, supervisor.Errorf(supervisor.CodeInvalid, textCantBeAdded, supervisor.Printable(q.Name), err)
	}
	if err := o.freeAccount(q.Account); err != nil {
		return Result{}, err
	}
	if err := o.freeName(ctx, q); err != nil {
		return Result{}, err
	}
	as := "as " + q.Role
	if q.Again {
		as += ", with what was kept of them"
	}
	if err := o.Store.People.Add(ctx, u, entry(by, q.Name, "user.added", as)); err != nil {
		return Result{}, err
	}
	if err := o.Configuration.Refresh(ctx); err != nil {
		_, undo := o.Store.People.Remove(ctx, q.Name, entry(by, q.Name, "user.removed", "it could not be used, as added"))
		if undo != nil {
			return Result{}, fmt.Errorf("%w; and they could not be taken out again: %w", err, undo)
		}
		return Result{}, supervisor.Errorf(supervisor.CodeUnavailable, textNotAdded, q.Name, err)
	}
	return Result{addedText(facts, q)}, nil
}

// addedText says who was added, with what, and how they talk from then on.
func addedText(facts Facts, q NewUser) string {
	home := facts.HomeOf(q.Name)
	text := fmt.Sprintf(textAdded, q.Name, q.Role, home)
	if q.Again {
		text = fmt.Sprintf(textAddedAgain, q.Name, q.Role, home)
	}
	if why := facts.Botless(); why != "" {
		return text + " " + why + fmt.Sprintf(textThenInvite, q.Name)
	}
	return text + fmt.Sprintf(textInviteThem, q.Name)
}

// Botless says why nobody can write to a bot, and what to do; "" is that there is one.
func (f Facts) Botless() string {
	if f.HasBot {
		return ""
	}
	return textNoBot
}

// freeName refuses a name of which something is kept, unless that is to be given back; and to give back what is not there.
func (o *Service) freeName(ctx context.Context, q NewUser) error {
	if _, known := o.People.Find(q.Name); known {
		return nil // to add them again is refused anyway
	}
	err := Unclaimed(ctx, o.Store.People, o.Configuration.Facts(), q.Name)
	switch {
	case !q.Again:
		return err
	case err == nil:
		return supervisor.Errorf(supervisor.CodeNotFound, textNothingToGiveBack, q.Name)
	case supervisor.ErrorCode(err) == supervisor.CodeForbidden:
		return nil
	}
	return err
}

// freeAccount refuses an OS account that is not there or is another person's.
func (o *Service) freeAccount(name string) error {
	if name == "" {
		return nil
	}
	if _, err := placement.FindAccount(name); err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textNoAccount, name)
	}
	for _, other := range o.People.Names() {
		if u, _ := o.People.Find(other); u.Account == name {
			return supervisor.Errorf(supervisor.CodeInvalid, textAccountTaken, name, other)
		}
	}
	return nil
}

// SuspendRequest are the parameters of user.suspend.
type SuspendRequest struct {
	User string `json:"user"`
	On   bool   `json:"on"`
}

// suspend has a person not speak for now, or speak again.
func (o *Service) suspend(ctx context.Context, by Caller, q SuspendRequest) (Result, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return Result{}, err
	}
	open, err := o.openLogins(ctx, u.Name)
	if err != nil {
		return Result{}, err
	}
	done := entry(by, u.Name, "user.enabled", "")
	if q.On {
		done = entry(by, u.Name, "user.disabled", amount.Of(open, "login", "logins")+" ended")
	}
	if err := o.Store.People.Suspend(ctx, u.Name, q.On, done); err != nil {
		return Result{}, err
	}
	if err := o.Configuration.Refresh(ctx); err != nil {
		return Result{}, fmt.Errorf("it is kept, and holds from the next start on at the latest: %w", err)
	}
	if !q.On {
		return Result{fmt.Sprintf(textEnabled, u.Name)}, nil
	}
	return Result{fmt.Sprintf(textSuspended, u.Name, amount.Of(open, "login was", "logins were"),
		u.Name)}, nil
}

// openLogins is in how many chats a person's gate is open.
func (o *Service) openLogins(ctx context.Context, user string) (n int, err error) {
	list, err := o.Store.Logins.List(ctx)
	limits := o.Configuration.Facts().Logins
	for _, l := range list {
		if l.User == user && l.Open(o.Now(), limits.IdleTimeout, limits.Lifetime) {
			n++
		}
	}
	return n, err
}

// removePerson takes out somebody who was added.
func (o *Service) removePerson(ctx context.Context, by Caller, q UserName) (Result, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return Result{}, err
	}
	if o.configured(u.Name) {
		return Result{}, supervisor.Errorf(supervisor.CodeInvalid, textRemoveConfigured, u.Name, u.Name)
	}
	if _, err := o.Store.People.Remove(ctx, u.Name, entry(by, u.Name, "user.removed", "")); err != nil {
		return Result{}, err
	}
	if err := o.Configuration.Refresh(ctx); err != nil {
		return Result{}, fmt.Errorf("it is kept, and holds from the next start on at the latest: %w", err)
	}
	return Result{fmt.Sprintf(textRemoved, u.Name, u.Home, u.Name)}, nil
}

// InviteRequest are the parameters of user.invite.
type InviteRequest struct {
	User   string `json:"user"`
	Enrol  bool   `json:"enrol,omitempty"` // it also lets them make a second factor in the chat
	Revoke bool   `json:"revoke,omitempty"`
}

// InviteResult is an invite as it is shown once.
type InviteResult struct {
	Code    string    `json:"code,omitempty"`
	Link    string    `json:"link,omitempty"` // "" where the bot's name is not known
	Expires time.Time `json:"expires,omitzero"`
	Enrol   bool      `json:"enrol,omitempty"`
	Revoked int64     `json:"revoked,omitempty"`
	Botless string    `json:"botless,omitempty"` // why there is no bot to send it to, and what to do
}

// InviteLasts is how long a code that was made in the chat can be used.
const InviteLasts = 24 * time.Hour

// Invite makes a one-time code that binds an account on Telegram to a person, or takes back those that nobody has used.
func (o *Service) Invite(ctx context.Context, by Caller, q InviteRequest) (InviteResult, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return InviteResult{}, err
	}
	if q.Revoke {
		n, err := o.Store.Invites.Revoke(ctx, u.Name, entry(by, u.Name, "invite.revoked", "all that nobody had used"))
		return InviteResult{Revoked: n}, err
	}
	if o.People.Suspended(u.Name) {
		return InviteResult{}, supervisor.Errorf(supervisor.CodeInvalid, textInviteSuspended, u.Name, u.Name)
	}
	code, digest := access.NewInvite()
	made := InviteResult{Code: code.Reveal(), Expires: o.Now().Add(InviteLasts), Botless: o.Configuration.Facts().Botless(),
		Enrol: q.Enrol && u.Codes != supervisor.CodesOff && o.Seal != nil}
	err = o.Store.Invites.Put(ctx, sqlite.Invite{Digest: digest, User: u.Name, ExpiresAt: made.Expires, Enrol: made.Enrol},
		entry(by, u.Name, "invite.made", "good until "+made.Expires.UTC().Format(time.RFC3339)))
	if err != nil {
		return InviteResult{}, err
	}
	if name := strings.TrimPrefix(o.Bot(), "@"); name != "" {
		made.Link = "https://t.me/" + name + "?start=" + made.Code
	}
	return made, nil
}

// Text is a line for each person.
func (l People) Text() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, textPeopleHead)
	for _, p := range l.Users {
		name := p.Name
		if p.Suspended {
			name += " (disabled)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, p.Role, p.source(), orDash(strings.Join(p.Telegram, ", ")), FactorText(p.Factor),
			amount.Of(len(p.Logins), "chat", "chats"), p.Home)
	}
	t.Flush()
	return b.String()
}

// FactorsText is a line for each person's second factor.
func (l People) FactorsText() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range l.Users {
		fmt.Fprintf(t, textFactorLine, p.Name, FactorText(p.Factor), amount.Of(len(p.Logins), "chat", "chats"))
	}
	t.Flush()
	return b.String()
}

// source is where a person is known from.
func (p Person) source() string {
	if p.Configured {
		return "configuration"
	}
	return "added"
}

// Text is all that is known of a person.
func (p Person) Text() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	speaks := textMaySpeak
	if p.Suspended {
		speaks = textMayNotSpeak
	}
	for _, line := range [][2]string{
		{"name", p.Name}, {"role", p.Role}, {"from", p.source()}, {"now", speaks}, {"folder", p.Home}, {"account", orDash(p.Account)},
		{"timezone", orDash(p.Timezone)}, {"model", orDash(p.Model)}, {"telegram", orDash(strings.Join(p.Telegram, ", "))},
		{"second factor", FactorText(p.Factor)}, {"budget", p.Budget.Text()}, {"open invites", fmt.Sprint(p.Invites)},
	} {
		fmt.Fprintf(t, "%s\t%s\n", line[0], line[1])
	}
	for _, l := range p.Logins {
		fmt.Fprintf(t, textLoginSince, strings.TrimSpace(l.Channel+" "+l.Chat), l.Since.Local().Format("2006-01-02 15:04"))
	}
	t.Flush()
	return b.String()
}

// Text is what a person may spend.
func (s SpendLimits) Text() string {
	var parts []string
	for _, part := range []struct {
		amount int64
		of     string
	}{{s.Turn, "a turn"}, {s.Day, "a day"}, {s.Month, "a month"}} {
		if part.amount > 0 {
			parts = append(parts, amount.Dollars(part.amount)+" "+part.of)
		}
	}
	if len(parts) == 0 {
		return textNoLimit
	}
	return strings.Join(parts, ", ")
}

// orDash is a cell of a table, "-" where there is nothing to show.
func orDash(text string) string { return cmp.Or(text, "-") }
