package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Dollars is an amount of US dollars. It is written as a decimal number, exact to a millionth. The
// zero value is 0 dollars that nobody has written.
type Dollars struct {
	Micro int64 // millionths
	Given bool  // it stands in the file
}

// mostBudget is more than anybody spends on models in a month. A larger amount is a slip.
const mostBudget = 1_000_000

var amount = regexp.MustCompile(`^([0-9]{1,7})(?:\.([0-9]{1,6}))?$`)

// ParseDollars reads an amount. It does so without floating point, so that the amount is exact.
func ParseDollars(text string) (Dollars, error) {
	m := amount.FindStringSubmatch(text)
	if m == nil {
		return Dollars{}, fmt.Errorf("dollars %q: want digits, and at most six of them after a point", text)
	}
	micro, err := strconv.ParseInt(m[1]+m[2]+strings.Repeat("0", 6-len(m[2])), 10, 64)
	if err != nil || micro > mostBudget*1_000_000 {
		return Dollars{}, fmt.Errorf("dollars %q: more than %d", text, mostBudget)
	}
	return Dollars{Micro: micro, Given: true}, nil
}

// String is the amount as ParseDollars reads it, without zeros at the end.
func (d Dollars) String() string {
	text := fmt.Sprintf("%d.%06d", d.Micro/1_000_000, d.Micro%1_000_000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
