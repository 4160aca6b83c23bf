package main

import (
	"slices"
	"strings"
	"testing"
)

func TestParseFlaky_WrongLines_AreReported(t *testing.T) {
	line := func(date string) string { return "./supervisor/app | TestX | " + date + " | it failed\n" }
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "# package | test | date | what was seen\n", nil},
		{"three of this week", line("2026-01-24") + line("2026-01-31") + line("2026-02-01"), nil},
		{"eight days", line("2026-01-23"), []string{"TestX: it has been flaky for 8 days, at most 7: mend it"}},
		{"four", strings.Repeat(line("2026-01-31"), 4), []string{"4 lines, at most 3: mend one of these tests"}},
		{"in a year", line("2027-01-31"), []string{"TestX: 2027-01-31 has not come yet"}},
		{"no date", line("today"), []string{`TestX: want a date such as 2026-01-31, got "today"`}},
		{
			"a field short", "./supervisor/app | TestX | 2026-01-31\n",
			[]string{`want package | test | date | what was seen, got "./supervisor/app | TestX | 2026-01-31"`},
		},
	} {
		if _, got := parseFlaky(test.text, today); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFlakyTest_String_ParsesBack(t *testing.T) {
	want := flakyTest{"./supervisor/app", "TestX", "2026-01-31", "it failed"}
	if got, faults := parseFlaky(want.String(), today); len(faults) > 0 || !slices.Equal(got, []flakyTest{want}) {
		t.Errorf("got %q, %q", got, faults)
	}
}
