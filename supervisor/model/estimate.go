package model

import "mews/protocol"

// tokenBytes is about how many bytes of an answer make a token (English in the tokenizers of 2026;
// as history has it).
const tokenBytes = 4

// estimatedUsage is what a call has counted, and about what it came to where its provider did not
// say: of an answer that broke off all that had come is counted, for providers count that at the
// end. It is the same whether anybody has a budget or not.
func (c *call) estimatedUsage(m Choice, counted protocol.Usage, received int64, broke bool) protocol.Usage {
	u := counted
	if u.Input == 0 {
		u.Input = c.estimatedInput(m)
	}
	if said := (received + tokenBytes - 1) / tokenBytes; u.Output == 0 || broke {
		u.Output = max(u.Output, said)
	}
	if c.sent.Output > 0 {
		u.Output = max(counted.Output, min(u.Output, c.sent.Output))
	}
	u.Estimated = counted.Estimated || u != counted
	return u
}

// estimatedInput is about how many tokens the newest request had, by what the model has counted of
// others.
func (c *call) estimatedInput(m Choice) int64 {
	most := inputBound(m, c.provider(m).kind, c.sent)
	if c.sent.Tokens <= 0 {
		return max(most/tokenBytes, 1)
	}
	tokens := float64(c.sent.Tokens)
	if factor := c.windows.of(m.Spec).factor; factor > 0 {
		tokens *= factor
	}
	return min(max(int64(tokens), 1), most)
}
