// Package amount formats numbers for people and models.
package amount

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Plural returns "1 line", "2 lines", "12,345 lines". n must not be negative.
func Plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatNumber(int64(n)) + " " + many
}

// FormatBytes formats a number of bytes in powers of 1,000: "12 bytes", "1.5 KB". n must not be
// negative.
func FormatBytes(n int64) string {
	if n < 1000 {
		return Plural(n, "byte", "bytes")
	}
	value, unit := scaled(n, 1000)
	return fmt.Sprintf("%.1f %sB", value, unit)
}

// BinarySize formats a number of bytes in powers of 1,024, as in configured limits. Examples are
// "512 B" and "10.2 GiB". n must not be negative.
func BinarySize(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := scaled(n, 1024)
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + unit + "iB"
}

// scaled returns n in the unit in which the value is below base, rounded to a tenth. n is at least
// base.
func scaled(n int64, base float64) (value float64, unit string) {
	units := "KMGTPE"
	value = float64(n) / base
	for value >= base-0.05 && len(units) > 1 {
		value, units = value/base, units[1:]
	}
	return value, units[:1]
}

// FormatNumber formats a number with a comma after every third digit: "34,567".
func FormatNumber(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := text[:len(text)-len(strings.TrimPrefix(text, "-"))]
	digits := text[len(sign):]
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// FormatDuration returns "1 hour and 30 minutes", to the second. d must not be negative.
func FormatDuration(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, Plural(int64(n), unit.name, unit.name+"s"))
		}
		d %= unit.size
	}
	return cmp.Or(strings.Join(parts, " and "), "0 seconds")
}
