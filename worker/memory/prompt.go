package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mews/protocol/facts"
)

// Bounds of the memory in a prompt.
const (
	bestFacts   = 15
	promptBytes = 4 << 10 // maximum bytes of facts and notes together
	factBytes   = 5 << 9  // maximum bytes of the facts
)

// weight ranks a fact: its confidence times (1 + ln(1 + uses)).
func weight(f facts.Fact, uses int) float64 { return f.Confidence * (1 + math.Log1p(float64(uses))) }

// BestFacts returns at most n facts with the most weight, in the order of their file. Of two facts
// with the same weight, the newer fact comes first.
func BestFacts(list []facts.Fact, uses map[string]int, n int) []facts.Fact {
	ranked := slices.Clone(list)
	slices.SortStableFunc(ranked, func(a, b facts.Fact) int {
		return cmp.Or(cmp.Compare(weight(b, uses[b.ID]), weight(a, uses[a.ID])),
			strings.Compare(b.Date, a.Date), b.Line-a.Line)
	})
	ranked = ranked[:min(n, len(ranked))]
	slices.SortFunc(ranked, func(a, b facts.Fact) int { return a.Line - b.Line })
	return ranked
}

// leastUsed returns the n facts with the fewest uses. If uses are equal, facts with less weight
// come first.
func leastUsed(list []facts.Fact, uses map[string]int, n int) []facts.Fact {
	ranked := slices.Clone(list)
	slices.SortStableFunc(ranked, func(a, b facts.Fact) int {
		return cmp.Or(uses[a.ID]-uses[b.ID], cmp.Compare(a.Confidence, b.Confidence), strings.Compare(a.Date, b.Date))
	})
	return ranked[:min(n, len(ranked))]
}

// DailyNotePaths returns the paths of the notes of today, yesterday and tomorrow.
func (h *Home) DailyNotePaths(now time.Time) []string {
	today := now.In(h.Zone)
	return []string{facts.NotesPath(today.Format(time.DateOnly)), facts.NotesPath(today.AddDate(0, 0,
		-1).Format(time.DateOnly)),
		facts.NotesPath(today.AddDate(0, 0, 1).Format(time.DateOnly))}
}

// PromptText returns the memory for a turn's prompt. It has the best facts of MEMORY.md, and the
// notes of yesterday and today. texts holds the files by path.
func (h *Home) PromptText(texts map[string]string, uses map[string]int, now time.Time) string {
	file := facts.ParseFile(texts[MemoryFileName])
	all, best := file.Facts(), ""
	shown := 0
	for _, f := range BestFacts(all, uses, bestFacts) {
		line := fmt.Sprintf("- %s (%s)\n", f.Text, f.ID)
		if len(best)+len(line) <= factBytes {
			best, shown = best+line, shown+1
		}
	}
	if more := len(all) - shown; more > 0 || hasProse(file) {
		best += fmt.Sprintf("(%d more facts; recall finds them, and the notes of all days)\n", more)
	}
	var notes string
	for _, path := range h.DailyNotePaths(now)[:2] {
		day := strings.TrimSuffix(strings.TrimPrefix(path, NotesFolder+"/"), ".md")
		lines := parseNotes(day, texts[path])
		said := ""
		for _, n := range slices.Backward(lines) {
			line := "- " + n.Text + "\n"
			if len(best)+len(notes)+len(said)+len(line)+40 > promptBytes {
				break
			}
			said = line + said
		}
		if said != "" {
			notes = "Notes of " + day + ":\n" + said + notes
		}
	}
	return best + notes
}

// hasProse reports whether a file has words that are no fact.
func hasProse(f *facts.File) bool {
	return slices.ContainsFunc(f.Lines(), func(l facts.Line) bool {
		return l.Fact == nil && len(facts.UnaccentedWords(l.Raw)) > 0 && !strings.HasPrefix(strings.TrimSpace(l.Raw),
			"#")
	})
}
