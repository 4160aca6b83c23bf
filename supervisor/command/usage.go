package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/budget"
)

// Accounts are what was spent, and what may be.
type Accounts struct {
	Usages   Usages
	Budgets  Budgets
	Pictures Pictures
}

// Usages are what was asked of models.
type Usages interface {
	// Usage is what a user ("" is everybody) asked of models since a moment, summed by "model", "user" or "conversation"; what
	// was most comes first.
	Usage(ctx context.Context, user string, from time.Time, by string) ([]UsageLine, error)
	// Daily is that of each day in zone from that of a moment to today, named as 2026-11-20.
	Daily(ctx context.Context, user string, since time.Time, zone *time.Location) ([]UsageLine, error)
}

// Budgets are what people may still spend.
type Budgets interface {
	// Left is that of each limit of a person's; of what has none there is nothing.
	Left(ctx context.Context, user string) ([]Allowance, error)
}

// Allowance is what a limit is, and what is left of it, in millionths of a US dollar.
type Allowance struct {
	When string // today, this month
	Max  int64  // with what the person has lengthened it by
	Left int64
}

// String is the allowance for a person: "$1.20 of $2.00 is left today".
func (a Allowance) String() string {
	return fmt.Sprintf("%s of %s is left %s", Dollars(max(0, a.Left)), Dollars(a.Max), a.When)
}

// Pictures keeps pictures that go to people.
type Pictures interface {
	Keep(name string, png []byte) (supervisor.File, error)
}

// UsageLine is a sum of calls of models.
type UsageLine struct {
	Name       string // of the model, as provider/model, or of the user
	Calls      int64
	Input      int64 // tokens, those from a cache and into it included
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Cost       int64 // in millionths of a US dollar, of the calls whose price is known
	Unpriced   int64 // calls whose price is not known
}

// People are the users.
type People interface {
	Find(name string) (supervisor.User, bool)
}

// maxLines is how many models or people /usage lists; the rest is one line.
const maxLines = 20

// usage tells what the person asked of models; an admin what everybody did.
func usage(ctx context.Context, c *Commands, r Request) (d supervisor.Delivery, err error) {
	sheet := usageReport{user: r.Conversation.User, by: "model", title: "What you asked of models", linesTitle: "By model, this month:"}
	switch {
	case strings.EqualFold(r.Arguments, "all"):
		if err := c.maySeeAll(r.Conversation); err != nil {
			return d, err
		}
		sheet.user, sheet.by, sheet.title, sheet.linesTitle = "", "user", "What everybody asked of models", "By person, this month:"
	case r.Arguments != "":
		return d, &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
			"There is /usage, and for admins “/usage all”; %s means nothing to it.", quoteName(r.Arguments))}
	}
	now, zone := time.Now(), c.o.zone(r.Conversation.User)
	if err := sumPeriods(ctx, c, &sheet, now.In(zone)); err != nil {
		return d, fmt.Errorf("sum the usage: %w", err)
	}
	if c.o.InGroup(r.Conversation) { // which is told no more of its people than that
		return supervisor.Delivery{Text: sheet.text()}, nil
	}
	if sheet.user != "" {
		if err := sumPersonal(ctx, c, &sheet, now.In(zone)); err != nil {
			return d, fmt.Errorf("sum the usage: %w", err)
		}
	}
	days, err := c.o.Accounts.Usages.Daily(ctx, sheet.user, now.AddDate(0, 0, 1-chartDays), zone)
	if err != nil {
		return d, fmt.Errorf("sum the usage by day: %w", err)
	}
	return c.withChart(r.Conversation, sheet, days), nil
}

// sumPeriods adds up what is asked for.
func sumPeriods(ctx context.Context, c *Commands, s *usageReport, now time.Time) error {
	day, _ := budget.Day(now, now.Location())
	month, _ := budget.Month(now, now.Location())
	week, _ := budget.Day(now.AddDate(0, 0, -(int(now.Weekday())+6)%7), now.Location())
	for _, one := range []struct {
		to   *[]UsageLine
		from time.Time
	}{{&s.today, day}, {&s.week, week}, {&s.month, month}} {
		lines, err := c.o.Accounts.Usages.Usage(ctx, s.user, one.from, s.by)
		if err != nil {
			return err
		}
		*one.to = lines
	}
	return nil
}

// sumPersonal adds up what only the person is told.
func sumPersonal(ctx context.Context, c *Commands, s *usageReport, now time.Time) (err error) {
	month, _ := budget.Month(now, now.Location())
	if s.topics, err = c.o.Accounts.Usages.Usage(ctx, s.user, month, "conversation"); err != nil {
		return err
	}
	s.left, err = c.o.Accounts.Budgets.Left(ctx, s.user)
	return err
}

func (c *Commands) maySeeAll(conversation supervisor.Conversation) error {
	u, _ := c.o.People.Find(conversation.User)
	switch {
	case u.Role != supervisor.RoleAdmin:
		return &supervisor.Error{Code: supervisor.CodeForbidden,
			Message: "Only an admin may see what others ask of models. /usage tells what you did."}
	case c.o.InGroup(conversation):
		return &supervisor.Error{Code: supervisor.CodeForbidden,
			Message: "A group is not told what its people ask of models. Write “/usage all” in our private chat."}
	}
	return nil
}

// zone is where the person's days begin.
func (o Options) zone(user string) *time.Location {
	u, _ := o.People.Find(user)
	zone, err := time.LoadLocation(u.Timezone)
	if err != nil || u.Timezone == "" {
		return time.Local
	}
	return zone
}

// usageReport is what /usage tells.
type usageReport struct {
	user, by           string // what is asked for
	title, linesTitle  string
	today, week, month []UsageLine
	topics             []UsageLine // of the month, by conversation
	left               []Allowance
}

func (s usageReport) text() string {
	month := Total(s.month)
	var b strings.Builder
	if month.Calls == 0 && len(s.week) == 0 {
		b.WriteString(s.title + " this month: nothing.")
	} else {
		fmt.Fprintf(&b, "%s:\n\n- today: %v\n- this week: %v\n- this month: %v", s.title, Total(s.today), Total(s.week), month)
		b.WriteString(usageLines(s.linesTitle, s.month))
	}
	if len(s.topics) > 1 {
		b.WriteString(usageLines("By conversation, this month:", s.topics))
	}
	for i, a := range s.left {
		b.WriteString([]string{"\n\nOf your budget ", ", and "}[min(i, 1)] + a.String())
	}
	if len(s.left) > 0 {
		b.WriteString(".")
	}
	return b.String()
}

// usageLines are lines below a title; those that are too many are one.
func usageLines(title string, lines []UsageLine) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n" + title + "\n")
	for _, l := range lines[:min(maxLines, len(lines))] {
		fmt.Fprintf(&b, "\n- %s: %v", quoteName(l.Name), l)
	}
	if len(lines) > maxLines {
		fmt.Fprintf(&b, "\n- %d more: %v", len(lines)-maxLines, Total(lines[maxLines:]))
	}
	return b.String()
}

// Total is the sum of lines, without a name.
func Total(lines []UsageLine) UsageLine {
	var sum UsageLine
	for _, l := range lines {
		sum.Calls += l.Calls
		sum.Input += l.Input
		sum.Output += l.Output
		sum.CacheRead += l.CacheRead
		sum.CacheWrite += l.CacheWrite
		sum.Cost += l.Cost
		sum.Unpriced += l.Unpriced
	}
	return sum
}

// String is the sum for a person: "12 calls, 34,567 tokens in (89 % from a cache), 1,234 out, $0.12".
func (l UsageLine) String() string {
	calls := Number(l.Calls) + " calls"
	switch l.Calls {
	case 0:
		return "nothing"
	case 1:
		calls = "1 call"
	}
	cached := ""
	if l.CacheRead > 0 && l.Input > 0 {
		cached = fmt.Sprintf(" (%d %% from a cache)", share(l.CacheRead, l.Input))
	}
	return fmt.Sprintf("%s, %s tokens in%s, %s out, %s", calls, Number(l.Input), cached, Number(l.Output), l.Price())
}

// Price is what the calls cost, as far as that is known.
func (l UsageLine) Price() string {
	switch {
	case l.Unpriced == 0:
		return Dollars(l.Cost)
	case l.Unpriced >= l.Calls:
		return "price not known"
	case l.Unpriced == 1:
		return Dollars(l.Cost) + " and 1 call of unknown price"
	}
	return fmt.Sprintf("%s and %s calls of unknown price", Dollars(l.Cost), Number(l.Unpriced))
}

// share is a part of a whole in percent, rounded down: nothing short of all is 100.
func share(part, whole int64) int64 { return int64(float64(part) / float64(whole) * 100) }

// Dollars is an amount in millionths of a US dollar for a person: to the cent, and below a cent to its hundredth.
func Dollars(micro int64) string {
	switch {
	case micro < 0:
		return "-" + Dollars(-max(micro, -1<<62))
	case micro == 0:
		return "$0.00"
	case micro < 10_000:
		return fmt.Sprintf("$0.%04d", max(1, (micro+50)/100))
	}
	cents := micro/10_000 + (micro%10_000+5_000)/10_000
	return fmt.Sprintf("$%s.%02d", Number(cents/100), cents%100)
}

// Number is a number with a comma after every third digit: 34,567.
func Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := strings.TrimPrefix(digits, "-")
	sign := digits[:len(digits)-len(first)]
	for i := len(first) - 3; i > 0; i -= 3 {
		first = first[:i] + "," + first[i:]
	}
	return sign + first
}
