package answer

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// normalize returns a text in lower case, without accents, quotes around it, or punctuation at its
// end.
func normalize(text string) string {
	text = accents.Replace(strings.ToLower(strings.Join(strings.Fields(text), " ")))
	return strings.TrimSpace(strings.Trim(text, `"'“”„‘’«».,!?:;`))
}

// accents removes the accents of German, Spanish and French.
var accents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i",
	"ï", "i", "ó", "o", "ô", "o", "ö", "o", "ú", "u", "û", "u", "ù", "u", "ü", "u", "ñ", "n", "ç", "c", "œ", "oe", "’", "'")

// numberPattern matches an option by its number, in any spelling.
var numberPattern = regexp.MustCompile(`^(?:#|(?:option|number|no\.?|nr\.?|numero|n°) ?)?(\d{1,2})(?:[.):]|st|nd|rd|th|e|er|re)?$`)

// ordinalPattern matches an option by an ordinal, such as "the second one".
var ordinalPattern = regexp.MustCompile(`^(?:(?:the|der|die|das|den|el|la|le|los|les|number|option) |l')?([a-z]+)(?: (?:one|option))?$`)

// pick finds the option that a text names by words, number, ordinal, or a unique prefix.
func pick(options []string, text string) (index int, ok bool) {
	said := normalize(text)
	names := make([]string, len(options))
	for i, option := range options {
		names[i] = normalize(option)
	}
	if i := slices.Index(names, said); i >= 0 && said != "" {
		return i, true
	}
	if n, ok := positionIn(len(options), strings.ToLower(strings.TrimSpace(text)), said); ok {
		return n, true
	}
	return uniquePrefix(names, said)
}

// positionIn returns the index that a text names by a number or an ordinal. ok is false unless the
// index is below n.
func positionIn(n int, asTyped, said string) (index int, ok bool) {
	position := 0
	number := numberPattern.FindStringSubmatch(strings.TrimSuffix(asTyped, "."))
	word := ordinalPattern.FindStringSubmatch(said)
	switch {
	case number != nil:
		for _, digit := range number[1] {
			position = position*10 + int(digit-'0')
		}
	case word != nil && slices.Contains(lastWords, word[1]):
		position = n
	case word != nil:
		position = ordinals[word[1]]
	}
	return position - 1, position >= 1 && position <= n
}

func uniquePrefix(names []string, said string) (index int, ok bool) {
	for i, name := range names {
		if said == "" || !strings.HasPrefix(name, said) {
			continue
		}
		if ok {
			return 0, false
		}
		index, ok = i, true
	}
	return index, ok
}

// optionSeparator matches the separators of several options.
var optionSeparator = regexp.MustCompile(`(?i)\s*[,;+&\n]\s*(?:and\s|und\s|y\s|et\s)?|\s+(?:and|und|y|et)\s+`)

// numberListPattern matches numbers with only spaces between them.
var numberListPattern = regexp.MustCompile(`^\d{1,2}(?: \d{1,2})+$`)

// pickSeveral finds the options that a text names, sorted. "None" is an answer too.
func pickSeveral(options []string, text string) (picked []int, ok bool) {
	if i, ok := pick(options, text); ok {
		return []int{i}, true
	}
	said := normalize(text)
	if all, whole := allOrNone[said]; whole {
		for i := range options {
			if all {
				picked = append(picked, i)
			}
		}
		return picked, true
	}
	names := optionSeparator.Split(strings.TrimSpace(text), -1)
	if numberListPattern.MatchString(said) {
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

// zone loads a time zone. If the name is unknown or empty, it returns the machine's zone.
func zone(name string) *time.Location {
	if z, err := time.LoadLocation(name); err == nil && name != "" {
		return z
	}
	return time.Local
}
