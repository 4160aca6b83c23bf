package claim

import "strings"

// spanUnits maps the beginning of a unit's name to the unit of a span.
var spanUnits = map[string]string{
	"min": "min", "hour": "h", "hr": "h", "stund": "h", "std": "h", "hora": "h", "heure": "h", "day": "d", "tag": "d",
	"día": "d", "jour": "d",
	"week": "w", "woche": "w", "semana": "w", "semaine": "w",
}

// monthsByName numbers the months by the first four letters of their names in four languages.
var monthsByName = byWord([]string{
	"jan janu ener janv", "feb febr févr", "mar marc marz mär märz mars", "apr apri abri avri", "may mai mayo",
	"jun june juni juin",
	"jul july juli juil", "aug augu agos août", "sep sept", "oct octo okt okto octu", "nov nove",
	"dec dece dez deze dici déce",
})

// byWord numbers the lists from 1, and returns the number of each word.
func byWord(lists []string) map[string]int {
	numbers := map[string]int{}
	for i, list := range lists {
		for _, word := range strings.Fields(list) {
			numbers[word] = i + 1
		}
	}
	return numbers
}

// dayWords maps the words for days to one name for all languages. The short forms are those that
// task lists use.
var dayWords = func() map[string]string {
	days := map[string]string{}
	for name, list := range map[string]string{
		"monday":    "monday mondays mon montag montags lunes lundi",
		"tuesday":   "tuesday tuesdays tue dienstag dienstags martes mardi",
		"wednesday": "wednesday wednesdays wed mittwoch mittwochs miércoles mercredi",
		"thursday":  "thursday thursdays thu donnerstag donnerstags jueves jeudi",
		"friday":    "friday fridays fri freitag freitags viernes vendredi",
		"saturday":  "saturday saturdays sat samstag samstags sonnabend sábado samedi",
		"sunday":    "sunday sundays sun sonntag sonntags domingo dimanche",
		"tomorrow":  "tomorrow morgen mañana demain", "tonight": "tonight",
	} {
		for _, word := range strings.Fields(list) {
			days[word] = name
		}
	}
	return days
}()
