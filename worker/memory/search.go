package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mews/protocol/facts"
)

// maxHits bounds the results of one search.
const maxHits = 10

// RecallMatch is a fact or a line of a daily note that was found.
type RecallMatch struct {
	Fact facts.Fact // the fact; for a note only Text, Line and perhaps Date are set
	Path string     // path of the file with the fact or note

	score float64
}

// String formats the hit and its source in one line.
func (h RecallMatch) String() string {
	where := fmt.Sprint(h.Path, ":", h.Fact.Line)
	if h.Fact.ID == "" {
		return fmt.Sprintf("%s (%s)", h.Fact.Text, where)
	}
	return fmt.Sprintf("%s %s (%s, confidence %g, %s, %s)", h.Fact.ID, h.Fact.Text, h.Fact.Kind, h.Fact.Confidence,
		h.Fact.DescribeProvenance(), where)
}

// search ranks the hits that have any word of a query, the best first. A rare word weighs more than
// a common word. A word that shares only its beginning with the query's word weighs half. If two
// hits are equal, the newer hit comes first.
func search(all []RecallMatch, query string) (hits []RecallMatch) {
	asked, texts := facts.UnaccentedWords(query), make([][]string, len(all))
	for i, h := range all {
		texts[i] = facts.UnaccentedWords(h.Fact.Text + " " + h.Fact.Subject)
	}
	slices.Sort(asked)
	for _, word := range slices.Compact(asked) {
		fits, found := make([]float64, len(all)), 0.0
		for i, text := range texts {
			for _, w := range text {
				fits[i] = max(fits[i], matchScore(word, w))
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
	slices.SortStableFunc(hits, func(a, b RecallMatch) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(b.Fact.Date, a.Fact.Date))
	})
	return hits[:min(len(hits), maxHits)]
}

// matchScore returns how well a word matches a word of the query; 1 means that they are the same.
// Words with the same first four letters match partly if one continues the other. A query's word of
// three letters is enough, because the user may have typed only a beginning.
func matchScore(asked, word string) float64 {
	switch {
	case asked == word:
		return 1
	case len(asked) >= 3 && strings.HasPrefix(word, asked), len(word) >= 4 && strings.HasPrefix(asked, word):
		return 0.5
	}
	return 0
}
