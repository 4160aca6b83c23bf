package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxHits is how many are found at once.
const maxHits = 10

// Hit is a fact or a line of a daily note that was found.
type Hit struct {
	Fact Fact   // of a note it has a Text, a Line and perhaps a Date alone
	Path string // where it stands

	score float64
}

// String is what is found, and where it comes from, in a line.
func (h Hit) String() string {
	where := fmt.Sprint(h.Path, ":", h.Fact.Line)
	if h.Fact.ID == "" {
		return fmt.Sprintf("%s (%s)", h.Fact.Text, where)
	}
	return fmt.Sprintf("%s %s (%s, confidence %g, %s, %s)", h.Fact.ID, h.Fact.Text, h.Fact.Kind, h.Fact.Confidence, h.Fact.Source(), where)
}

// search ranks what has any of a query's words, the best first. A rare word weighs more than one
// that is everywhere; one that only begins alike weighs half. Of two that are as good the newer is
// first.
func search(all []Hit, query string) (hits []Hit) {
	asked, texts := words(query), make([][]string, len(all))
	for i, h := range all {
		texts[i] = words(h.Fact.Text + " " + h.Fact.Subject)
	}
	slices.Sort(asked)
	for _, word := range slices.Compact(asked) {
		fits, found := make([]float64, len(all)), 0.0
		for i, text := range texts {
			for _, w := range text {
				fits[i] = max(fits[i], fit(word, w))
			}
			if fits[i] > 0 {
				found++
			}
		}
		rarity := math.Log(1 + float64(len(all))/max(found, 1))
		for i := range all {
			all[i].score += fits[i] * rarity
		}
	}
	best := 0.0
	for _, h := range all {
		best = max(best, h.score)
	}
	for _, h := range all {
		if h.score > 0 && h.score >= best/5 {
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(b.Fact.Date, a.Fact.Date))
	})
	return hits[:min(len(hits), maxHits)]
}

// fit is how well a word fits one that is asked for: 1 is the same. One of them may go on where the
// other ends, behind four letters; of what is asked for three are enough, as it may be a beginning.
func fit(asked, word string) float64 {
	switch {
	case asked == word:
		return 1
	case len(asked) >= 3 && strings.HasPrefix(word, asked), len(word) >= 4 && strings.HasPrefix(asked, word):
		return 0.5
	}
	return 0
}
