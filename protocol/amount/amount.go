// Package amount writes numbers as a person reads them, or a model.
package amount

import (
	"fmt"
	"strconv"
	"strings"
)

// Of is "1 line", "2 lines", "12,345 lines". n is not below 0.
func Of[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(int64(n)) + " " + many
}

// Bytes is a number of bytes: "12 bytes", "1.5 KB". A KB has 1,000 bytes.
func Bytes(n int64) string {
	if n < 1000 {
		return Of(n, "byte", "bytes")
	}
	value, unit := float64(n)/1000, 0
	units := []string{"KB", "MB", "GB", "TB", "PB", "EB"}
	for value >= 999.95 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
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

// Dollars is an amount in millionths of a US dollar: to the cent, and below a cent to its hundredth.
func Dollars(micro int64) string {
	switch {
	case micro < 0:
		return "-" + Dollars(-max(micro, -1<<62))
	case micro == 0:
		return "$0.00"
	case micro < 10_000:
		return fmt.Sprintf("$0.%04d", max(1, (micro+50)/100))
	}
	cents := micro/10_000 + (micro%10_000+5_000)/10_000
	return fmt.Sprintf("$%s.%02d", Number(cents/100), cents%100)
}
