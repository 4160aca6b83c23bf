package budget

import (
	"fmt"

	"mews/supervisor/internal/money"
)

// Allowance is what a person may still spend within one limit, in millionths of a US dollar.
type Allowance struct {
	When string // the limit's period, for a person: "today"
	Max  int64  // with what the person has extended it by
	Left int64
	Held int64 // of what is left: what is set aside for calls that run
}

// String is an allowance for a person: "$1.20 of $2.00 is left today, of which $0.10 is set aside
// for answers under way".
func (a Allowance) String() string {
	text := fmt.Sprintf(textAllowance, money.Dollars(max(0, a.Left)), money.Dollars(a.Max), a.When)
	if a.Held > 0 {
		text += fmt.Sprintf(textAllowanceHeld, money.Dollars(a.Held))
	}
	return text
}
