package worker

import (
	"context"
	"encoding/json"
	"io"

	"mews/protocol"
)

// Tool is something that the model may have done. Each family's package makes its tools, mostly
// with Define.
type Tool struct {
	protocol.Tool
	// Run runs the tool. It ends when ctx ends, and leaves nothing running. The model and the
	// person read the text of an error: it says what was tried, with what, and what to do instead.
	// If the tool's effect is EffectNone, several goroutines may call Run at once, else one at a
	// time in a turn.
	Run func(ctx context.Context, call Call) (Result, error)
}

// Call is one use of a tool.
type Call struct {
	ID        string
	Turn      int64             // whose call it is; 0: no turn's
	Arguments json.RawMessage   // a JSON object, not yet checked against the schema
	Progress  func(text string) // shows the person a short line; never nil, never blocks
	// KeepBefore stores the bytes of a file before the tool changes it, at most so many; nil: they
	// need not be kept.
	KeepBefore func(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Result is the result of a call.
type Result struct {
	Text    string // for the model; the agent cuts it
	Brief   string // for the person, a few words: "12 lines", "3 matches in 2 files"
	Changes []protocol.Change
	Images  []Picture // for the model, beside Text; at most protocol.MaxImages
	// it may hold words of somebody else than the person; it counts beside an error too
	World bool
	Tools []string // those that the call has opened

	EndsTurn bool // the turn has ended with this: the model is asked for nothing more
}

// Picture is a picture in one of protocol.ImageTypes.
type Picture struct {
	MediaType string
	Data      []byte // at most protocol.MaxImageSize
	Width     int    // in pixels, as is Height
	Height    int
}
