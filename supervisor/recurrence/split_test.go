package recurrence

import (
	"testing"
	"time"
)

func TestSplit_Words_GiveTimeAndText(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for words, want := range map[string][2]string{
		"tomorrow at 9: call the plumber":          {"tomorrow at 9", "call the plumber"},
		"in 5 minutes call mom":                    {"in 5 minutes", "call mom"},
		"in 5 minutes to call mom":                 {"in 5 minutes", "call mom"},
		"me in 5 minutes to call mom":              {"in 5 minutes", "call mom"},
		"me to call mom in 5 minutes":              {"in 5 minutes", "call mom"},
		"call mom tomorrow at 9":                   {"tomorrow at 9", "call mom"},
		"call mom at 9 tomorrow":                   {"at 9 tomorrow", "call mom"},
		"tomorrow call mom at 9":                   {"tomorrow at 9", "call mom"},
		"tomorrow call mom":                        {"tomorrow", "call mom"},
		"pay the rent every 31st at 10":            {"every 31st at 10", "pay the rent"},
		"tomorrow buy\n2 kg of flour":              {"tomorrow", "buy\n2 kg of flour"},
		"tomorrow: to do list":                     {"tomorrow", "to do list"},
		"in 5 minutes call mom: it is urgent":      {"in 5 minutes call mom", "it is urgent"},
		"next friday rent":                         {"next friday", "rent"},
		"tonight take the pills":                   {"tonight", "take the pills"},
		"take the pills tonight":                   {"tonight", "take the pills"},
		"18:00 dinner":                             {"18:00", "dinner"},
		"at 9 eggs":                                {"at 9", "eggs"},
		"every weekday at 8:30 stand up":           {"every weekday at 8:30", "stand up"},
		"stand up on weekdays at 8:30":             {"on weekdays at 8:30", "stand up"},
		"in 5 minutes second opinion":              {"in 5 minutes", "second opinion"},
		"morgen um 9: Klempner":                    {"morgen um 9", "Klempner"},
		"3/4 at 9 call Ann":                        {"3/4 at 9", "call Ann"},
		"sun cream tomorrow":                       {"tomorrow", "sun cream"},
		"weekly report on friday at 9":             {"on friday at 9", "weekly report"},
		"midnight snack tonight":                   {"tonight", "midnight snack"},
		"sunday roast":                             {"sunday", "roast"},
		"call mom Mondays":                         {"Mondays", "call mom"},
		"get some sun":                             {},
		"buy 5 birthdays":                          {},
		"9 eggs":                                   {},
		"3/4 cup of milk":                          {},
		"call room 12":                             {},
		"run for 5 min":                            {},
		"call mom":                                 {},
		"tomorrow":                                 {},
		"":                                         {},
		"0: \v":                                    {},
		"\v: x":                                    {},
		"tomorrow:":                                {},
		"morgen um 9 Klempner":                     {},
		"tomorrow\u0085call mom":                   {"tomorrow", "call mom"},
		"\u2003tomorrow\u00a0call\u202fmom \u3000": {"tomorrow", "call\u202fmom"},
	} {
		when, text, ok := SplitTimeAndText(words, now, UnknownDateOrder)
		if when != want[0] || text != want[1] || ok != (want[0] != "") {
			t.Errorf("%q is %q and %q, want %q", words, when, text, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for text := range spellings {
		f.Add(text + " call Ann")
		f.Add("call Ann " + text)
		f.Add(text + ": call Ann")
	}
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, words string) {
		if len(words) > 300 {
			return
		}
		if when, text, ok := SplitTimeAndText(words, now, DayFirst); ok && (when == "" || text == "") {
			t.Errorf("%q is %q and %q", words, when, text)
		}
	})
}
