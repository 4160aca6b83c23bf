package protocol

// MethodModelStream asks for the next message of the model. A call in turn; one at a time for a turn.
//
// The supervisor assembles the request from its own transcript: the worker says only how far it has read (After), and
// names the system text and the tools. While the model speaks, MethodModelDelta notifications carry what it has said;
// the result carries the whole message, committed before it is sent. Every delta is sent before the result.
const MethodModelStream = "model.stream"

// ModelStream names what goes with the transcript. A text or list that this connection has sent before is left out and
// named by its hash alone; when the supervisor does not have it, it answers CodeUnknownHash and the worker sends it
// whole.
type ModelStream struct {
	Turn   int64     `json:"turn"`
	After  int64     `json:"after"` // the newest message the worker knows of; it must be the transcript's newest
	System SystemRef `json:"system"`
	Tools  ToolsRef  `json:"tools"`
}

// SystemRef is the system text or its name.
type SystemRef struct {
	Hash string `json:"hash"` // hex SHA-256 of Text
	Text string `json:"text,omitempty"`
}

// ToolsRef is the list of tools or its name. Each must have been in HelloResult or in a ToolsChanged that
// the supervisor has answered.
type ToolsRef struct {
	Hash  string   `json:"hash"`            // hex SHA-256 of the names, each followed by a newline
	Names []string `json:"names,omitempty"` // sorted
}

// ModelStreamed is the result of model.stream.
type ModelStreamed struct {
	Message Message `json:"message"` // Role assistant, with its id
	// Taken is how many messages of the person's, sent since the model's last word in the turn, it was made with.
	Taken int `json:"taken,omitempty"`
}

// MethodModelDelta carries what the model has said since the last delta of the same call. A notification.
const MethodModelDelta = "model.delta"

// ModelDelta is text as it comes. The supervisor sends at most one each 30 ms for a call.
type ModelDelta struct {
	Turn int64  `json:"turn"`
	Seq  int    `json:"seq"` // 1, 2, 3 ... within one model.stream
	Text string `json:"text"`
}
