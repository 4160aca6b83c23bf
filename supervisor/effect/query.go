package effect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// daysPattern matches a number of days, up to and including today.
var daysPattern = regexp.MustCompile(`^(\d{1,4})d$`)

// ParseQuery parses a time and a kind of effects, in any order. Without a time it means today. now
// is in the user's time zone.
func ParseQuery(text string, now time.Time) (q supervisor.EffectQuery, err error) {
	day := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, now.Location())
	}
	q.From = day(0)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		date, notDate := time.ParseInLocation(time.DateOnly, word, now.Location())
		days := daysPattern.FindStringSubmatch(word)
		switch kinds := GroupKinds(word); {
		case word == "today":
		case len(kinds) > 0:
			q.Kinds = kinds
		case days != nil && days[1] != "0":
			n, _ := strconv.Atoi(days[1]) // the pattern allows at most four digits
			q.From = day(1 - n)
		case notDate == nil:
			q.From, q.To = date, date.AddDate(0, 0, 1)
		default:
			return q, supervisor.Errorf(supervisor.CodeInvalid, textNoSpan, word, strings.Join(Groups(), ", "))
		}
	}
	return q, nil
}

// FormatLog lists effects in lines, each with its time in a zone. It leaves out the last effects if
// they would exceed most bytes; 0 means no limit. begin starts each line, and quote escapes names
// that other people gave.
func FormatLog(list []supervisor.Effect, zone *time.Location, most int, begin string,
	quote func(string) string) string {
	if len(list) == 0 {
		return textNothingDone
	}
	note, room := "", most-len(textOlderEffects)
	if slices.ContainsFunc(
		list,
		func(e supervisor.Effect) bool { return e.ReportedBy == supervisor.ReportedByWorker },
	) {
		note = textWorkersEffect
		room -= len(note)
	}
	var b strings.Builder
	for i, e := range list {
		line := begin + e.At.In(zone).Format("2006-01-02 15:04") + " " + Describe(e, quote)
		if most > 0 && b.Len()+len(line) >= room {
			b.WriteString(textOlderEffects)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String() + note
}
