package effect

import (
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/spans"
)

// ParseQuery reads a span and a kind, in any order. Without a span the query is about today. The
// argument now is in the user's time zone.
func ParseQuery(text string, now time.Time) (q supervisor.EffectQuery, err error) {
	var span []string
	for _, word := range strings.Fields(text) {
		if kinds := GroupKinds(strings.ToLower(word)); len(kinds) > 0 {
			q.Kinds = kinds
		} else {
			span = append(span, word)
		}
	}
	if len(span) == 0 {
		span = []string{"today"}
	}
	s, err := spans.Parse(strings.Join(span, " "), now)
	if err != nil {
		return q, supervisor.Errorf(supervisor.CodeInvalid, textNoSpan, strings.Join(span, " "),
			strings.Join(Groups(), ", "))
	}
	if q.From, q.To = s.From, s.To; q.To.After(now) {
		q.To = time.Time{} // no end, so that effects until the answer is written count too
	}
	return q, nil
}

// FormatLog lists effects in lines, each with its time in a zone. It leaves out the last effects if
// they would exceed most bytes; 0 means no limit. The argument begin starts each line, and the
// function quote escapes names that other people gave.
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
