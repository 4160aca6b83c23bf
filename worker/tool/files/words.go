package files

import (
	"fmt"
	"strconv"
)

// count is "1 file", "2 files", "12,345 files".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + many
}

// size is a number of bytes as a person reads it. A KB has 1,000 bytes.
func size(n int64) string {
	if n < 1000 {
		return count(int(n), "byte", "bytes")
	}
	value, unit := float64(n)/1000, 0
	units := []string{"KB", "MB", "GB", "TB", "PB", "EB"}
	for value >= 999.95 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// thousands is a number with commas; negative ones do not come here.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
