package recurrence

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// spellings are times as people write them, with their first due times. The time is Friday, 20
// November 2026, 13:19 in Madrid.
var spellings = map[string]string{
	// lengths of time, counted from now
	"in 90 seconds":             "Fri 20 Nov 13:20:30",
	"in 30 s":                   "Fri 20 Nov 13:19:30",
	"in 45 sec":                 "Fri 20 Nov 13:19:45",
	"in 1.5 hours":              "Fri 20 Nov 14:49",
	"in an hour and a half":     "Fri 20 Nov 14:49",
	"in one and a half hours":   "Fri 20 Nov 14:49",
	"in half an hour":           "Fri 20 Nov 13:49",
	"in 1h30":                   "Fri 20 Nov 14:49",
	"in 1h 30m":                 "Fri 20 Nov 14:49",
	"in 2 hours and 15 minutes": "Fri 20 Nov 15:34",
	"in a quarter of an hour":   "Fri 20 Nov 13:34",
	"in a couple of hours":      "Fri 20 Nov 15:19",
	"in five minutes":           "Fri 20 Nov 13:24",
	"20m":                       "Fri 20 Nov 13:39",
	"5 minutes":                 "Fri 20 Nov 13:24",
	"an hour from now":          "Fri 20 Nov 14:19",
	"2 days from now":           "Sun 22 Nov 13:19",
	"in two weeks":              "Fri 4 Dec 13:19",
	"in a fortnight":            "Fri 4 Dec 13:19",
	"in 3 days at 9":            "Mon 23 Nov 09:00",
	"in 1 month":                "Sun 20 Dec 13:19",
	"in a year":                 "Sat 20 Nov 13:19",
	"in 2 weeks in the evening": "Fri 4 Dec 19:00",
	"in half a day":             "Sat 21 Nov 01:19",
	"in 1.5 days":               "Sun 22 Nov 01:19",
	"in 3 days' time":           "Mon 23 Nov 13:19",
	// dates without a time of the day
	"next friday":                  "Fri 27 Nov 09:00",
	"25 Dec":                       "Fri 25 Dec 09:00",
	"dec 25th":                     "Fri 25 Dec 09:00",
	"the 25th of december":         "Fri 25 Dec 09:00",
	"monday":                       "Mon 23 Nov 09:00",
	"on monday":                    "Mon 23 Nov 09:00",
	"this sunday":                  "Sun 22 Nov 09:00",
	"coming tuesday":               "Tue 24 Nov 09:00",
	"2026-12-24":                   "Thu 24 Dec 09:00",
	"the day after tomorrow":       "Sun 22 Nov 09:00",
	"day after tomorrow":           "Sun 22 Nov 09:00",
	"next week":                    "Mon 23 Nov 09:00",
	"next month":                   "Tue 1 Dec 09:00",
	"this weekend":                 "Sat 21 Nov 09:00",
	"end of the month":             "Mon 30 Nov 09:00",
	"end of next month":            "Thu 31 Dec 09:00",
	"the 31st":                     "Mon 30 Nov 09:00",
	"on the 15th":                  "Tue 15 Dec 09:00",
	"a week from monday":           "Mon 30 Nov 09:00",
	"friday next week":             "Fri 27 Nov 09:00",
	"next week on tuesday":         "Tue 24 Nov 09:00",
	"wednesday of next week at 10": "Wed 25 Nov 10:00",
	// parts of the day
	"tonight":                      "Fri 20 Nov 20:00",
	"this evening at 7":            "Fri 20 Nov 19:00",
	"this evening":                 "Fri 20 Nov 19:00",
	"tonight at 8":                 "Fri 20 Nov 20:00",
	"tonight at 11:30":             "Fri 20 Nov 23:30",
	"tonight at 1":                 "Sat 21 Nov 01:00",
	"tonight at midnight":          "Sat 21 Nov 00:00",
	"at 8 tonight":                 "Fri 20 Nov 20:00",
	"this afternoon":               "Fri 20 Nov 15:00",
	"this afternoon at 4":          "Fri 20 Nov 16:00",
	"tomorrow morning":             "Sat 21 Nov 09:00",
	"tomorrow evening":             "Sat 21 Nov 19:00",
	"tomorrow morning at 7:30":     "Sat 21 Nov 07:30",
	"friday night":                 "Fri 27 Nov 20:00",
	"monday morning at 8":          "Mon 23 Nov 08:00",
	"in the morning":               "Sat 21 Nov 09:00",
	"in the evening":               "Fri 20 Nov 19:00",
	"tomorrow at 7 in the evening": "Sat 21 Nov 19:00",
	"sunday at 9 in the morning":   "Sun 22 Nov 09:00",
	"tomorrow afternoon at 12:30":  "Sat 21 Nov 12:30",
	"tonight at 20:15":             "Fri 20 Nov 20:15",
	"tomorrow night at 10 pm":      "Sat 21 Nov 22:00",
	// times of the day
	"tomorrow at half past 7":       "Sat 21 Nov 07:30",
	"tomorrow at quarter to 8":      "Sat 21 Nov 07:45",
	"half past 7 tonight":           "Fri 20 Nov 19:30",
	"quarter to 8 pm":               "Fri 20 Nov 19:45",
	"tomorrow, a quarter past nine": "Sat 21 Nov 09:15",
	"tomorrow at ten to six":        "Sat 21 Nov 05:50",
	"tomorrow at twenty past 4 pm":  "Sat 21 Nov 16:20",
	"tomorrow at 5 minutes to 9":    "Sat 21 Nov 08:55",
	"12:30 am":                      "Sat 21 Nov 00:30",
	"at 12:30 am":                   "Sat 21 Nov 00:30",
	"12 am":                         "Sat 21 Nov 00:00",
	"at midnight":                   "Sat 21 Nov 00:00",
	"today at midnight":             "Sat 21 Nov 00:00",
	"at noon":                       "Sat 21 Nov 12:00",
	"12 pm tomorrow":                "Sat 21 Nov 12:00",
	"9 am":                          "Sat 21 Nov 09:00",
	"6pm":                           "Fri 20 Nov 18:00",
	"6 p.m.":                        "Fri 20 Nov 18:00",
	"at 6 o'clock pm":               "Fri 20 Nov 18:00",
	"tomorrow at 9 o'clock":         "Sat 21 Nov 09:00",
	"at 1830":                       "Fri 20 Nov 18:30",
	"tomorrow 18h30":                "Sat 21 Nov 18:30",
	"tomorrow 18.30":                "Sat 21 Nov 18:30",
	"9am tomorrow":                  "Sat 21 Nov 09:00",
	"at 9 on monday":                "Mon 23 Nov 09:00",
	"18:00 24 dec":                  "Thu 24 Dec 18:00",
	"tomorrow at nine":              "Sat 21 Nov 09:00",
	"tomorrow 09:00:30":             "Sat 21 Nov 09:00:30",
	"tomorrow @ 9":                  "Sat 21 Nov 09:00",
	"tomorrow, 9am":                 "Sat 21 Nov 09:00",
	"friday, 25 december at 9":      "Fri 25 Dec 09:00",
	"dec 24, 2026 at 6pm":           "Thu 24 Dec 18:00",
	"dec 24, 18:00":                 "Thu 24 Dec 18:00",
	// numeric dates
	"31.12.2026 9:00":     "Thu 31 Dec 09:00",
	"24.12. 18:00":        "Thu 24 Dec 18:00",
	"24.12. at 18":        "Thu 24 Dec 18:00",
	"10.12 at 9":          "Thu 10 Dec 09:00",
	"24.12":               "Thu 24 Dec 09:00",
	"on 10.12":            "Thu 10 Dec 09:00",
	"on 5.1 at 8":         "Tue 5 Jan 08:00",
	"24.12.26":            "Thu 24 Dec 09:00",
	"31/12/2026 at 9":     "Thu 31 Dec 09:00",
	"12/31/2026 at 9":     "Thu 31 Dec 09:00",
	"13/4 at 9":           "Tue 13 Apr 09:00",
	"2026/12/24 18:00":    "Thu 24 Dec 18:00",
	"24-12-2026 at 18":    "Thu 24 Dec 18:00",
	"12/12 at 9":          "Sat 12 Dec 09:00",
	"2026-11-25 09:00:30": "Wed 25 Nov 09:00:30",
	// days of the week
	"every friday":                                  "Fri 27 Nov 09:00, Fri 4 Dec 09:00",
	"daily":                                         "Sat 21 Nov 09:00, Sun 22 Nov 09:00",
	"every weekday":                                 "Mon 23 Nov 09:00, Tue 24 Nov 09:00",
	"mon-fri 8:30":                                  "Mon 23 Nov 08:30, Tue 24 Nov 08:30",
	"monday to friday at 9":                         "Mon 23 Nov 09:00, Tue 24 Nov 09:00",
	"every mon, wed and fri at 7am":                 "Mon 23 Nov 07:00, Wed 25 Nov 07:00",
	"mon, wed, fri at 18:00":                        "Fri 20 Nov 18:00, Mon 23 Nov 18:00",
	"mondays":                                       "Mon 23 Nov 09:00, Mon 30 Nov 09:00",
	"on mondays at 9":                               "Mon 23 Nov 09:00, Mon 30 Nov 09:00",
	"at 9 on weekdays":                              "Mon 23 Nov 09:00, Tue 24 Nov 09:00",
	"at 8am every day":                              "Sat 21 Nov 08:00, Sun 22 Nov 08:00",
	"every day at half past 7":                      "Sat 21 Nov 07:30, Sun 22 Nov 07:30",
	"every day at 8 and at 20:30":                   "Fri 20 Nov 20:30, Sat 21 Nov 08:00",
	"every morning":                                 "Sat 21 Nov 09:00, Sun 22 Nov 09:00",
	"every evening at 7":                            "Fri 20 Nov 19:00, Sat 21 Nov 19:00",
	"every night at 10":                             "Fri 20 Nov 22:00, Sat 21 Nov 22:00",
	"every monday morning":                          "Mon 23 Nov 09:00, Mon 30 Nov 09:00",
	"every day at 7 in the evening":                 "Fri 20 Nov 19:00, Sat 21 Nov 19:00",
	"every day at midnight":                         "Sat 21 Nov 00:00, Sun 22 Nov 00:00",
	"every day at noon":                             "Sat 21 Nov 12:00, Sun 22 Nov 12:00",
	"every weekend at 10":                           "Sat 21 Nov 10:00, Sun 22 Nov 10:00",
	"every day at 9 for 3 days":                     "Sat 21 Nov 09:00, Sun 22 Nov 09:00",
	"every friday at 9 for 5 times":                 "Fri 27 Nov 09:00, Fri 4 Dec 09:00",
	"every day at 9 until 24.12.":                   "Sat 21 Nov 09:00, Sun 22 Nov 09:00",
	"every friday at eight and nine":                "Fri 27 Nov 08:00, Fri 27 Nov 09:00",
	"every day at eight, noon and twenty past four": "Sat 21 Nov 04:20, Sat 21 Nov 08:00, Sat 21 Nov 12:00",
	"every day for 3 times":                         "Sat 21 Nov 09:00, Sun 22 Nov 09:00, Mon 23 Nov 09:00",
	"every day at 9 3 times":                        "Sat 21 Nov 09:00, Sun 22 Nov 09:00, Mon 23 Nov 09:00",
	"every friday at noon 2 times":                  "Fri 27 Nov 12:00, Fri 4 Dec 12:00",
	"every 2 h 3 times":                             "Fri 20 Nov 15:19, Fri 20 Nov 17:19, Fri 20 Nov 19:19",
	"every thursday at 9 and thurs at 9":            "",
	"every thu and mon at 9":                        "Mon 23 Nov 09:00, Thu 26 Nov 09:00",
	"thursdays at 9":                                "Thu 26 Nov 09:00, Thu 3 Dec 09:00",
	"every tues at 9":                               "Tue 24 Nov 09:00, Tue 1 Dec 09:00",
	"weekly on monday at 9":                         "Mon 23 Nov 09:00, Mon 30 Nov 09:00",
	// every few days and weeks
	"every second tuesday at 9":                              "Tue 24 Nov 09:00, Tue 8 Dec 09:00",
	"every other week on monday":                             "Mon 23 Nov 09:00, Mon 7 Dec 09:00",
	"every 2 weeks on monday at 8":                           "Mon 23 Nov 08:00, Mon 7 Dec 08:00",
	"every two weeks on friday at 14":                        "Fri 20 Nov 14:00, Fri 4 Dec 14:00",
	"every other friday":                                     "Fri 27 Nov 09:00, Fri 11 Dec 09:00",
	"biweekly on friday":                                     "Fri 27 Nov 09:00, Fri 11 Dec 09:00",
	"every second week on mon and thu at 9":                  "Mon 23 Nov 09:00, Thu 26 Nov 09:00, Mon 7 Dec 09:00",
	"every other day at 9":                                   "Sun 22 Nov 09:00, Tue 24 Nov 09:00",
	"every third day at 9":                                   "Mon 23 Nov 09:00, Thu 26 Nov 09:00",
	"every other week":                                       "Fri 4 Dec 09:00, Fri 18 Dec 09:00",
	"every 3 days":                                           "Mon 23 Nov 09:00, Thu 26 Nov 09:00",
	"weekly":                                                 "Fri 27 Nov 09:00, Fri 4 Dec 09:00",
	"every week at 9":                                        "Fri 27 Nov 09:00, Fri 4 Dec 09:00",
	"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0":    "Mon 23 Nov 09:00, Mon 7 Dec 09:00",
	"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0": "Mon 23 Nov 09:00, Thu 26 Nov 09:00, Mon 7 Dec 09:00",
	// days of the month and of the year
	"every last friday at 17:00":              "Fri 27 Nov 17:00, Fri 25 Dec 17:00",
	"every first monday at 10":                "Mon 7 Dec 10:00, Mon 4 Jan 10:00",
	"every 31st at 10":                        "Mon 30 Nov 10:00, Thu 31 Dec 10:00, Sun 31 Jan 10:00, Sun 28 Feb 10:00",
	"every 30th at 10":                        "Mon 30 Nov 10:00, Wed 30 Dec 10:00, Sat 30 Jan 10:00, Sun 28 Feb 10:00",
	"every 1st and 15th at 9":                 "Tue 1 Dec 09:00, Tue 15 Dec 09:00",
	"on the 1st of every month":               "Tue 1 Dec 09:00, Fri 1 Jan 09:00",
	"every 31st at 8 and 20":                  "Mon 30 Nov 08:00, Mon 30 Nov 20:00, Thu 31 Dec 08:00",
	"every 15th and 31st at 9":                "Mon 30 Nov 09:00, Tue 15 Dec 09:00, Thu 31 Dec 09:00",
	"monthly on the 1st at 9":                 "Tue 1 Dec 09:00, Fri 1 Jan 09:00",
	"every month on the last friday at 17:00": "Fri 27 Nov 17:00, Fri 25 Dec 17:00",
	"every last day of the month":             "Mon 30 Nov 09:00, Thu 31 Dec 09:00",
	"last friday of the month":                "Fri 27 Nov 09:00, Fri 25 Dec 09:00",
	"first working day of the month at 9":     "Tue 1 Dec 09:00, Fri 1 Jan 09:00",
	"second tuesday of the month at 10":       "Tue 8 Dec 10:00, Tue 12 Jan 10:00",
	"every second tuesday of the month at 10": "Tue 8 Dec 10:00, Tue 12 Jan 10:00",
	"every third friday":                      "Fri 18 Dec 09:00, Fri 15 Jan 09:00",
	"every month":                             "Sun 20 Dec 09:00, Wed 20 Jan 09:00",
	"every 3 months on the 1st at 9":          "Tue 1 Dec 09:00, Mon 1 Mar 09:00",
	"every quarter":                           "Sat 20 Feb 09:00, Thu 20 May 09:00",
	"every year on dec 24 at 9":               "Thu 24 Dec 09:00, Fri 24 Dec 09:00",
	"every dec 24":                            "Thu 24 Dec 09:00, Fri 24 Dec 09:00",
	"every 24th of december at 18":            "Thu 24 Dec 18:00, Fri 24 Dec 18:00",
	"yearly on 3 march":                       "Wed 3 Mar 09:00, Fri 3 Mar 09:00",
	"every year on feb 29":                    "Sun 28 Feb 09:00, Tue 29 Feb 09:00",
	// intervals
	"every half hour":              "Fri 20 Nov 13:49, Fri 20 Nov 14:19",
	"every 1.5 hours":              "Fri 20 Nov 14:49, Fri 20 Nov 16:19",
	"every 90 seconds":             "Fri 20 Nov 13:20:30, Fri 20 Nov 13:22",
	"every other hour":             "Fri 20 Nov 15:19, Fri 20 Nov 17:19",
	"every 15 minutes until 15:00": "",
	"every hour for 2 days":        "Fri 20 Nov 14:19, Fri 20 Nov 15:19",
	"every friday night at 12":     "",
	"every friday night at 1":      "",
	// iCalendar with a start
	"DTSTART:20261201T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU":            "Tue 1 Dec 09:00, Tue 15 Dec 09:00",
	"DTSTART;TZID=Europe/Madrid:20261201T090000\nRRULE:FREQ=DAILY;COUNT=2":     "Tue 1 Dec 09:00, Wed 2 Dec 09:00",
	"DTSTART;TZID=\"Europe/London\":20261201T090000\nRRULE:FREQ=DAILY":         "Tue 1 Dec 10:00, Wed 2 Dec 10:00",
	"DTSTART:20261201T080000Z\nRRULE:FREQ=DAILY":                               "Tue 1 Dec 09:00, Wed 2 Dec 09:00",
	"DTSTART=20261102T100000;FREQ=WEEKLY;INTERVAL=2":                           "Mon 30 Nov 10:00, Mon 14 Dec 10:00",
	"DTSTART;VALUE=DATE:20261201 RRULE:FREQ=MONTHLY":                           "Tue 1 Dec 09:00, Fri 1 Jan 09:00",
	"dtstart:20261201T090000 freq=weekly;byday=mo":                             "Mon 7 Dec 09:00, Mon 14 Dec 09:00",
	"DTSTART:20261201T090000Z\nRRULE:FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0": "",
	"DTSTART:20261201T233000Z\nRRULE:FREQ=DAILY":                               "",
	"DTSTART:20261201T090000 EXDATE:20261202T090000 RRULE:FREQ=DAILY":          "",
	"DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=3":                         "",
	"DTSTART:20261301T090000 RRULE:FREQ=DAILY":                                 "",
	"DTSTART;TZID=Mars/Base:20261201T090000 RRULE:FREQ=DAILY":                  "",
	"DTSTART:20261201T090000":                                                  "",
	// texts that Parse refuses
	"tomorrow at":                         "",
	"at":                                  "",
	"at nine thirty":                      "",
	"tomorrow tomorrow":                   "",
	"tomorrow at 9 at 10":                 "",
	"half 7":                              "",
	"quarter to 8:30":                     "",
	"25:00":                               "",
	"24:00":                               "",
	"tomorrow at 13 pm":                   "",
	"0 am":                                "",
	"this morning at 18:00":               "",
	"31 april":                            "",
	"30.2. 9:00":                          "",
	"32.1.2027":                           "",
	"31.13.2026 9:00":                     "",
	"99/99 at 9":                          "",
	"2026-13-01":                          "",
	"friday, 24 december":                 "",
	"every day and a half":                "",
	"every day 3 times":                   "",
	"daily 2 times":                       "",
	"every morning 3 times":               "",
	"every week 3 times":                  "",
	"every month 2 times":                 "",
	"every friday 3 times":                "",
	"every other day 3 times":             "",
	"weekdays 2 times":                    "",
	"every thus at 9":                     "",
	"every mons at 9":                     "",
	"sats at 9":                           "",
	"every 1.5 months":                    "",
	"every 32nd":                          "",
	"every 15th and 30th":                 "",
	"every 30th at 8 and 20":              "",
	"every other":                         "",
	"monday and thursday at 9":            "",
	"every day at 8:10 and 9:20 on feb 3": "",
	"in half":                             "",
	"in a":                                "",
	"every 0.001 hours":                   "",
	"next":                                "",
	"on":                                  "",
	"every 5 seconds":                     "",
	"every first and monday":              "",
	"this evening at 9am":                 "",
	"morgen um 9":                         "",
	"in 0 minutes":                        "",
	"at 18 30 pm":                         "",
	"every year on 31 april":              "",
	"1h30x":                               "",
	"1 , 5 hours":                         "",
	"24 dec 1826":                         "",
	"tomorrow for 3 days":                 "",
	"every 99999 years":                   "",
}

func TestParse_Spellings_GiveTimes(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zone)
	accepted, refused := 0, 0
	for text, want := range spellings {
		r, err := Parse(text, now)
		if want == "" {
			refused++
			if err == nil {
				at, _, _ := r.Next(now, zone)
				t.Errorf("%q is read as %+v, %s", text, r, at)
			}
			continue
		}
		accepted++
		if got := firstTimes(t, r, err, now, strings.Count(want, ",")+1); got != want {
			t.Errorf("%q is %s (%v), want %s", text, got, err, want)
		}
	}
	t.Log(accepted, "accepted,", refused, "refused")
	if accepted < 120 || refused < 30 {
		t.Errorf("%d accepted and %d refused, want 120 and 30", accepted, refused)
	}
}

// firstTimes returns the first due times of a rule.
func firstTimes(t *testing.T, r Rule, err error, now time.Time, n int) string {
	t.Helper()
	var times []string
	for at := now; err == nil && len(times) < n; {
		found := false
		if at, found, err = r.Next(at, now.Location()); err != nil || !found {
			break
		}
		times = append(times, strings.TrimSuffix(at.Format("Mon 2 Jan 15:04:05"), ":00"))
	}
	return strings.Join(times, ", ")
}

func TestParse_SlashDates_FollowLanguage(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zone)
	for _, c := range []struct{ text, language, want string }{
		{"3/4 at 9", "en-US", "Thu 4 Mar 09:00"}, {"3/4 at 9", "en-us", "Thu 4 Mar 09:00"},
		{"3/4 at 9", "en-GB", "Sat 3 Apr 09:00"}, {"3/4 at 9", "de", "Sat 3 Apr 09:00"},
		{"3/4 at 9", "es", "Sat 3 Apr 09:00"}, {"3/4 at 9", "pt_BR", "Sat 3 Apr 09:00"},
		{"3/4/2027", "en-US", "Thu 4 Mar 09:00"}, {"3/4/27 9:00", "fr", "Sat 3 Apr 09:00"},
		{"4/4 at 9", "en", "Sun 4 Apr 09:00"}, {"25/12 at 9", "en-US", "Fri 25 Dec 09:00"},
		{"12/25 at 9", "de", "Fri 25 Dec 09:00"}, {"every day at 9 until 3/4", "de", "Sat 21 Nov 09:00"},
		{"3/4 at 9", "en", ""}, {"3/4 at 9", "", ""}, {"at 9 on 3/4/2027", "en", ""},
	} {
		r, err := ParseWithDateOrder(c.text, now, DateOrderForLanguage(c.language))
		if got := firstTimes(t, r, err, now, 1); got != c.want {
			t.Errorf("%q in %q is %s (%v), want %s", c.text, c.language, got, err, c.want)
		}
		if ask := new(AmbiguousTimeError); c.want == "" && !errors.As(err, &ask) {
			t.Errorf("%q in %q: %v, want a question", c.text, c.language, err)
		} else if c.want == "" {
			first, err := Parse(ask.Texts[0], now)
			second, err2 := Parse(ask.Texts[1], now)
			if err != nil || err2 != nil || first.At.Month() != time.April || second.At.Month() != time.March {
				t.Errorf("%q can be %q: %v, %v, %v, %v", c.text, ask.Texts, first.At, err, second.At, err2)
			}
		}
	}
}

// A rule keeps the parts that its author did not write, so that the card can show them.
func TestParse_MissingParts_AreRecorded(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for text, want := range map[string]Rule{
		"tomorrow": {NoTime: true}, "tomorrow at 9": {}, "every friday": {NoTime: true}, "tonight": {NoTime: true},
		"every 31st at 10": {Day: 31}, "the 31st": {NoTime: true, Day: 31}, "on the 15th at 9": {},
		"25/12 at 9": {Date: "25/12"},
		"every week": {NoTime: true}, "every day": {NoTime: true}, "every month": {NoTime: true},
		"every 3 days":     {NoTime: true},
		"every other week": {NoTime: true}, "weekly": {NoTime: true}, "daily": {NoTime: true},
		"every quarter":             {NoTime: true},
		"every week in the evening": {NoTime: true}, "every week at 9": {}, "every 2 h": {}, "every 3 days at 8": {},
		"every year on feb 29": {NoTime: true, Day: 29}, "in 5 min": {}, "every 28th at 9": {},
		"DTSTART;VALUE=DATE:20261201 RRULE:FREQ=MONTHLY": {NoTime: true},
	} {
		r, err := Parse(text, now)
		if err != nil || r.NoTime != want.NoTime || r.Day != want.Day || r.Date != want.Date {
			t.Errorf("%q: %+v, %v, want %+v", text, r, err, want)
		}
	}
}

func TestParse_Examples_AreRead(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for _, text := range append(strings.Split(Examples, ", "), spelled...) {
		if _, err := Parse(text, now); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParse_Unreadable_ShowsNearest(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for text, want := range map[string]string{
		"every lst friday at 5": "every friday at 17:00", "tomorow at 9": "tomorrow at 9",
		"in 20 mintues":   "in 20 min",
		"nxt friday at 9": "next friday at 9", "every dey at 8": "every day at 8",
		"24 dezember at 18:00":   "24 dec at 18:00",
		"every 2 weks on monday": "every 2 weeks on monday at 9", "at hlf past 7": "at half past 7 pm",
		"every last dey of the month": "last day of the month at 18:00",
		"monday and thursday at 9":    "every monday and thursday at 9",
		"zzz":                         "", "": "", "morgen um 9": "", "mañana a las nueve": "",
	} {
		_, err := Parse(text, now)
		if want != "" {
			want = "Nearest is: " + want + "."
		}
		if err == nil || !strings.Contains(err.Error(), want) ||
			want == "" && strings.Contains(err.Error(), "Nearest") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestWithTime_EachRule_GetsTime(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zone)
	for text, want := range map[string]string{
		"tomorrow": "Sat 21 Nov 18:00", "tonight": "Fri 20 Nov 18:00",
		"every friday":       "Fri 20 Nov 18:00, Fri 27 Nov 18:00",
		"every 31st":         "Mon 30 Nov 18:00, Thu 31 Dec 18:00",
		"every other friday": "Fri 27 Nov 18:00, Fri 11 Dec 18:00",
		"DTSTART;VALUE=DATE:20261201 RRULE:FREQ=MONTHLY": "Tue 1 Dec 18:00, Fri 1 Jan 18:00", "tomorrow at 9": "",
	} {
		r, err := Parse(text, now)
		if err == nil {
			r, err = r.WithTime(18*60, now)
		}
		if got := firstTimes(t, r, err, now, strings.Count(want, ",")+1); got != want || (err == nil) != (want != "") {
			t.Errorf("%q at 18:00 is %s (%v), want %s", text, got, err, want)
		}
	}
}

func TestParse_ManyTimesSinceStart_IsRefused(t *testing.T) {
	const rule = " RRULE:FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11;BYMINUTE=0,10,20,30,40,50"
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, time.UTC)
	for start, refused := range map[string]bool{"DTSTART:19970101T000000": true, "DTSTART:20260101T000000": false} {
		if _, err := Parse(start+rule, now); (err != nil) != refused {
			t.Errorf("%s: %v", start, err)
		}
	}
}

// An error about a date that does not exist says so.
func TestParse_ImpossibleDates_SayWhy(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for text, want := range map[string]string{
		"29.2.2027": "2027 has no 29 February", "02/29/2027": "2027 has no 29 February",
		"29/2/2027 at 9":  "2027 has no 29 February",
		"2027-02-29 at 9": "2027 has no 29 February", "29 feb 2027": "2027 has no 29 February",
		"on 31 nov":   "November has no 31st",
		"30 feb at 9": "February has no 30th", "31 april": "April has no 31st",
		"30.2. 9:00": "February has no 30th", "31/11 at 9": "November has no 31st",
		"every 30 feb": "February has no 30th", "every year on 31 april": "April has no 31st",
		"friday, 31 nov":                  "November has no 31st",
		"yearly on the 31st of june at 8": "June has no 31st", "31.9.2027": "September has no 31st",
		"2026-11-31":                  "November has no 31st",
		"every day at 9 until 31 nov": "November has no 31st", "2026-11-31 09:00": "November has no 31st",
		"29.2.": "", "every year on feb 29": "", "32.1.2027": "can read", "99/99 at 9": "can read",
		"2026-13-01": "can read",
		"31 nov foo": "can read", "foo 31 nov": "can read", "31.13.2026 9:00": "can read",
	} {
		_, err := Parse(text, now)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	when, text, ok := SplitTimeAndText("on 31 nov at 9 call Ann", now, UnknownDateOrder)
	if !ok || when != "on 31 nov at 9" || text != "call Ann" {
		t.Errorf("%q, %q, %t", when, text, ok)
	}
}
