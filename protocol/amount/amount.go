// Package amount writes numbers as a person reads them, or a model.
package amount

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Plural is "1 line", "2 lines", "12,345 lines". n is not below 0.
func Plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(int64(n)) + " " + many
}

// Bytes is a number of bytes in powers of 1,000: "12 bytes", "1.5 KB". n is not below 0.
func Bytes(n int64) string {
	if n < 1000 {
		return Plural(n, "byte", "bytes")
	}
	value, unit := scaled(n, 1000)
	return fmt.Sprintf("%.1f %sB", value, unit)
}

// Size is a number of bytes in powers of 1,024, as limits are configured: "512 B", "10.2 GiB". n is
// not below 0.
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := scaled(n, 1024)
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + unit + "iB"
}

// scaled is a number of at least one base in the unit that leaves less than one base, rounded to a
// tenth.
func scaled(n int64, base float64) (value float64, unit string) {
	units := "KMGTPE"
	value = float64(n) / base
	for value >= base-0.05 && len(units) > 1 {
		value, units = value/base, units[1:]
	}
	return value, units[:1]
}

// Number is a number with a comma after every third digit: "34,567".
func Number(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := text[:len(text)-len(strings.TrimPrefix(text, "-"))]
	digits := text[len(sign):]
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// Duration is "1 hour and 30 minutes", to the second. d is not below 0.
func Duration(d time.Duration) string {
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
