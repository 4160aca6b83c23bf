package openai

import "mews/protocol"

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	In         *struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"` // a field that only OpenRouter sends
	} `json:"prompt_tokens_details"`
	Out *struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// counts returns the token counts in the supervisor's form. Negative counts become 0. Thinking
// counts as output. If the total shows that the server counted thinking separately, counts adds it.
func (u usage) counts() protocol.Usage {
	out := protocol.Usage{Input: max(u.Prompt, 0), Output: max(u.Completion, 0)}
	if u.In != nil {
		out.CacheRead, out.CacheWrite = max(u.In.Cached, 0), max(u.In.Written, 0)
	}
	if thought := u.thinking(); thought > 0 && u.Total == u.Prompt+u.Completion+thought {
		out.Output += thought
	}
	return out
}

// thinking returns the tokens of thinking; 0 if the server does not count them.
func (u usage) thinking() int64 {
	if u.Out == nil {
		return 0
	}
	return max(u.Out.Reasoning, 0)
}
