package escape

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Render is the findings as a table for people: the row, what was tried, the outcome and its detail, and a line with the sums.
func Render(findings []Finding) string {
	what := map[string]string{}
	width := 0
	for _, p := range Table() {
		what[p.Row] = p.What
		width = max(width, utf8.RuneCountInString(p.What))
	}
	count := map[Outcome]int{}
	var out strings.Builder
	for _, f := range findings {
		count[f.Outcome]++
		line := fmt.Sprintf("%-4s %-*s  %-8s %s", printable(f.Row), width, what[f.Row], outcomeText(f.Outcome), printable(f.Detail))
		fmt.Fprintln(&out, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(&out, "%d of %d escaped, %d stopped, %d untried\n",
		count[Escaped], len(findings), count[Stopped], count[Untried])
	return out.String()
}

// outcomeText makes an escape stand out.
func outcomeText(o Outcome) string {
	if o == Escaped {
		return "ESCAPED"
	}
	return string(o)
}

// printable is a detail without control characters: it may contain names of files, which anybody may have chosen.
func printable(detail string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(detail, "?"))
}
