package protocol

// MethodUsageRead reads the user's own use of models. It is a call during a turn, at most
// MaxUsageReads times in a turn. The worker only names the model's call, of get_token_usage or
// token_stats; its arguments, which the supervisor has, are a TokenUsageArguments or a
// TokenStatsArguments. Its error tells the model in words what cannot be read.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"text":"today: 12 calls, 34,567 tokens in (89 % from a cache), 1,234 out, $0.12"}
const MethodUsageRead = "usage.read"

// Limits of reading the usage.
const (
	MaxUsageReads       = 20
	MaxUsageAnswerBytes = 6 << 10 // bytes of the text in a UsageReadResult
)

// UsageReadParams names the model's call.
type UsageReadParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// UsageReadResult is the usage in words.
type UsageReadResult struct {
	Text string `json:"text"`
}

// TokenUsageArguments holds the arguments of get_token_usage.
type TokenUsageArguments struct {
	Time string `json:"time"` // the span, such as today, 7d or 2026-11; "" means today, this week and this month
}

// TokenStatsArguments holds the arguments of token_stats.
type TokenStatsArguments struct {
	Model string `json:"model"` // a part of the model's name; "" means all models
	Day   string `json:"day"`   // a day or a span; "" means the last 7 days
}
