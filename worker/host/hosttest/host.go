// Package hosttest provides a supervisor in memory for tests of turns. It answers with the messages
// that the test has set, and commits and refuses like the real supervisor. Its calls fail if the
// test says so.
package hosttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"testing"

	"mews/protocol"
)

// Failure says how a call of the host fails.
type Failure string

const (
	FailureNone       Failure = ""       // the call works
	FailureCallLost   Failure = "lost"   // the call never arrives
	FailureAnswerLost Failure = "deaf"   // the call is carried out, but its answer never arrives
	FailureRefused    Failure = "failed" // the supervisor answers with an error
)

// Host holds the committed state of one turn. Set its fields before use. Its methods may be called
// from any goroutine.
type Host struct {
	TB     testing.TB
	Limits protocol.TurnLimits
	// Answer returns the model's message for a step, counted from 1. If Answer is nil or returns a
	// zero message, the message says "done".
	Answer func(ctx context.Context, step int) (protocol.Message, error)
	// AddedMessages returns the number of user messages added to the request of a step. nil
	// means none.
	AddedMessages func(step int) int
	// Fail is called at each call of the host, and returns how the call fails. n counts the calls
	// from 1; call is "model", "begin", "done" or "keep". nil means that no call fails.
	Fail func(n int, call string) Failure
	// OnEvent receives each event; may be nil.
	OnEvent func(protocol.TurnEvent)

	mu         sync.Mutex
	calls      int
	transcript []protocol.Message // committed messages, with the ids 1, 2, 3 ...
	begun      map[string]bool
	results    map[string]protocol.ToolResult
	blobs      map[string]string
	events     []protocol.TurnEvent
}

// ScriptMessages makes a model that says these messages in order, and then "done".
func ScriptMessages(messages ...protocol.Message) func(context.Context, int) (protocol.Message, error) {
	return func(_ context.Context, step int) (protocol.Message, error) {
		if step > len(messages) {
			return protocol.Message{}, nil
		}
		return messages[step-1], nil
	}
}

// TextMessage returns a message of the model with a text and no calls.
func TextMessage(text string) protocol.Message {
	return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}
}

// CallMessage returns a message of the model with calls.
func CallMessage(calls ...protocol.ToolCall) protocol.Message {
	message := protocol.Message{Role: protocol.RoleAssistant}
	for _, call := range calls {
		message.Parts = append(message.Parts, protocol.ContentPart{Call: &call})
	}
	return message
}

// ToolCall returns one tool call.
func ToolCall(id, name, arguments string) protocol.ToolCall {
	return protocol.ToolCall{ID: id, Name: name, Arguments: []byte(arguments)}
}

// NextModelMessage commits the model's next message and returns it.
func (h *Host) NextModelMessage(ctx context.Context, after int64, _ string,
	_ []protocol.Tool) (protocol.ModelStreamResult, error) {
	failure := h.nextFailure("model")
	if err := failure.before(); err != nil {
		return protocol.ModelStreamResult{}, err
	}
	h.checkNewest(after)
	taken := 0
	if h.AddedMessages != nil {
		taken = h.AddedMessages(h.TurnStart().CommittedSteps + 1)
	}
	message, err := h.answer(ctx)
	if err != nil {
		return protocol.ModelStreamResult{}, err
	}
	h.mu.Lock()
	message.ID = int64(len(h.transcript) + 1)
	h.transcript = append(h.transcript, message)
	h.mu.Unlock()
	return protocol.ModelStreamResult{Message: message, AddedMessages: taken}, failure.after()
}

func (h *Host) answer(ctx context.Context) (protocol.Message, error) {
	message := protocol.Message{}
	if h.Answer != nil {
		var err error
		if message, err = h.Answer(ctx, h.TurnStart().CommittedSteps+1); err != nil {
			return protocol.Message{}, err
		}
	}
	if len(message.Parts) == 0 {
		message = TextMessage("done")
	}
	return message, nil
}

// checkNewest fails the test if a model call came too early or too late.
func (h *Host) checkNewest(after int64) {
	start := h.TurnStart()
	if after != start.LastMessage {
		h.TB.Errorf("model asked after message %d, the newest is %d", after, start.LastMessage)
	}
	if len(start.PendingCalls) > 0 {
		h.TB.Errorf("model asked while %d calls have no result", len(start.PendingCalls))
	}
}

// CommitCallBegin commits that a call begins.
func (h *Host) CommitCallBegin(_ context.Context, call protocol.ToolCall) error {
	failure := h.nextFailure("begin")
	if err := failure.before(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun[call.ID] {
		h.TB.Errorf("call %s begun twice", call.ID)
	}
	if h.begun == nil {
		h.begun = map[string]bool{}
	}
	h.begun[call.ID] = true
	return failure.after()
}

// CommitCallResult commits a result.
func (h *Host) CommitCallResult(_ context.Context, result protocol.ToolResult) (int64, error) {
	failure := h.nextFailure("done")
	if err := failure.before(); err != nil {
		return 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, twice := h.results[result.Call]; twice {
		h.TB.Errorf("call %s has two results", result.Call)
	}
	if h.results == nil {
		h.results = map[string]protocol.ToolResult{}
	}
	h.results[result.Call] = result
	id := int64(len(h.transcript) + 1)
	h.transcript = append(h.transcript, protocol.Message{
		ID: id, Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &result}},
	})
	return id, failure.after()
}

// StoreBlob stores a blob.
func (h *Host) StoreBlob(_ context.Context, r io.Reader, _ int64) (protocol.BlobRef, error) {
	failure := h.nextFailure("keep")
	if err := failure.before(); err != nil {
		return protocol.BlobRef{}, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return protocol.BlobRef{}, err
	}
	sum := sha256.Sum256(data)
	ref := protocol.BlobRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data))}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.blobs == nil {
		h.blobs = map[string]string{}
	}
	h.blobs[ref.SHA256] = string(data)
	return ref, failure.after()
}

// StoreUndoBlob stores bytes as StoreBlob does.
func (h *Host) StoreUndoBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	return h.StoreBlob(ctx, r, most)
}

// ReadBlob returns a part of a blob that StoreBlob has stored.
func (h *Host) ReadBlob(_ context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, found := h.blobs[sha256]
	if !found {
		return protocol.BlobReadResult{}, &protocol.Error{Code: protocol.CodeBlobExpired, Message: "no blob " + sha256}
	}
	from := min(offset, int64(len(text)))
	to := min(from+int64(length), int64(len(text)))
	return protocol.BlobReadResult{Data: []byte(text[from:to]), Size: int64(len(text))}, nil
}

// SendEvent keeps an event.
func (h *Host) SendEvent(event protocol.TurnEvent) {
	h.mu.Lock()
	h.events = append(h.events, event)
	h.mu.Unlock()
	if h.OnEvent != nil {
		h.OnEvent(event)
	}
}

func (h *Host) nextFailure(call string) Failure {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	if h.Fail == nil {
		return FailureNone
	}
	return h.Fail(h.calls, call)
}
