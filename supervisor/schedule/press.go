package schedule

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/recurrence"
)

// Names of a reminder's buttons; in a press the job's id follows.
const (
	pressDone     = "done"
	pressSoon     = "soon"
	pressHour     = "hour"
	pressTomorrow = "tomorrow"
)

// listPrefix begins the name of a button below a list of late reminders. jobsPrefix begins the name
// of a button below the answer to /jobs.
const (
	listPrefix = "list-"
	jobsPrefix = "jobs-"
)

// keepsButtons reports whether a message keeps its buttons after a press, because the buttons
// belong to several jobs.
func keepsButtons(press string) bool { return strings.HasPrefix(press, listPrefix) }

// snoozeLabels are the labels of a reminder's buttons.
var snoozeLabels = map[string]string{
	pressDone: "Done", pressSoon: "10 min", pressHour: "1 h", pressTomorrow: "Tomorrow",
	supervisor.JobPressRun: "Run now",
}

// Buttons that give a time of the day to a job whose user wrote no time; the job's id follows.
const (
	pressMorning = "morning"
	pressNoon    = "noon"
	pressEvening = "evening"
)

// pressLongerMonth is a button for the next month that has the day the user wrote. The job's id
// follows the name in a press.
const pressLongerMonth = "longer_month"

// press is a button that was pressed below a message about a job.
type press struct {
	origin
	job supervisor.Job
	at  time.Time
}

// presses are the functions that run a press, by the button's name.
var presses = map[string]func(*ChatCommands, context.Context, press) (supervisor.Delivery, error){
	pressDone:     textPress(func(*ChatCommands, context.Context, press) (string, error) { return textDone, nil }),
	pressSoon:     snooze("in 10 min"),
	pressHour:     snooze("in 1 h"),
	pressTomorrow: snooze("in 1 day"),
	supervisor.JobPressDelete: textPress(func(ch *ChatCommands, ctx context.Context, p press) (string, error) {
		return ch.remove(ctx, p.job)
	}),
	supervisor.JobPressPause: textPress(func(ch *ChatCommands, ctx context.Context, p press) (string, error) {
		return ch.Pause(ctx, p.job)
	}),
	supervisor.JobPressResume: textPress(func(ch *ChatCommands, ctx context.Context, p press) (string, error) {
		return ch.Resume(ctx, p.job, p.at)
	}),
	supervisor.JobPressStart: textPress(func(ch *ChatCommands, ctx context.Context, p press) (string, error) {
		return ch.Resume(ctx, p.job, p.at)
	}),
	supervisor.JobPressRun: textPress(func(ch *ChatCommands, ctx context.Context, p press) (string, error) {
		return ch.RunNow(ctx, p.job, p.at)
	}),
	pressLongerMonth: changeRule(
		func(rule recurrence.Rule) bool { return rule.Kind == recurrence.Once && rule.Day > 0 },
		func(rule recurrence.Rule, now time.Time) (recurrence.Rule, error) {
			return rule.MoveToLongerMonth(now), nil
		}),
	pressMorning: setTime(8 * 60),
	pressNoon:    setTime(12 * 60),
	pressEvening: setTime(18 * 60),
	supervisor.JobPressChange: func(ch *ChatCommands, ctx context.Context, p press) (supervisor.Delivery, error) {
		return ch.askChange(ctx, p.origin, p.job)
	},
}

// textPress makes a press function from a function that returns only text.
func textPress(do func(*ChatCommands, context.Context, press) (string, error)) func(*ChatCommands, context.Context,
	press) (supervisor.Delivery, error) {
	return func(ch *ChatCommands, ctx context.Context, p press) (d supervisor.Delivery, err error) {
		d.Text, err = do(ch, ctx, p)
		return d, err
	}
}

// snooze returns a function that repeats a reminder once, later. The new reminder keeps the name,
// the text, its source and the priority.
func snooze(later string) func(*ChatCommands, context.Context, press) (supervisor.Delivery, error) {
	return textPress(func(ch *ChatCommands, ctx context.Context, p press) (string, error) {
		again := supervisor.Job{User: p.user.Name, Kind: supervisor.JobReminder, Name: p.job.Name, Text: p.job.Text, Zone: p.user.Timezone, Conversation: p.in,
			MadeBy: madeByInbound(p.inbound), Options: supervisor.JobOptions{World: p.job.Options.World, Priority: p.job.Options.Priority}}
		err := SetRule(&again, later, p.at)
		if err == nil {
			again, err = ch.Add(ctx, again, nil)
		}
		return fmt.Sprintf(textAgain, again.Next.In(timezone.ForUser(p.user)).Format(timeLayout)), err
	})
}

// HandlePress runs a button of a job. inbound is the id of the press; a repeated call with the same
// id changes nothing. A button below the answer to /jobs also shows the updated list of jobs.
func (ch *ChatCommands) HandlePress(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64,
	pressed string, at time.Time) (d supervisor.Delivery, err error) {
	pressed, listed := strings.CutPrefix(pressed, jobsPrefix)
	d, err = ch.runPress(ctx, user, c, inbound, pressed, at)
	if err != nil || !listed {
		return d, err
	}
	list, err := ch.ListJobs(ctx, user.Name)
	list.Text = d.Text + "\n\n" + list.Text
	return list, err
}

func (ch *ChatCommands) runPress(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64,
	pressed string, at time.Time) (d supervisor.Delivery, err error) {
	what, number, _ := strings.Cut(strings.TrimPrefix(pressed, listPrefix), " ")
	if what == pressZone {
		d.Text, err = ch.moveZone(ctx, user)
		return d, err
	}
	do := presses[what]
	p := press{origin: origin{user: user, in: c, inbound: inbound}, at: at}
	if choice, asked := choices[what]; asked {
		return ch.remindAgain(ctx, p.origin, number, choice, at)
	}
	if do == nil {
		return supervisor.Delivery{Text: textNothing}, nil
	}
	if p.job, err = ch.findByNumber(ctx, user.Name, number); err != nil {
		return d, err
	}
	if p.job.Text == "" { // the user has forgotten the job's data
		return supervisor.Delivery{Text: textNothing}, nil
	}
	return do(ch, ctx, p)
}

// setTime gives a time of the day to a job whose user wrote no time, and shows the job's card.
func setTime(at recurrence.TimeOfDay) func(*ChatCommands, context.Context, press) (supervisor.Delivery, error) {
	return changeRule(func(rule recurrence.Rule) bool { return rule.NoTime },
		func(rule recurrence.Rule, now time.Time) (recurrence.Rule, error) { return rule.WithTime(at, now) })
}

// changeRule changes a job's rule, and shows the job's card. If applies is false for the rule, the
// rule was changed meanwhile and stays.
func changeRule(applies func(recurrence.Rule) bool,
	change func(rule recurrence.Rule, now time.Time) (recurrence.Rule, error)) func(*ChatCommands, context.Context,
	press) (supervisor.Delivery, error) {
	return func(ch *ChatCommands, ctx context.Context, p press) (d supervisor.Delivery, err error) {
		if p.job.State == supervisor.JobDone {
			return supervisor.Delivery{Text: fmt.Sprintf(textOver, nouns[p.job.Kind], p.job.ID)}, nil
		}
		rule, err := recurrence.JobRule(p.job)
		if err != nil {
			return d, err
		}
		zone, err := recurrence.JobZone(p.job)
		if err != nil || !applies(rule) {
			return ch.card(p.job), err
		}
		j := p.job
		if rule, err = change(rule, p.at.In(zone)); err == nil {
			err = keepRule(&j, rule, p.at, zone)
		}
		if err == nil {
			err = ch.approve(ctx, p.origin, j, p.job)
		}
		if err == nil {
			err = ch.Change(ctx, j)
		}
		if err != nil {
			return d, err
		}
		if j, err = ch.findByNumber(ctx, j.User, fmt.Sprint(j.ID)); err != nil {
			return d, err
		}
		return ch.card(j), nil
	}
}
