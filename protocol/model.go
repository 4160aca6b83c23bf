package protocol

// MethodModelStream asks for the next message of the model. It is a host call of a turn, and a turn
// makes one such call at a time.
//
// The supervisor assembles the request from its own transcript. The worker tells only how far it
// has read (After) and names the system text and the tools. The result carries the whole message,
// which is already committed. Only the supervisor gets parts of the message earlier, and shows them
// to the user.
const MethodModelStream = "model.stream"

// ModelStreamParams names the parts of a request beside the transcript. A text or list that was
// sent on this connection before is named only by its hash. If the supervisor does not have the
// text or list, it answers CodeUnknownHash, and the worker sends the whole. The supervisor also
// answers CodeUnknownHash if the system text must not be used any longer. Then the worker composes
// a new text.
//
// The supervisor keeps using the conversation's earlier system text while a new text would cost
// more. The worker always sends the newest text.
type ModelStreamParams struct {
	Turn int64 `json:"turn"`
	// id of the newest message that the worker knows, which must be the transcript's newest message
	After  int64         `json:"after"`
	System SystemTextRef `json:"system"`
	Tools  ToolListRef   `json:"tools"`

	// PromptFiles is the turn's first report of prompt files, if the worker composed System from
	// the present files. The supervisor answers CodeUnknownHash if another text is in force, or if
	// it needs more of a file. The worker then makes the report in a separate call, and composes a
	// new text.
	PromptFiles *PromptFileReport `json:"prompt_files,omitempty"`

	// separate window of a review or triage turn, which sets After to 0; nil in all other turns
	Child *ChildContextWindow `json:"child,omitempty"`
}

// ChildContextWindow asks the model in a separate window that contains only Text. If the turn has
// used the name before, the supervisor repeats the answer at no cost.
type ChildContextWindow struct {
	Name string `json:"name"` // name of the context window, unique in the turn
	Text string `json:"text"`
	// Shared has the lengths, in bytes, of the beginnings of Text that other windows have too, from
	// short to long. The supervisor asks the provider to cache these beginnings.
	Shared []int `json:"shared,omitempty"`
}

// SystemTextRef is the system text or only its hash.
type SystemTextRef struct {
	Hash string `json:"hash"` // SHA-256 of Text in hexadecimal
	Text string `json:"text,omitempty"`
}

// ToolListRef is a list of tools or only its hash. Each tool must have been in HelloResult, or in a
// ToolsChangedParams that the supervisor has answered.
type ToolListRef struct {
	Hash  string   `json:"hash"`            // hex SHA-256 of the names, each followed by a newline
	Names []string `json:"names,omitempty"` // names of the tools, sorted
}

// ModelStreamResult is the result of model.stream.
type ModelStreamResult struct {
	Message Message `json:"message"` // message of the model, with its id
	// AddedMessages is the number of user messages that the supervisor added to the request:
	// messages sent since the model's last message in the turn.
	AddedMessages int `json:"taken,omitempty"`
	// calls of Message that the supervisor itself answered; the worker runs no tool for these calls
	Answered []AnsweredCall `json:"answered,omitempty"`
}

// AnsweredCall is a model's call whose result the supervisor itself has committed.
type AnsweredCall struct {
	Call    string `json:"call"`
	Message int64  `json:"message"` // id of the message with the result
}
