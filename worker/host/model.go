package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mews/protocol"
)

// Turn makes the calls of one turn. Each call carries the id of the turn.
type Turn struct {
	// Compose makes a new system text if the turn's current text is no longer valid. nil means that
	// there is no other text. Only NextModelMessage calls it.
	Compose func(context.Context) string
	// PromptFiles is a report that goes with the next model call; nil means none.
	PromptFiles *protocol.PromptFileReport

	blobStore
	system  string        // system text made by Compose; "" means the caller's text
	ready   chan struct{} // holds a token when Run may have something to do
	sending chan struct{} // holds a token while no goroutine sends events

	mu      sync.Mutex           // guards the fields below
	waiting []protocol.TurnEvent // events that wait to be sent
	closed  bool
}

// maxCompositions bounds the calls of Compose in one NextModelMessage.
const maxCompositions = 3

// NextModelMessage sends all earlier events and asks for the next message of the model. The newest
// message known to the caller has the id after. tools are sorted by name.
func (t *Turn) NextModelMessage(ctx context.Context, after int64, system string,
	tools []protocol.Tool) (protocol.ModelStreamResult, error) {
	if _, err := t.flush(ctx); err != nil {
		return protocol.ModelStreamResult{}, err
	}
	whole := fullRequest(t.turn, after, cmp.Or(t.system, system), tools)
	whole.PromptFiles, t.PromptFiles = t.PromptFiles, nil

	answer, err := t.stream(ctx, t.host.sent.omitKnown(whole))
	for tries := 0; tries < maxCompositions && isUnknownHash(err); tries++ {
		if t.Compose != nil {
			t.system = t.Compose(ctx)
			whole = fullRequest(t.turn, after, t.system, tools)
		}
		answer, err = t.stream(ctx, whole)
	}
	if err != nil {
		return protocol.ModelStreamResult{}, err
	}
	t.host.sent.remember(whole)
	return answer, nil
}

// AskModelSeparately asks the model in a separate window that holds one text. If the turn has used
// the window's name before, the supervisor repeats the answer.
func (t *Turn) AskModelSeparately(ctx context.Context, system string, w protocol.ChildContextWindow) (string, error) {
	whole := fullRequest(t.turn, 0, system, nil)
	whole.Child = &w
	answer, err := t.stream(ctx, t.host.sent.omitKnown(whole))
	if isUnknownHash(err) {
		answer, err = t.stream(ctx, whole)
	}
	if err != nil {
		return "", err
	}
	t.host.sent.remember(whole)
	return answer.Message.Text(), nil
}

func (t *Turn) stream(ctx context.Context, params protocol.ModelStreamParams) (protocol.ModelStreamResult, error) {
	var answer protocol.ModelStreamResult
	if err := t.host.conn.Call(ctx, protocol.MethodModelStream, params, &answer); err != nil {
		return protocol.ModelStreamResult{}, err
	}
	if answer.Message.Role != protocol.RoleAssistant || answer.Message.ID <= params.After {
		return protocol.ModelStreamResult{}, fmt.Errorf("%s after message %d: got message %d of role %q",
			protocol.MethodModelStream, params.After, answer.Message.ID, answer.Message.Role)
	}
	return answer, nil
}

// isUnknownHash reports whether the supervisor does not know a hash.
func isUnknownHash(err error) bool {
	var refused *protocol.Error
	return errors.As(err, &refused) && refused.Code == protocol.CodeUnknownHash
}

// fullRequest returns a model call with the whole system text and all tool names.
func fullRequest(turn, after int64, system string, tools []protocol.Tool) protocol.ModelStreamParams {
	params := protocol.ModelStreamParams{Turn: turn, After: after}
	params.System = protocol.SystemTextRef{Hash: hashOf(system), Text: system}
	for _, tool := range tools {
		params.Tools.Names = append(params.Tools.Names, tool.Name)
	}
	params.Tools.Hash = hashOf(strings.Join(append(params.Tools.Names, ""), "\n"))
	return params
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sentCache remembers the newest system text and tool list sent on this connection. The turns of a
// user nearly always share both.
type sentCache struct {
	mu     sync.Mutex
	system string // hashes of the newest system text and of the newest tool list
	tools  string
}

// omitKnown returns params without the text and the list if they were sent before.
func (s *sentCache) omitKnown(params protocol.ModelStreamParams) protocol.ModelStreamParams {
	s.mu.Lock()
	defer s.mu.Unlock()
	if params.System.Hash == s.system {
		params.System.Text = ""
	}
	if params.Tools.Hash == s.tools {
		params.Tools.Names = nil
	}
	return params
}

// remember notes that the supervisor has the text and the list of params.
func (s *sentCache) remember(params protocol.ModelStreamParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.system, s.tools = params.System.Hash, params.Tools.Hash
}
