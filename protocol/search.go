package protocol

// MethodHistorySearch searches the messages with the user that the model does not see. These are
// older messages, for example, and messages of other conversations. It is a call during a turn, at
// most MaxSearches times in a turn. The worker only names the model's call; its arguments, which
// the supervisor has, are a HistorySearchArguments. Its error tells the model in words what cannot
// be searched.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"text":"1. Fri 20 Nov 2026 13:19, telegram, person: I take oolong"}
const MethodHistorySearch = "history.search"

// MethodHomeSearch searches the files of the home. It has the same rules as MethodHistorySearch.
// The call's arguments are a HomeSearchArguments.
//
//	{"turn":8,"call":"t8-2-2"}
//	{"text":"1. notes/tea.md, line 3 (Tea \u003e Oolong)"}
const MethodHomeSearch = "home.search"

// MethodHistoryRead reads one message with the user whole. It is a call during a turn, at most
// MaxSearches times in a turn. The call's arguments, which the supervisor has, are a
// HistoryReadArguments. Its error tells the model in words what cannot be read.
//
//	{"turn":8,"call":"t8-2-3"}
//	{"text":"Message 4711, Fri 20 Nov 2026 13:19, telegram, person:\nI take oolong"}
const MethodHistoryRead = "history.read"

// Limits of searches.
const (
	MaxSearches          = 20      // searches of each kind in a turn
	MaxSearchAnswerBytes = 6 << 10 // bytes of the answer to one search
	// bytes of a message that is read whole; the worker shows the model less at a time
	MaxReadMessageBytes = 256 << 10
)

// SearchParams names the model's call.
type SearchParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// SearchResult is the result of a search.
type SearchResult struct {
	Text  string `json:"text"`
	World bool   `json:"world,omitempty"` // the text has words that are not the user's own
}

// HistorySearchArguments holds the arguments of search_history. One of Words, From and To must be
// set.
type HistorySearchArguments struct {
	Words string `json:"words"`
	// first day to search, in the user's zone: a day, a month, today, yesterday or 7d
	From string `json:"from"`
	To   string `json:"to"`  // the last day, in the form of From
	Who  string `json:"who"` // speaker: person or assistant; "" means both
}

// HistoryReadArguments holds the arguments of read_message.
type HistoryReadArguments struct {
	Message int64 `json:"message"` // id of the message
}

// HomeSearchArguments holds the arguments of search_home.
type HomeSearchArguments struct {
	Words string `json:"words"`
	Under string `json:"under"` // folder or file of the home to search; "" means the whole home
}

// LogsFolder is the folder of the home with the conversation logs, one file a day.
const LogsFolder = "logs"
