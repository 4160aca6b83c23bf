package schedule

import (
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/recurrence"
)

// assumptions returns a card's text about parts of the time that the job's user did not write, or
// wrote ambiguously. first is the job's next due time.
func assumptions(rule recurrence.Rule, first time.Time) string {
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
	if rule.Translated != "" {
		sentences = append(sentences, fmt.Sprintf(textTranslated, rule.Translated))
	}
	return strings.Join(sentences, " ")
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
