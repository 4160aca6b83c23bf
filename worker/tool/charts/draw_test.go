package charts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// values returns numbers as JSON.
func values(n int, f func(i int) any) (raw []json.RawMessage) {
	for i := range n {
		data, _ := json.Marshal(f(i))
		raw = append(raw, data)
	}
	return raw
}

func list(all ...any) []json.RawMessage {
	return values(len(all), func(i int) any { return all[i] })
}

// samples are charts as people ask for them.
func samples() map[string]plotArgs {
	start := time.Date(2021, 11, 30, 0, 0, 0, 0, time.UTC)
	date := func(every int) func(int) any {
		return func(i int) any { return start.AddDate(0, 0, i*every).Format(time.DateOnly) }
	}
	wave := func(base, by float64) func(int) any {
		return func(i int) any { return math.Round((base+by*math.Sin(float64(i)/9)+float64(i%7)/4)*10) / 10 }
	}
	var twenty []inlineSeries
	for n := range 20 {
		twenty = append(twenty, inlineSeries{fmt.Sprintf("Sensor %d", n+1), nil, values(60, wave(float64(n*3), 2))})
	}
	var largest []inlineSeries
	for n := range 20 {
		largest = append(largest, inlineSeries{fmt.Sprintf("Sensor %d", n+1), values(500, date(3)), values(500,
			wave(float64(n*3), 4))})
	}
	return map[string]plotArgs{
		"largest": {Kind: "line", Title: "Twenty sensors", YLabel: "°C", Series: largest},
		"weight": {Kind: "line", Title: "Weight since November 2021", YLabel: "kg",
			Series: []inlineSeries{{"Alice", values(260, date(7)), values(260, wave(71, 2))}}},
		"two": {Kind: "line", Title: "Steps a day", XLabel: "2026", Series: []inlineSeries{
			{"Alice", values(14, date(1)), values(14, wave(9000, 3000))},
			{"Bob", values(14, date(1)), values(14, func(i int) any {
				if i == 5 || i == 7 {
					return nil
				}
				return 4000 + 300*i
			})}}},
		"twenty":     {Kind: "line", Title: "Twenty sensors", XLabel: "hour", YLabel: "°C", Series: twenty},
		"twentybar":  {Kind: "bar", Title: "Twenty bars", Series: []inlineSeries{{"", nil, values(20, wave(5, 9))}}},
		"twentydots": {Kind: "scatter", Title: "Twenty clouds", Series: twenty},
		"onepoint": {Kind: "line", Title: "One point", Series: []inlineSeries{{"a", list("2026-11-20"),
			list(71.5)}}},
		"equal": {Kind: "line", Title: "Equal values", Series: []inlineSeries{{"", nil, list(5, 5, 5, 5)}}},
		"zero":  {Kind: "bar", Title: "All zero", Series: []inlineSeries{{"", list("a", "b"), list(0, 0)}}},
		"negative": {Kind: "bar", Title: "Savings a month", YLabel: "€", Series: []inlineSeries{{"", list("Jan",
			"Feb", "Mar", "Apr", "May", "Jun"), list(320, -150.5, 80, -410, 0, 1204.25)}}},
		"lying": {Kind: "bar", Title: "Was im Oktober wofür ausgegeben wurde, mit Büchern und Möbeln",
			YLabel: "Euro", Series: []inlineSeries{{"", list("Lebensmittel und Getränke", "Miete und Nebenkosten",
				"Versicherungen (Haftpflicht, Hausrat)", "Bücher", "Öffentlicher Nahverkehr", "Spenden"), list(412.3,
				1180, 96.5, 43, 58, 25)}}},
		"lyingneg": {Kind: "bar", Title: "Change by category", Series: []inlineSeries{{"2025",
			list("Groceries and household goods", "Electricity", "Entertainment, books, cinema"), list(-120, 40,
				300)}, {"2026", list("Groceries and household goods", "Electricity", "Entertainment, books, cinema"),
			list(50, -80, 110)}}},
		"cjk": {Kind: "line", Title: "東京の気温 и Ελλάδα 🌡️", YLabel: "温度 °C", Series: []inlineSeries{{"", nil,
			list(1, 4, 2, 8, 5)}}},
		"grouped": {Kind: "bar", Title: "Electricity", YLabel: "kWh", Series: []inlineSeries{{"2024", list("Q1",
			"Q2", "Q3", "Q4"), list(820, 640, 590, 790)}, {"2025", list("Q1", "Q2", "Q3", "Q4"), list(790, 610, 600,
			740)}, {"2026", list("Q1", "Q2", "Q3"), list(801, 580, 610)}}},
		"daily": {Kind: "bar", Title: "Rain, 90 days", YLabel: "mm", Series: []inlineSeries{{"", values(90,
			date(1)), values(90, func(i int) any { return (i * 7 % 13) })}}},
		"hours": {Kind: "line", Title: "Living room", YLabel: "°C", Series: []inlineSeries{{"", values(96,
			func(i int) any { return start.Add(time.Duration(i*30) * time.Minute).Format("2006-01-02T15:04") }),
			values(96, wave(20, 2))}}},
		"scatter": {Kind: "scatter", Title: "Height and weight", XLabel: "cm", YLabel: "kg",
			Series: []inlineSeries{{"", values(200, func(i int) any { return 150 + i%50 }), values(200,
				func(i int) any { return 50 + i%50 + (i*i)%23 })}}},
		"big": {Kind: "line", Title: "World population", Series: []inlineSeries{{"people", list(1950, 1975,
			2000, 2025), list(2.5e9, 4.07e9, 6.17e9, 8.2e9)}}},
		"small": {Kind: "line", Title: "Tiny", Series: []inlineSeries{{"", nil, list(0.00012, 0.00015,
			0.00011)}}},
		"manypoints": {Kind: "line", Title: "Ten thousand points", Series: []inlineSeries{{"", nil, values(10_000,
			func(i int) any { return math.Sin(float64(i)/300)*10 + float64(i*7919%100)/25 })}}},
		"longnames": {Kind: "line", Title: strings.Repeat("A very long title ", 11),
			XLabel: strings.Repeat("label ", 33), YLabel: strings.Repeat("label ", 33),
			Series: []inlineSeries{{strings.Repeat("name ", 40), nil, list(1, 2)}, {strings.Repeat("noblank", 28),
				nil, list(2, 1)}}},
		"texts": {Kind: "line", Title: "Mood by weekday", Series: []inlineSeries{{"", list("Monday", "Tuesday",
			"Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), list(3, 4, 2, 5, 6, 9, 8)}}},
		"seconds": {Kind: "line", Title: "A minute", Series: []inlineSeries{{"", list("2026-01-01T23:59:40",
			"2026-01-02T00:00:05", "2026-01-02T00:00:30"), list(3, 4, 2)}}},
		"centuries": {Kind: "line", Title: "Centuries", Series: []inlineSeries{{"", list("1066-10-14", "1492-10-12",
			"1969-07-20"), list(1, 2, 3)}}},
		"twentybars2": {Kind: "bar", Title: "Twenty series of bars", Series: twenty[:]},
	}
}

func drawSample(t testing.TB, args plotArgs) picture {
	t.Helper()
	c, _, err := (&plotter{zone: time.UTC}).chartOf(args)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.draw()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDraw_Samples_AreWhole: MEWS_CHARTS=DIR keeps the pictures in a folder, for
// people to look at.
func TestDraw_Samples_AreWhole(t *testing.T) {
	for name, args := range samples() {
		p := drawSample(t, args)
		if dir := os.Getenv("MEWS_CHARTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".png"), p.png, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		img, err := png.Decode(bytes.NewReader(p.png))
		if err != nil {
			t.Fatal(err)
		}
		if size := img.Bounds().Size(); size.X != pictureWidth || size.Y < pictureHeight ||
			size.Y > 2*pictureHeight || size.Y != p.height {
			t.Errorf("%s: %v", name, size)
		}
		if len(p.png) > 600<<10 {
			t.Errorf("%s: %d bytes", name, len(p.png))
		}
		checkEdge(t, name, img)
	}
}

// checkEdge checks that the picture's outermost pixels are white, because all else is inside.
func checkEdge(t *testing.T, name string, img image.Image) {
	t.Helper()
	size := img.Bounds().Size()
	white := func(x, y int) bool { r, g, b, _ := img.At(x, y).RGBA(); return r&g&b == 0xffff }
	for x := range size.X {
		if !white(x, 0) || !white(x, size.Y-1) {
			t.Errorf("%s: something is cut at the top or the bottom, x %d", name, x)
			return
		}
	}
	for y := range size.Y {
		if !white(0, y) || !white(size.X-1, y) {
			t.Errorf("%s: something is cut at the side, y %d", name, y)
			return
		}
	}
}

// Each series must be seen: its colour is among the pixels.
func TestDraw_EachKind_ShowsEachSeries(t *testing.T) {
	for _, kind := range []string{kindLine, kindBar, kindScatter} {
		var series []inlineSeries
		for n := range 20 {
			series = append(series, inlineSeries{fmt.Sprint(n), list("a", "b", "c"), list(n+1, n-30, n+2)})
		}
		img, err := png.Decode(bytes.NewReader(drawSample(t, plotArgs{Kind: kind, Title: "t", Series: series}).png))
		if err != nil {
			t.Fatal(err)
		}
		found := map[color.RGBA]int{}
		pixels := img.(*image.RGBA).Pix[:len(img.(*image.RGBA).Pix)/2] // without the legend
		for n := 0; n < len(pixels); n += 4 {
			found[color.RGBA{pixels[n], pixels[n+1], pixels[n+2], 0xff}]++
		}
		for n := range series {
			style := styleOf(n)
			ink := style.ink
			if kind == kindBar {
				ink = style.bar()
			}
			if found[ink] < 20 {
				t.Errorf("%s: series %d has %d pixels", kind, n, found[ink])
			}
		}
	}
}

// A call that is repeated after a crash must find its picture.
func TestDraw_Repeated_IsTheSame(t *testing.T) {
	if args := samples()["two"]; !bytes.Equal(drawSample(t, args).png, drawSample(t, args).png) {
		t.Error("two pictures of the same data differ")
	}
}

func TestDraw_MissingLetters_AreNamed(t *testing.T) {
	p := drawSample(t, samples()["cjk"])
	if got := p.missingText(); !strings.Contains(got, "東京の気温") || strings.Contains(got, "Ελλ") {
		t.Errorf("got %q", got)
	}
	if got := drawSample(t, samples()["lying"]).missingText(); got != "" {
		t.Errorf("umlauts: got %q", got)
	}
	// a letter and its accent as two characters are one letter
	if got := drawSample(t, plotArgs{Kind: "bar", Title: "Gru\u0308n", Series: []inlineSeries{{"", nil,
		list(1)}}}).missingText(); got != "" {
		t.Errorf("an accent: got %q", got)
	}
}
