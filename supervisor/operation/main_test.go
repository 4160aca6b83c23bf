package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"mews/protocol"
)

// spawnerPath is the real mews-spawner, built once. workerPath is the test's binary under the name
// of a worker.
var spawnerPath, workerPath string

// TestMain runs the tests. If the binary has the name of a worker, TestMain runs a worker for the
// tests instead.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mews-worker" {
		beWorker()
		return
	}
	dir, err := os.MkdirTemp("", "mews-operation-")
	if err == nil {
		spawnerPath, workerPath = filepath.Join(dir, "mews-spawner"), filepath.Join(dir, "mews-worker")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", spawnerPath, "mews/cmd/mews-spawner").CombinedOutput(); err != nil {
			err = fmt.Errorf("build mews-spawner: %w: %s", err, out)
		}
	}
	exe, failed := os.Executable()
	if err = errors.Join(err, failed, os.Symlink(exe, workerPath)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}))
}

// beWorker runs a worker. The name of its home, up to a dash, says how it behaves.
func beWorker() {
	home, err := os.Getwd()
	if err == nil {
		err = syscall.SetNonblock(0, true)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(1)
	}
	name, _, _ := strings.Cut(filepath.Base(home), "-")
	w := &testWorker{behaviour: name}
	w.conn = protocol.NewConn(os.NewFile(0, "socket"), w, protocol.Options{})
	_ = w.conn.Run(context.Background())
	syscall.Exit(0)
}

type testWorker struct {
	behaviour string
	conn      *protocol.Conn
}

func (w *testWorker) HandleNotification(*protocol.Request) {}

func (w *testWorker) HandleCall(ctx context.Context, req *protocol.Request) (any, error) {
	switch req.Method {
	case protocol.MethodHello:
		if w.behaviour == "older" {
			return protocol.HelloResult{Version: protocol.Version - 1, Build: "test", Tools: []protocol.Tool{}}, nil
		}
		return protocol.HelloResult{Version: protocol.Version, Build: "test", Tools: []protocol.Tool{}}, nil
	case protocol.MethodOperationStart:
		var start protocol.OperationStart
		if err := req.DecodeParams(&start); err != nil {
			return nil, err
		}
		return w.operate(ctx, start)
	}
	return nil, protocol.MethodNotFoundError(req.Method)
}

func (w *testWorker) operate(ctx context.Context, start protocol.OperationStart) (any, error) {
	starts := note("starts", fmt.Sprintf("%d ", start.Operation)) // ids of all operations that began in this home
	if resident := workerOperations[start.Kind]; resident != nil {
		return resident(w, ctx, start)
	}
	ref, err := w.put(ctx, start.Operation, "the archive")
	if err != nil {
		return nil, err
	}
	result := protocol.ArchiveResult{Blob: ref, Files: 1, Bytes: 11}
	switch {
	case w.behaviour == "dies", w.behaviour == "flaky" && strings.Count(starts, " ") < 3:
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case w.behaviour == "hangs" && strings.Count(starts, " ") < 2:
		<-ctx.Done()
		return nil, ctx.Err()
	case w.behaviour == "refuses":
		return nil, &protocol.Error{Code: protocol.CodeFailed, Message: "a secret of the home"}
	case w.behaviour == "forges":
		result.Blob.SHA256 = strings.Repeat("a", 64)
	}
	text, err := json.Marshal(result)
	return protocol.OperationEnd{Result: text}, err
}

var noting sync.Mutex

// note appends to a file of the home, and returns the file's new text.
func note(name, text string) string {
	noting.Lock()
	defer noting.Unlock()
	before, _ := os.ReadFile(name)
	after := append(before, text...)
	if err := os.WriteFile(name, after, 0o600); err != nil {
		panic(err)
	}
	return string(after)
}

// put commits a text as a blob.
func (w *testWorker) put(ctx context.Context, operation int64, text string) (ref protocol.BlobRef, err error) {
	var begun protocol.BlobBeginResult
	if err := w.conn.Call(ctx, protocol.MethodBlobBegin, protocol.BlobBeginParams{Operation: operation},
		&begun); err != nil {
		return ref, err
	}
	write := protocol.BlobWriteParams{Operation: operation, Blob: begun.Blob, Data: []byte(text)}
	if err := w.conn.Call(ctx, protocol.MethodBlobWrite, write, nil); err != nil {
		return ref, err
	}
	return ref, w.conn.Call(ctx, protocol.MethodBlobCommit, protocol.BlobCommitParams{Operation: operation,
		Blob: begun.Blob}, &ref)
}
