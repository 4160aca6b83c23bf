package protocol

// MethodActivityRead reads the user's activity, newest first, as lines. It takes ActivityReadParams
// and returns ActivityReadResult. It is a call during a turn, at most MaxActivityReads times in a
// turn. Its error tells the model in words what cannot be read.
//
//	{"turn":8,"time":"7d","kind":"sent"}
//	{"text":"2026-11-20 13:05 sent a.png (image/png, 12 bytes)"}
const MethodActivityRead = "activity.read"

// Limits of reading the activity.
const (
	MaxActivityReads       = 20
	MaxActivityAnswerBytes = 4 << 10 // bytes of the text in an ActivityReadResult
)

// ActivityReadParams selects the activity.
type ActivityReadParams struct {
	Turn int64 `json:"turn"`
	// period to read: today (the default), 7d for the last seven days, or a day such as 2026-11-20
	Time string `json:"time,omitempty"`
	Kind string `json:"kind,omitempty"` // kind of entries: changed, run, sent, asked, received; "" means all
}

// ActivityReadResult is the selected activity.
type ActivityReadResult struct {
	Text string `json:"text"`
	// Text may hold words that are not the user's own, such as a file's name
	World bool `json:"world,omitempty"`
}
