package protocol

// MethodModelStream asks for the next message of the model. It is a call in turn, one at a time for a turn.
//
// The supervisor assembles the request from its own transcript. The worker says only how far it has read (After) and names
// the system text and the tools. While the model speaks, MethodModelDelta notifications carry its text; all of them are sent
// before the result. The result carries the whole message, which has been committed by then.
const MethodModelStream = "model.stream"

// ModelStream names what goes with the transcript. A text or list that was sent on this connection before is named by its
// hash alone. If the supervisor does not have it, it answers CodeUnknownHash, and the worker sends it whole.
type ModelStream struct {
	Turn   int64     `json:"turn"`
	After  int64     `json:"after"` // the newest message that the worker knows of; it must be the transcript's newest
	System SystemRef `json:"system"`
	Tools  ToolsRef  `json:"tools"`
}

// SystemRef is the system text or its name.
type SystemRef struct {
	Hash string `json:"hash"` // hex SHA-256 of Text
	Text string `json:"text,omitempty"`
}

// ToolsRef is a list of tools or its name. Each tool must have been in HelloResult, or in a ToolsChanged that the supervisor
// has answered.
type ToolsRef struct {
	Hash  string   `json:"hash"`            // hex SHA-256 of the names, each followed by a newline
	Names []string `json:"names,omitempty"` // sorted
}

// ModelStreamed is the result of model.stream.
type ModelStreamed struct {
	Message Message `json:"message"` // Role assistant, with its id
	// Taken is how many messages of the person's the supervisor has added to the request: those that were sent since the
	// model's last message in the turn.
	Taken int `json:"taken,omitempty"`
}

// MethodModelDelta carries the text that the model has said since the last delta of the same call. It is a notification.
const MethodModelDelta = "model.delta"

// ModelDelta is text as it comes. The supervisor sends at most one in 30 ms for a call.
type ModelDelta struct {
	Turn int64  `json:"turn"`
	Seq  int    `json:"seq"` // 1, 2, 3 ... within one model.stream
	Text string `json:"text"`
}
