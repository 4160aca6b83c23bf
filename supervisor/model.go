package supervisor

import (
	"context"

	"mews/protocol"
)

// ModelRequest is one call of a model, assembled by the supervisor from its own transcript.
type ModelRequest struct {
	Model    string // the provider's own name of the model
	System   string
	Tools    []protocol.Tool // sorted by name, so that the prompt's prefix stays the same
	Messages []protocol.Message
}

// ModelDelta is a piece of an answer as it comes.
type ModelDelta struct {
	Text string
}

// ModelAnswer is the whole of what a model said.
type ModelAnswer struct {
	Message protocol.Message // Role assistant
	Model   string           // the model that answered, as its provider names it
	Usage   protocol.Usage
}

// ModelProvider is one way to have models answer.
type ModelProvider interface {
	// Stream calls the model and returns its whole answer. It calls delta with each piece as it comes, from one
	// goroutine, before it returns. When ctx ends it ends the call and returns ctx's cause. An error that the person can
	// do something about is an *Error with CodeModel or CodeUnavailable.
	Stream(ctx context.Context, req ModelRequest, delta func(ModelDelta)) (ModelAnswer, error)
}
