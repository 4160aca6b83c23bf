package serve_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/protocol/protocoltest"
	"mews/worker/serve"
)

// reading is a supervisor of a worker that only reads.
type reading struct {
	material []byte

	mu      sync.Mutex // guards the fields below
	windows []protocol.ModelStreamParams
	report  protocol.ReviewReport
	other   []string // names of all other methods that the worker called
}

func (r *reading) call(_ context.Context, req *protocol.Request) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ask protocol.ModelStreamParams
	var part protocol.BlobReadParams
	switch req.Method {
	case protocol.MethodBlobRead:
		err := req.DecodeParams(&part)
		end := min(len(r.material), int(part.Offset)+part.Length)
		return protocol.BlobReadResult{Data: r.material[part.Offset:end], Size: int64(len(r.material))}, err
	case protocol.MethodModelStream:
		err := req.DecodeParams(&ask)
		if ask.System.Text == "" && len(r.windows) == 0 {
			return nil, &protocol.Error{Code: protocol.CodeUnknownHash, Message: "send it whole"}
		}
		r.windows = append(r.windows, ask)
		return protocol.ModelStreamResult{Message: protocol.Message{ID: 5, Role: protocol.RoleAssistant,
			Parts: []protocol.ContentPart{{Text: `{"verdict":"Clean.","findings":[]}`}}}}, err
	case protocol.MethodReviewReport:
		return struct{}{}, req.DecodeParams(&r.report)
	}
	r.other = append(r.other, req.Method)
	return nil, protocol.MethodNotFoundError(req.Method)
}

// A worker without a home has no tool, does no operation, and runs only reading turns.
func TestWorkerWithoutHome_RunsOnlyReviews(t *testing.T) {
	m := protocol.ReviewMaterial{Repo: "acme/widget", Description: strings.Repeat("why ", 60_000), Chunks: []protocol.ReviewChunk{{Name: "a"}, {Name: "b"}}}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &reading{material: text}
	ours, theirs := protocoltest.NewSocketPair(t)
	conn := protocol.NewConn(ours, protocoltest.HandlerFuncs{CallFunc: r.call}, protocol.Options{})
	protocoltest.RunConn(t, conn)
	ended := make(chan error, 1)
	go func() {
		ended <- serve.Run(context.Background(), theirs, serve.Options{Now: time.Now, Report: func(err error) { t.Error(err) }})
	}()
	var hello protocol.HelloResult
	if err := conn.Call(t.Context(), protocol.MethodHello, protocol.Hello{Version: protocol.Version, User: "alice"}, &hello); err != nil || len(hello.Tools) > 0 {
		t.Fatalf("%v, tools %+v", err, hello.Tools)
	}
	sum := sha256.Sum256(text)
	start := protocol.TurnStart{Turn: 3, Kind: "chat", Limits: protocol.TurnLimits{Steps: 5, Seconds: 60}, Material: &protocol.BlobRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(text))}}
	if code := refusalCode(conn.Call(t.Context(), protocol.MethodTurnStart, start, nil)); code != protocol.CodeInvalidParams {
		t.Errorf("a chat: %d", code)
	}
	archive := protocol.OperationStart{Operation: 1, Kind: protocol.OperationKindArchive,
		Parameters: json.RawMessage(`{"max_bytes":1000000}`)}
	if code := refusalCode(conn.Call(t.Context(), protocol.MethodOperationStart, archive, nil)); code != protocol.CodeInvalidParams {
		t.Errorf("an archive: %d", code)
	}
	if err := conn.Call(t.Context(), protocol.MethodTerminalsList, struct{}{}, nil); err != nil {
		t.Errorf("its terminals: %v", err)
	}
	start.Kind = "review"
	var end protocol.TurnEnd
	err = conn.Call(t.Context(), protocol.MethodTurnStart, start, &end)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || end.Why != protocol.TurnEndDone || r.report.Turn != 3 || r.report.Verdict != "Clean." {
		t.Errorf("%+v, %v; reported %+v", end, err, r.report)
	}
	if len(r.windows) != 2 || r.windows[0].Child == nil || r.windows[1].System.Text != "" || len(r.other) > 0 {
		t.Errorf("asked %+v; called %q", r.windows, r.other)
	}
	conn.Close(nil)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s := newSupervisor(t)
	s.hello()
	if code := refusalCode(s.conn.Call(t.Context(), protocol.MethodTurnStart, start, nil)); code != protocol.CodeInvalidParams {
		t.Errorf("a review by a worker with a home: %d", code)
	}
}
