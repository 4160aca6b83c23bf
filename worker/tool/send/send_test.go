package send_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/tool/send"
	"mews/worker/workspace"
)

// fakeHost records the files and messages.
type fakeHost struct {
	hosttest.Answers

	bytes    string
	sent     []protocol.ChatSendParams
	messages []string // texts of the messages
	err      error
}

func (c *fakeHost) StoreBlob(_ context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	data, err := io.ReadAll(io.LimitReader(r, most))
	sum := sha256.Sum256(data)
	c.bytes = string(data)
	return protocol.BlobRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data))}, err
}

func (c *fakeHost) sendFile(_ context.Context, file protocol.ChatSendParams) (protocol.ChatSendResult, error) {
	if err := file.Validate(); err != nil {
		return protocol.ChatSendResult{}, err
	}
	c.sent = append(c.sent, file)
	return protocol.ChatSendResult{}, c.err
}

func (c *fakeHost) sendMessage(_ context.Context, m protocol.ChatMessageParams) (protocol.ChatSendResult, error) {
	c.messages = append(c.messages, m.Call)
	return protocol.ChatSendResult{}, nil
}

// newChat returns a chat that refuses files with err, unless err is nil.
func newChat(err error) *fakeHost {
	c := &fakeHost{err: err}
	c.Answers = hosttest.Answers{
		protocol.MethodChatSend:    hosttest.NewAnswer(c.sendFile),
		protocol.MethodChatMessage: hosttest.NewAnswer(c.sendMessage),
	}
	return c
}

// folder makes a user's folder with these files, and a tool that sends files of the folder.
func folder(t *testing.T, policy protocol.FilePolicy, files map[string]string) (string, *fakeHost,
	func(string) (worker.Result, error)) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, policy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	c := newChat(nil)
	tool := send.Tools(ws, c, measure)[0]
	return dir, c, func(arguments string) (worker.Result, error) {
		return tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(arguments), Progress: func(string) {}})
	}
}

// measure gives each recording as many seconds as its path has bytes.
func measure(_ context.Context, path string) protocol.MediaSize {
	return protocol.MediaSize{Seconds: len(path)}
}

func TestSendFile_CleansNameAndCaption(t *testing.T) {
	_, c, run := folder(t, protocol.FilePolicy{}, map[string]string{"notes/a cat.png": strings.Repeat("x", 12345)})
	result, err := run(`{"path":"./notes/a cat.png","caption":" Tom\r\nand\u0007 Jerry "}`)
	if err != nil {
		t.Fatal(err)
	}
	got := c.sent[0]
	if got.Call != "c1" || got.Name != "a cat.png" || got.Caption != "Tom\nand  Jerry" || got.Blob.Size != 12345 || got.Size.Seconds != len("notes/a cat.png") || len(c.bytes) != 12345 {
		t.Errorf("sent was %+v", got)
	}
	if want := "./notes/a cat.png was queued for the chat as a cat.png, 12.3 KB."; result.Text != want ||
		result.Brief != "12.3 KB" {
		t.Errorf("got %+v", result)
	}
	if len(result.Changes) != 0 {
		t.Errorf("what was sent is the supervisor's to put into the ledger, and the worker says %+v", result.Changes)
	}
}

func TestSendFile_SeveralPaths_AreOneCall(t *testing.T) {
	_, c, run := folder(t, protocol.FilePolicy{}, map[string]string{"a.png": "aaa", "b/b.png": "bb", "c.png": "c"})
	result, err := run(`{"path":"a.png","caption":"all","more":["b/b.png","c.png"]}`)
	if err != nil {
		t.Fatal(err)
	}
	got := c.sent[0]
	if len(c.sent) != 1 || got.Caption != "all" || len(got.More) != 2 || got.More[0].Name != "b.png" || got.More[0].Caption != "" {
		t.Errorf("sent was %+v", c.sent)
	}
	if want := "a.png and 2 more were queued for the chat as a.png, b.png, c.png, 6 bytes."; result.Text != want {
		t.Errorf("got %+v", result)
	}
	for arguments, says := range map[string]string{
		`{"path":"a.png","more":["gone.png"]}`: "gone.png",
		`{"path":"a.png","more":["a.png","a.png","a.png","a.png","a.png","a.png","a.png","a.png","a.png","a.png"]}`: "11 files",
	} {
		if _, err := run(arguments); err == nil || !strings.Contains(err.Error(), says) || len(c.sent) != 1 {
			t.Errorf("%s: got %v, sent %+v", arguments, err, c.sent)
		}
	}
}

func TestSendMessage_OverTheLimit_IsRefused(t *testing.T) {
	ws, err := workspace.Open(t.TempDir(), protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	c := newChat(nil)
	tool := send.Tools(ws, c, measure)[1]
	for i := range protocol.MaxMessagesPerTurn + 1 {
		result, err := tool.Run(t.Context(), worker.Call{ID: fmt.Sprint("c", i), Arguments: json.RawMessage(`{"text":"hello"}`)})
		if i < protocol.MaxMessagesPerTurn && (err != nil || result.Text != "The message was queued." ||
			result.Brief != "5 bytes") ||
			i == protocol.MaxMessagesPerTurn && (err == nil || !strings.Contains(err.Error(),
				"say it in your answer")) {
			t.Errorf("message %d: %+v, %v", i, result, err)
		}
	}
	if len(c.messages) != protocol.MaxMessagesPerTurn || c.messages[9] != "c9" {
		t.Errorf("said was %v", c.messages)
	}
}

func TestSendFile_HostileName_IsCleaned(t *testing.T) {
	_, c, run := folder(t, protocol.FilePolicy{}, map[string]string{"a\x1b[2J\n.txt": "x"})
	if _, err := run(`{"path":"a\u001b[2J\n.txt"}`); err != nil {
		t.Fatal(err)
	}
	if c.sent[0].Name != "a_(2J_.txt" {
		t.Errorf("got %q", c.sent[0].Name)
	}
}

func TestSendFile_BadPath_SendsNothing(t *testing.T) {
	dir, c, run := folder(t, protocol.FilePolicy{Exclude: []string{"private/**"}},
		map[string]string{"a.txt": "a", "empty": "", "private/key": "secret"})
	secret := filepath.Join(t.TempDir(), "secret")
	for _, err := range []error{
		os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink(secret, filepath.Join(dir, "out")),
		os.Symlink("private/key", filepath.Join(dir, "in")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600), os.Truncate(filepath.Join(dir, "huge"),
			protocol.MaxSentFileBytes+1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for arguments, want := range map[string]string{
		`{"path":"b.txt"}`:       "no such file",
		`{"path":"private"}`:     "folder",
		`{"path":"."}`:           "folder",
		`{"path":"private/key"}`: "no such file",
		`{"path":"in"}`:          "no such file",
		`{"path":"out"}`:         "leads out of the folder",
		`{"path":"../secret"}`:   "leads out of the folder",
		`{"path":"pipe"}`:        "neither a file nor a folder",
		`{"path":""}`:            "the path is empty",
		`{"path":"empty"}`:       "an empty file can't be sent",
		`{"path":"huge"}`:        "50.0 MB, and at most 50.0 MB",
		`{"file":"a.txt"}`:       "send_file: arguments",
		`{"path":"a.txt","caption":"` + strings.Repeat("x", protocol.MaxCaptionUnits+1) +
			`"}`: "1025 characters, and at most 1024 fit; say the rest",
	} {
		if _, err := run(arguments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v", arguments, err)
		}
	}
	if len(c.sent) != 0 || strings.Contains(c.bytes, "secret") {
		t.Errorf("sent was %+v, kept %q", c.sent, c.bytes)
	}
}

func TestSendFile_Refusal_IsInPlainWords(t *testing.T) {
	_, c, run := folder(t, protocol.FilePolicy{}, map[string]string{"a.txt": "a"})
	c.err = &protocol.Error{Code: protocol.CodeFailed, Message: "alice said no."}
	if _, err := run(`{"path":"a.txt"}`); err == nil || err.Error() != "send a.txt: not sent: alice said no." {
		t.Errorf("got %v", err)
	}
	c.err = errors.New("closed")
	if _, err := run(`{"path":"a.txt"}`); !errors.Is(err, c.err) {
		t.Errorf("got %v", err)
	}
}

func TestSendFile_OverTheLimit_IsRefused(t *testing.T) {
	_, c, run := folder(t, protocol.FilePolicy{}, map[string]string{"a.txt": "a"})
	for range protocol.MaxSendCallsPerTurn {
		if _, err := run(`{"path":"a.txt"}`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run(`{"path":"a.txt"}`); err == nil || !strings.Contains(err.Error(), "20 calls have sent files") {
		t.Errorf("got %v", err)
	}
	if len(c.sent) != protocol.MaxSendCallsPerTurn {
		t.Errorf("%d were sent", len(c.sent))
	}
}

func TestSendFile_StoppedTurn_ReturnsItsCause(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	call := worker.Call{ID: "c", Arguments: json.RawMessage(`{"path":"a"}`), Progress: func(string) {}}
	if _, err := send.Tools(ws, newChat(io.ErrClosedPipe), measure)[0].Run(ctx, call); err != stopped {
		t.Errorf("got %v", err)
	}
}

// TestSendFile_SimilarPath_IsSent: a file whose path looks the same is sent, and its path is
// reported.
func TestSendFile_SimilarPath_IsSent(t *testing.T) {
	_, chat, call := folder(t, protocol.FilePolicy{}, map[string]string{"v\u00a013.txt": "tea", "b.txt": "b"})
	got, err := call(`{"path":"b.txt","more":["v 13.txt"]}`)
	if err != nil || !strings.HasPrefix(got.Text, "There is no v 13.txt. ") || len(chat.sent) != 1 ||
		chat.sent[0].More[0].Path != "v\u00a013.txt" {
		t.Errorf("got %q, %v, sent %+v", got.Text, err, chat.sent)
	}
}
