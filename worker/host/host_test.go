package host_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"mews/protocol"
	"mews/protocol/protocoltest"
	"mews/worker/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// supervisor answers the calls of one worker over a real connection and records them.
type supervisor struct {
	mu         sync.Mutex
	methods    []string
	known      map[string]bool                  // hashes of the texts and lists that were sent whole
	forgetNext bool                             // the supervisor forgets all hashes before the next model call
	streams    []protocol.ModelStreamParams     // model calls in the order of arrival
	onStream   func(protocol.ModelStreamParams) // hook before the answer to a model call; may be nil
	commits    []protocol.StepCommitParams
	blob       []byte
	events     chan protocol.TurnEvent
}

// connect returns a supervisor and the host that reaches it.
func connect(t *testing.T) (*supervisor, *host.Host) {
	s := &supervisor{known: map[string]bool{}, events: make(chan protocol.TurnEvent, 1000)}
	_, there := protocoltest.NewConnPair(t, protocoltest.HandlerFuncs{CallFunc: s.call, NotifyFunc: s.notify},
		protocoltest.HandlerFuncs{})
	return s, host.New(there)
}

func (s *supervisor) notify(req *protocol.Request) {
	var event protocol.TurnEvent
	if req.DecodeParams(&event) == nil {
		s.events <- event
	}
}

func (s *supervisor) call(_ context.Context, req *protocol.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.methods = append(s.methods, req.Method)
	answer, known := map[string]func(*protocol.Request) (any, error){
		protocol.MethodModelStream: s.stream,
		protocol.MethodStepCommit:  s.commit,
		protocol.MethodBlobBegin:   func(*protocol.Request) (any, error) { return protocol.BlobBeginResult{Blob: 7}, nil },
		protocol.MethodBlobWrite:   s.write,
		protocol.MethodBlobCommit:  func(*protocol.Request) (any, error) { return ref(s.blob), nil },
		protocol.MethodBlobRead:    s.read,
	}[req.Method]
	if !known {
		return nil, protocol.MethodNotFoundError(req.Method)
	}
	return answer(req)
}

func (s *supervisor) stream(req *protocol.Request) (any, error) {
	var params protocol.ModelStreamParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	s.streams = append(s.streams, params)
	if s.forgetNext {
		s.known, s.forgetNext = map[string]bool{}, false
	}
	if params.System.Text != "" {
		s.known[params.System.Hash] = params.System.Hash == hash(params.System.Text)
	}
	if params.Tools.Names != nil {
		s.known[params.Tools.Hash] = params.Tools.Hash == hash(strings.Join(params.Tools.Names, "\n")+"\n")
	}
	if !s.known[params.System.Hash] || !s.known[params.Tools.Hash] {
		return nil, &protocol.Error{Code: protocol.CodeUnknownHash, Message: "unknown hash"}
	}
	if s.onStream != nil {
		s.onStream(params)
	}
	return protocol.ModelStreamResult{Message: protocol.Message{
		ID: params.After + 1, Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: "hello"}},
	}}, nil
}

func (s *supervisor) commit(req *protocol.Request) (any, error) {
	var params protocol.StepCommitParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	s.commits = append(s.commits, params)
	if params.State == protocol.CallStateBegun {
		return protocol.StepCommitResult{}, nil
	}
	return protocol.StepCommitResult{Message: 12}, nil
}

func (s *supervisor) write(req *protocol.Request) (any, error) {
	var params protocol.BlobWriteParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	if params.Offset != int64(len(s.blob)) || params.Blob != 7 || len(params.Data) > protocol.MaxBlobChunkBytes {
		return nil, fmt.Errorf("chunk at %d, have %d", params.Offset, len(s.blob))
	}
	s.blob = append(s.blob, params.Data...)
	return struct{}{}, nil
}

func (s *supervisor) read(req *protocol.Request) (any, error) {
	var params protocol.BlobReadParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	from := min(params.Offset, int64(len(s.blob)))
	to := min(from+int64(params.Length), int64(len(s.blob)))
	return protocol.BlobReadResult{Data: s.blob[from:to], Size: int64(len(s.blob))}, nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func ref(data []byte) protocol.BlobRef {
	return protocol.BlobRef{SHA256: hash(string(data)), Size: int64(len(data))}
}

var tools = []protocol.Tool{{Name: "list_files"}, {Name: "read_file"}}

func TestNextMessage_KnownText_SendsOnlyHash(t *testing.T) {
	s, h := connect(t)
	ask := func(turn int64, system string) {
		t.Helper()
		answer, err := h.Turn(turn).NextModelMessage(t.Context(), 4, system, tools)
		if err != nil || answer.Message.ID != 5 || answer.Message.Text() != "hello" {
			t.Fatalf("got %+v, %v", answer, err)
		}
	}
	ask(1, "be good")
	ask(2, "be good")
	ask(2, "be better")
	s.mu.Lock()
	s.forgetNext = true
	s.mu.Unlock()
	ask(3, "be better")

	var got []string
	for _, p := range s.streams {
		got = append(got, fmt.Sprintf("turn %d: %q %v", p.Turn, p.System.Text, p.Tools.Names))
	}
	want := []string{
		`turn 1: "be good" [list_files read_file]`,
		`turn 2: "" []`,
		`turn 2: "be better" []`,
		`turn 3: "" []`, // the supervisor has dropped both hashes
		`turn 3: "be better" [list_files read_file]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNextMessage_Refusal_KeepsItsCode(t *testing.T) {
	_, there := protocoltest.NewConnPair(t, protocoltest.HandlerFuncs{
		CallFunc: func(context.Context, *protocol.Request) (any, error) {
			return nil, &protocol.Error{Code: protocol.CodeUnknownHash, Message: "never heard of it"}
		},
	}, protocoltest.HandlerFuncs{})
	_, err := host.New(there).Turn(1).NextModelMessage(t.Context(), 0, "x", nil)
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != protocol.CodeUnknownHash {
		t.Errorf("got %v", err)
	}
}

func TestNextMessage_UserMessage_IsRefused(t *testing.T) {
	_, there := protocoltest.NewConnPair(t, protocoltest.HandlerFuncs{
		CallFunc: func(context.Context, *protocol.Request) (any, error) {
			return protocol.ModelStreamResult{Message: protocol.NewUserMessage("obey")}, nil
		},
	}, protocoltest.HandlerFuncs{})
	if _, err := host.New(there).Turn(1).NextModelMessage(t.Context(), 0, "x", nil); err == nil {
		t.Error("a message of the user's was taken for the model's")
	}
}

func TestCallResult_SendsTurnAndCallState(t *testing.T) {
	s, h := connect(t)
	turn := h.Turn(3)
	if err := turn.CommitCallBegin(t.Context(), protocol.ToolCall{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	id, err := turn.CommitCallResult(t.Context(), protocol.ToolResult{Call: "a", Name: "write_file", Text: "written"})
	if err != nil || id != 12 {
		t.Fatalf("got %d, %v", id, err)
	}
	begun, done := s.commits[0], s.commits[1]
	if begun.Turn != 3 || begun.Call != "a" || begun.State != protocol.CallStateBegun || begun.Result != nil {
		t.Errorf("begun: %+v", begun)
	}
	if done.Turn != 3 || done.Call != "a" || done.State != protocol.CallStateDone || done.Result.Text != "written" {
		t.Errorf("done: %+v", done)
	}
}

func TestBlob_AnySize_IsSentInChunks(t *testing.T) {
	for _, size := range []int{0, 1, protocol.MaxBlobChunkBytes, 5*protocol.MaxBlobChunkBytes + 3} {
		s, h := connect(t)
		turn := h.Turn(1)
		text := strings.Repeat("mews ", size/5+1)[:size]
		kept, err := turn.StoreBlob(t.Context(), strings.NewReader(text), int64(size))
		if err != nil || kept != ref([]byte(text)) {
			t.Fatalf("%d bytes: got %+v, %v", size, kept, err)
		}
		if want := 2 + (size+protocol.MaxBlobChunkBytes-1)/protocol.MaxBlobChunkBytes; len(s.methods) != want {
			t.Errorf("%d bytes took %d calls, want %d", size, len(s.methods), want)
		}
		part, err := turn.ReadBlob(t.Context(), kept.SHA256, 1, 3)
		if want := text[min(1, size):min(4, size)]; err != nil || string(part.Data) != want || part.Size != int64(size) {
			t.Errorf("%d bytes: read %q of %d, %v", size, part.Data, part.Size, err)
		}
	}
}

func TestBlob_Binary_KeepsItsBytes(t *testing.T) {
	s, h := connect(t)
	data := []byte("\x89PNG\r\n\x1a\n\x00\xff\xfe")
	if kept, err := h.Turn(1).StoreBlob(t.Context(), bytes.NewReader(data), 100); err != nil || kept != ref(data) ||
		string(s.blob) != string(data) {
		t.Errorf("got %+v, %v: %q", kept, err, s.blob)
	}
}

// silentConn is a connection that never answers and never accepts a message.
type silentConn struct{}

func (silentConn) Call(ctx context.Context, _ string, _, _ any) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func (silentConn) Notify(ctx context.Context, _ string, _ any) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestCallResult_NoAnswer_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := host.New(silentConn{}).Turn(1).CommitCallBegin(t.Context(), protocol.ToolCall{ID: "a"}); err == nil {
			t.Error("a commit without an answer went well")
		}
	})
}

// If the supervisor does not know a hash, the turn composes a new text. Later requests of the turn
// use the new text.
func TestNextMessage_UnknownHash_RecomposesText(t *testing.T) {
	s, h := connect(t)
	turn := h.Turn(1)
	turn.Compose = func(context.Context) string { return "be better" }
	for _, forget := range []bool{false, true, false} {
		s.mu.Lock()
		s.forgetNext = forget
		s.mu.Unlock()
		if _, err := turn.NextModelMessage(t.Context(), 4, "be good", tools); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, p := range s.streams {
		got = append(got, p.System.Text)
	}
	if want := []string{"be good", "", "be better", ""}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
