package serve_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mews/protocol"
	"mews/protocol/protocoltest"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/serve"
)

// TestMain runs the tests, or a worker that a test has started.
func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		if err := runWorkerProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// supervisor is the other end of a worker under test. It uses a real connection, and a
// hosttest.Host answers the calls of each turn.
type supervisor struct {
	t     *testing.T
	conn  *protocol.Conn
	pipe  io.ReadWriteCloser
	ended chan error // the result of serve.Run
	dir   string     // path of the home, if the test has filled a home
	// limits of the file history in hello; nil means no history
	history *protocol.FileHistoryLimits

	mu          sync.Mutex
	hosts       map[int64]*hosttest.Host
	blobs       map[int64][]byte // bytes of the open blobs, by id
	system      map[string]string
	faults      []error                   // errors that the worker reported
	sent        []protocol.ChatSendParams // files sent to the chat
	kept        map[int64][]byte          // committed blobs of operations, by operation
	lists       []protocol.ToolsChangedParams
	pieces      []protocol.OperationPiece
	onBlobBegin func(context.Context) // called when an operation opens a blob; nil means no call
}

// newSupervisor starts a worker with these tools and a new home.
func newSupervisor(t *testing.T, tools ...worker.Tool) *supervisor {
	t.Helper()
	s, _ := newSignalledSupervisor(t, tools...)
	return s
}

// newSignalledSupervisor is like newSupervisor. The returned function acts like a SIGTERM to the
// worker.
func newSignalledSupervisor(t *testing.T, tools ...worker.Tool) (*supervisor, func()) {
	t.Helper()
	ctx, signal := context.WithCancel(context.Background())
	t.Cleanup(signal)
	return startWorker(t, ctx, serve.Options{
		Tools: append([]worker.Tool{}, tools...),
	}), signal
}

func startWorker(t *testing.T, ctx context.Context, o serve.Options) *supervisor {
	t.Helper()
	s := &supervisor{
		t: t, ended: make(chan error, 1), hosts: map[int64]*hosttest.Host{}, blobs: map[int64][]byte{}, system: map[string]string{},
		kept: map[int64][]byte{},
	}
	if o.History != nil {
		s.history = &protocol.FileHistoryLimits{Room: 1 << 30}
	}
	ours, theirs := protocoltest.NewSocketPair(t)
	o.Build, o.Now, o.Report = "test", time.Now, s.report
	s.pipe = ours
	s.conn = protocol.NewConn(ours, protocoltest.HandlerFuncs{CallFunc: s.call, NotifyFunc: s.notify}, protocol.Options{})
	protocoltest.RunConn(t, s.conn)
	go func() { s.ended <- serve.Run(ctx, theirs, o) }()
	t.Cleanup(func() {
		s.conn.Close(nil)
		if s.ended != nil {
			s.wait()
		}
	})
	return s
}

// openHistory opens a new folder for a file history. The worker closes it.
func openHistory(t *testing.T) *os.File {
	t.Helper()
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func (s *supervisor) report(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, err)
}

// wait waits for serve.Run to return.
func (s *supervisor) wait() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.ended = nil
		return err
	case <-time.After(time.Minute):
		s.t.Fatal("the worker has not ended")
		return nil
	}
}

// hello greets the worker, whose home is a new folder.
func (s *supervisor) hello() protocol.HelloResult {
	s.t.Helper()
	var result protocol.HelloResult
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: s.t.TempDir(), Timezone: "Europe/Madrid",
		History: s.history}
	if err := s.conn.Call(s.t.Context(), protocol.MethodHello, hello, &result); err != nil {
		s.t.Fatal(err)
	}
	return result
}

// host adds the supervisor's side of a turn.
func (s *supervisor) host(turn int64, script ...protocol.Message) *hosttest.Host {
	h := &hosttest.Host{
		TB: s.t, Limits: protocol.TurnLimits{Steps: 20, Seconds: 60, Output: 4096},
		Answer: hosttest.ScriptMessages(script...),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts[turn] = h
	return h
}

// turn runs a turn from the steps that its host has committed.
func (s *supervisor) turn(ctx context.Context, id int64) (protocol.TurnEnd, error) {
	start := s.of(id).TurnStart()
	start.Turn = id
	var end protocol.TurnEnd
	err := s.conn.Call(ctx, protocol.MethodTurnStart, start, &end)
	return end, err
}

func (s *supervisor) of(turn int64) *hosttest.Host {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hosts[turn]
}

func (s *supervisor) notify(req *protocol.Request) {
	switch req.Method {
	case protocol.MethodOperationProgress, protocol.MethodIndexChanged, protocol.MethodRemindersReport:
		return
	}
	var event protocol.TurnEvent
	if err := req.DecodeParams(&event); err != nil {
		s.t.Errorf("notification %s: %v", req.Method, err)
		return
	}
	s.of(event.Turn).SendEvent(event)
}

func (s *supervisor) call(ctx context.Context, req *protocol.Request) (any, error) {
	answers := map[string]func(context.Context, *protocol.Request) (any, error){
		protocol.MethodModelStream:  s.stream,
		protocol.MethodStepCommit:   s.commit,
		protocol.MethodChatSend:     s.send,
		protocol.MethodToolsChanged: s.toolsChanged,

		protocol.MethodOperationPiece: s.piece,
		protocol.MethodPromptFileReport: func(context.Context, *protocol.Request) (any,
			error) {
			return protocol.PromptFileReportResult{}, nil
		},
	}
	maps.Copy(answers, s.blobMethods())
	answer, known := answers[req.Method]
	if !known {
		return nil, protocol.MethodNotFoundError(req.Method)
	}
	return answer(ctx, req)
}

func (s *supervisor) piece(_ context.Context, req *protocol.Request) (any, error) {
	var p protocol.OperationPiece
	if err := req.DecodeParams(&p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pieces = append(s.pieces, p)
	return nil, nil
}

func (s *supervisor) stream(ctx context.Context, req *protocol.Request) (any, error) {
	var params protocol.ModelStreamParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if params.System.Text != "" {
		s.system[params.System.Hash] = params.System.Text
	}
	system := s.system[params.System.Hash]
	s.mu.Unlock()
	if system == "" {
		return nil, &protocol.Error{Code: protocol.CodeUnknownHash, Message: "unknown hash"}
	}
	return s.of(params.Turn).NextModelMessage(ctx, params.After, system, nil)
}

func (s *supervisor) commit(ctx context.Context, req *protocol.Request) (any, error) {
	var params protocol.StepCommitParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	if params.State == protocol.CallStateBegun {
		return protocol.StepCommitResult{}, s.of(params.Turn).CommitCallBegin(ctx, protocol.ToolCall{ID: params.Call})
	}
	id, err := s.of(params.Turn).CommitCallResult(ctx, *params.Result)
	return protocol.StepCommitResult{Message: id}, err
}

func (s *supervisor) send(_ context.Context, req *protocol.Request) (any, error) {
	var params protocol.ChatSendParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	if s.of(params.Turn).HasCallBegun(params.Call) {
		return nil, fmt.Errorf("call %s was committed as begun, so nobody would make it again after a crash", params.Call)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, params)
	return protocol.ChatSendResult{}, params.Validate()
}

// toolsChanged answers the announcement of a list of tools. It knows only lists that were sent
// whole.
func (s *supervisor) toolsChanged(_ context.Context, req *protocol.Request) (any, error) {
	var params protocol.ToolsChangedParams
	if err := req.DecodeParams(&params); err != nil {
		return nil, err
	}
	if err := params.Validate(); err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := params.Tools != nil || slices.ContainsFunc(s.lists, func(l protocol.ToolsChangedParams) bool {
		return l.Hash == params.Hash && l.Tools != nil
	})
	if s.lists = append(s.lists, params); !known {
		return nil, &protocol.Error{Code: protocol.CodeUnknownHash, Message: "unknown hash"}
	}
	return nil, nil
}

// blobMethods keep the blobs of a turn in that turn's host, and the blobs of an operation in kept.
// Each turn or operation has one open blob, with its own id.
func (s *supervisor) blobMethods() map[string]func(context.Context, *protocol.Request) (any, error) {
	return map[string]func(context.Context, *protocol.Request) (any, error){
		protocol.MethodBlobBegin: func(ctx context.Context, req *protocol.Request) (any, error) {
			var params protocol.BlobBeginParams
			err := req.DecodeParams(&params)
			if s.onBlobBegin != nil {
				s.onBlobBegin(ctx)
			}
			return protocol.BlobBeginResult{Blob: params.Turn + params.Operation}, err
		},
		protocol.MethodBlobWrite: func(_ context.Context, req *protocol.Request) (any, error) {
			var params protocol.BlobWriteParams
			err := req.DecodeParams(&params)
			s.mu.Lock()
			defer s.mu.Unlock()
			if have := int64(len(s.blobs[params.Blob])); have != params.Offset {
				err = errors.Join(err, fmt.Errorf("chunk at %d, have %d bytes", params.Offset, have))
			}
			s.blobs[params.Blob] = append(s.blobs[params.Blob], params.Data...)
			return nil, err
		},
		protocol.MethodBlobCommit: func(ctx context.Context, req *protocol.Request) (any, error) {
			var params protocol.BlobCommitParams
			if err := req.DecodeParams(&params); err != nil {
				return nil, err
			}
			s.mu.Lock()
			text := string(s.blobs[params.Blob])
			delete(s.blobs, params.Blob)
			if params.Operation > 0 {
				s.kept[params.Operation] = []byte(text)
			}
			s.mu.Unlock()
			if params.Operation > 0 {
				return refOf(text), nil
			}
			return s.of(params.Turn).StoreBlob(ctx, strings.NewReader(text), int64(len(text)))
		},
		protocol.MethodBlobRead: func(ctx context.Context, req *protocol.Request) (any, error) {
			var params protocol.BlobReadParams
			if err := req.DecodeParams(&params); err != nil {
				return nil, err
			}
			if params.Operation > 0 {
				s.mu.Lock()
				defer s.mu.Unlock()
				whole := s.kept[params.Operation]
				end := min(params.Offset+int64(params.Length), int64(len(whole)))
				return protocol.BlobReadResult{Data: whole[params.Offset:end], Size: int64(len(whole))}, nil
			}
			return s.of(params.Turn).ReadBlob(ctx, params.SHA256, params.Offset, params.Length)
		},
	}
}

func refOf(text string) protocol.BlobRef {
	sum := sha256.Sum256([]byte(text))
	return protocol.BlobRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(text))}
}

// exists reports whether the home has a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// refusalCode returns the code of a refusal, as the supervisor sees it.
func refusalCode(err error) (code int) {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
