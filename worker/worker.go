package worker

import (
	"context"
	"encoding/json"
	"io"

	"mews/protocol"
)

// Tool is a function that the model may call. Each family's package makes its tools, mostly with
// DefineTool.
type Tool struct {
	protocol.Tool
	// Run runs the tool. It returns when ctx ends, and leaves nothing running. The model and the
	// user read an error's text: it names the attempt and its subject, and says what to do instead.
	// If the tool's effect is EffectNone, several goroutines may call Run at once. Otherwise a turn
	// runs one call after the other.
	Run func(ctx context.Context, call Call) (Result, error)
}

// Call is one use of a tool.
type Call struct {
	ID        string
	Turn      int64             // id of the call's turn; 0 means no turn
	Arguments json.RawMessage   // arguments as a JSON object, not yet checked against the schema
	Progress  func(text string) // Progress shows the user a short line; it is never nil and never blocks
	// KeepBefore stores at most that many bytes of a file before the tool changes the file. nil
	// means that no undo is wanted.
	KeepBefore func(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Result is the result of a call.
type Result struct {
	Text    string // text for the model; the agent cuts a long text
	Brief   string // a few words for the user: "12 lines", "3 matches in 2 files"
	Changes []protocol.Change
	Images  []Picture // pictures for the model beside Text, at most protocol.MaxResultImages
	// Text, or an error's text, may hold words that are not the user's own
	World   bool
	Origins []string // where words of others came from, such as file:uploads/a.pdf
	Tools   []string // names of the tools that the call has opened for the model

	EndsTurn bool // the turn ends with this result: the model is not asked again
}

// Picture is a picture in one of protocol.ImageTypes.
type Picture struct {
	MediaType string
	Data      []byte // bytes of the file, at most protocol.MaxImageBytes
	Width     int    // Width and Height are in pixels
	Height    int
}
