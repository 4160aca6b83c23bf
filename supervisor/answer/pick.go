package answer

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// plain is a text in small letters, without accents, without quotes around it and without the marks
// at its end.
func plain(text string) string {
	text = accents.Replace(strings.ToLower(strings.Join(strings.Fields(text), " ")))
	return strings.TrimSpace(strings.Trim(text, `"'“”„‘’«».,!?:;`))
}

// accents leaves out those of the four languages that are read.
var accents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i",
	"ï", "i", "ó", "o", "ô", "o", "ö", "o", "ú", "u", "û", "u", "ù", "u", "ü", "u", "ñ", "n", "ç", "c", "œ", "oe", "’", "'")

// byNumber is an option by its number, however that is written.
var byNumber = regexp.MustCompile(`^(?:#|(?:option|number|no\.?|nr\.?|numero|n°) ?)?(\d{1,2})(?:[.):]|st|nd|rd|th|e|er|re)?$`)

// byPlace is an option by a word for its place, with what may stand around that.
var byPlace = regexp.MustCompile(`^(?:(?:the|der|die|das|den|el|la|le|los|les|number|option) |l')?([a-z]+)(?: (?:one|option))?$`)

// pick finds the option that a text names: by its words, by its number, by its place, or by its
// beginning where no other begins so.
func pick(options []string, text string) (place int, ok bool) {
	said := plain(text)
	names := make([]string, len(options))
	for i, option := range options {
		names[i] = plain(option)
	}
	if i := slices.Index(names, said); i >= 0 && said != "" {
		return i, true
	}
	if n, ok := placeIn(len(options), strings.ToLower(strings.TrimSpace(text)), said); ok {
		return n, true
	}
	return uniquePrefix(names, said)
}

// placeIn is the place, from 0, that a text names by a number or a word, of n.
func placeIn(n int, asTyped, said string) (place int, ok bool) {
	number := byNumber.FindStringSubmatch(strings.TrimSuffix(asTyped, "."))
	word := byPlace.FindStringSubmatch(said)
	switch {
	case number != nil:
		for _, digit := range number[1] {
			place = place*10 + int(digit-'0')
		}
	case word != nil && slices.Contains(lastWords, word[1]):
		place = n
	case word != nil:
		place = placeWords[word[1]]
	}
	return place - 1, place >= 1 && place <= n
}

func uniquePrefix(names []string, said string) (place int, ok bool) {
	for i, name := range names {
		if said == "" || !strings.HasPrefix(name, said) {
			continue
		}
		if ok {
			return 0, false
		}
		place, ok = i, true
	}
	return place, ok
}

// between is what may stand between several options.
var between = regexp.MustCompile(`(?i)\s*[,;+&\n]\s*(?:and\s|und\s|y\s|et\s)?|\s+(?:and|und|y|et)\s+`)

// numbers is a list of numbers with nothing but spaces between them.
var numbers = regexp.MustCompile(`^\d{1,2}(?: \d{1,2})+$`)

// pickSeveral finds the options that a text names, rising. None is an answer too.
func pickSeveral(options []string, text string) (picked []int, ok bool) {
	if i, ok := pick(options, text); ok {
		return []int{i}, true
	}
	said := plain(text)
	if all, whole := allOrNone[said]; whole {
		for i := range options {
			if all {
				picked = append(picked, i)
			}
		}
		return picked, true
	}
	names := between.Split(strings.TrimSpace(text), -1)
	if numbers.MatchString(said) {
		names = strings.Fields(said)
	}
	for _, name := range names {
		i, ok := pick(options, name)
		if !ok {
			return nil, false
		}
		picked = append(picked, i)
	}
	slices.Sort(picked)
	return slices.Compact(picked), len(picked) > 0
}

// zone is a time zone by its name; the machine's where there is none of that name.
func zone(name string) *time.Location {
	if z, err := time.LoadLocation(name); err == nil && name != "" {
		return z
	}
	return time.Local
}
