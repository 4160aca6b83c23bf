// Package usage sums what was asked of models, and what it cost.
package usage

import (
	"fmt"

	"mews/protocol/amount"
	"mews/supervisor/internal/money"
)

// Line is a sum of calls of models.
type Line struct {
	Name       string `json:"name"` // of the model, as provider/model, or of the user
	Calls      int64  `json:"calls"`
	Input      int64  `json:"input"` // tokens, with those from a cache and into one
	Output     int64  `json:"output"`
	CacheRead  int64  `json:"cache_read"`
	CacheWrite int64  `json:"cache_write"`
	// in millionths of a US dollar, of the calls whose price is known
	Cost     int64 `json:"cost_microdollars"`
	Unpriced int64 `json:"unpriced_calls"` // calls whose price is not known
	// some of the tokens were not counted by a provider
	Estimated bool `json:"estimated,omitempty"`
}

// Total is the sum of lines, without a name.
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

// String is the sum for a person: "12 calls, 34,567 tokens in (89 % from a cache), 1,234 out,
// $0.12".
func (l Line) String() string {
	if l.Calls == 0 {
		return textNothing
	}
	cached := ""
	if l.CacheRead > 0 && l.Input > 0 {
		// rounded down: nothing short of all is 100
		cached = fmt.Sprintf(textCached, int64(float64(l.CacheRead)/float64(l.Input)*100))
	}
	about := ""
	if l.Estimated {
		about = textAbout
	}
	return fmt.Sprintf(textLine, amount.Plural(l.Calls, "call", "calls"), about, amount.Number(l.Input), cached,
		amount.Number(l.Output), l.Price())
}

// Price is what the calls cost, as far as that is known.
func (l Line) Price() string {
	switch {
	case l.Unpriced == 0:
		return money.Dollars(l.Cost)
	case l.Unpriced >= l.Calls:
		return textNoPrice
	}
	return fmt.Sprintf(textSomeUnpriced, money.Dollars(l.Cost), amount.Plural(l.Unpriced, "call", "calls"))
}
