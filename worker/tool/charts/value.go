package charts

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxValue = 1e100  // so that no sum of two numbers overflows
	minValue = 1e-100 // numbers nearer to zero count as zero, so that no step is zero
)

// gaps are the texts of a missing value.
var gaps = []string{"", "-", "–", "—", "n/a", "na", "nan", "null", "none", "?"}

func isGap(text string) bool {
	return slices.Contains(gaps, strings.ToLower(strings.TrimSpace(text)))
}

var (
	plainNumber = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)
	// groupedByComma is a number such as 1,234,567.8
	groupedByComma = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$`)
	// groupedByDot is a number such as 1.234.567,8
	groupedByDot = regexp.MustCompile(`^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$`)
	commaNumber  = regexp.MustCompile(`^[+-]?\d*,\d+$`)
)

// parseNumber reads a number, with a decimal point or comma and with grouped digits. A sign of a
// currency and a percent sign are left out. decimalComma decides about "1,234" and "1.234".
func parseNumber(text string, decimalComma bool) (float64, bool) {
	text = strings.Trim(strings.TrimSpace(text), "%€$£¥ \u00a0\u202f")
	text = strings.NewReplacer("−", "-", "\u00a0", "", "\u202f", "", "'", "", "’", "").Replace(text)
	switch {
	case groupedByDot.MatchString(text) && (decimalComma || strings.Contains(text, ",") || strings.Count(text,
		".") > 1):
		text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	case groupedByComma.MatchString(text) && (!decimalComma || strings.Contains(text, ".") || strings.Count(text,
		",") > 1):
		text = strings.ReplaceAll(text, ",", "")
	case commaNumber.MatchString(text):
		text = strings.Replace(text, ",", ".", 1)
	}
	if !plainNumber.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if math.Abs(v) < minValue {
		v = 0
	}
	return v, err == nil
}

// usesDecimalComma reports whether the numbers of a CSV file's column have a decimal comma. If all
// numbers can be read both ways, the character between the columns decides. It is comma.
func usesDecimalComma(texts []string, comma rune) bool {
	some := false
	for _, text := range texts {
		text = strings.TrimSpace(text)
		some = some || strings.Contains(text, ",")
		switch {
		case commaNumber.MatchString(text) && !groupedByComma.MatchString(text),
			groupedByDot.MatchString(text) && strings.Contains(text, ","):
			return true
		case plainNumber.MatchString(text) && strings.Contains(text, ".") && !groupedByDot.MatchString(text),
			groupedByComma.MatchString(text) && strings.Contains(text, "."):
			return false
		}
	}
	return some && comma != ','
}

// dateLayouts are the forms of a date. In all of them the order of day and month is certain.
var dateLayouts = []string{
	time.DateOnly, "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339,
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700", "2006-01", "2006/1/2",
	"2006/1/2 15:04", "2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05", "2 Jan 2006", "2 January 2006", "Jan 2, 2006",
	"January 2, 2006", "Jan 2006", "January 2006",
}

// slashDate is a date in which day and month may be in either order.
var slashDate = regexp.MustCompile(`^\d{1,2}/\d{1,2}/\d{4}$`)

// dateLayout returns the function that reads all texts as dates, or nil if one is no date. The
// result is the time on the wall, as a time of UTC.
func dateLayout(texts []string, zone *time.Location) (parse func(string) (time.Time, bool), err error) {
	layouts := dateLayouts
	if len(texts) == 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return !slashDate.MatchString(strings.TrimSpace(t)) }) {
		if layouts, err = slashLayouts(texts); err != nil {
			return nil, err
		}
	}
	last := layouts[0] // the layout of the date before is tried first
	parse = func(text string) (time.Time, bool) {
		text = strings.TrimSpace(text)
		if at, err := time.ParseInLocation(last, text, zone); err == nil {
			return wall(at, zone), true
		}
		for _, layout := range layouts {
			if at, err := time.ParseInLocation(layout, text, zone); err == nil {
				last = layout
				return wall(at, zone), true
			}
		}
		return time.Time{}, false
	}
	for _, text := range texts {
		if _, ok := parse(text); !ok {
			return nil, nil
		}
	}
	return parse, nil
}

// slashLayouts decides between 31/12/2026 and 12/31/2026.
func slashLayouts(texts []string) ([]string, error) {
	dayFirst, monthFirst := true, true
	for _, text := range texts {
		parts := strings.Split(strings.TrimSpace(text), "/")
		if n, _ := strconv.Atoi(parts[0]); n > 12 {
			monthFirst = false
		}
		if n, _ := strconv.Atoi(parts[1]); n > 12 {
			dayFirst = false
		}
	}
	switch {
	case dayFirst && monthFirst:
		return nil, fmt.Errorf("%s can be read as a day in two months; write dates as 2026-11-20", quote(texts[0]))
	case dayFirst:
		return []string{"2/1/2006"}, nil
	case monthFirst:
		return []string{"1/2/2006"}, nil
	}
	return nil, errors.New("dates with / have the day first and the month first; write them as 2026-11-20")
}

// wall returns the time that a clock in zone shows, as a time of UTC.
func wall(at time.Time, zone *time.Location) time.Time {
	at = at.In(zone)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}

func timeAt(x float64) time.Time { return time.Unix(int64(x), 0).UTC() }
