package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/feature"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/markdown"
	"mews/supervisor/spans"
	"mews/supervisor/usage"
)

// UsageSums sums up model calls.
type UsageSums interface {
	// SumUsage sums up the calls of a user in a span, by "model", "user" or "conversation". If user
	// is "", it sums up the calls of all users. The largest sum comes first.
	SumUsage(ctx context.Context, user string, in supervisor.TimeSpan, by string) ([]usage.Line, error)
	// SumDailyUsage sums up the calls by day in zone, from the day of since to today. The name of a
	// line is its day, such as 2026-11-20.
	SumDailyUsage(ctx context.Context, user string, since time.Time, zone *time.Location) ([]usage.Line, error)
}

// Budgets are the users' remaining budgets.
type Budgets interface {
	// ListRemainingBudgets returns the money that a user may still spend, for each of their limits.
	ListRemainingBudgets(ctx context.Context, user string) ([]budget.Allowance, error)
	// IsSharedLimitReached reports whether the monthly limit of all users together is spent.
	IsSharedLimitReached(ctx context.Context) (bool, error)
}

// GeneratedFileStore stores generated pictures and texts, to be sent as files.
type GeneratedFileStore interface {
	StorePicture(name string, png []byte) (supervisor.File, error)
	StoreText(name, markdown string) (supervisor.File, error)
}

// maxUsageLines limits the lines of /usage. One more line sums up the rest.
const maxUsageLines = 20

var usageRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "usage", Help: "what you asked of models, what it cost, and what is " +
		"left to spend"},
		group: feature.HelpGroupAssistant, alias: "stats", run: showUsage, private: feature.AlwaysPrivateAnswer},
}

// showUsage reports the user's model calls. For an admin it can report the calls of all users.
func showUsage(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	report := usageReport{user: r.Conversation.User, by: "model", title: textYourUsage, linesTitle: textByModel}
	words, all := cutName(r.Arguments, "all")
	if all {
		if !c.isAdmin(r.Conversation.User) {
			return d, supervisor.Errorf(supervisor.CodeForbidden, textUsageAdminsOnly)
		}
		report = usageReport{by: "user", title: textAllUsage, linesTitle: textByPerson}
	} else {
		words = strings.TrimSpace(r.Arguments)
	}
	now, zone := c.o.Now(), c.zone(r.Conversation.User)
	if words != "" {
		span, err := spans.Parse(words, now.In(zone))
		if err != nil {
			return d, supervisor.Errorf(supervisor.CodeInvalid, textUsageUsage, markdown.EscapeName(words))
		}
		if span.From.After(now) {
			return d, supervisor.Errorf(supervisor.CodeInvalid, textUsageFuture, markdown.EscapeName(words))
		}
		d.Text, err = c.usageIn(ctx, report, span, now.In(zone))
		return d, err
	}
	if err := c.sumUsage(ctx, &report, now.In(zone), report.user != ""); err != nil {
		return d, fmt.Errorf("sum the usage: %w", err)
	}
	days, err := c.o.Usages.SumDailyUsage(ctx, report.user, now.AddDate(0, 0, 1-chartDays), zone)
	if err != nil {
		return d, fmt.Errorf("sum the usage by day: %w", err)
	}
	return c.withChart(r.Conversation, report, days), nil
}

// usageIn sums up the calls of a span.
func (c *Commands) usageIn(ctx context.Context, s usageReport, in supervisor.TimeSpan, now time.Time) (string, error) {
	lines, err := c.o.Usages.SumUsage(ctx, s.user, in, s.by)
	if err != nil {
		return "", fmt.Errorf("sum the usage: %w", err)
	}
	text := fmt.Sprintf(textUsageIn, s.title, spanText(in, now), usage.Total(lines))
	return text + usageLines(map[string]string{"model": textByModelIn, "user": textByPersonIn}[s.by], lines), nil
}

// spanText describes the beginning and end of a span.
func spanText(in supervisor.TimeSpan, now time.Time) string {
	from, to := textFromBeginning, textUntilNow
	if !in.From.IsZero() {
		from = fmt.Sprintf(textFrom, in.From.Format(spanLayout))
	}
	if !in.To.IsZero() && in.To.Before(now) {
		to = fmt.Sprintf(textUntil, in.To.Format(spanLayout))
	}
	return from + " " + to
}

// sumUsage sums up the calls of today, this week and this month. personal adds data that only the
// user may see.
func (c *Commands) sumUsage(ctx context.Context, s *usageReport, now time.Time, personal bool) (err error) {
	day, _ := budget.DayBounds(now, now.Location())
	month, _ := budget.MonthBounds(now, now.Location())
	week, _ := budget.DayBounds(now.AddDate(0, 0, -(int(now.Weekday())+6)%7), now.Location())
	sum := func(from time.Time, by string) (lines []usage.Line) {
		if err == nil {
			lines, err = c.o.Usages.SumUsage(ctx, s.user, supervisor.TimeSpan{From: from}, by)
		}
		return lines
	}
	s.today, s.week, s.month = sum(day, s.by), sum(week, s.by), sum(month, s.by)
	if personal {
		s.topics = sum(month, "conversation")
	}
	if personal && err == nil {
		s.left, err = c.o.Budgets.ListRemainingBudgets(ctx, s.user)
	}
	if personal && err == nil {
		s.sharedSpent, err = c.o.Budgets.IsSharedLimitReached(ctx)
	}
	return err
}

// zone returns the time zone of a user.
func (c *Commands) zone(user string) *time.Location {
	u, _ := c.o.People.Find(user)
	return timezone.ForUser(u)
}

// usageReport holds the data of a /usage report.
type usageReport struct {
	user, by           string // user whose calls are summed up, and the grouping of the sums
	title, linesTitle  string
	today, week, month []usage.Line
	topics             []usage.Line // this month's usage by conversation
	left               []budget.Allowance
	sharedSpent        bool // the limit of all users together is reached
}

func (s usageReport) text() string {
	month := usage.Total(s.month)
	var b strings.Builder
	if month.Calls == 0 && len(s.week) == 0 {
		b.WriteString(s.title + textNoUsage)
	} else {
		fmt.Fprintf(&b, textUsage, s.title, usage.Total(s.today), usage.Total(s.week), month)
		b.WriteString(usageLines(s.linesTitle, s.month))
	}
	if len(s.topics) > 1 {
		b.WriteString(usageLines(textByConversation, s.topics))
	}
	for i, a := range s.left {
		b.WriteString([]string{textBudgetLeft, textBudgetLeftAnd}[min(i, 1)] + a.String())
	}
	if len(s.left) > 0 {
		b.WriteString(".")
	}
	if s.sharedSpent {
		b.WriteString(textSharedSpent)
	}
	return b.String()
}

// usageLines returns lines below a title. If there are too many lines, one line sums up the rest.
func usageLines(title string, lines []usage.Line) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n" + title + "\n")
	for _, l := range lines[:min(maxUsageLines, len(lines))] {
		fmt.Fprintf(&b, "\n- %s: %v", markdown.EscapeName(l.Name), l)
	}
	if len(lines) > maxUsageLines {
		fmt.Fprintf(&b, textMoreLines, len(lines)-maxUsageLines, usage.Total(lines[maxUsageLines:]))
	}
	return b.String()
}
