// Package money writes amounts of money as a person reads them.
package money

import (
	"fmt"

	"mews/protocol/amount"
)

// Dollars is an amount in millionths of a US dollar: to the cent, and below a cent to its
// hundredth.
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
	return fmt.Sprintf("$%s.%02d", amount.Number(cents/100), cents%100)
}
