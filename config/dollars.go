package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Dollars is an amount of US dollars, written as a decimal number. It is exact to a millionth. The
// zero value means 0 dollars, and that the file does not set the amount.
type Dollars struct {
	Micro int64 // millionths of a dollar
	Given bool  // the file sets the amount
}

// maxBudget is above any monthly budget for models. A larger amount is a typo.
const maxBudget = 1_000_000

var amount = regexp.MustCompile(`^([0-9]{1,7})(?:\.([0-9]{1,6}))?$`)

// ParseDollars parses an amount exactly, without floating point.
func ParseDollars(text string) (Dollars, error) {
	m := amount.FindStringSubmatch(text)
	if m == nil {
		return Dollars{}, fmt.Errorf("dollars %q: want digits, and at most six of them after a point", text)
	}
	micro, err := strconv.ParseInt(m[1]+m[2]+strings.Repeat("0", 6-len(m[2])), 10, 64)
	if err != nil || micro > maxBudget*1_000_000 {
		return Dollars{}, fmt.Errorf("dollars %q: more than %d", text, maxBudget)
	}
	return Dollars{Micro: micro, Given: true}, nil
}

// String formats the amount for ParseDollars, without trailing zeros.
func (d Dollars) String() string {
	text := fmt.Sprintf("%d.%06d", d.Micro/1_000_000, d.Micro%1_000_000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
