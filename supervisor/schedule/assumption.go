package schedule

import (
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/recurrence"
)

// assumptions returns a card's text about parts of the time that the job's user did not write, or
// wrote ambiguously. It also names a time that the clocks skip. first is the job's next due time,
// and times are its next times.
func assumptions(rule recurrence.Rule, first time.Time, times []time.Time) string {
	var sentences []string
	if rule.NoTime {
		sentences = append(sentences, fmt.Sprintf(textNoTime, first.Format("15:04")))
	}
	switch day := recurrence.Ordinal(rule.Day); {
	case rule.Day > 0 && rule.Kind == recurrence.Once:
		sentences = append(sentences, fmt.Sprintf(textShortMonth, first.Format("January"), day))
	case rule.Day > 0:
		sentences = append(sentences, fmt.Sprintf(textShortMonths, day))
	}
	if rule.Date != "" {
		sentences = append(sentences, fmt.Sprintf(textReadDate, rule.Date, first.Format("2 January 2006")))
	}
	for _, at := range times {
		if skipped := rule.SkippedWallTime(at); skipped != "" {
			sentences = append(sentences, fmt.Sprintf(textSkipped, at.Format("2 January"), skipped, at.Format("15:04")))
		}
	}
	if rule.Translated != "" {
		sentences = append(sentences, fmt.Sprintf(textTranslated, rule.Translated))
	}
	return strings.Join(sentences, " ")
}

// dayButton returns a button with the next month that has the day that the job's user wrote. first
// is the job's next due time.
func dayButton(j supervisor.Job, rule recurrence.Rule, first time.Time) []supervisor.Button {
	day := rule.MoveToLongerMonth(first).At.Format("2 January")
	return []supervisor.Button{{Text: fmt.Sprintf(textOnDay, day),
		Press: fmt.Sprintf("%s%s %d", supervisor.JobPressPrefix, pressLongerMonth, j.ID)}}
}

// timeButtons returns buttons with other times of the day, for a job whose user wrote no time.
// first is the job's next due time.
func timeButtons(j supervisor.Job, first time.Time) (row []supervisor.Button) {
	for _, b := range []struct{ press, clock string }{
		{pressMorning, "08:00"}, {pressNoon, "12:00"}, {pressEvening, "18:00"},
	} {
		if b.clock != first.Format("15:04") {
			row = append(row, supervisor.Button{Text: fmt.Sprintf(textAtTime, b.clock),
				Press: fmt.Sprintf("%s%s %d", supervisor.JobPressPrefix, b.press, j.ID)})
		}
	}
	return row
}
