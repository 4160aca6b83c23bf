package schedule

import (
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/job"
	"mews/supervisor/recurrence"
)

// cardTimes is the number of next times on a job's card.
const cardTimes = 3

// jobCards formats jobs as messages.
type jobCards struct {
	*destinations
	rules  CheckParser
	budget func(user string) supervisor.Budget
}

// card returns a message about a job, with buttons. It lists the job's action, times, destination,
// most cost, and what happens to missed times.
func (cs *jobCards) card(j supervisor.Job) supervisor.Delivery {
	return cardWith(j, cs.checkText(j), cs.DescribeOptions(j))
}

// cardWith returns the card of a job. The argument check describes the job's check, and terms are
// sentences about its options. The function does no I/O, so it may be called while the job is being
// stored.
func cardWith(j supervisor.Job, check string, terms []string) (d supervisor.Delivery) {
	d.Conversation, d.Text = j.Conversation, fmt.Sprintf(textMade, nouns[j.Kind], j.ID, j.Text)
	if j.Name != "" {
		d.Text = fmt.Sprintf(textMadeNamed, nouns[j.Kind], j.ID, job.Title(j), j.Text)
	}
	if check != "" {
		d.Text += "\n\n" + check
	}
	rule, times, err := nextTimes(j)
	if err != nil {
		d.Text += "\n\n" + textBroken
		return d
	}
	zone, _ := recurrence.JobZone(j) // can't fail, because nextTimes has read the zone
	d.Text += fmt.Sprintf(textTimes, rule.Describe(zone), nextText(j, times))
	first, due := nextTime(j)
	if assumed := assumptions(rule, first.In(zone), times); due && assumed != "" {
		d.Text += "\n" + assumed
	}
	d.Text += "\n\n" + strings.Join(terms, " ")
	buttons := []string{supervisor.JobPressChange, supervisor.JobPressPause, supervisor.JobPressDelete}
	switch {
	case j.State == supervisor.JobProposed:
		buttons = []string{supervisor.JobPressStart, supervisor.JobPressChange, supervisor.JobPressDelete}
	case j.State == supervisor.JobPaused:
		buttons = []string{supervisor.JobPressResume, supervisor.JobPressChange, supervisor.JobPressDelete}
	case rule.Kind == recurrence.Once:
		buttons = []string{supervisor.JobPressChange, supervisor.JobPressDelete}
	}
	d.Buttons = job.Buttons(j, buttons...)
	if due && rule.NoTime {
		d.Buttons = append(d.Buttons, timeButtons(j, first.In(zone)))
	}
	if due && rule.Kind == recurrence.Once && rule.Day > 0 {
		d.Buttons = append(d.Buttons, dayButton(j, rule, first.In(zone)))
	}
	return d
}

// nextTime returns when a job is next due. For a job that waits for its user, it returns when the
// job would be due if it were started.
func nextTime(j supervisor.Job) (at time.Time, due bool) {
	if at = j.Next; at.IsZero() && j.State == supervisor.JobProposed {
		at, due, _ = recurrence.NextDue(j, j.FiredUntil) // can't fail, because nextTimes has read the rule
		return at, due
	}
	return at, !at.IsZero()
}

// nextText says when a job is next due, or why it is not.
func nextText(j supervisor.Job, times []time.Time) string {
	switch {
	case j.State == supervisor.JobPaused:
		return textIsPaused
	case j.State == supervisor.JobActive && j.IsHeld:
		return fmt.Sprintf(textNext, textIsHeld)
	case len(times) == 0:
		return textIsDone
	}
	var texts []string
	for _, at := range times {
		texts = append(texts, at.Format(timeLayout))
	}
	return fmt.Sprintf(textNext, strings.Join(texts, "; "))
}

// DescribeOptions returns the sentences of a card about the job's options.
func (cs *jobCards) DescribeOptions(j supervisor.Job) (sentences []string) {
	for _, text := range []string{cs.destinationText(j), missedText(j), cs.costText(j)} {
		if text != "" {
			sentences = append(sentences, text)
		}
	}
	for _, name := range optionNames(j.Kind) {
		if o := options[name]; o.show != nil && o.show(j.Options) != "" {
			sentences = append(sentences, o.show(j.Options))
		}
	}
	return sentences
}

// checkText describes the check of a job; "" means that the job has none.
func (cs *jobCards) checkText(j supervisor.Job) string {
	if j.Options.Check.IsEmpty() {
		return ""
	}
	return cs.rules.Text(j.Options.Check)
}

// monthDays is the number of days in the longest month.
const monthDays = 31

// costText says the most that a job may cost; "" means that it never asks a model.
func (cs *jobCards) costText(j supervisor.Job) string {
	if !j.MayStartTurn() || cs.budget == nil {
		return ""
	}
	b := cs.budget(j.User)
	if b.Turn == 0 && b.Day == 0 && b.Month == 0 {
		return textNoBudget
	}
	most, times := monthCost(j, b)
	switch {
	case b.Turn > 0 && times == 1:
		return fmt.Sprintf(textCostsOnce, money.FormatDollars(most))
	case b.Turn > 0:
		return fmt.Sprintf(textCostsRun, money.FormatDollars(most), money.FormatDollars(b.Turn))
	}
	return fmt.Sprintf(textCosts, money.FormatDollars(most))
}

// monthCost returns the most that a job can cost in its next month, and how often it is due in that
// month. It stops counting once the budget of the month or day is reached.
func monthCost(j supervisor.Job, b supervisor.Budget) (most int64, times int64) {
	if most = b.Month; b.Day > 0 && (most == 0 || most > monthDays*b.Day) {
		most = monthDays * b.Day
	}
	at, found := j.Next, !j.Next.IsZero()
	if !found {
		at, found, _ = recurrence.NextDue(j, j.FiredUntil) // a job with an unreadable rule is never due
	}
	for end := monthEnd(j, at); found && at.Before(end) && (most == 0 || times*b.Turn < most) && times < maxMonthFires; times++ {
		j.FireCount++
		at, found, _ = recurrence.NextDue(j, at)
	}
	if paid := times * b.Turn; b.Turn > 0 && (most == 0 || paid < most) {
		most = paid
	}
	return most, times
}

// maxMonthFires limits the counted fires of a month. A job that asks a model can't have more fires,
// because of minPeriod.
const maxMonthFires = int64(monthDays * 24 * time.Hour / minPeriod)

// monthEnd returns the time one month after from, in the job's zone.
func monthEnd(j supervisor.Job, from time.Time) time.Time {
	zone, err := recurrence.JobZone(j)
	if err != nil {
		zone = time.UTC
	}
	return from.In(zone).AddDate(0, 0, monthDays)
}

// nextTimes returns a job's rule, and its next times in its zone.
func nextTimes(j supervisor.Job) (rule recurrence.Rule, times []time.Time, err error) {
	zone, err := recurrence.JobZone(j)
	if err != nil {
		return rule, nil, err
	}
	if rule, err = recurrence.JobRule(j); err != nil {
		return rule, nil, err
	}
	at, found := j.Next, !j.Next.IsZero()
	if j.State == supervisor.JobProposed {
		if at, found, err = recurrence.NextDue(j, j.FiredUntil); err != nil {
			return rule, nil, err
		}
	}
	for found && len(times) < cardTimes {
		times = append(times, at.In(zone))
		j.FireCount++
		if at, found, err = recurrence.NextDue(j, at); err != nil {
			return rule, nil, err
		}
	}
	return rule, times, nil
}

// listTitle returns a job's title for a list, on one line.
func listTitle(j supervisor.Job) string {
	if j.Kind != supervisor.JobReminder {
		return job.Title(j)
	}
	return brief(j.Text)
}

// DescribeTimes describes a job's times and its next time.
func DescribeTimes(j supervisor.Job) string {
	rule, times, err := nextTimes(j)
	if err != nil {
		return textBroken
	}
	zone, _ := recurrence.JobZone(j) // can't fail, because nextTimes has read the zone
	next := textPaused
	switch {
	case j.State == supervisor.JobProposed:
		next = textProposedIt
	case j.State == supervisor.JobActive && j.IsHeld:
		next = textIsHeld
	case j.State == supervisor.JobActive && len(times) > 0:
		next = times[0].Format(timeLayout)
	}
	if j.FailuresInARow > 0 {
		next += fmt.Sprintf(textLastFailed, j.FailuresInARow)
	}
	return rule.Describe(zone) + ": " + next
}
