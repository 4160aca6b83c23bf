package answer

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// decimalPattern allows a currency or percent sign at one end, and spaces or apostrophes between
// thousands.
var decimalPattern = regexp.MustCompile(`^([-+−]?)[€$£]? ?(\d[\d.,'  ]*?) ?[€$£%]?$`)

// maxDigits is the most digits that a number may have.
const maxDigits = 30

// readNumber reads a number with a decimal point or comma, and returns it with a point. A single
// separator before three digits is ambiguous ("1.234"), so readNumber refuses the number unless it
// begins with a zero.
func readNumber(text string) (string, bool) {
	m := decimalPattern.FindStringSubmatch(strings.TrimRight(strings.TrimSpace(text), ".,!"))
	if m == nil {
		return "", false
	}
	digits := strings.NewReplacer("'", "", " ", "", " ", "").Replace(m[2])
	at := strings.LastIndexAny(digits, ".,")
	whole, decimals := digits, ""
	if at >= 0 {
		mark, others := digits[at:at+1], strings.Count(digits[:at], digits[at:at+1])
		switch rest := len(digits) - at - 1; {
		case others > 0 && strings.ContainsAny(strings.ReplaceAll(digits, mark, ""), ".,"): // refused: 1.234,567,890
			return "", false
		case others > 0: // several equal separators mean thousands, as in 1.234.567
		case rest == 3 && digits[:at] != "0" && !strings.ContainsAny(digits[:at], ".,"):
			return "", false
		default:
			whole, decimals = digits[:at], digits[at:]
		}
	}
	whole, ok := withoutThousands(whole)
	if !ok || len(whole)+len(decimals) > maxDigits {
		return "", false
	}
	whole = strings.TrimLeft(whole[:len(whole)-1], "0") + whole[len(whole)-1:]
	return strings.ReplaceAll(strings.TrimPrefix(m[1], "+"), "−", "-") + whole + strings.ReplaceAll(decimals, ",", "."), true
}

// withoutThousands removes the separators between groups of three digits.
func withoutThousands(whole string) (string, bool) {
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	for i, g := range groups {
		if i > 0 && len(g) != 3 || len(groups) > 1 && i == 0 && len(g) > 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), len(groups) > 0 && !strings.HasPrefix(whole, ",") && !strings.HasPrefix(whole, ".")
}

// Patterns of dates in lower case without accents; a time may follow. The names of days and months
// are English, German, Spanish and French.
var (
	dateISO     = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:t| |$)(.*)$`)
	dateDotted  = regexp.MustCompile(`^(\d{1,2})\. ?(\d{1,2})(?:\.(?: ?(\d{4}))?)?(?: (.*))?$`)
	dateDay     = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th|er|\.)? (?:of |de )?([a-z]+)\.?(?: (?:de )?(\d{4}))?(?: (.*))?$`)
	dateMonth   = regexp.MustCompile(`^([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?(?: (.*))?$`)
	dateWord    = regexp.MustCompile(`^(day after tomorrow|pasado manana|apres-demain|aujourd'hui|[a-z]+)(?: (.*))?$`)
	beforeDates = regexp.MustCompile(`^(?:on |am |el |le |the )`)
	timeShape   = regexp.MustCompile(`^(?:at |um |a las |a la |a )?(\d{1,2})(?:[:.h](\d{2}))? ?(am|pm|a\.m|p\.m|uhr|h)?$`)
)

// readDate reads a day with an optional time, in now's zone: 2026-11-24, 2026-11-24 18:30. A day
// without a year is the next day with that date. An ambiguous day such as 11/12 is refused.
func readDate(text string, now time.Time) (string, bool) {
	said := beforeDates.ReplaceAllString(strings.ReplaceAll(normalize(text), ",", ""), "")
	day, rest, ok := readDay(said, now)
	if !ok {
		return "", false
	}
	clock, ok := readClock(strings.TrimSpace(rest))
	return strings.TrimSpace(day.Format(time.DateOnly) + " " + clock), ok
}

// readDay reads the day at the beginning of a text.
func readDay(said string, now time.Time) (day time.Time, rest string, ok bool) {
	if m := dateISO.FindStringSubmatch(said); m != nil {
		day, ok = resolveDay(m[1], m[2], m[3], now)
		return day, m[4], ok
	}
	if m := dateDotted.FindStringSubmatch(said); m != nil {
		day, ok = resolveDay(m[3], m[2], m[1], now)
		return day, m[4], ok
	}
	if m := dateDay.FindStringSubmatch(said); m != nil && months[m[2]] != 0 {
		day, ok = resolveDay(m[3], strconv.Itoa(months[m[2]]), m[1], now)
		return day, m[4], ok
	}
	if m := dateMonth.FindStringSubmatch(said); m != nil && months[m[1]] != 0 {
		day, ok = resolveDay(m[3], strconv.Itoa(months[m[1]]), m[2], now)
		return day, m[4], ok
	}
	m := dateWord.FindStringSubmatch(said)
	if m == nil {
		return day, "", false
	}
	if ahead, ok := days[m[1]]; ok {
		return now.AddDate(0, 0, ahead), m[2], true
	}
	if weekday, ok := weekdays[m[1]]; ok { // the next such weekday after today
		return now.AddDate(0, 0, 1+(weekday-int(now.Weekday())+6)%7), m[2], true
	}
	return day, "", false
}

// resolveDay returns a calendar day. Without a year it is the next day with that date, from now on.
func resolveDay(year, month, day string, now time.Time) (time.Time, bool) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	at := time.Date(y, time.Month(m), d, 12, 0, 0, 0, now.Location())
	if year == "" {
		at = time.Date(now.Year(), time.Month(m), d, 12, 0, 0, 0, now.Location())
		if at.Format(time.DateOnly) < now.Format(time.DateOnly) {
			at = at.AddDate(1, 0, 0)
		}
	}
	return at, int(at.Month()) == m && at.Day() == d && at.Year() > 0
}

// readClock reads a time of day; "" means none. An hour alone needs am, pm or h, because a bare
// number may be a typo.
func readClock(said string) (string, bool) {
	if said == "" {
		return "", true
	}
	m := timeShape.FindStringSubmatch(said)
	if m == nil || m[2] == "" && m[3] == "" {
		return "", false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	half := strings.TrimSuffix(strings.ReplaceAll(m[3], ".", ""), "m")
	switch {
	case half != "a" && half != "p":
	case hour < 1 || hour > 12:
		return "", false
	case half == "p":
		hour = hour%12 + 12
	default:
		hour %= 12
	}
	at := time.Date(2000, 1, 1, hour, minute, 0, 0, time.UTC)
	return at.Format("15:04"), hour < 24 && minute < 60
}
