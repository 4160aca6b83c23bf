package protocol

// MethodModelStream asks for the next message of the model. It is a call in turn, one at a time for
// a turn.
//
// The supervisor assembles the request from its own transcript. The worker says only how far it has
// read (After) and names the system text and the tools. The result carries the whole message, which
// has been committed by then. What the model has said of it before is the reply's alone: the
// supervisor shows it to the person, and the worker is not told.
const MethodModelStream = "model.stream"

// ModelStream names what goes with the transcript. A text or list that was sent on this connection
// before is named by its hash alone. If the supervisor does not have it, it answers
// CodeUnknownHash, and the worker sends it whole. It may answer so too where the system text must
// not be used any more: what comes then is put together anew.
//
// The system text of a request is the one that was kept for the conversation, until another one
// costs nothing more: what the worker sends is what it would be.
type ModelStream struct {
	Turn int64 `json:"turn"`
	// the newest message that the worker knows of; it must be the transcript's newest
	After  int64     `json:"after"`
	System SystemRef `json:"system"`
	Tools  ToolsRef  `json:"tools"`

	// in turns of kind review and triage alone, and always there; After is 0 then
	Child *ChildWindow `json:"child,omitempty"`
}

// ChildWindow asks the model in a window of its own: nothing stands in it but Text. What was asked
// under a name before is answered as it was, at no cost.
type ChildWindow struct {
	Name string `json:"name"` // unique in the turn
	Text string `json:"text"`
}

// SystemRef is the system text or its name.
type SystemRef struct {
	Hash string `json:"hash"` // hex SHA-256 of Text
	Text string `json:"text,omitempty"`
}

// ToolsRef is a list of tools or its name. Each tool must have been in HelloResult, or in a
// ToolsChanged that the supervisor has answered.
type ToolsRef struct {
	Hash  string   `json:"hash"`            // hex SHA-256 of the names, each followed by a newline
	Names []string `json:"names,omitempty"` // sorted
}

// ModelStreamed is the result of model.stream.
type ModelStreamed struct {
	Message Message `json:"message"` // Role assistant, with its id
	// Taken is how many messages of the person's the supervisor has added to the request: those
	// that were sent since the model's last message in the turn.
	Taken int `json:"taken,omitempty"`
	// calls of Message for which nothing is to run
	Answered []AnsweredCall `json:"answered,omitempty"`
}

// AnsweredCall is a call of a model's to which the supervisor itself has committed the result.
type AnsweredCall struct {
	Call    string `json:"call"`
	Message int64  `json:"message"` // that has the result
}
