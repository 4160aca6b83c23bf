package recurrence

import (
	"testing"
	"time"
)

func TestSplit_Phrase_GivesTimeAndText(t *testing.T) {
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
		"me tomorrow at 9: call Ann":               {"tomorrow at 9", "call Ann"},
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

// A time alone has no text. A half-readable time is no time.
func TestSplit_NoTextOrNoTime_IsNotSplit(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for words, alone := range map[string]bool{
		"tomorrow at 6 pm": true, "tomorrow at 18:30": true, "friday at 6 pm": true, "every day at 6 pm": true,
		"24 dec at 6 pm": true, "tomorrow at 9pm": true, "weekdays 8:30": true, "every monday": true,
		"next friday":    true,
		"every day at 6": true, "me tomorrow at 6 pm": true, "me tomorrow at 930": true, "on friday": true,
		"in 5 minutes": true,
		"tomorrow":     true, "every 2 h until friday": true, "3/4 at 9": true, "every day at 8 and 20:00": true,
		"me tomorrow at 975 to x": false, "me every day at 25 to x": false, "every day at 25": false,
		"tomorrow at 13 pm gym":           false,
		"on monday and thursday at 7 gym": false, "gym at 7 on monday and thursday": false,
		"every 2 h until fridya stretch": false,
		"at 19 in the morning run":       false, "tomorrow at 25 call Ann": false,
		"tomorrow at 9 at 10 call": false, "by friday": false,
		"tomorrow for 3 days walk the dog": false, "me every": false, "call bob at 25 tomorrow": false,
		"at 9 every other call":         false,
		"pay rent every 2nd and friday": false, "tomorrow and friday call Ann": false,
		"feed the cat at noon and at 6 every day": false, "me": false, "monday, thursday at 7 gym": false,
		",": false, "tomorrow,": true,
	} {
		if when, text, ok := SplitTimeAndText(words, now, UnknownDateOrder); ok {
			t.Errorf("%q is %q and %q", words, when, text)
		}
		if got := IsTimeAlone(words, now, UnknownDateOrder); got != alone {
			t.Errorf("%q is a time alone: %t", words, got)
		}
	}
}

// A time of the day within the text completes a day.
func TestSplit_TimeOfDayInText_CompletesDay(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for words, want := range map[string][2]string{
		"dentist at 4pm for Lea tomorrow":            {"tomorrow at 4pm", "dentist at 4pm for Lea"},
		"pick up Lea at 16:30 from school on friday": {"on friday at 16:30", "pick up Lea at 16:30 from school"},
		"call bob at 5 about the meeting tomorrow":   {"tomorrow at 5", "call bob at 5 about the meeting"},
		"tomorrow call Ann at 6 p.m. about Lea":      {"tomorrow at 6 p.m.", "call Ann at 6 p.m. about Lea"},
		"tomorrow lunch 12:30 with Ann":              {"tomorrow 12:30", "lunch 12:30 with Ann"},
		"tomorrow 2 eggs at half past 7 in a pan":    {"tomorrow 2", "eggs at half past 7 in a pan"},
		"every day at 8 call Ann at 10":              {"every day at 8", "call Ann at 10"},
		"gym @ 7 with Bob every monday":              {"every monday @ 7", "gym @ 7 with Bob"},
		"tomorrow meet Ann at home":                  {"tomorrow", "meet Ann at home"},
		"meet Ann at 25 Main Street tomorrow":        {"tomorrow", "meet Ann at 25 Main Street"},
		"tomorrow watch a 2h film":                   {"tomorrow", "watch a 2h film"},
		"pay 3.50 to Ann tomorrow":                   {"tomorrow", "pay 3.50 to Ann"},
		"tomorrow at 9 call Ann at 10":               {"tomorrow at 9", "call Ann at 10"},
		"call Ann at 10:15 or later in 2 hours":      {"in 2 hours", "call Ann at 10:15 or later"},
		"dinner 8pm with Ann friday":                 {"friday 8pm", "dinner 8pm with Ann"},
		"tomorrow, call mom":                         {"tomorrow", "call mom"},
		"tomorrow at 18, call mom":                   {"tomorrow at 18", "call mom"},
		"friday, 25 dec call mom":                    {"friday, 25 dec", "call mom"},
		"tomorrow, call mom at 9":                    {"tomorrow, at 9", "call mom"},
		"tomorrow to do list":                        {"tomorrow", "do list"},
		"friday weekly report":                       {"friday", "weekly report"},
		"every day on the way home call mom":         {"every day", "on the way home call mom"},
		"tomorrow for 3 people cook":                 {"tomorrow", "for 3 people cook"},
	} {
		when, text, ok := SplitTimeAndText(words, now, UnknownDateOrder)
		if when != want[0] || text != want[1] || !ok {
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
