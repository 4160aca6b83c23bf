package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mews/protocol"
)

// Turn is the supervisor as one turn sees it: every call of it carries the turn's id.
type Turn struct {
	blobs
	events  *eventQueue
	sending chan struct{} // holds a token while nobody sends events
}

// Model asks for the model's next message, once all events before it have been sent. After is the newest message that the
// caller knows of. Tools are sorted by name. Delta gets the text as it comes, from one goroutine; it must not block, and may
// be nil.
func (t *Turn) Model(
	ctx context.Context, after int64, system string, tools []protocol.Tool, delta func(string),
) (protocol.ModelStreamed, error) {
	if err := t.flush(ctx); err != nil {
		return protocol.ModelStreamed{}, err
	}
	defer t.host.registerStream(t.turn, &modelStream{delta: delta})()
	whole := fullRequest(t.turn, after, system, tools)

	answer, err := t.stream(ctx, t.host.sent.omitKnown(whole))
	if isUnknownHash(err) {
		answer, err = t.stream(ctx, whole)
	}
	if err != nil {
		return protocol.ModelStreamed{}, err
	}
	t.host.sent.remember(whole)
	return answer, nil
}

func (t *Turn) stream(ctx context.Context, params protocol.ModelStream) (protocol.ModelStreamed, error) {
	var answer protocol.ModelStreamed
	if err := t.host.conn.Call(ctx, protocol.MethodModelStream, params, &answer); err != nil {
		return protocol.ModelStreamed{}, err
	}
	if answer.Message.Role != protocol.RoleAssistant || answer.Message.ID <= params.After {
		return protocol.ModelStreamed{}, fmt.Errorf("%s after message %d: got message %d of role %q",
			protocol.MethodModelStream, params.After, answer.Message.ID, answer.Message.Role)
	}
	return answer, nil
}

// isUnknownHash is true when the supervisor does not have what was named by its hash alone.
func isUnknownHash(err error) bool {
	var refused *protocol.Error
	return errors.As(err, &refused) && refused.Code == protocol.CodeUnknownHash
}

// fullRequest is a model call with its system text and its tools whole.
func fullRequest(turn, after int64, system string, tools []protocol.Tool) protocol.ModelStream {
	params := protocol.ModelStream{Turn: turn, After: after}
	params.System = protocol.SystemRef{Hash: hashOf(system), Text: system}
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

// sentCache remembers what the supervisor has been sent on this connection: the newest text and the newest list. A person's
// turns nearly always share both.
type sentCache struct {
	mu     sync.Mutex
	system string // hashes
	tools  string
}

// omitKnown returns params without what the supervisor has.
func (s *sentCache) omitKnown(params protocol.ModelStream) protocol.ModelStream {
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

// remember notes what the supervisor has taken.
func (s *sentCache) remember(params protocol.ModelStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.system, s.tools = params.System.Hash, params.Tools.Hash
}
