package charts

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/workspace"
)

func labels(s scale) string {
	var all []string
	for _, t := range s.ticks {
		if t.context != "" {
			t.label += "/" + t.context
		}
		all = append(all, t.label)
	}
	return strings.Join(all, " ")
}

func TestValueScale_Bounds_GiveNiceTicks(t *testing.T) {
	for _, c := range []struct {
		b           bounds
		whole, zero bool
		want        string
	}{
		{bounds{0, 10}, true, false, "0 2 4 6 8 10"},
		{bounds{68.2, 74.1}, false, false, "68 69 70 71 72 73 74 75"},
		{bounds{68.2, 74.1}, false, true, "0 20 40 60 80"},
		{bounds{-410, 1204.25}, false, true, "−500 0 500 1000 1500"},
		{bounds{5, 5}, true, false, "4 5 6"},
		{bounds{0, 0}, true, true, "0 1"},
		{bounds{0.1, 0.3}, false, false, "0 0.05 0.10 0.15 0.20 0.25 0.30"},
		{bounds{0, 3}, true, false, "0 1 2 3"},
		{bounds{-3, -1}, true, false, "−3 −2 −1 0"},
		{bounds{12_000, 48_000}, true, false, "0 10,000 20,000 30,000 40,000 50,000"},
		{bounds{2.5e9, 8.2e9}, true, false, "0 2 bn 4 bn 6 bn 8 bn 10 bn"},
		{bounds{1e6, 1e6 + 10}, true, false, "1,000,000 1,000,002 1,000,004 1,000,006 1,000,008 1,000,010"},
		{bounds{1e9, 1e9 + 1e-7}, false, false, "0.90 bn 0.95 bn 1.00 bn 1.05 bn 1.10 bn"},
		{bounds{1e-9, 4e-9}, false, false, "0 1e−09 2e−09 3e−09 4e−09"},
		{bounds{-1e100, 1e100}, false, false, "−1e+100 −5e+99 0 5e+99 1e+100"},
	} {
		s := newValueScale(c.b, c.whole, c.zero, 6)
		if got := labels(s); got != c.want {
			t.Errorf("%v: got %s, want %s", c.b, got, c.want)
		}
		if s.low > c.b.low || s.high < c.b.high || s.low >= s.high {
			t.Errorf("%v: the scale is from %g to %g", c.b, s.low, s.high)
		}
	}
}

func TestTimeScale_Spans_GiveCalendarTicks(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"2021-11-30 00:00", "2026-11-20 00:00", "2022 2023 2024 2025 2026"},
		{"2026-01-15 00:00", "2026-11-20 00:00", "Mar/2026 May Jul Sep Nov"},
		{"2025-10-10 00:00", "2026-03-20 00:00", "Nov/2025 Dec Jan/2026 Feb Mar"},
		{"2026-11-01 00:00", "2026-11-30 00:00", "2 Nov/2026 9 Nov 16 Nov 23 Nov 30 Nov"},
		{"2025-12-30 00:00", "2026-01-03 00:00", "30 Dec/2025 31 Dec 1 Jan/2026 2 Jan 3 Jan"},
		{"2026-11-20 08:00", "2026-11-20 12:00", "08:00/20 Nov 2026 09:00 10:00 11:00 12:00"},
		{"2026-11-20 22:00", "2026-11-21 02:00", "22:00/20 Nov 2026 23:00 00:00/21 Nov 2026 01:00 02:00"},
		{"2026-11-20 00:00", "2026-11-20 00:00", "19 Nov/2026 20 Nov 21 Nov"},
		{"1066-10-14 00:00", "1969-07-20 00:00", "1200 1400 1600 1800"},
		{"0001-01-01 00:00", "9999-12-31 00:00", "0000 1000 2000 3000 4000 5000 6000 7000 8000 9000 10000"},
	} {
		at := func(text string) float64 {
			moment, err := time.Parse("2006-01-02 15:04", text)
			if err != nil {
				t.Fatal(err)
			}
			return float64(moment.Unix())
		}
		dated := strings.HasSuffix(c.from, "00:00") && strings.HasSuffix(c.to, "00:00")
		if got := labels(newTimeScale(bounds{at(c.from), at(c.to)}, dated, 8)); got != c.want {
			t.Errorf("%s to %s: got %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestParseNumber_Forms_AreRead(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, "-1.5": -1.5, "−1.5": -1.5, "+3": 3, ".5": 0.5, "5.": 5, "1e3": 1000, " 7 ": 7, "12 %": 12,
		"€ 3.20": 3.2,
		"1,234":  1234, "1,234,567.8": 1234567.8, "1.234.567,8": 1234567.8, "1.234,5": 1234.5, "3,5": 3.5,
		"1'234": 1234, "1\u00a0234": 1234,
	} {
		if got, ok := parseNumber(text, false); !ok || got != want {
			t.Errorf("%q: got %g, %v, want %g", text, got, ok, want)
		}
	}
	for text, want := range map[string]float64{"1,234": 1.234, "1.234,5": 1234.5, "3,5": 3.5, "1.234": 1234,
		"71.5": 71.5, "1.234.567": 1234567, "7": 7} {
		if got, ok := parseNumber(text, true); !ok || got != want {
			t.Errorf("%q with a decimal comma: got %g, %v, want %g", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x", "1 2 3x", "inf", "NaN", "0x10", "1_000", "1e999", "1e99999", "--1",
		"1,2,3", "12:30", "2026-11-20"} {
		if got, ok := parseNumber(text, false); ok {
			t.Errorf("%q was read as %g", text, got)
		}
	}
}

func TestDateLayout_Forms_AreRead(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for text, want := range map[string]string{
		"2026-11-20": "2026-11-20 00:00:00", "2026-11-20T13:05": "2026-11-20 13:05:00",
		"2026-11-20 13:05:09":  "2026-11-20 13:05:09",
		"2026-11-20T12:05:00Z": "2026-11-20 13:05:00", "2026-11": "2026-11-01 00:00:00",
		"20.11.2026": "2026-11-20 00:00:00",
		"1.2.2026":   "2026-02-01 00:00:00", "2026/1/2": "2026-01-02 00:00:00", "31/12/2026": "2026-12-31 00:00:00",
		"12/31/2026": "2026-12-31 00:00:00", "2 Jan 2026": "2026-01-02 00:00:00", "January 2026": "2026-01-01 00:00:00",
	} {
		parse, err := dateLayout([]string{text}, zone)
		if err != nil || parse == nil {
			t.Errorf("%q was not read: %v", text, err)
			continue
		}
		if at, ok := parse(text); !ok || at.Format(time.DateTime) != want {
			t.Errorf("%q: got %v, want %s", text, at, want)
		}
	}
	for _, texts := range [][]string{{"3/4/2026"}, {"31/12/2026", "12/31/2026"}} {
		if _, err := dateLayout(texts, zone); err == nil {
			t.Errorf("%v: the order of day and month is not certain", texts)
		}
	}
	for _, text := range []string{"2026", "20", "x", "2026-13-01", "2026-02-30"} {
		if parse, _ := dateLayout([]string{text}, zone); parse != nil {
			t.Errorf("%q was read as a date", text)
		}
	}
}

// FuzzReadCSV: any file becomes columns of values, or an error.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("day;tea;milk\n2026-12-01;2,5;\n2026-12-02;-3;x\n"), "day")
	f.Add([]byte("\ufeff1|2\n\n\"a\nb\"|3|4\n"), "2")
	f.Add([]byte("a,a\n1"), "")
	dir := f.TempDir()
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { ws.Close() })
	f.Fuzz(func(t *testing.T, data []byte, x string) {
		if err := os.WriteFile(filepath.Join(dir, "a.csv"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		columns, err := (&plotter{ws: ws, zone: time.UTC}).readCSV("a.csv", x, nil)
		if err == nil && len(columns) == 0 {
			t.Error("it has no column, and no error says so")
		}
		for _, c := range columns {
			if len(c.x) != len(c.y) || len(c.y) == 0 || len(c.y)*len(columns) > maxPoints {
				t.Errorf("the column %q has %d names for %d values", c.name, len(c.x), len(c.y))
			}
		}
	})
}

// FuzzPlot draws charts of any values: nothing may panic or take long.
func FuzzPlot(f *testing.F) {
	f.Add("line", "1,2,3", "4,5,6", 1.0)
	f.Add("bar", "a,b,a", "1,-2,x", 1e99)
	f.Add("scatter", "2026-01-01,2026-01-02", ",", -5e-324)
	f.Add("line", "1,2", "6,7", -5e-324)
	f.Fuzz(func(t *testing.T, kind, x, y string, scale float64) {
		c := column{}
		ys := strings.Split(y, ",")
		for n, text := range strings.Split(x, ",") {
			if n < len(ys) {
				c.x, c.y = append(c.x, cell{text: text}), append(c.y, cell{text: ys[n]})
			}
		}
		for n := range c.y {
			if v, ok := parseNumber(c.y[n].text, false); ok && !math.IsNaN(scale) && math.Abs(v*scale) < maxValue {
				c.y[n].text = strings.TrimSpace(strings.ReplaceAll(strconv.FormatFloat(v*scale, 'g', -1, 64), "+", ""))
			}
		}
		kind = map[bool]string{true: kindBar, false: kindLine}[strings.HasPrefix(kind, "b")]
		chart := &chart{kind: kind, title: x}
		if chart.read([]column{c}, time.UTC) == nil {
			if _, err := chart.draw(); err != nil {
				t.Error(err)
			}
			_ = chart.describe()
		}
	})
}
