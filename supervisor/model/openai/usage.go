package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"mews/protocol"
)

// usage has the token counts of an answer. A count that can't be read is 0, because no answer may
// be lost for it.
type usage struct {
	Prompt     tokenCount `json:"prompt_tokens"`
	Completion tokenCount `json:"completion_tokens"`
	Total      tokenCount `json:"total_tokens"`
	In         struct {
		Cached  tokenCount `json:"cached_tokens"`
		Written tokenCount `json:"cache_write_tokens"` // a field that only OpenRouter sends
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning tokenCount `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// UnmarshalJSON reads the fields that it can read. It never fails.
func (u *usage) UnmarshalJSON(data []byte) error {
	type fields usage // the type fields lacks this method, which would otherwise call itself
	*u = usage{}
	_ = json.Unmarshal(data, (*fields)(u)) // an error means that a field has a wrong type; the other fields are read
	return nil
}

// tokenCount is a number of tokens, which some servers send as a text or as a fraction.
type tokenCount int64

// UnmarshalJSON reads a number or a text with a number. Other values, and negative ones, give 0.
func (n *tokenCount) UnmarshalJSON(data []byte) error {
	count, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if *n = 0; err == nil && count >= 0 {
		*n = tokenCount(min(count, maxTokenCount))
	}
	return nil
}

// maxTokenCount is more than the tokens of any call.
const maxTokenCount = 1e15

// counts returns the token counts in the supervisor's form. Thinking counts as output. If the total
// shows that the server counted thinking separately, counts adds it. A server that counts more
// cached tokens than input has counted them separately too.
func (u usage) counts() protocol.Usage {
	out := protocol.Usage{Input: int64(u.Prompt), Output: int64(u.Completion),
		CacheRead: int64(u.In.Cached), CacheWrite: int64(u.In.Written)}
	if cached := out.CacheRead + out.CacheWrite; cached > out.Input {
		out.Input += cached
	}
	if thought := u.Out.Reasoning; thought > 0 && u.Total == u.Prompt+u.Completion+thought {
		out.Output += int64(thought)
	}
	return out
}
