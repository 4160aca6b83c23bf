package model

import "mews/protocol"

// tokenBytes is the average number of bytes in a token of an answer, for English and the tokenizers
// of 2026. The package history uses the same number.
const tokenBytes = 4

// estimatedUsage adds estimates to the counted usage of a call. If an answer broke off, it
// estimates the received part, because providers count an answer only at its end. The result is the
// same with and without a budget.
func (c *call) estimatedUsage(m ResolvedModel, counted protocol.Usage, received int64, broke bool) protocol.Usage {
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

// estimatedInput estimates the tokens of the newest request. It uses the model's counts of earlier
// requests.
func (c *call) estimatedInput(m ResolvedModel) int64 {
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
