package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// labels returns the texts of a message's buttons.
func labels(d supervisor.Delivery) (all []string) {
	for _, row := range d.Buttons {
		for _, b := range row {
			all = append(all, b.Text)
		}
	}
	return all
}

// A card shows the parts of a time that its user did not write. It is Friday, 27 March 2026, 13:00
// in Madrid.
func TestRemind_AssumedTimeOrDate_IsShown(t *testing.T) {
	for words, want := range map[string]string{
		"tomorrow: call":           "Next: Sat 28 Mar 2026 09:00 CET (+01:00)\n" + fmt.Sprintf(textNoTime, "09:00"),
		"tonight: pills":           "Next: Fri 27 Mar 2026 20:00 CET (+01:00)\n" + fmt.Sprintf(textNoTime, "20:00"),
		"every day: pills":         "every day at 09:00\nNext: Sat 28 Mar 2026 09:00 CET (+01:00)",
		"every week: bins":         "every week\nNext: Fri 3 Apr 2026 09:00 CEST (+02:00)",
		"every 3 days: water":      "every 3 days\nNext: Mon 30 Mar 2026 09:00 CEST (+02:00)",
		"every friday: rent":       "every Fri at 09:00\nNext: Fri 3 Apr 2026 09:00 CEST (+02:00); Fri 10 Apr",
		"every 31st at 10: report": "every 31st at 10\nNext: Tue 31 Mar 2026 10:00 CEST (+02:00); Thu 30 Apr",
		"25/12 at 9: gifts": "Next: Fri 25 Dec 2026 09:00 CET (+01:00)\n" + fmt.Sprintf(textReadDate,
			"25/12", "25 December 2026"),
		"in 5 minutes call mom":  ": call mom\n\nonce\nNext: Fri 27 Mar 2026 13:05",
		"call mom tomorrow at 9": ": call mom\n\nonce\nNext: Sat 28 Mar 2026 09:00",
	} {
		h := newHarness(t)
		d := h.remind(t, "alice", words)
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q: %q, want %q", words, d.Text, want)
		}
		assumed := strings.Contains(d.Text, "You wrote no time")
		if assumed != slices.Contains(labels(d), fmt.Sprintf(textAtTime, "12:00")) {
			t.Errorf("%q has the buttons %q", words, labels(d))
		}
	}
	h := newHarness(t)
	if d := h.remind(t, "alice", "every 31st at 10: report"); !strings.Contains(d.Text,
		fmt.Sprintf(textShortMonths, "31st")) {
		t.Errorf("the last day is not named: %q", d.Text)
	}
	h.now = time.Date(2026, 4, 3, 12, 0, 0, 0, time.UTC)
	if d := h.remind(t, "alice", "the 31st: report"); !strings.Contains(d.Text, fmt.Sprintf(textShortMonth,
		"April", "31st")) ||
		!strings.Contains(d.Text, "Next: Thu 30 Apr 2026 09:00") {
		t.Errorf("the last day is not named: %q", d.Text)
	}
}

// lastPress returns the press of the last button.
func lastPress(d supervisor.Delivery) string {
	row := d.Buttons[len(d.Buttons)-1]
	return row[len(row)-1].Press
}

// A button gives a job another time of the day. A second press changes nothing more.
func TestTimeButton_Pressed_ChangesTime(t *testing.T) {
	for words, want := range map[string]string{
		"tomorrow: call":      "Sat 28 Mar 2026 18:00",
		"every day: pills":    "every day at 18:00",
		"every week: bins":    "every week at 18:00",
		"every 3 days: water": "every 3 days at 18:00",
		"every friday: rent":  "every Fri at 18:00",
		"every 31st: report":  "every 31st at 18:00",
	} {
		h := newHarness(t)
		d := h.remind(t, "alice", words)
		pressed := strings.TrimPrefix(lastPress(d), supervisor.JobPressPrefix)
		if pressed != pressEvening+" 1" {
			t.Fatalf("%q has the buttons %+v", words, d.Buttons)
		}
		for range 2 {
			d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 50, pressed, h.now)
			if err != nil || !strings.Contains(d.Text, want) || strings.Contains(d.Text, "You wrote no time") ||
				len(d.Buttons) != 1 {
				t.Fatalf("%q: %q, %v, %+v", words, d.Text, err, d.Buttons)
			}
		}
		if next := h.job(t, 1).Next.In(h.zone(t)).Format("15:04"); next != "18:00" {
			t.Errorf("%q is due at %s", words, next)
		}
	}
	h := newHarness(t)
	h.now = time.Date(2026, 3, 27, 18, 0, 0, 0, time.UTC)
	h.remind(t, "alice", "tonight: pills") // due at 20:00; it is 19:00 now
	if _, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 50, pressNoon+" 1", h.now); err == nil {
		t.Error("a time that has passed was set")
	}
	if next := h.job(t, 1).Next.In(h.zone(t)).Format("15:04"); next != "20:00" {
		t.Errorf("it is due at %s", next)
	}
}

func (h *harness) zone(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(person("alice").Timezone)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// typed keeps a command of alice in the inbox, and returns its id.
func (h *harness) typed(t *testing.T, text string) int64 {
	t.Helper()
	h.inbound++
	in, _, err := h.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: chatOf("alice"),
		Source: "telegram",
		Key:    fmt.Sprint(h.inbound), Kind: supervisor.KindCommand, Command: commandRemind, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return in.ID
}

// The language of the user's Telegram decides how a date such as 3/4 is read. If it does not
// decide, two buttons ask. However often they are pressed, there is one reminder.
func TestRemind_SlashDates_FollowLanguage(t *testing.T) {
	for language, want := range map[string]string{"en-US": "4 March 2027", "de": "3 April 2026",
		"en-GB": "3 April 2026", "en": "", "": ""} {
		h := newHarness(t)
		alice := person("alice")
		alice.Language = language
		id := h.typed(t, "/remind 3/4 at 9: call Ann")
		d, err := h.ChatCommands.AddReminder(t.Context(), alice, chatOf("alice"), id, "3/4 at 9: call Ann", h.now)
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			if !strings.Contains(d.Text, fmt.Sprintf(textReadDate, "3/4", want)) {
				t.Errorf("%q: %q, want %s", language, d.Text, want)
			}
			continue
		}
		if got := labels(d); !slices.Equal(got, []string{"3 April", "4 March"}) ||
			!strings.Contains(d.Text, "Write 3 Apr or 4 Mar.") {
			t.Fatalf("%q: %q with %q", language, d.Text, got)
		}
		if list, err := h.ListJobs(t.Context(), "alice"); err != nil || list.Text != textNoJobs {
			t.Fatalf("before the press: %q, %v", list.Text, err)
		}
		for i, row := range slices.Concat(d.Buttons[1:], d.Buttons) { // press month first, then both buttons
			pressed := strings.TrimPrefix(row[0].Press, supervisor.JobPressPrefix)
			d, err := h.HandlePress(t.Context(), alice, chatOf("alice"), 100+int64(i), pressed, h.now)
			if err != nil || !strings.Contains(d.Text, "Reminder 1: call Ann") || !strings.Contains(d.Text,
				"Thu 4 Mar 2027 09:00") ||
				!strings.Contains(d.Text, fmt.Sprintf(textReadDate, "3/4", "4 March 2027")) {
				t.Errorf("%q, press %d: %q, %v", language, i, d.Text, err)
			}
		}
		if d, err := h.HandlePress(t.Context(), person("bob"), chatOf("bob"), 9, fmt.Sprint(pressFirst, " ", id),
			h.now); err != nil || d.Text != textNothing {
			t.Errorf("another user's press: %q, %v", d.Text, err)
		}
	}
}

// The tool of models reads dates in the order of the user's language, too.
func TestScheduleTask_SlashDates_FollowLanguage(t *testing.T) {
	for language, want := range map[string]string{"en-US": "2027-03-04", "de": "2026-04-03", "": ""} {
		j := supervisor.Job{Kind: supervisor.JobReminder, Zone: "Europe/Madrid"}
		err := setRule(&j, origin{user: supervisor.User{Language: language}, when: "3/4 at 9"}, noon)
		if got := j.Next.Format(time.DateOnly); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %s, %v, want %s", language, got, err, want)
		}
	}
}

// Words that the parser can't read are translated. The translation must be a future time, and its
// text must be a part of the words. Otherwise the parser's refusal is the answer.
func TestRemind_OtherLanguage_IsTranslated(t *testing.T) {
	const refused = ""
	for _, c := range []struct {
		words, when, text string // the user's words, and the translation
		err               error
		want              string // expected part of the card
	}{
		{"morgen um 9: Klempner", "tomorrow at 9", "", nil,
			"Reminder 1: Klempner\n\nonce\nNext: Sat 28 Mar 2026 09:00"},
		{"jeden Montag um 8: Müll", "every monday at 8", "", nil,
			"every Mon at 08:00\nNext: Mon 30 Mar 2026 08:00 CEST (+02:00); Mon 6 Apr"},
		{"mañana a las 9 llamar a Ana", "tomorrow at 9", "llamar a Ana", nil, "Reminder 1: llamar a Ana\n\nonce"},
		{"morgen um 9: Klempner", "yesterday at 9", "", nil, refused},
		{"morgen um 9: Klempner", "2026-03-26 09:00", "", nil, refused},
		{"morgen um 9: Klempner", "2026-03-27 13:00", "", nil, refused},
		{"morgen um 9: Klempner", "", "", nil, refused},
		{"morgen um 9: Klempner", "tomorrow at 9", "Pay Bob", nil, refused},
		{"morgen um 9: Klempner", "", "", errors.New("no money"), refused},
		{"morgen um 9 Klempner", "tomorrow at 9", "Pay Bob", nil, refused},
		{"morgen um 9 Klempner", "tomorrow at 9", "", nil, refused},
		{"3/4 um 9: Klempner", "3/4 at 9", "", nil, refused},
	} {
		h := newHarness(t)
		var got []string
		h.translate = func(_ context.Context, in supervisor.Conversation, words string, withText bool,
			now time.Time) (string, string, error) {
			got = append(got, words)
			if in.ID == 0 || in.User != "alice" || withText == strings.Contains(c.words, ":") || !now.Equal(h.now) {
				t.Errorf("%q: asked in %+v, with a text: %t, at %s", words, in, withText, now)
			}
			return c.when, c.text, c.err
		}
		h.restart()
		d, err := h.AddReminder(t.Context(), person("alice"), chatOf("alice"), 1, c.words, h.now)
		if when, _, _ := strings.Cut(c.words, ":"); !slices.Equal(got, []string{when}) {
			t.Errorf("%q: the model got %q", c.words, got)
		}
		if c.want != refused && (err != nil || !strings.Contains(d.Text, c.want) || !strings.Contains(d.Text,
			fmt.Sprintf(textTranslated, c.when))) ||
			c.want == refused && err == nil {
			t.Errorf("%q: %q, %v, want %q", c.words, d.Text, err, c.want)
		}
		if list, err := h.ListJobs(t.Context(), "alice"); err != nil ||
			(list.Text == textNoJobs) != (c.want == refused) {
			t.Errorf("%q: %q, %v", c.words, list.Text, err)
		}
	}
}

// Words that the parser reads, or refuses for another reason, are shown to no model.
func TestRemind_ReadableWords_AskNoModel(t *testing.T) {
	h := newHarness(t)
	h.translate = func(_ context.Context, _ supervisor.Conversation, words string, _ bool, _ time.Time) (string,
		string, error) {
		t.Errorf("a model got %q", words)
		return "", "", nil
	}
	h.restart()
	for _, words := range []string{"tomorrow at 9: a", "today at 9: b", "at 8: c", "3/4 at 9: d", "in 5 min e",
		"", " ", "0 0 30 2 *: f",
		strings.Repeat("ä", maxTranslated) + ": g"} {
		// some of the words are refused
		_, _ = h.AddReminder(t.Context(), person("alice"), chatOf("alice"), 1, words, h.now)
	}
}

// A refusal shows the nearest time.
func TestRemind_Unreadable_ShowsNearest(t *testing.T) {
	h := newHarness(t)
	for words, want := range map[string]string{
		"evry last friday at 17:00: pay": "Nearest is: every last friday at 17:00.",
		"tomorow at 9 call Ann":          fmt.Sprintf(textNearest, "tomorrow at 9"),
	} {
		if d, err := h.AddReminder(t.Context(), person("alice"), chatOf("alice"), 1, words, h.now); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %q", words, d.Text, err, want)
		}
	}
}

// The times of a changed job and of a job from the terminal are translated, too.
func TestEdit_OtherLanguage_IsTranslated(t *testing.T) {
	h := newHarness(t)
	h.translate = func(context.Context, supervisor.Conversation, string, bool, time.Time) (string, string, error) {
		return "weekdays 8:30", "", nil
	}
	h.restart()
	h.remind(t, "alice", "tomorrow at 9: call")
	for _, q := range []JobRequest{{Action: "edit", Job: "1", Words: "werktags um halb neun"},
		{Action: "add", Words: "werktags um halb neun: aufstehen"}} {
		r, err := h.Answer(t.Context(), person("alice"), q)
		if err != nil || !strings.Contains(r.Said, "weekdays at 08:30\nNext: Mon 30 Mar 2026 08:30") {
			t.Errorf("%+v: %q, %v", q, r.Said, err)
		}
	}
}

// A time without a text sets no reminder.
func TestRemind_TimeAlone_AsksForText(t *testing.T) {
	h := newHarness(t)
	for _, words := range []string{"tomorrow at 6 pm", "tomorrow at 18:30", "every monday", "me next friday",
		"24 dec at 6 pm"} {
		d, err := h.AddReminder(t.Context(), person("alice"), chatOf("alice"), 1, words, h.now)
		if err == nil || err.Error() != fmt.Sprintf(textNoText, words) {
			t.Errorf("%q: %q, %v", words, d.Text, err)
		}
	}
	if list, err := h.ListJobs(t.Context(), "alice"); err != nil || list.Text != textNoJobs {
		t.Errorf("%q, %v", list.Text, err)
	}
}

// Two buttons ask what an ambiguous time means. A later press means what its label says.
func TestRemind_AmbiguousTime_Asks(t *testing.T) {
	for words, want := range map[string][2]string{
		"17h: Kita":  {"Sat 28 Mar 2026 06:01", "Fri 27 Mar 2026 17:00"},
		"8h Kita":    {"Fri 27 Mar 2026 21:01", "Sat 28 Mar 2026 08:00"},
		"8:30 Kita":  {"Sat 28 Mar 2026 08:30", "Fri 27 Mar 2026 20:30"},
		"at 8: Kita": {"Sat 28 Mar 2026 08:00", "Fri 27 Mar 2026 20:00"},
	} {
		for i := range 2 {
			h := newHarness(t)
			id := h.typed(t, "/remind "+words)
			d, err := h.AddReminder(t.Context(), person("alice"), chatOf("alice"), id, words, h.now)
			if err != nil || len(d.Buttons) != 2 {
				t.Fatalf("%q: %q, %v", words, d.Text, err)
			}
			h.now = h.now.Add(time.Minute)
			d, err = h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 100,
				strings.TrimPrefix(d.Buttons[i][0].Press, supervisor.JobPressPrefix), h.now)
			if err != nil || !strings.Contains(d.Text, "Reminder 1: Kita\n\nonce\nNext: "+want[i]) {
				t.Errorf("%q, button %d: %q, %v, want %s", words, i, d.Text, err, want[i])
			}
		}
	}
	h := newHarness(t)
	id := h.typed(t, "/remind at 8: Kita")
	pressed := fmt.Sprintf("%s %d", pressSecond, id)
	h.now = h.now.Add(10 * time.Hour) // now the reminder's time, 20:00, is over
	if d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 100, pressed, h.now); err == nil {
		t.Errorf("a passed time was set: %q", d.Text)
	}
}

// A button moves a reminder for the last day of a short month to the day that its user wrote.
func TestRemind_DayMissingInMonth_OffersNextMonth(t *testing.T) {
	h := newHarness(t)
	h.now = time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)
	d := h.remind(t, "alice", "the 31st at 18:00: report")
	if got := labels(d); got[len(got)-1] != fmt.Sprintf(textOnDay, "31 May") {
		t.Fatalf("the buttons are %q", got)
	}
	for range 2 { // a second press changes nothing
		d, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 50,
			strings.TrimPrefix(lastPress(d), supervisor.JobPressPrefix), h.now)
		if err != nil || !strings.Contains(d.Text, "Next: Sun 31 May 2026 18:00") || len(d.Buttons) != 1 {
			t.Errorf("%q, %v, %+v", d.Text, err, d.Buttons)
		}
	}
}

// The card says when the clocks skip a time. In Madrid, 02:30 does not exist on 29 March 2026.
func TestRemind_SkippedHour_TextSaysSo(t *testing.T) {
	for _, words := range []string{"29 march at 2:30: call", "every day at 2:30: call", "every sunday at 2:30: call"} {
		h := newHarness(t)
		want := fmt.Sprintf(textSkipped, "29 March", "02:30", "03:00")
		if d := h.remind(t, "alice", words); !strings.Contains(d.Text, want) {
			t.Errorf("%q: %q", words, d.Text)
		}
	}
}

// A reminder that moves to another day keeps its time of the day.
func TestEdit_DayAlone_KeepsTime(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "tomorrow at 11: call")
	r, err := h.Answer(t.Context(), person("alice"), JobRequest{Action: "edit", Job: "1", Words: "friday"})
	if err != nil || !strings.Contains(r.Said, "Next: Fri 3 Apr 2026 11:00") ||
		strings.Contains(r.Said, "You wrote no time") {
		t.Errorf("%q, %v", r.Said, err)
	}
}

// Users pay for the translation of their own words, and not for words that an admin writes for
// them.
func TestJobTime_WrittenByAdmin_IsNotTranslated(t *testing.T) {
	calls := 0
	h := newHarness(t)
	h.translate = func(context.Context, supervisor.Conversation, string, bool, time.Time) (string, string, error) {
		calls++
		return "weekdays 8:30", "", nil
	}
	h.restart()
	h.remind(t, "alice", "tomorrow at 9: call")
	root := errors.New("root is no user here")
	for _, c := range []struct {
		self string // the caller; "" means root, who is no user
		user string
		want bool // whether the words are translated
	}{{"alice", "", true}, {"alice", "alice", true}, {"bob", "alice", false}, {"", "alice", false}} {
		by := feature.Caller{Admin: true, UserFor: func(name, _ string) (supervisor.User, error) {
			if name = cmp.Or(name, c.self); name == "" {
				return supervisor.User{}, root
			}
			return person(name), nil
		}}
		for _, q := range []JobRequest{{Action: "edit", Job: "1", Words: "werktags um halb neun"},
			{Action: "add", Words: "werktags um halb neun: aufstehen"}} {
			q.User, calls = c.user, 0
			if _, err := h.answerCall(t.Context(), by, q); (err == nil) != c.want || (calls > 0) != c.want {
				t.Errorf("%q for %q, %s: %v after %d calls", c.self, c.user, q.Action, err, calls)
			}
		}
	}
}

// A one-time task has no period, so its card does not name half of it.
func TestMissedRunText_OneTimeTask_NamesNoPeriod(t *testing.T) {
	for when, want := range map[string]string{"tomorrow at 9": textRunOnceLate, "every day at 9": textRunLate} {
		j := supervisor.Job{Kind: supervisor.JobTask, Zone: "Europe/Madrid"}
		if err := SetRule(&j, when, noon); err != nil || missedText(j) != want {
			t.Errorf("%q: %q, %v", when, missedText(j), err)
		}
	}
}
