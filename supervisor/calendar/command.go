package calendar

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// view is a span of days that /calendar shows.
type view struct {
	name string
	days func(day time.Time) (from, to time.Time) // first and last day
	step func(day time.Time, n int) time.Time     // the day of the nth view after this one
}

// views are the spans of /calendar, in the order of their buttons.
var views = []view{
	{"today", func(day time.Time) (from, to time.Time) { return day, day },
		func(day time.Time, n int) time.Time { return day.AddDate(0, 0, n) }},
	{"week", func(day time.Time) (from, to time.Time) {
		from = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		return from, from.AddDate(0, 0, 6)
	}, func(day time.Time, n int) time.Time { return day.AddDate(0, 0, 7*n) }},
	{"month", func(day time.Time) (from, to time.Time) {
		from = time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, day.Location())
		return from, from.AddDate(0, 1, -1)
	}, func(day time.Time, n int) time.Time {
		return time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, day.Location())
	}},
}

func findView(name string) (view, bool) {
	for _, v := range views {
		if v.name == name {
			return v, true
		}
	}
	return view{}, false
}

// command runs /calendar.
func (c *Calendar) command(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(r.Arguments), " ")
	rest = strings.TrimSpace(rest)
	today := c.today(r)
	if word == "" {
		word = "today"
	}
	if v, known := findView(strings.ToLower(word)); known && rest == "" {
		return c.show(ctx, r, v, today)
	}
	switch strings.ToLower(word) {
	case "import":
		return c.askImport(ctx, r, rest)
	case "send":
		return c.send(ctx, r, rest)
	case wordSubscribe:
		return c.subscribe(ctx, r, rest)
	case wordUnsubscribe:
		return c.unsubscribe(ctx, r, rest)
	case wordSubscriptions:
		return c.listSubscriptions(ctx, r)
	}
	day, fault := time.Parse(time.DateOnly, word)
	if fault != nil || rest != "" {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textUsage)
	}
	return c.show(ctx, r, views[0], day)
}

// today returns the user's day on which the command was sent.
func (c *Calendar) today(r feature.CommandRequest) time.Time {
	y, m, d := r.At.In(c.o.Zone(r.Conversation.User)).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// press runs the action of a button.
func (c *Calendar) press(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	words := strings.Fields(r.Arguments)
	switch {
	case len(words) == 3 && words[0] == pressAdd:
		return c.addImport(ctx, r, words[1], words[2])
	case len(words) == 1 && words[0] == pressLeave:
		return supervisor.Delivery{Text: textLeft}, nil
	case len(words) == 2:
		v, known := findView(words[0])
		if day, err := time.Parse(time.DateOnly, words[1]); known && err == nil {
			return c.show(ctx, r, v, day)
		}
	}
	return supervisor.Delivery{Text: feature.DeadButtonText}, nil
}

// show shows the events of a span of days.
func (c *Calendar) show(ctx context.Context, r feature.CommandRequest, v view, day time.Time) (
	d supervisor.Delivery, err error) {
	from, to := v.days(day)
	subscribed, err := c.Subscribed(ctx, r.Conversation.User, 0)
	if err != nil {
		return d, err
	}
	result, err := c.operate(ctx, r.Conversation.User, protocol.CalendarParameters{Action: protocol.CalendarActionList,
		From: from.Format(time.DateOnly), To: to.Format(time.DateOnly), Subscribed: subscribed})
	if err != nil {
		return d, err
	}
	return supervisor.Delivery{Text: viewText(v, from, to, c.today(r), result), Buttons: viewButtons(v, day)}, nil
}

// viewText lists events under their days.
func viewText(v view, from, to, today time.Time, r protocol.CalendarResult) string {
	var b strings.Builder
	switch v.name {
	case "today":
		fmt.Fprintf(&b, textHeading, dayName(from, today))
	case "week":
		fmt.Fprintf(&b, textHeading, fmt.Sprintf(textWeek, from.Format(dateLayout), to.Format(dateLayout)))
	default:
		fmt.Fprintf(&b, textHeading, from.Format("January 2006"))
	}
	last := from.Format(time.DateOnly)
	if v.name != "today" {
		last = ""
	}
	for _, e := range r.Events {
		if e.Day != last {
			last = e.Day
			name := markdown.EscapeName(e.Day)
			if day, err := time.Parse(time.DateOnly, e.Day); err == nil {
				name = dayName(day, today)
			}
			fmt.Fprintf(&b, textDay, name)
		}
		fmt.Fprintf(&b, textEvent, markdown.EscapeSentence(e.When), markdown.EscapeSentence(e.Title))
		if e.Location != "" {
			fmt.Fprintf(&b, textPlace, markdown.EscapeSentence(e.Location))
		}
		if e.Calendar != "" {
			fmt.Fprintf(&b, textOf, markdown.EscapeSentence(e.Calendar))
			continue
		}
		fmt.Fprintf(&b, textID, markdown.EscapeName(e.ID))
	}
	if len(r.Events) == 0 {
		b.WriteString(textNothing)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, textMore, r.More)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, textWarning, markdown.EscapeSentence(w))
	}
	return b.String()
}

const dateLayout = "2 January"

// dayName names a day, with a word for days near today.
func dayName(day, today time.Time) string {
	name := day.Format(layoutDay)
	if day.Year() != today.Year() {
		name = day.Format(layoutDayYear)
	}
	switch day.Sub(today) / (24 * time.Hour) {
	case 0:
		return fmt.Sprintf(textToday, name)
	case 1:
		return fmt.Sprintf(textTomorrow, name)
	}
	return name
}

// viewButtons lead to the views around this one.
func viewButtons(v view, day time.Time) [][]supervisor.Button {
	press := func(name string, day time.Time) string { return prefix + name + " " + day.Format(time.DateOnly) }
	rows := [][]supervisor.Button{{
		{Text: textBefore, Press: press(v.name, v.step(day, -1))}, {Text: textAfter, Press: press(v.name, v.step(day,
			1))},
	}, nil}
	for _, other := range views {
		if other.name != v.name {
			rows[1] = append(rows[1], supervisor.Button{Text: viewNames[other.name], Press: press(other.name, day)})
		}
	}
	return rows
}
