package recurrence

import (
	"regexp"
	"strings"
	"sync"
)

// spelled are times that Parse reads. A refusal shows the nearest of them.
var spelled = []string{
	"in 20 min", "in 90 seconds", "in 1.5 hours", "in 2 h 30 min", "in 3 days at 9", "in 2 weeks", "in 2 months",
	"today at 18:00", "tonight at 8", "this evening at 7", "tomorrow", "tomorrow at 9", "tomorrow morning at 7:30",
	"the day after tomorrow at 9", "at half past 7 pm", "at quarter to 8 pm", "at 12:30 am", "at noon",
	"at midnight", "friday at 17:00", "next friday at 9", "friday next week at 9", "24 dec at 18:00",
	"dec 24, 2026 at 6 pm", "2026-12-24 18:00", "24.12.2026 18:00", "the 15th at 9", "end of the month at 17:00",
	"every day at 8", "every day at 8 and 20:00", "every morning at 7", "every evening at 7", "weekdays 8:30",
	"weekends at 10", "every friday at 17:00", "every monday and thursday at 9", "monday to friday at 9",
	"every second tuesday at 9", "every other week on monday at 9", "every 2 weeks on monday at 9",
	"every other day at 9", "every 3 days at 9", "every month on the 1st at 9", "every 31st at 10",
	"every last friday at 17:00", "first monday of the month at 10", "last day of the month at 18:00",
	"every year on dec 24 at 9", "every 2 h until friday", "every 30 min", "hourly", "every day at 9 for 2 weeks",
	"every day at 9 until 24 dec", "every day at 9 3 times", "30 8 * * 1-5",
}

// ExamplesForModel returns times that Parse reads, for a model.
func ExamplesForModel() string { return strings.Join(spelled, "; ") }

var (
	numberPattern = regexp.MustCompile(`\d+`)
	wordPattern   = regexp.MustCompile(`[\pL\d:.*/-]+`)
)

// SuggestTime returns the readable time that is most like the first words, or "".
func SuggestTime(words string) string {
	const beginning = 5 // number of words that are compared
	fields := strings.Fields(words)
	return nearest(strings.Join(fields[:min(len(fields), beginning)], " "))
}

// nearest returns the example that shares the most words and pairs of letters with a text. All
// numbers count as equal, and so do all days of the week, and all months. It returns "" if no
// example is like the text.
func nearest(text string) string {
	best, most := "", leastNear
	wanted := features(text)
	for i, example := range spelled {
		near, all := 0, spelledFeatures()[i]
		for feature, n := range all {
			near += min(n, wanted[feature])
		}
		if score := 2 * float64(near) / float64(total(all)+total(wanted)); score > most {
			best, most = example, score
		}
	}
	return best
}

var spelledFeatures = sync.OnceValue(func() (all []map[string]int) {
	for _, example := range spelled {
		all = append(all, features(example))
	}
	return all
})

// leastNear is the least likeness of a text to its nearest example, from 0 to 1.
const leastNear = 0.3

// features counts the pairs of letters of a text, and its words.
func features(text string) map[string]int {
	const wordCounts = 3 // a word counts as much as three pairs
	all := map[string]int{}
	for _, word := range wordPattern.FindAllString(strings.ToLower(text), maxText) {
		if isWeekday(word) || isWeekday(strings.TrimSuffix(word, "s")) {
			word = "friday"
		} else if monthsOf[word] != 0 {
			word = "dec"
		}
		if word = numberPattern.ReplaceAllString(word, "0"); word == "0" {
			all[word]++
			continue
		}
		all[word] += wordCounts
		for letters := []rune(" " + word + " "); len(letters) > 1; letters = letters[1:] {
			all[string(letters[:2])]++
		}
	}
	return all
}

func total(features map[string]int) (sum int) {
	for _, n := range features {
		sum += n
	}
	return sum
}
