package hostcall_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// funcModel is a model whose answers come from a function of the test.
type funcModel func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error)

func (m funcModel) Stream(ctx context.Context, _ string, req modelcall.Request, delta func(modelcall.Delta)) (
	modelcall.Answer, error) {
	message, err := m(ctx, req, func(text string) { delta(modelcall.Delta{Text: text}) })
	return modelcall.Answer{Message: message, Model: "test"}, err
}

func (m funcModel) Cost(string, protocol.Usage, time.Duration) (int64, bool) { return 0, false }

func says(parts ...protocol.ContentPart) funcModel {
	return func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
		return protocol.Message{Parts: parts}, nil
	}
}

// peer stands for a worker's process, and records why it was ended.
type peer struct {
	mu    sync.Mutex
	ended error
}

func (p *peer) end(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = reason
}

// rig is a Conn with a running turn of ann's, on a real database and a real spool.
type rig struct {
	t       *testing.T
	db      *sqlite.DB
	options *hostcall.Options
	conn    *hostcall.Conn
	peer    *peer
	open    sqlite.RunningTurn
	stream  *reply.Stream
	audited []string
	reports *github.ReportReceiver
}

func newRig(t *testing.T, m funcModel) *rig {
	t.Helper()
	return newRigOf(t, m)
}

func newRigOf(t *testing.T, m hostcall.Models) *rig {
	t.Helper()
	s, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	db := sqlitetest.Open(t)
	r := &rig{t: t, db: db, reports: new(github.ReportReceiver)}
	table, err := hostcall.NewCallTable(r.reports.HostCalls()...)
	if err != nil {
		t.Fatal(err)
	}
	r.options = &hostcall.Options{
		Table:             table,
		ModelDependencies: hostcall.ModelDependencies{Transcript: db.Transcript(), Models: m, Usage: db.Usage(), Systems: db.SystemTexts(), History: 10_000},
		StepDependencies:  hostcall.StepDependencies{Steps: db.Turns()},
		BlobDependencies:  hostcall.BlobDependencies{Blobs: db.Blobs(), Spool: s},
		Audit:             func(user, action, detail string) { r.audited = append(r.audited, user+" "+action+" "+detail) },
		Log:               hclog.NewNullLogger(),
		Now:               time.Now,
	}
	r.conn, r.peer = r.newConn("ann")
	r.open = r.startTurn("ann", "1")
	r.stream = new(reply.Feeds).OpenStream(r.open.Turn, "")
	r.conn.BeginTurn(r.turn())
	return r
}

// logged returns a buffer that gets the log of all connections from now on.
func (r *rig) logged() *bytes.Buffer {
	out := &bytes.Buffer{}
	r.options.Log = hclog.New(&hclog.LoggerOptions{Output: out})
	return out
}

func (r *rig) newConn(user string) (*hostcall.Conn, *peer) {
	p := &peer{}
	d := hostcall.NewConn(r.options, user, p.end)
	d.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "get_time"}, {Name: "list_files"}}})
	return d, p
}

func (r *rig) startTurn(user, key string) sqlite.RunningTurn {
	r.t.Helper()
	return r.startTurnWith(user, key, "hello")
}

// startTurnWith begins a turn with a message.
func (r *rig) startTurnWith(user, key, text string) sqlite.RunningTurn {
	r.t.Helper()
	in, _, err := r.db.Inbox().StoreInbound(r.t.Context(), supervisor.Inbound{
		Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal},
		Source:       "test", Key: key, Message: key, Kind: supervisor.KindText, Text: text,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if _, _, err := r.db.Turns().Start(r.t.Context(), in.ID, nil); err != nil {
		r.t.Fatal(err)
	}
	open, _, err := r.db.Turns().FindRunning(r.t.Context(), in.Conversation.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return open
}

func (r *rig) turn() hostcall.Turn {
	return hostcall.Turn{ID: r.open.Turn.ID, Conversation: r.open.Turn.Conversation.ID,
		Destination: r.open.Turn.AnswerConversation().ID, Kind: supervisor.TurnChat, Reply: r.stream,
		Limits: protocol.TurnLimits{Steps: 50, Output: 16 << 10}}
}

// newest returns the ID of the newest message in the transcript.
func (r *rig) newest() int64 {
	r.t.Helper()
	messages, err := r.db.Transcript().ListMessages(r.t.Context(), r.open.Turn.Conversation.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return messages[len(messages)-1].ID
}

// call makes a call as a worker would, over JSON.
func (r *rig) call(method string, params any) (any, error) {
	r.t.Helper()
	return ask(r.t, r.conn, method, params)
}

func ask(t *testing.T, d *hostcall.Conn, method string, params any) (any, error) {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return d.HandleCall(t.Context(), &protocol.Request{ID: 1, Method: method, Params: raw})
}

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// modelStream returns a complete request for the model, with the system text and the tools in full.
func (r *rig) modelStream() protocol.ModelStreamParams {
	return protocol.ModelStreamParams{
		Turn: r.open.Turn.ID, After: r.newest(),
		System: protocol.SystemTextRef{Hash: hash("be good"), Text: "be good"},
		Tools:  protocol.ToolListRef{Hash: hash("get_time\nlist_files\n"), Names: []string{"get_time", "list_files"}},
	}
}

func wireCode(err error) int {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func TestModelStream_CommitsBeforeAnswering(t *testing.T) {
	var got modelcall.Request
	r := newRig(t, func(_ context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		got = req
		delta("I lo")
		delta("ok.")
		return protocol.Message{ID: 99, Role: "user", Parts: []protocol.ContentPart{{Text: "I look."},
			{Call: &protocol.ToolCall{ID: "provider's own", Name: "list_files", Arguments: json.RawMessage(`{}`)}}}}, nil
	})
	result, err := r.call(protocol.MethodModelStream, r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	m := result.(protocol.ModelStreamResult).Message
	open, _, err := r.db.Turns().FindRunning(t.Context(), r.open.Turn.Conversation.ID)
	if err != nil {
		t.Fatal(err)
	}
	kept := open.Messages[len(open.Messages)-1]
	if kept.ID != m.ID || m.Role != protocol.RoleAssistant || m.Text() != "I look." {
		t.Errorf("the worker got %+v, kept is %+v", m, kept)
	}
	if id := m.ToolCalls()[0].ID; id != fmt.Sprintf("t%d-1-1", r.open.Turn.ID) {
		t.Errorf("the call's id is %q", id)
	}
	if got.System != "be good" || len(got.Tools) != 2 || got.Messages[0].Text() != "hello" {
		t.Errorf("the request was %+v", got)
	}
	if text, partial := r.stream.Text(); text != "I look." || partial != "" {
		t.Errorf("the reply is %q, of it uncommitted %q", text, partial)
	}
}

func TestModelStream_SecondRequest_SendsHashes(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	p := r.modelStream()
	p.System.Text, p.Tools.Names = "", nil
	if _, err := r.call(protocol.MethodModelStream, p); wireCode(err) != protocol.CodeUnknownHash {
		t.Fatalf("unknown hashes: got %v, want CodeUnknownHash", err)
	}
	result, err := r.call(protocol.MethodModelStream, r.modelStream())
	if err != nil {
		t.Fatal(err)
	}
	p.After = result.(protocol.ModelStreamResult).Message.ID
	if _, err := r.call(protocol.MethodModelStream, p); err != nil {
		t.Errorf("known hashes: %v", err)
	}
}

func TestModelStream_InvalidRequest_IsRefused(t *testing.T) {
	for name, change := range map[string]func(*protocol.ModelStreamParams){
		"a tool missing from its handshake": func(p *protocol.ModelStreamParams) {
			p.Tools = protocol.ToolListRef{Hash: hash("rm\n"), Names: []string{"rm"}}
		},
		"tools out of order": func(p *protocol.ModelStreamParams) {
			p.Tools = protocol.ToolListRef{Hash: hash("list_files\nget_time\n"), Names: []string{"list_files",
				"get_time"}}
		},
		"another text under a hash":     func(p *protocol.ModelStreamParams) { p.System.Text = "be bad" },
		"an old view of the transcript": func(p *protocol.ModelStreamParams) { p.After-- },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
				t.Error("the model was called")
				return protocol.Message{}, nil
			})
			p := r.modelStream()
			change(&p)
			if _, err := r.call(protocol.MethodModelStream, p); wireCode(err) != protocol.CodeInvalidParams {
				t.Errorf("got %v, want CodeInvalidParams", err)
			}
		})
	}
}

func TestEndTurn_ReturnsModelFailure(t *testing.T) {
	refusal := &supervisor.Error{Code: supervisor.CodeModelFailed, Message: "The key was refused."}
	r := newRig(t, func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
		return protocol.Message{}, refusal
	})
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); wireCode(err) != protocol.CodeFailed {
		t.Errorf("the worker got %v", err)
	}
	if err := r.conn.EndTurn(r.open.Turn.ID, "").Failure; !errors.Is(err, refusal) {
		t.Errorf("the session got %v", err)
	}
}

func TestModelStream_EmptyOrHugeAnswer_Fails(t *testing.T) {
	for name, part := range map[string]protocol.ContentPart{"empty": {}, "endless": {Text: strings.Repeat("x",
		2<<20)}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(part))
			if _, err := r.call(protocol.MethodModelStream, r.modelStream()); wireCode(err) != protocol.CodeFailed {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEndTurn_CancelsModelAndWaits(t *testing.T) {
	called, over := make(chan struct{}), false
	r := newRig(t, func(ctx context.Context, _ modelcall.Request, _ func(string)) (protocol.Message, error) {
		close(called)
		<-ctx.Done()
		over = true
		return protocol.Message{}, context.Cause(ctx)
	})
	answered := make(chan error, 1)
	go func() {
		_, err := r.call(protocol.MethodModelStream, r.modelStream())
		answered <- err
	}()
	<-called
	if err := r.conn.EndTurn(r.open.Turn.ID, "").Failure; err != nil {
		t.Errorf("a cancelled call is no failure of the model: %v", err)
	}
	if !over {
		t.Error("End returned while the model was being called")
	}
	if err := <-answered; wireCode(err) != protocol.CodeCancelled {
		t.Errorf("the worker got %v", err)
	}
}

func TestForbiddenCall_EndsWorkerAndIsAudited(t *testing.T) {
	event := protocol.TurnEvent{Kind: protocol.EventToolBegan}
	for name, offend := range map[string]func(*rig){
		"a call for another worker's turn": func(r *rig) {
			p := r.modelStream()
			p.Turn = 4711
			r.call(protocol.MethodModelStream, p)
		},
		"a call after the turn's end": func(r *rig) {
			r.conn.EndTurn(r.open.Turn.ID, "")
			r.call(protocol.MethodStepCommit, protocol.StepCommitParams{Turn: r.open.Turn.ID})
		},
		"a notification out of turn": func(r *rig) {
			raw, _ := json.Marshal(event)
			r.conn.HandleNotification(&protocol.Request{Method: protocol.MethodTurnEvent, Params: raw})
		},
		"parameters of another method": func(r *rig) {
			r.conn.HandleCall(r.t.Context(), &protocol.Request{Method: protocol.MethodBlobRead,
				Params: json.RawMessage(`{"turn":1,"path":"/etc/passwd"}`)})
		},
		"more blobs than a turn may begin": func(r *rig) {
			for range 5001 {
				r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: r.open.Turn.ID})
			}
		},
		"the third unknown method within a minute": func(r *rig) {
			for i := range 3 {
				if _, err := r.call(fmt.Sprint("grease.", i), nil); i < 2 && wireCode(err) != protocol.CodeMethodNotFound {
					r.t.Errorf("unknown method %d: %v", i, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
			offend(r)
			if r.peer.ended == nil || len(r.audited) != 1 {
				t.Fatalf("ended for %v; audited %q", r.peer.ended, r.audited)
			}
			if !strings.HasPrefix(r.audited[0], "ann worker.offence ") {
				t.Errorf("audited %q", r.audited[0])
			}
		})
	}
}

func TestTurnEvent_ControlCharacters_AreRemoved(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	feeds := &reply.Feeds{}
	w := feeds.WatchConversation(r.open.Turn.Conversation.ID)
	defer w.Close()
	turn := r.turn()
	turn.Reply = feeds.OpenStream(r.open.Turn, "")
	r.conn.BeginTurn(turn)
	raw, _ := json.Marshal(protocol.TurnEvent{Turn: turn.ID, Kind: protocol.EventToolBegan, Tool: "t", Text: "\x1b[2J" +
		strings.Repeat("ä", 500)})
	r.conn.HandleNotification(&protocol.Request{Method: protocol.MethodTurnEvent, Params: raw})
	u, err := w.NextUpdate(t.Context())
	if err != nil || len(u.Tools) != 1 {
		t.Fatal(u, err)
	}
	if text := u.Tools[0].Text; strings.ContainsRune(text, 0x1b) || len(text) > 310 {
		t.Errorf("shown as %q", text)
	}
}

func TestBlob_OtherUser_CannotRead(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	turn := r.open.Turn.ID
	data := bytes.Repeat([]byte("0123456789abcdef"), protocol.MaxBlobChunkBytes/16+10)
	begun, err := r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: turn})
	if err != nil {
		t.Fatal(err)
	}
	blob := begun.(protocol.BlobBeginResult).Blob
	for offset := 0; offset < len(data); offset += protocol.MaxBlobChunkBytes {
		chunk := data[offset:min(offset+protocol.MaxBlobChunkBytes, len(data))]
		if _, err := r.call(protocol.MethodBlobWrite, protocol.BlobWriteParams{Turn: turn, Blob: blob,
			Offset: int64(offset), Data: chunk}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := r.call(protocol.MethodBlobCommit, protocol.BlobCommitParams{Turn: turn, Blob: blob})
	if err != nil {
		t.Fatal(err)
	}
	ref := kept.(protocol.BlobRef)
	read, err := r.call(protocol.MethodBlobRead, protocol.BlobReadParams{Turn: turn, SHA256: ref.SHA256,
		Offset: protocol.MaxBlobChunkBytes, Length: 32})
	if err != nil {
		t.Fatal(err)
	}
	if got := read.(protocol.BlobReadResult); string(got.Data) != string(data[:32]) || got.Size != int64(len(data)) {
		t.Errorf("read %q of %d", got.Data, got.Size)
	}

	bob, _ := r.newConn("bob")
	other := r.startTurn("bob", "1")
	bob.BeginTurn(hostcall.Turn{ID: other.Turn.ID, Kind: supervisor.TurnChat, Conversation: other.Turn.Conversation.ID, Reply: r.stream})
	if _, err := ask(t, bob, protocol.MethodBlobRead, protocol.BlobReadParams{Turn: other.Turn.ID, SHA256: ref.SHA256,
		Length: 32}); wireCode(err) != protocol.CodeFailed {
		t.Errorf("bob read ann's blob: %v", err)
	}
}

func TestBlob_InvalidWrite_IsRefused(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	turn := r.open.Turn.ID
	begun, err := r.call(protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: turn})
	if err != nil {
		t.Fatal(err)
	}
	blob := begun.(protocol.BlobBeginResult).Blob
	for name, p := range map[string]protocol.BlobWriteParams{
		"a gap":             {Turn: turn, Blob: blob, Offset: 1, Data: []byte("x")},
		"a blob not begun":  {Turn: turn, Blob: blob + 1, Data: []byte("x")},
		"a chunk too large": {Turn: turn, Blob: blob, Data: make([]byte, protocol.MaxBlobChunkBytes+1)},
	} {
		if _, err := r.call(protocol.MethodBlobWrite, p); wireCode(err) != protocol.CodeFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.peer.ended != nil {
		t.Errorf("ended for %v", r.peer.ended)
	}
}
