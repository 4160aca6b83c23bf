package filereminder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

const (
	// maxOfDay is the most reminders that a user gets on a day. One more message counts the others.
	maxOfDay    = 20
	maxSeparate = 3               // the most reminders that are due at once and have their own messages
	lateAfter   = 2 * time.Minute // from this delay on, a reminder says when it was due
	maxDue      = 1000            // due reminders of all users that are said in one run
)

// say sends all due reminders. After a crash, each message is either stored with its reminders'
// ends, or they are due again.
func (r *Reminders) say(ctx context.Context) error {
	var resting []string
	for {
		now := r.o.Now()
		due, err := r.o.Store.ListDue(ctx, now, resting, maxDue)
		if err != nil || len(due) == 0 {
			return err
		}
		byUser := map[string][]sqlite.FileReminder{}
		for _, d := range due {
			byUser[d.User] = append(byUser[d.User], d)
		}
		for name, list := range byUser {
			resting = append(resting, name) // the reminders beyond maxDue come in the next run
			user, known := r.o.Person(name)
			if !known {
				continue
			}
			if err := r.sayTo(ctx, user, list, now); err != nil {
				return err
			}
		}
	}
}

// sayTo sends a user's due reminders, as many as the day allows.
func (r *Reminders) sayTo(ctx context.Context, user supervisor.User, due []sqlite.FileReminder, now time.Time) error {
	day, err := r.o.Store.FindDay(ctx, user.Name)
	if err != nil {
		return err
	}
	local := now.In(timezone.ForUser(user))
	if today := local.Format(time.DateOnly); day.Day != today {
		day = sqlite.FileReminderDay{Day: today}
	}
	told := due[:min(len(due), max(0, maxOfDay-day.Said))]
	b := sqlite.FileReminderBatch{User: user.Name, Notices: r.notices(user, told, local), Counted: due[len(told):],
		Day: day}
	b.Day.Said += len(told)
	if len(b.Counted) > 0 && !day.Counted {
		midnight := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, local.Location())
		later, err := r.o.Store.CountLater(ctx, user.Name, now, midnight)
		if err != nil {
			return err
		}
		b.Day.Counted = true
		b.Notices = append(b.Notices, sqlite.FileReminderNotice{Delivery: supervisor.Delivery{
			Conversation: user.PrivateChat(), Text: r.moreText(user.Name, len(b.Counted)+later)}})
	}
	said, err := r.o.Store.Say(ctx, b)
	for _, d := range said {
		r.o.Queued(d.Conversation.ID)
	}
	return err
}

// moreText says how many more reminders are due.
func (r *Reminders) moreText(user string, n int) string {
	count := amount.Plural(n, "more is", "more are")
	if r.beyondReport(user) {
		return fmt.Sprintf(textAtLeastMore, count, strings.Join(r.o.Commands, textAnd))
	}
	return fmt.Sprintf(textMore, count, strings.Join(r.o.Commands, textAnd))
}

// notices returns the messages of due reminders. Many reminders at once share one message.
func (r *Reminders) notices(user supervisor.User, due []sqlite.FileReminder, now time.Time) (
	list []sqlite.FileReminderNotice) {
	parts := [][]sqlite.FileReminder{}
	if len(due) <= maxSeparate {
		for _, d := range due {
			parts = append(parts, []sqlite.FileReminder{d})
		}
	} else { // of one message either all or none waits for the end of quiet hours
		waits := func(d sqlite.FileReminder) bool { return !isUrgent(d) }
		parts = append(parts, slices.DeleteFunc(slices.Clone(due), waits), slices.DeleteFunc(slices.Clone(due),
			isUrgent))
	}
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		text, buttons := singleText(part[0], now), r.buttons(part[0], 0)
		if len(part) > 1 {
			text, buttons = r.listText(part, now)
		}
		list = append(list, sqlite.FileReminderNotice{Of: part, Delivery: supervisor.Delivery{
			Conversation: user.PrivateChat(), Text: text, Buttons: buttons, Urgent: isUrgent(part[0])}})
	}
	return list
}

// isUrgent reports whether a reminder does not wait for the end of quiet hours. The file must name
// a time of the day, and the words must be the user's own.
func isUrgent(d sqlite.FileReminder) bool { return !d.DateOnly && !d.World }

// singleText returns the text of one reminder.
func singleText(d sqlite.FileReminder, now time.Time) string {
	text := fmt.Sprintf(textReminder, ownTitle(d), when(d, now))
	if d.World {
		text = fmt.Sprintf(textWorldReminder, d.File, when(d, now)) + "\n" + fencedTitle(d)
	}
	if now.Sub(d.DueAt) >= lateAfter && !d.DateOnly {
		text += "\n\n" + fmt.Sprintf(textWasDue, shortTime(d.DueAt, now))
	}
	return text
}

// listText returns one text for several reminders, and their buttons. The titles in words of others
// come last.
func (r *Reminders) listText(due []sqlite.FileReminder, now time.Time) (text string, buttons [][]supervisor.Button) {
	var own, world strings.Builder
	for i, d := range due {
		if d.World {
			fmt.Fprintf(&world, "%d%s: %s\n", i+1, when(d, now), printable.DropControls(d.Title))
		} else {
			fmt.Fprintf(&own, textListed, i+1, ownTitle(d), when(d, now))
		}
		buttons = append(buttons, r.buttons(d, i+1)...)
	}
	text = fmt.Sprintf(textDue, amount.Plural(len(due), "reminder", "reminders")) + own.String()
	if world.Len() > 0 {
		text += "\n\n" + textWorldList + "\n" + markdown.FenceText(world.String())
	}
	return text, buttons
}

// buttons returns the row of buttons of a to-do. number is its place in a list; 0 means no list. An
// event has none.
func (r *Reminders) buttons(d sqlite.FileReminder, number int) [][]supervisor.Button {
	if d.File != protocol.TodoFile || r.o.TodoButtons == nil {
		return nil
	}
	if row := r.o.TodoButtons(d.FileReminder.ID, d.Occurrence, number); len(row) > 0 {
		return [][]supervisor.Button{row}
	}
	return nil
}

func ownTitle(d sqlite.FileReminder) string {
	if title := markdown.EscapeSentence(printable.DropControls(d.Title)); title != "" {
		return title
	}
	return textNoTitle
}

func fencedTitle(d sqlite.FileReminder) string {
	if text := markdown.FenceText(printable.DropControls(d.Title)); text != "" {
		return text
	}
	return textNoTitle
}

// when says when a to-do is due, or when an event is, after a comma; "" means now.
func when(d sqlite.FileReminder, now time.Time) string {
	at := d.DueAt.Add(time.Duration(d.Lead) * time.Second).In(now.Location())
	switch {
	case d.File == protocol.TodoFile && d.DateOnly && at.YearDay() == now.YearDay() && at.Year() == now.Year():
		return textToday
	case d.File == protocol.TodoFile && d.DateOnly:
		return fmt.Sprintf(textDueOn, at.Format(dateLayout))
	case d.DateOnly:
		return ", " + at.Format(dateLayout)
	case d.Lead == 0:
		return ""
	}
	return ", " + shortTime(at, now)
}

// shortTime formats a time, without its date if that is today.
func shortTime(at, now time.Time) string {
	at = at.In(now.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format(timeLayout)
}
