package supervisor

import (
	"fmt"

	"mews/protocol/amount"
)

// Allowance is what a person may still spend within one limit, in millionths of a US dollar.
type Allowance struct {
	When string // the limit's period, for a person: "today"
	Max  int64  // with what the person has extended it by
	Left int64
}

// String is an allowance for a person: "$1.20 of $2.00 is left today".
func (a Allowance) String() string {
	return fmt.Sprintf("%s of %s is left %s", amount.Dollars(max(0, a.Left)), amount.Dollars(a.Max), a.When)
}
