package admin

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"mews/protocol/amount"
	"mews/supervisor/internal/money"
)

// Text lists the users for people, one line for each user.
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
			amount.Plural(len(p.Logins), "chat", "chats"), p.Home)
	}
	t.Flush()
	for _, name := range l.Deleting {
		fmt.Fprintf(&b, textDeletionBegun, name, name)
	}
	return b.String()
}

// FactorsText returns a line about each user's second factor.
func (l People) FactorsText() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range l.Users {
		fmt.Fprintf(t, textFactorLine, p.Name, FactorText(p.Factor), amount.Plural(len(p.Logins), "chat", "chats"))
	}
	t.Flush()
	return b.String()
}

// source says whether the user was configured or added.
func (p Person) source() string {
	if p.Configured {
		return "configuration"
	}
	return "added"
}

// Text describes a user for people, with accounts, factor, logins and budget.
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

// Text describes the budget for people.
func (s SpendLimits) Text() string {
	var parts []string
	for _, part := range []struct {
		amount int64
		of     string
	}{{s.Turn, "a turn"}, {s.Day, "a day"}, {s.Month, "a month"}} {
		if part.amount > 0 {
			parts = append(parts, money.FormatDollars(part.amount)+" "+part.of)
		}
	}
	if len(parts) == 0 {
		return textNoLimit
	}
	return strings.Join(parts, ", ")
}

// orDash returns "-" for an empty cell of a table.
func orDash(text string) string { return cmp.Or(text, "-") }
