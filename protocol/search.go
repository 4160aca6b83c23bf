package protocol

// MethodHistorySearch looks for what was said with the person, before what the model is shown or in
// another conversation. It is a call in turn, at most MaxSearches times in a turn. The worker only
// names the model's call, whose arguments are a HistorySearch: the supervisor has them. Its error
// says in words for the model what can't be searched.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"text":"1. Fri 20 Nov 2026 13:19, telegram, person: I take oolong"}
const MethodHistorySearch = "history.search"

// MethodHomeSearch looks for what the files of the home hold, likewise; the call's arguments are a
// HomeSearch.
//
//	{"turn":8,"call":"t8-2-2"}
//	{"text":"1. notes/tea.md, line 3 (Tea \u003e Oolong)"}
const MethodHomeSearch = "home.search"

// Limits of searches.
const (
	MaxSearches = 20      // of each kind in a turn
	MaxFound    = 6 << 10 // bytes of one answer
)

// Search names the model's call.
type Search struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// SearchFound is what was found.
type SearchFound struct {
	Text  string `json:"text"`
	World bool   `json:"world,omitempty"` // it has words of somebody else than the person
}

// HistorySearch are the arguments of search_history. One of Words, From and To has to be there.
type HistorySearch struct {
	Words string `json:"words"`
	// a day, a month, today, yesterday or 7d, where the person lives; what was said in it counts
	From string `json:"from"`
	To   string `json:"to"`  // likewise
	Who  string `json:"who"` // person or assistant; "" is both
}

// HomeSearch are the arguments of search_home.
type HomeSearch struct {
	Words string `json:"words"`
	Under string `json:"under"` // a folder or a file of the home; "" is all of it
}

// LogsFolder is the folder of the home with the log of what was said, a file a day.
const LogsFolder = "logs"
