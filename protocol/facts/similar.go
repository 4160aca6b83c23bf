package facts

import (
	"strings"
	"unicode"
)

// minLikeness is the likeness from which two facts count as the same.
const minLikeness = 0.85

// folded maps each accented Latin letter to the plain letters that replace it.
var folded = func() map[rune]string {
	all := map[rune]string{}
	for _, list := range strings.Fields(`a:àáâãäåāăą c:çćč d:ďđ e:èéêëēęě g:ğ i:ìíîïīı ` +
		`l:ł n:ñńň o:òóôõöøōő r:ř s:śšşș t:ťțţ u:ùúûüūůű y:ýÿ z:źżž ss:ß ae:æ oe:œ`) {
		plain, accented, _ := strings.Cut(list, ":")
		for _, r := range accented {
			all[r] = plain
		}
	}
	return all
}()

// UnaccentedWords returns the words of a text in small letters, without accents.
func UnaccentedWords(text string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch plain, accented := folded[r]; {
		case accented:
			b.WriteString(plain)
		case unicode.Is(unicode.Mn, r): // drops a combining accent
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// likeness returns the share of trigrams that two texts have in common: from 0 to 1. (As in
// PostgreSQL's pg_trgm, words get two spaces before and one space behind.)
func likeness(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	common := 0
	for t := range x {
		if y[t] {
			common++
		}
	}
	if all := len(x) + len(y) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}

func trigrams(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range UnaccentedWords(text) {
		runes := []rune("  " + word + " ")
		for i := range len(runes) - 2 {
			set[string(runes[i:i+3])] = true
		}
	}
	return set
}

// FindSimilarFact finds the fact of a list that has the same meaning as a text.
func FindSimilarFact(facts []Fact, text string) (found Fact, ok bool) {
	most := minLikeness
	for _, f := range facts {
		if l := likeness(f.Text, text); l >= most {
			found, most, ok = f, l, true
		}
	}
	return found, ok
}

// findContradicted finds the fact that a new fact contradicts: same kind, same subject, other
// words.
func findContradicted(facts []Fact, fact Fact) (found Fact, ok bool) {
	about := fact.SubjectOrPrefix()
	for _, f := range facts {
		if about != "" && f.Kind == fact.Kind && f.ID != fact.ID && f.SubjectOrPrefix() == about {
			return f, true
		}
	}
	return found, false
}
