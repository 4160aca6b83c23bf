package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Bounds of the memory in a prompt.
const (
	bestFacts   = 15
	promptBytes = 4 << 10 // bytes of facts and notes together
	factBytes   = 5 << 9  // bytes of the facts
)

// Weight ranks a fact: its confidence times (1 + ln(1 + uses)).
func (f Fact) Weight(uses int) float64 { return f.Confidence * (1 + math.Log1p(float64(uses))) }

// BestFacts returns at most n facts with the most weight, in the order of their file. Of two facts
// with the same weight, the newer fact comes first.
func BestFacts(facts []Fact, uses map[string]int, n int) []Fact {
	ranked := slices.Clone(facts)
	slices.SortStableFunc(ranked, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(b.Weight(uses[b.ID]), a.Weight(uses[a.ID])), strings.Compare(b.Date, a.Date), b.Line-a.Line)
	})
	ranked = ranked[:min(n, len(ranked))]
	slices.SortFunc(ranked, func(a, b Fact) int { return a.Line - b.Line })
	return ranked
}

// leastUsed returns the n facts with the fewest uses. If uses are equal, facts with less weight
// come first.
func leastUsed(facts []Fact, uses map[string]int, n int) []Fact {
	ranked := slices.Clone(facts)
	slices.SortStableFunc(ranked, func(a, b Fact) int {
		return cmp.Or(uses[a.ID]-uses[b.ID], cmp.Compare(a.Confidence, b.Confidence), strings.Compare(a.Date, b.Date))
	})
	return ranked[:min(n, len(ranked))]
}

// NotePaths returns the paths of the notes of today, yesterday and tomorrow.
func (h *Home) NotePaths(now time.Time) []string {
	today := now.In(h.Zone)
	return []string{dayPath(today.Format(time.DateOnly)), dayPath(today.AddDate(0, 0, -1).Format(time.DateOnly)),
		dayPath(today.AddDate(0, 0, 1).Format(time.DateOnly))}
}

// PromptText returns the memory for a turn's prompt. It has the best facts of MEMORY.md, and the
// notes of yesterday and today. texts holds the files by path.
func (h *Home) PromptText(texts map[string]string, uses map[string]int, now time.Time) string {
	file := ParseFile(texts[MemoryFileName])
	facts, best := file.Facts(), ""
	shown := 0
	for _, f := range BestFacts(facts, uses, bestFacts) {
		line := fmt.Sprintf("- %s (%s)\n", f.Text, f.ID)
		if len(best)+len(line) <= factBytes {
			best, shown = best+line, shown+1
		}
	}
	if more := len(facts) - shown; more > 0 || file.hasProse() {
		best += fmt.Sprintf("(%d more facts; recall finds them, and the notes of all days)\n", more)
	}
	var notes string
	for _, path := range h.NotePaths(now)[:2] {
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
func (f *File) hasProse() bool {
	return slices.ContainsFunc(f.lines, func(l line) bool {
		return l.fact == nil && len(words(l.raw)) > 0 && !strings.HasPrefix(strings.TrimSpace(l.raw), "#")
	})
}
