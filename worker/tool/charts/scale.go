package charts

import (
	"math"
	"strconv"
	"strings"
	"time"

	"mews/protocol/amount"
)

// tick is a mark of an axis. Context is a second line, such as the year of a day.
type tick struct {
	at             float64
	label, context string
}

// scale maps values of an axis to the range from low to high.
type scale struct {
	low, high float64
	ticks     []tick
}

// position returns where a value stands on an axis, from 0 to 1.
func (s scale) position(v float64) float64 { return (v - s.low) / (s.high - s.low) }

// niceStep returns the least step of the form 1, 2, 2.5 or 5 times a power of ten that makes at most
// that many steps of a span.
func niceStep(span float64, most int, whole bool) float64 {
	raw := span / float64(most)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		step := m * power
		if step >= raw*(1-1e-9) && (!whole || step == math.Trunc(step)) {
			return step
		}
	}
	return math.Max(1, 10*power)
}

// widen returns bounds with a span, also for equal values.
func (b bounds) widen(whole bool) bounds {
	size := math.Max(math.Abs(b.low), math.Abs(b.high))
	if b.high-b.low > size*1e-9 {
		return b
	}
	by := size / 10
	if by == 0 || whole {
		by = math.Max(1, by)
	}
	return bounds{b.low - by, b.high + by}
}

// newValueScale makes the scale of the y values. It begins and ends at ticks. It has zero if bars
// begin there, or if zero is near.
func newValueScale(b bounds, whole, zero bool, most int) scale {
	if positive, negative := b.low > 0 && b.low < b.high*0.4, b.high < 0 && b.high > b.low*0.4; zero || positive ||
		negative {
		b = b.with(0)
	}
	if b.low == 0 && b.high == 0 {
		b.high = 1
	}
	b = b.widen(whole)
	step := niceStep(b.high-b.low, most, whole)
	first, last := math.Floor(b.low/step+1e-9), math.Ceil(b.high/step-1e-9)
	s := scale{low: first * step, high: last * step}
	s.ticks = numberTicks(first, last, step)
	return s
}

// newNumberScale makes the scale of x values that are numbers.
func newNumberScale(b bounds, whole bool, most int) scale {
	b = b.widen(whole)
	step := niceStep(b.high-b.low, most, whole)
	margin := (b.high - b.low) * 0.02
	s := scale{low: b.low - margin, high: b.high + margin}
	s.ticks = numberTicks(math.Ceil(s.low/step-1e-9), math.Floor(s.high/step+1e-9), step)
	return s
}

func numberTicks(first, last, step float64) (ticks []tick) {
	format := tickFormat(step, math.Max(math.Abs(first*step), math.Abs(last*step)))
	for i := first; i <= last; i++ {
		ticks = append(ticks, tick{at: i * step, label: format(i * step)})
	}
	return ticks
}

// units are the short forms of large numbers.
var units = []struct {
	size float64
	name string
}{{1e12, " tn"}, {1e9, " bn"}, {1e6, " M"}, {1, ""}}

// tickFormat returns the function that writes numbers of an axis. A step of 0 means that the
// numbers are written with all digits that matter.
func tickFormat(step, largest float64) func(float64) string {
	if largest >= 1e15 || largest > 0 && largest < 1e-6 {
		return func(v float64) string { return minus(strconv.FormatFloat(v, 'g', 4, 64)) }
	}
	if step == 0 {
		return func(v float64) string { return group(strconv.FormatFloat(roundDigits(v), 'f', -1, 64)) }
	}
	for _, unit := range units {
		if unit.size > 1 && (largest < unit.size || step < unit.size/100) {
			continue
		}
		digits := digitsOf(step / unit.size)
		return func(v float64) string {
			if v == 0 {
				return "0"
			}
			return group(strconv.FormatFloat(v/unit.size, 'f', digits, 64)) + unit.name
		}
	}
	return nil // the last unit takes every number
}

// digitsOf returns how many digits after the point a step needs.
func digitsOf(step float64) (digits int) {
	for step = math.Abs(step); digits < 12 && math.Abs(step-math.Round(step)) > 1e-6*step; step *= 10 {
		digits++
	}
	return digits
}

// roundDigits rounds to ten digits that matter, so that 0.1 + 0.2 is 0.3.
func roundDigits(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	return short
}

// group groups the digits of a number from 10,000 on. Years stay as they are.
func group(number string) string {
	whole, rest, point := strings.Cut(strings.TrimPrefix(number, "-"), ".")
	if len(whole) > 4 {
		n, _ := strconv.ParseInt(whole, 10, 64) // below 1e15, so it fits
		whole = amount.FormatNumber(n)
	}
	if point {
		whole += "." + rest
	}
	if strings.HasPrefix(number, "-") {
		whole = "-" + whole
	}
	return minus(whole)
}

// minus writes a minus sign for the hyphen.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }

// timeStep is a distance between ticks of a time axis.
type timeStep struct {
	seconds             float64 // length, about
	years, months, days int
	label, context      string // layouts; context is "" if the label says all
}

const hour, day = 3600.0, 86400.0

// timeSteps are the steps of a time axis, the shortest first.
var timeSteps = func() (steps []timeStep) {
	for _, s := range []float64{1, 2, 5, 10, 15, 30} {
		steps = append(steps, timeStep{seconds: s, label: "15:04:05", context: "2 Jan 2006"})
	}
	for _, s := range []float64{60, 120, 300, 600, 900, 1800, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour} {
		steps = append(steps, timeStep{seconds: s, label: "15:04", context: "2 Jan 2006"})
	}
	for _, d := range []int{1, 2, 7, 14} {
		steps = append(steps, timeStep{seconds: float64(d) * day, days: d, label: "2 Jan", context: "2006"})
	}
	for _, m := range []int{1, 2, 3, 6} {
		steps = append(steps, timeStep{seconds: float64(m) * 30.4 * day, months: m, label: "Jan", context: "2006"})
	}
	for _, y := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		steps = append(steps, timeStep{seconds: float64(y) * 365.25 * day, years: y, label: "2006"})
	}
	return steps
}()

// newTimeScale makes the scale of times. Ticks stand at midnights, first days and new years.
func newTimeScale(b bounds, dated bool, most int) scale {
	if b.high == b.low {
		around := hour
		if dated {
			around = day
		}
		b = bounds{b.low - around, b.high + around}
	}
	margin := (b.high - b.low) * 0.02
	s := scale{low: b.low - margin, high: b.high + margin}
	step := timeSteps[len(timeSteps)-1]
	for _, try := range timeSteps {
		if (s.high-s.low)/try.seconds <= float64(most) && (!dated || try.seconds >= day) {
			step = try
			break
		}
	}
	context := ""
	for at := step.first(timeAt(math.Floor(s.low))); float64(at.Unix()) <= s.high; at = step.next(at) {
		if float64(at.Unix()) < s.low {
			continue
		}
		t := tick{at: float64(at.Unix()), label: at.Format(step.label)}
		if now := at.Format(step.context); step.context != "" && now != context {
			t.context, context = now, now
		}
		s.ticks = append(s.ticks, t)
	}
	return s
}

// first returns the last tick that is not after a time.
func (s timeStep) first(at time.Time) time.Time {
	y, m, d := at.Date()
	switch {
	case s.years > 0:
		return time.Date(y-y%s.years, 1, 1, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		return time.Date(y, m-(m-1)%time.Month(s.months), 1, 0, 0, 0, 0, time.UTC)
	case s.days == 7 || s.days == 14: // weeks begin on Mondays
		return time.Date(y, m, d-(int(at.Weekday())+6)%7, 0, 0, 0, 0, time.UTC)
	case s.days > 0:
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	steps := math.Floor(at.Sub(midnight).Seconds() / s.seconds)
	return midnight.Add(time.Duration(steps*s.seconds) * time.Second)
}

func (s timeStep) next(at time.Time) time.Time {
	if s.years+s.months+s.days > 0 {
		return at.AddDate(s.years, s.months, s.days)
	}
	return at.Add(time.Duration(s.seconds) * time.Second)
}
