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

// Turn is the supervisor as one turn sees it. Every call of it carries the turn's id.
type Turn struct {
	// Compose puts the system text together anew, because the one that the turn has must not be
	// used any more; nil: there is no other. It is called by NextMessage alone.
	Compose func(context.Context) string

	blobStore
	system  string        // what Compose made; "" is that of the caller
	ready   chan struct{} // holds a token when Run may have something to do
	sending chan struct{} // holds a token while nobody sends events

	mu      sync.Mutex           // guards the rest
	waiting []protocol.TurnEvent // the events that wait to be sent
	closed  bool
}

// maxCompositions is how often in a row the system text may have become stale.
const maxCompositions = 3

// NextMessage asks for the model's next message when all earlier events have been sent. after is
// the newest message that the caller knows of. tools are sorted by name.
func (t *Turn) NextMessage(ctx context.Context, after int64, system string, tools []protocol.Tool) (protocol.ModelStreamed, error) {
	if _, err := t.flush(ctx); err != nil {
		return protocol.ModelStreamed{}, err
	}
	whole := fullRequest(t.turn, after, cmp.Or(t.system, system), tools)

	answer, err := t.stream(ctx, t.host.sent.omitKnown(whole))
	for tries := 0; tries < maxCompositions && isUnknownHash(err); tries++ {
		if t.Compose != nil {
			t.system = t.Compose(ctx)
			whole = fullRequest(t.turn, after, t.system, tools)
		}
		answer, err = t.stream(ctx, whole)
	}
	if err != nil {
		return protocol.ModelStreamed{}, err
	}
	t.host.sent.remember(whole)
	return answer, nil
}

// AskBelow asks the model in a window of its own, in which nothing stands but a text. What was
// asked under the name before is answered as it was.
func (t *Turn) AskBelow(ctx context.Context, name, system, text string) (string, error) {
	whole := fullRequest(t.turn, 0, system, nil)
	whole.Child = &protocol.ChildWindow{Name: name, Text: text}
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

// isUnknownHash is true of the supervisor's answer that it does not know a hash.
func isUnknownHash(err error) bool {
	var refused *protocol.Error
	return errors.As(err, &refused) && refused.Code == protocol.CodeUnknownHash
}

// fullRequest is a model call with the whole system text and all names of tools.
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

// sentCache remembers the newest system text and the newest list that were sent on this connection.
// The turns of a person nearly always share both.
type sentCache struct {
	mu     sync.Mutex
	system string // a hash, as is tools
	tools  string
}

// omitKnown returns params without the text and the list that were sent before.
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

// remember notes that the supervisor has the text and the list of params.
func (s *sentCache) remember(params protocol.ModelStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.system, s.tools = params.System.Hash, params.Tools.Hash
}
