package supervisor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EffectQuery asks for effects of one person.
type EffectQuery struct {
	User     string
	From, To time.Time // the zero values are no bounds
	Kinds    []string  // nil is all
	Before   int64     // only those with a smaller id; 0 is all
	Limit    int
}

// daysPattern is a number of days, of which today is the last.
var daysPattern = regexp.MustCompile(`^(\d{1,4})d$`)

// ParseEffectQuery reads a time and a kind, in any order; without a time it is today. now is in the
// time zone of the person.
func ParseEffectQuery(text string, now time.Time) (q EffectQuery, err error) {
	day := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, now.Location())
	}
	q.From = day(0)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		date, notDate := time.ParseInLocation(time.DateOnly, word, now.Location())
		days := daysPattern.FindStringSubmatch(word)
		switch kinds := KindsOf(word); {
		case word == "today":
		case len(kinds) > 0:
			q.Kinds = kinds
		case days != nil && days[1] != "0":
			n, _ := strconv.Atoi(days[1]) // at most four digits
			q.From = day(1 - n)
		case notDate == nil:
			q.From, q.To = date, date.AddDate(0, 0, 1)
		default:
			return q, Errorf(CodeInvalid, textNoSpan, word, strings.Join(EffectGroups(), ", "))
		}
	}
	return q, nil
}

// EffectLog tells of effects in lines, each with its time in a zone. It leaves out the last of them
// where it would have more than most bytes; 0 is no bound. begin begins each line, and quote is
// Effect.Words'.
func EffectLog(list []Effect, zone *time.Location, most int, begin string, quote func(string) string) string {
	if len(list) == 0 {
		return textNothingDone
	}
	note, room := "", most-len(textOlderEffects)
	if slices.ContainsFunc(list, func(e Effect) bool { return e.ReportedBy == ReportedByWorker }) {
		note = textWorkersEffect
		room -= len(note)
	}
	var b strings.Builder
	for i, e := range list {
		line := begin + e.At.In(zone).Format("2006-01-02 15:04") + " " + e.Words(quote)
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
