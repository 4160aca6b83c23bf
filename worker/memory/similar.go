package memory

import (
	"strings"
	"unicode"
)

// same is the likeness from which on two facts are one.
const same = 0.85

// folded are Latin letters with accents, each list behind the letters that stand for them.
var folded = func() map[rune]string {
	all := map[rune]string{}
	for _, list := range strings.Fields(`a:àáâãäåāăą c:çćč d:ďđ e:èéêëēęě g:ğ i:ìíîïīı l:ł n:ñńň o:òóôõöøōő r:ř s:śšşș t:ťțţ u:ùúûüūůű y:ýÿ z:źżž ss:ß ae:æ oe:œ`) {
		plain, accented, _ := strings.Cut(list, ":")
		for _, r := range accented {
			all[r] = plain
		}
	}
	return all
}()

// words are a text's, in small letters and without accents.
func words(text string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch plain, accented := folded[r]; {
		case accented:
			b.WriteString(plain)
		case unicode.Is(unicode.Mn, r): // an accent of its own
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// likeness is how much of the trigrams of two texts is common to both: from 0 to 1. (As in
// PostgreSQL's pg_trgm, words are taken with two spaces before and one behind.)
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
	for _, word := range words(text) {
		runes := []rune("  " + word + " ")
		for i := range len(runes) - 2 {
			set[string(runes[i:i+3])] = true
		}
	}
	return set
}

// like is the fact of a list that says the same as a text; ok is false where none does.
func like(facts []Fact, text string) (found Fact, ok bool) {
	most := same
	for _, f := range facts {
		if l := likeness(f.Text, text); l >= most {
			found, most, ok = f, l, true
		}
	}
	return found, ok
}

// against is the fact that another one contradicts: one of the same kind about the same subject,
// which says something else.
func against(facts []Fact, fact Fact) (found Fact, ok bool) {
	about := fact.About()
	for _, f := range facts {
		if about != "" && f.Kind == fact.Kind && f.ID != fact.ID && f.About() == about {
			return f, true
		}
	}
	return found, false
}
