package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// How hits are ranked. The numbers were tuned on the half of testdata's questions that may be
// looked at: see its README.
const (
	otherForm = 0.7 // of the weight of a query's word, where the section has another form of it
	inHeading = 1.5 // times the weight, where the word is in the heading or in the file's path
	// of the weights of two words, added where they are neighbours as in the query
	asPhrase = 0.25
	// of the scores of the same file's other hits, which are likely to be about the same matter
	ofFile = 0.5
	// of the best hit's score, added to a new hit; it halves with each month of age
	freshest   = 0.1
	freshShare = 0.2 // of a hit's score at most is for being new
	month      = 30 * 24 * time.Hour
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
			hits[i].Score += ofFile * min(files[h.Path]-h.Score, 2*h.Score)
		}
		best = max(best, hits[i].Score)
	}
	for i, h := range hits {
		fresh := math.Exp2(-max(0, float64(now.Sub(h.At))/float64(month)))
		hits[i].Score += min(freshest*best*fresh, h.Score*freshShare/(1-freshShare))
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At))
	})
}

// score is a hit's score for its words: the weight of each term that it has, more where the term is
// in the heading, and more where two terms are neighbours as in the query.
func score(h Hit, terms []term) (sum float64) {
	words := append(wordsOf(h.Heading+" / "+h.Path), "")
	head := len(words)
	got, phrase := make([]float64, len(terms)), make([]float64, len(terms))
	last := -1 // index of the term that the previous word is; -1: none
	for i, w := range append(words, wordsOf(h.Text)...) {
		factor := 1.0
		if i < head {
			factor = inHeading
		}
		next := -1
		for j, t := range terms {
			like := t.like(w)
			if like == 0 {
				continue
			}
			got[j] = max(got[j], factor*like)
			if last >= 0 && last == j-1 {
				phrase[j] = asPhrase * (terms[last].weight + t.weight)
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

// like says how well a word of a section matches the term, from 0 to 1.
func (t term) like(word string) float64 {
	switch {
	case !strings.HasPrefix(word, t.stem): // as most do
		return 0
	case word == t.word:
		return 1
	case t.inflected():
		return otherForm
	}
	return 0
}
