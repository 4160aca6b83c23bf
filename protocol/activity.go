package protocol

// MethodActivityRead reads the user's activity, newest first, as lines: ActivityRead to Activity.
// It is a call in turn, at most MaxActivityReads times in a turn. Its error tells the model in
// words what cannot be read.
//
//	{"turn":8,"time":"7d","kind":"sent"}
//	{"text":"2026-11-20 13:05 sent a.png (image/png, 12 bytes)"}
const MethodActivityRead = "activity.read"

// Limits of reading the activity.
const (
	MaxActivityReads = 20
	MaxActivity      = 4 << 10 // bytes of one answer
)

// ActivityRead selects the activity.
type ActivityRead struct {
	Turn int64 `json:"turn"`
	// today, which is the default; 7d, the last seven days; or a day, such as 2026-11-20
	Time string `json:"time,omitempty"`
	Kind string `json:"kind,omitempty"` // changed, run, sent, asked, received; "" is all
}

// Activity is the selected activity.
type Activity struct {
	Text string `json:"text"`
	// it may hold words of others, such as the name of a file that the user was sent
	World bool `json:"world,omitempty"`
}
