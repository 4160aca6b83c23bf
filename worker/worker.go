// Package worker holds the words of the worker's side: the contract of a tool, and what a turn tells of itself. It does
// no I/O and starts no goroutine.
package worker

import (
	"context"
	"encoding/json"

	"mews/protocol"
)

// Tool is something the model may have done. Tools are values in a table; each family's package makes its own.
type Tool struct {
	protocol.Tool
	// Run does it. It ends when ctx ends, and leaves nothing running behind it. The text of an error is read by the
	// model and by the person: it says what was tried, with what, and what to do instead. Run may be called from several
	// goroutines at once when the tool's effect is EffectNone, and from one at a time otherwise.
	Run func(ctx context.Context, call Call) (Result, error)
}

// Call is one use of a tool.
type Call struct {
	ID        string
	Arguments json.RawMessage   // a JSON object, not yet checked against the schema
	Progress  func(text string) // shows the person a short line; never nil, never blocks
}

// Result is what a tool has to say.
type Result struct {
	Text    string // for the model, whole; the agent cuts it
	Brief   string // for the person, a few words: "12 lines", "3 matches in 2 files"
	Changes []protocol.Change
	Images  []Picture // for the model, beside Text; at most protocol.MaxImages
}

// Picture is a picture in one of protocol.ImageTypes.
type Picture struct {
	MediaType string
	Data      []byte // at most protocol.MaxImageSize
	Width     int    // in pixels, as is Height
	Height    int
}
