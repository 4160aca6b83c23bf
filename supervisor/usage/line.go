// Package usage sums up the use of models and its cost.
package usage

import (
	"fmt"

	"mews/protocol/amount"
	"mews/supervisor/internal/money"
)

// Line is the summed usage and cost of several calls.
type Line struct {
	Name       string `json:"name"` // the name of the model, as provider/model, or of the user
	Calls      int64  `json:"calls"`
	Input      int64  `json:"input"` // tokens, including those read from and written to a cache
	Output     int64  `json:"output"`
	CacheRead  int64  `json:"cache_read"`
	CacheWrite int64  `json:"cache_write"`
	// cost of the calls with a known price, in millionths of a US dollar
	Cost     int64 `json:"cost_microdollars"`
	Unpriced int64 `json:"unpriced_calls"` // calls without a known price
	Free     bool  `json:"free,omitempty"` // whether the calls of this model or conversation count as free
	// whether some of the tokens were estimated, not counted by a provider
	Estimated bool `json:"estimated,omitempty"`
}

// DayLine is the usage of a model on one day.
type DayLine struct {
	Line
	Day string // such as 2026-11-20
}

// Total returns the sum of lines. The sum has no name.
func Total(lines []Line) Line {
	var sum Line
	for _, l := range lines {
		sum = Line{
			Calls: sum.Calls + l.Calls, Input: sum.Input + l.Input, Output: sum.Output + l.Output,
			CacheRead: sum.CacheRead + l.CacheRead, CacheWrite: sum.CacheWrite + l.CacheWrite,
			Cost: sum.Cost + l.Cost, Unpriced: sum.Unpriced + l.Unpriced, Estimated: sum.Estimated || l.Estimated,
		}
	}
	return sum
}

// String describes the usage for users. An example is "12 calls, 34,567 tokens in (89 % from a
// cache), 1,234 out, $0.12".
func (l Line) String() string {
	if l.Calls == 0 {
		return textNothing
	}
	cached := ""
	if l.CacheRead > 0 && l.Input > 0 {
		// rounded down: 100 % means that all tokens came from a cache
		cached = fmt.Sprintf(textCached, int64(float64(l.CacheRead)/float64(l.Input)*100))
	}
	about := ""
	if l.Estimated {
		about = textAbout
	}
	return fmt.Sprintf(textLine, amount.Plural(l.Calls, "call", "calls"), about, amount.FormatNumber(l.Input), cached,
		amount.FormatNumber(l.Output), l.FormatCost())
}

// FormatCost returns the cost of the calls as text. It also tells how many calls have no known
// price.
func (l Line) FormatCost() string {
	switch {
	case l.Free && l.Cost == 0:
		return textFree
	case l.Unpriced == 0:
		return money.FormatDollars(l.Cost)
	case l.Unpriced >= l.Calls:
		return textNoPrice
	}
	return fmt.Sprintf(textSomeUnpriced, money.FormatDollars(l.Cost), amount.Plural(l.Unpriced, "call", "calls"))
}
