package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// Constants of the ranking. They were tuned on the half of testdata's questions that may be read:
// see its README.
const (
	otherFormFactor = 0.7 // factor for another form of a query's word
	headingFactor   = 1.5 // factor for a word in the heading or in the file's path
	// phraseShare is the share of two words' weights that is added if the words are neighbours as
	// in the query.
	phraseShare = 0.25
	// sameFileShare is the share of the scores of other hits in the same file that is added to a
	// hit. These hits are likely to be about the same subject.
	sameFileShare = 0.5
	// freshBonus is the share of the best hit's score that is added to a new hit. It halves with
	// each month of age.
	freshBonus    = 0.1
	maxFreshShare = 0.2 // largest share of a hit's score that comes from its age
	month         = 30 * 24 * time.Hour
)

// rank scores hits by their terms, their file and their age, and sorts them, the best first.
func rank(hits []Hit, terms []term, now time.Time) {
	files, best := map[string]float64{}, 0.0
	for i, h := range hits {
		hits[i].Score = score(h, terms)
		files[h.Path] += hits[i].Score
	}
	for i, h := range hits {
		if h.Path != "" {
			hits[i].Score += sameFileShare * min(files[h.Path]-h.Score, 2*h.Score)
		}
		best = max(best, hits[i].Score)
	}
	for i, h := range hits {
		fresh := math.Exp2(-max(0, float64(now.Sub(h.At))/float64(month)))
		hits[i].Score += min(freshBonus*best*fresh, h.Score*maxFreshShare/(1-maxFreshShare))
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At))
	})
}

// score returns a hit's score for its words. It adds the weight of each found term, and more weight
// for a term in the heading. Two terms that are neighbours as in the query also add weight.
func score(h Hit, terms []term) (sum float64) {
	words := append(wordsOf(h.Heading+" / "+h.Path), "")
	head := len(words)
	got, phrase := make([]float64, len(terms)), make([]float64, len(terms))
	last := -1 // index of the term of the previous word; -1 means none
	for i, w := range append(words, wordsOf(h.Text)...) {
		factor := 1.0
		if i < head {
			factor = headingFactor
		}
		next := -1
		for j, t := range terms {
			like := t.matchScore(w)
			if like == 0 {
				continue
			}
			got[j] = max(got[j], factor*like)
			if last >= 0 && last == j-1 {
				phrase[j] = phraseShare * (terms[last].weight + t.weight)
			}
			next = j
		}
		last = next
	}
	for j, t := range terms {
		sum += t.weight*got[j] + phrase[j]
	}
	return sum
}

// matchScore returns how well a word of a section matches the term, from 0 to 1.
func (t term) matchScore(word string) float64 {
	switch {
	case !strings.HasPrefix(word, t.stem): // a fast exit, because most words have another stem
		return 0
	case word == t.word:
		return 1
	case t.inflected():
		return otherFormFactor
	}
	return 0
}
