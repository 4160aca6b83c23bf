// Package money formats amounts of money for people.
package money

import (
	"fmt"

	"mews/protocol/amount"
)

// FormatDollars formats an amount in millionths of a US dollar. It shows cents, or hundredths of a
// cent if the amount is below one cent.
func FormatDollars(micro int64) string {
	switch {
	case micro < 0:
		return "-" + FormatDollars(-max(micro, -1<<62))
	case micro == 0:
		return "$0.00"
	case micro < 10_000:
		return fmt.Sprintf("$0.%04d", max(1, (micro+50)/100))
	}
	cents := micro/10_000 + (micro%10_000+5_000)/10_000
	return fmt.Sprintf("$%s.%02d", amount.FormatNumber(cents/100), cents%100)
}
