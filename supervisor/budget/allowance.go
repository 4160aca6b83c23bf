package budget

import (
	"fmt"

	"mews/supervisor/internal/money"
)

// Allowance is what a user may still spend within one limit, in millionths of a dollar.
type Allowance struct {
	When string // words for the limit's period, such as "today"
	Max  int64  // the limit, including the user's extensions of it
	Left int64
	Held int64 // the part of the remaining money that is set aside for running calls
}

// String describes an allowance for a user: "$1.20 of $2.00 is left today". It also tells the
// amount that is set aside for running calls.
func (a Allowance) String() string {
	text := fmt.Sprintf(textAllowance, money.FormatDollars(max(0, a.Left)), money.FormatDollars(a.Max), a.When)
	if a.Held > 0 {
		text += fmt.Sprintf(textAllowanceHeld, money.FormatDollars(a.Held))
	}
	return text
}
