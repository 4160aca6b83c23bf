package model

import (
	"cmp"
	"fmt"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// tokenBytes is the average number of bytes in a token of an answer, for English and the tokenizers
// of 2026. The package history uses the same number.
const tokenBytes = 4

// maxAnswerTokens is more than the longest answer of any model, in tokens.
const maxAnswerTokens = 1_000_000

// credibleUsage returns the counted usage of a call without counts that are certainly false: more
// input tokens than fit into the call, and more output tokens than the answer can have. A false
// count counts as missing. credibleUsage also tells the admins about a false count.
func (c *call) credibleUsage(m ResolvedModel, counted protocol.Usage, received int64) protocol.Usage {
	u, req := counted, c.sent
	req.Measured = modelcall.TokenCount{}
	// a server may count thinking as input, so the answer's room is added
	if u.Input > inputBound(m, c.provider(m).kind, req)+cmp.Or(c.sent.Output, defaultOutput) {
		u.Input, u.CacheRead, u.CacheWrite = 0, 0, 0
	}
	if u.Output > max(cmp.Or(c.sent.Output, maxAnswerTokens), received) {
		u.Output = 0
	}
	if u != counted {
		u.Estimated = true
		c.log.Warn("a model's server has counted more tokens than there can be; they are estimated instead",
			"model", m.Spec, "input", counted.Input, "output", counted.Output)
		c.faults.tellOnce(fmt.Sprintf(textFalseCount, m.Spec))
	}
	return u
}

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
