package todo

import (
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/recurrence"
)

// dueKey marks a due date in the words of a new to-do.
const dueKey = "due:"

// readDue returns a person's words for a due date as the list has it: 2026-12-01, or 2026-12-01
// 15:00 if the words have an hour. The time now is in the person's zone.
func readDue(words string, now time.Time, language string) (string, error) {
	words = strings.TrimSpace(words)
	switch strings.ToLower(words) {
	case "none":
		return "", nil
	case "today":
		return now.Format(time.DateOnly), nil
	}
	if at, err := time.Parse(time.DateOnly, words); err == nil { // also one that is past
		return at.Format(time.DateOnly), nil
	}
	rule, err := recurrence.ParseWithDateOrder(words, now, recurrence.DateOrderForLanguage(language))
	if err != nil {
		return "", err
	}
	next, found, err := rule.Next(now, now.Location())
	switch {
	case err != nil:
		return "", err
	case rule.Kind != recurrence.Once || !found:
		return "", supervisor.Errorf(supervisor.CodeInvalid, textDueOnce)
	case rule.NoTime || !rule.Wall && strings.Contains(strings.ToLower(words), "day"): // in 3 days
		return next.In(now.Location()).Format(time.DateOnly), nil
	}
	return next.In(now.Location()).Format("2006-01-02 15:04"), nil
}

// withDates replaces each word such as due:friday by its date.
func withDates(text string, now time.Time, language string) (string, error) {
	words := strings.Fields(text)
	for n, word := range words {
		when, found := strings.CutPrefix(strings.ToLower(word), dueKey)
		if !found || when == "" {
			continue
		}
		due, err := readDue(when, now, language)
		if err != nil {
			return "", err
		}
		words[n] = dueKey + strings.Replace(due, " ", "T", 1)
		if due == "" {
			words[n] = ""
		}
	}
	return strings.TrimSpace(strings.Join(words, " ")), nil
}

// describeDue tells a due date in words, such as "tomorrow" or "Fri 4 Dec". The time now is in the
// person's zone.
func describeDue(due string, now time.Time) string {
	at, err := time.ParseInLocation("2006-01-02 15:04", due, now.Location())
	hour := " " + at.Format("15:04")
	if err != nil {
		at, err = time.ParseInLocation(time.DateOnly, due, now.Location())
		hour = ""
	}
	if err != nil {
		return due
	}
	today, day := now.Format(time.DateOnly), at.Format(time.DateOnly)
	switch {
	case day == today:
		return textToday + hour
	case day == now.AddDate(0, 0, 1).Format(time.DateOnly):
		return textTomorrow + hour
	case at.Year() == now.Year():
		day = at.Format(textDay)
	default:
		day = at.Format(textDayOfYear)
	}
	if at.Before(now) {
		return textOverdue + day + hour
	}
	return day + hour
}
