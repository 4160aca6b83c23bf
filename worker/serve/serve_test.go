package serve_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image/png"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/serve"
)

// tool makes a tool with this effect and function.
func tool(name string, effect protocol.ToolEffect,
	run func(context.Context, worker.Call) (worker.Result, error)) worker.Tool {
	return worker.Tool{Tool: protocol.Tool{Name: name, Schema: json.RawMessage(`{}`), Effect: effect}, Run: run}
}

func TestHello_LateOrTwice_IsRefused(t *testing.T) {
	s := newSupervisor(t)
	call := func(method string, params any) int {
		return refusalCode(s.conn.Call(t.Context(), method, params, nil))
	}
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: t.TempDir()}
	with := func(change func(*protocol.Hello)) protocol.Hello {
		changed := hello
		change(&changed)
		return changed
	}
	start := protocol.TurnStart{Turn: 1, Limits: protocol.TurnLimits{Steps: 1, Seconds: 1}}
	for _, step := range []struct {
		name   string
		method string
		params any
		code   int
	}{
		{"a turn before hello", protocol.MethodTurnStart, start, protocol.CodeInvalidRequest},
		{"an unknown method", "turn.dance", start, protocol.CodeMethodNotFound},
		{"another version", protocol.MethodHello, with(func(h *protocol.Hello) { h.Version++ }),
			protocol.CodeInvalidRequest},
		{"a relative home", protocol.MethodHello, with(func(h *protocol.Hello) { h.Home = "../bob" }), protocol.CodeInvalidParams},
		{"a home that is not there", protocol.MethodHello, with(func(h *protocol.Hello) { h.Home += "/none" }), protocol.CodeFailed},
		{"a limit below nothing", protocol.MethodHello, with(func(h *protocol.Hello) { h.Disk = -1 }), protocol.CodeInvalidParams},
		{"a zone that is none", protocol.MethodHello, with(func(h *protocol.Hello) { h.Timezone = "Mars/Base" }), protocol.CodeFailed},
		{"hello", protocol.MethodHello, hello, 0},
		{"a second hello", protocol.MethodHello, hello, protocol.CodeInvalidRequest},
		{"a turn without a number", protocol.MethodTurnStart, protocol.TurnStart{Limits: start.Limits}, protocol.CodeInvalidParams},
		{"a turn without limits", protocol.MethodTurnStart, protocol.TurnStart{Turn: 1}, protocol.CodeInvalidParams},
		{"an unknown method after hello", "turn.dance", start, protocol.CodeMethodNotFound},
		{"ping", protocol.MethodPing, nil, 0},
	} {
		if got := call(step.method, step.params); got != step.code {
			t.Errorf("%s: answered with code %d, want %d", step.name, got, step.code)
		}
	}
	if err := s.conn.Notify(t.Context(), "turn.dance", start); err != nil {
		t.Fatal(err)
	}
	if got := call(protocol.MethodPing, nil); got != 0 {
		t.Errorf("after an unknown notification ping is answered with %d", got)
	}
}

func TestTurn_RealFolder_ChangesFiles(t *testing.T) {
	s := startWorker(t, context.Background(), serve.Options{
		Start: (*exec.Cmd).Start,
	})
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte("Call me Al."), 0o644); err != nil {
		t.Fatal(err)
	}
	var greeted protocol.HelloResult
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: home, Timezone: "Europe/Madrid"}
	if err := s.conn.Call(t.Context(), protocol.MethodHello, hello, &greeted); err != nil {
		t.Fatal(err)
	}

	h := s.host(1,
		hosttest.CallMessage(hosttest.ToolCall("w", "write_file", `{"path":"notes/shopping.md","content":"milk\n"}`)),
		hosttest.CallMessage(hosttest.ToolCall("a", "append_file", `{"path":"notes/shopping.md","content":"eggs\n"}`)),
		hosttest.CallMessage(hosttest.ToolCall("r", "read_file", `{"path":"notes/shopping.md"}`), hosttest.ToolCall("t",
			"get_time", `{}`)),
		hosttest.TextMessage("milk and eggs"))
	end, err := s.turn(t.Context(), 1)
	if end.Disk < 4096 || end.DiskMore {
		t.Errorf("the folder holds %d bytes, and more is %t", end.Disk, end.DiskMore)
	}
	end.Disk = 0
	if want := (protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 4}); err != nil || end != want {
		t.Fatalf("got %+v, %v, want %+v", end, err, want)
	}
	if result, _ := h.CallResult("r"); result.Failed || !strings.Contains(result.Text, "milk\neggs") {
		t.Errorf("read: %+v", result)
	}
	if result, _ := h.CallResult("a"); len(result.Changes) != 1 || !h.HasCallBegun("a") {
		t.Errorf("append: %+v, begun %v", result, h.HasCallBegun("a"))
	}
	if !exists(filepath.Join(home, "notes/shopping.md")) {
		t.Error("the file is not there")
	}
	if n := len(h.Events()); n != 8 {
		t.Errorf("%d events had come before the turn's end, want 8: %+v", n, h.Events())
	}
	checkFirstRequest(t, s, greeted.Tools)
}

func TestSendFile_FolderFile_ReachesChat(t *testing.T) {
	s := newSupervisor(t)
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "cat.png"), bytes.Repeat([]byte("mew "), 40_000), 0o600); err != nil {
		t.Fatal(err)
	}
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: home}
	if err := s.conn.Call(t.Context(), protocol.MethodHello, hello, nil); err != nil {
		t.Fatal(err)
	}
	h := s.host(1, hosttest.CallMessage(hosttest.ToolCall("c", "send_file", `{"path":"cat.png","caption":"Tom"}`)),
		hosttest.TextMessage("There he is."))
	if end, err := s.turn(t.Context(), 1); err != nil || end.Why != protocol.TurnEndDone {
		t.Fatalf("got %+v, %v", end, err)
	}
	if result, _ := h.CallResult("c"); result.Failed ||
		result.Text != "cat.png was queued for the chat as cat.png, 160.0 KB." {
		t.Errorf("got %+v", result)
	}
	if len(s.sent) != 1 || s.sent[0].Name != "cat.png" || s.sent[0].Caption != "Tom" || s.sent[0].Blob.Size != 160_000 {
		t.Errorf("sent was %+v", s.sent)
	}
}

// drawing is a Python script that draws a picture of one red point. It needs no installed module.
const drawing = `
import struct, zlib
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
open("dot.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
    chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))
`

// TestSendFile_PythonPicture_ReachesChat: the model learns of the picture and of the tool that
// sends it. The picture arrives whole.
func TestSendFile_PythonPicture_ReachesChat(t *testing.T) {
	s := startWorker(t, context.Background(), serve.Options{
		Start: (*exec.Cmd).Start,
	})
	home := t.TempDir()
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: home}
	if err := s.conn.Call(t.Context(), protocol.MethodHello, hello, nil); err != nil {
		t.Fatal(err)
	}
	code, err := json.Marshal(map[string]string{"code": drawing})
	if err != nil {
		t.Fatal(err)
	}
	h := s.host(1, hosttest.CallMessage(hosttest.ToolCall("p", "run_python", string(code))),
		hosttest.CallMessage(hosttest.ToolCall("s", "send_file", `{"path":"dot.png"}`)), hosttest.TextMessage("A dot."))
	if end, err := s.turn(t.Context(), 1); err != nil || end.Why != protocol.TurnEndDone {
		t.Fatalf("got %+v, %v", end, err)
	}
	if result, _ := h.CallResult("p"); result.Failed || !strings.Contains(result.Text,
		"dot.png: created, 69 bytes, a picture; send_file sends it") {
		t.Errorf("drawn: %+v", result)
	}
	if result, _ := h.CallResult("s"); result.Failed ||
		result.Text != "dot.png was queued for the chat as dot.png, 69 bytes." {
		t.Errorf("sent: %+v", result)
	}
	picture, err := os.ReadFile(filepath.Join(home, "dot.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Errorf("it is no picture: %v", err)
	}
	if len(s.sent) != 1 || s.sent[0].Blob.SHA256 != fmt.Sprintf("%x", sha256.Sum256(picture)) || s.sent[0].Name != "dot.png" {
		t.Errorf("sent was %+v", s.sent)
	}
}

// TestFilePolicy_Restricted_RemovesProgramTools: a program could read files that the file tools
// hide.
func TestFilePolicy_Restricted_RemovesProgramTools(t *testing.T) {
	for _, policy := range []protocol.FilePolicy{
		{Include: []string{"notes/**"}}, {Exclude: []string{"private/**"}}, {AppendOnly: []string{"log.md"}},
	} {
		s := startWorker(t, context.Background(), serve.Options{
			Start: (*exec.Cmd).Start,
		})
		hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: t.TempDir(), Files: policy}
		var greeted protocol.HelloResult
		if err := s.conn.Call(t.Context(), protocol.MethodHello, hello, &greeted); err != nil {
			t.Fatal(err)
		}
		for _, tool := range greeted.Tools {
			if slices.Contains([]string{"run_command", "run_python", "terminal"}, tool.Name) {
				t.Errorf("%+v: there is %s", policy, tool.Name)
			}
		}
	}
}

// TestTools_AtHello_AreInFixedOrder reads the list in the answer to hello.
func TestTools_AtHello_AreInFixedOrder(t *testing.T) {
	s := startWorker(t, context.Background(), serve.Options{Start: (*exec.Cmd).Start})
	var names []string
	for _, tool := range s.hello().Tools {
		names = append(names, tool.Name)
		if !json.Valid(tool.Schema) || tool.Description == "" || tool.Effect == "" {
			t.Errorf("%s is described as %+v", tool.Name, tool)
		}
		checkUnits(t, tool)
	}
	want := []string{
		"append_file", "delete_file", "delete_upload", "edit_file", "get_time", "list_files", "list_uploads", "move_file", "read_file",
		"read_output", "run_command", "run_python", "search_files", "send_file", "terminal", "view_image", "write_file",
	}
	// Other tools may be between these tools in the list.
	others := func(name string) bool { return !slices.Contains(want, name) }
	if !slices.IsSorted(names) || !slices.Equal(slices.DeleteFunc(slices.Clone(names), others), want) {
		t.Errorf("the tools are %v, want %v, sorted", names, want)
	}
}

// TestToolFamilies_ListExpectedTools: a tool outside the families is part of every request, so its
// description must be short.
func TestToolFamilies_ListExpectedTools(t *testing.T) {
	s := startWorker(t, context.Background(), serve.Options{Start: (*exec.Cmd).Start})
	families := map[string][]string{}
	for _, tool := range s.hello().Tools {
		families[tool.Family] = append(families[tool.Family], tool.Name)
	}
	for family, want := range map[string]string{
		"": "append_file ask_user delete_file edit_file find_tools get_time list_files move_file read_file read_output recall remember " +
			"run_command run_python search_files send_file view_image write_file",
		"activity": "read_activity_log", "chat": "send_message", "terminal": "terminal", "uploads": "delete_upload list_uploads",
	} {
		if got := strings.Join(families[family], " "); got != want {
			t.Errorf("of the family %q are %s, want %s", family, got, want)
		}
	}
}

// units matches the units of the numbers among tools' arguments.
var units = regexp.MustCompile(`\b(bytes?|lines?|seconds|characters|entries|number)\b`)

// checkUnits checks that a tool's description names the unit of each number.
func checkUnits(t *testing.T, tool protocol.Tool) {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Type, Description string }
	}
	if err := json.Unmarshal(tool.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	for name, p := range schema.Properties {
		if (p.Type == "integer" || p.Type == "number") && !units.MatchString(p.Description) {
			t.Errorf("%s: of %s is said %q, and not what it counts", tool.Name, name, p.Description)
		}
	}
}

// Bounds in bytes: of the request for a first short message, and of the tools for files and
// messages in that request.
const (
	maxFirstRequest = 8192
	maxExchange     = 900
)

// checkFirstRequest checks the size of the request for a first short message, in the form of the
// OpenAI API, with a few words of AGENTS.md.
func checkFirstRequest(t *testing.T, s *supervisor, tools []protocol.Tool) {
	t.Helper()
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type described struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	type said struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var request struct {
		Model    string      `json:"model"`
		Stream   bool        `json:"stream"`
		Tools    []described `json:"tools"`
		Messages []said      `json:"messages"`
	}
	exchange := 0
	for _, tool := range tools {
		if slices.Contains([]string{"list_uploads", "delete_upload", "send_message"}, tool.Name) {
			exchange += len(tool.Description) + len(tool.Schema)
		}
		if tool.Family != "" { // a tool of a family is offered on demand
			continue
		}
		request.Tools = append(request.Tools, described{"function", function{tool.Name, tool.Description, tool.Schema}})
	}
	for _, text := range s.system {
		if !strings.Contains(text, "Call me Al.") || !strings.Contains(text, "alice") {
			t.Errorf("the system text is %s", text)
		}
		request.Messages = append(request.Messages, said{"system", text}, said{"user", "hi"})
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	if exchange == 0 || exchange > maxExchange {
		t.Errorf("list_uploads, delete_upload and send_message have %d bytes, want at most %d", exchange, maxExchange)
	}
	t.Logf("the request for \"hi\" has %d bytes, of which the messages %d, and those three tools %d", len(body), len(request.Messages[0].Content), exchange)
	if len(body) >= maxFirstRequest {
		t.Errorf("the request for \"hi\" has %d bytes, want below %d", len(body), maxFirstRequest)
	}
}

func TestCutOutput_RestCanBeRead(t *testing.T) {
	big := strings.Repeat("0123456789abcde\n", 20000) // 320,000 bytes: five chunks
	s := newSupervisor(t, tool("big", protocol.EffectNone, func(context.Context, worker.Call) (worker.Result, error) {
		return worker.Result{Text: big}, nil
	}))
	s.hello()
	h := s.host(1)
	h.Answer = func(_ context.Context, step int) (protocol.Message, error) {
		switch step {
		case 1:
			return hosttest.CallMessage(hosttest.ToolCall("b", "big", `{}`)), nil
		case 2:
			cut, _ := h.CallResult("b")
			return hosttest.CallMessage(hosttest.ToolCall("o", "read_output", fmt.Sprintf(
				`{"output":%q,"start":%d,"length":30000}`, cut.Rest.SHA256, strings.Index(cut.Text, "\n[... ")))), nil
		}
		return hosttest.TextMessage("read"), nil
	}
	if end, err := s.turn(t.Context(), 1); err != nil || end.Why != protocol.TurnEndDone {
		t.Fatalf("got %+v, %v", end, err)
	}
	cut, _ := h.CallResult("b")
	if len(cut.Text) > 4096 || cut.Rest.Size != int64(len(big)) {
		t.Errorf("the model was shown %d bytes, %d were kept", len(cut.Text), cut.Rest.Size)
	}
	read, _ := h.CallResult("o")
	if read.Failed || read.Rest != nil || len(read.Text) > 4096 || !strings.Contains(read.Text, "0123456789abcde\n0123") {
		t.Errorf("read on: %.200q, cut again: %v", read.Text, read.Rest)
	}
}

func TestTurnsAtOnce_OverLimit_AreRefused(t *testing.T) {
	began := make(chan struct{}, 8)
	s := newSupervisor(t, tool("wait", protocol.EffectNone, func(ctx context.Context, _ worker.Call) (worker.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		return worker.Result{}, context.Cause(ctx)
	}))
	s.hello()
	ctx, stop := context.WithCancel(t.Context())
	ends := make(chan protocol.TurnEnd, 8)
	for id := int64(1); id <= 4; id++ {
		s.host(id, hosttest.CallMessage(hosttest.ToolCall("a", "wait", `{}`)))
		go func() {
			end, err := s.turn(ctx, id)
			if err != nil {
				t.Errorf("turn %d: %v", id, err)
			}
			ends <- end
		}()
		<-began
	}
	s.host(5)
	if _, err := s.turn(t.Context(), 5); refusalCode(err) != protocol.CodeBusy {
		t.Errorf("a fifth turn: %v", err)
	}
	start := protocol.TurnStart{Turn: 3, Limits: protocol.TurnLimits{Steps: 1, Seconds: 1}}
	if err := s.conn.Call(t.Context(), protocol.MethodTurnStart, start, nil); refusalCode(err) != protocol.CodeInvalidRequest {
		t.Errorf("turn 3 again: %v", err)
	}
	stop()
	for range 4 {
		if end := <-ends; end.Why != protocol.TurnEndStopped || end.Steps != 1 {
			t.Errorf("a cancelled turn ended with %+v", end)
		}
	}
	if end, err := s.turn(t.Context(), 5); err != nil || end.Why != protocol.TurnEndDone {
		t.Errorf("a turn after them: %+v, %v", end, err)
	}
}

// TestStoppedTurn_ClosesItsTerminals: a stopped turn closes only the terminals that it has opened.
// The model of the next turn learns which terminals remain.
func TestStoppedTurn_ClosesItsTerminals(t *testing.T) {
	s := startWorker(t, context.Background(), serve.Options{Start: (*exec.Cmd).Start})
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: t.TempDir()}
	if err := s.conn.Call(t.Context(), protocol.MethodHello, hello, nil); err != nil {
		t.Fatal(err)
	}
	open := func(command string) protocol.Message {
		return hosttest.CallMessage(hosttest.ToolCall(command, "terminal",
			`{"action":"open","command":"`+command+`","wait":0.01}`))
	}
	s.host(1, open("sleep 1000"), hosttest.TextMessage("It runs."))
	if end, err := s.turn(t.Context(), 1); err != nil || end.Why != protocol.TurnEndDone {
		t.Fatalf("%+v, %v", end, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.host(2).Answer = func(ctx context.Context, step int) (protocol.Message, error) {
		if step == 1 {
			return open("sleep 2000"), nil
		}
		stop()
		<-ctx.Done()
		return protocol.Message{}, context.Cause(ctx)
	}
	if end, err := s.turn(ctx, 2); err != nil || end.Why != protocol.TurnEndStopped {
		t.Fatalf("%+v, %v", end, err)
	}
	h := s.host(3, hosttest.CallMessage(hosttest.ToolCall("list", "terminal", `{"action":"list"}`)),
		hosttest.TextMessage("One."))
	if _, err := s.turn(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	result, _ := h.CallResult("list")
	if !strings.Contains(result.Text, "terminal 1 (sleep 1000), 24 rows, 80 cols, running") || !strings.Contains(result.Text, "terminal 2 (sleep 2000), 24 rows, 80 cols, closed because the person stopped") {
		t.Errorf("the terminals are %q", result.Text)
	}
	told := slices.Collect(maps.Values(s.system))
	if !slices.ContainsFunc(told, func(text string) bool {
		return strings.HasSuffix(text, "\nLeft running by earlier turns when this was written: terminal 1 (sleep). Close what is not needed any more.\n")
	}) {
		t.Errorf("the system texts are %q", told)
	}
}

func TestStop_RunningTurn_EndsTurnAndWorker(t *testing.T) {
	for _, how := range []string{"the call", "a signal"} {
		t.Run(how, func(t *testing.T) {
			s, began, signal := waiting(t)
			ended := make(chan protocol.TurnEnd, 1)
			go func() {
				end, err := s.turn(context.Background(), 1)
				if err != nil {
					t.Error(err)
				}
				ended <- end
			}()
			<-began
			if how == "a signal" {
				signal()
			} else if err := s.conn.Call(t.Context(), protocol.MethodStop, nil, nil); err != nil {
				t.Error(err)
			}
			if end := <-ended; end.Why != protocol.TurnEndStopped {
				t.Errorf("the turn ended with %+v", end)
			}
			if err := s.wait(); err != nil {
				t.Errorf("the worker ended with %v", err)
			}
		})
	}
}

func TestConnectionEnd_EndsWorker(t *testing.T) {
	for _, last := range []string{"", `{"jsonrpc":"2.0","id":9,"met`} {
		s, began, _ := waiting(t)
		go func() {
			_, _ = s.turn(context.Background(), 1) // this fails, because the connection is cut meanwhile
		}()
		<-began
		if _, err := s.pipe.Write([]byte(last)); err != nil {
			t.Fatal(err)
		}
		if err := s.pipe.(*net.UnixConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if err := s.wait(); err != nil {
			t.Errorf("after %q the worker ended with %v", last, err)
		}
	}
}

func TestGarbageLine_EndsWorkerWithError(t *testing.T) {
	s := newSupervisor(t)
	if _, err := s.pipe.Write([]byte("hello?\n")); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(); err == nil {
		t.Error("a broken wire is no error")
	}
}

// waiting starts a worker with a tool that waits for the end of its turn. signal acts like a
// SIGTERM to the worker.
func waiting(t *testing.T) (s *supervisor, began chan struct{}, signal func()) {
	t.Helper()
	began = make(chan struct{}, 1)
	s, signal = newSignalledSupervisor(t, tool("wait", protocol.EffectNone, func(ctx context.Context, _ worker.Call) (worker.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		return worker.Result{}, context.Cause(ctx)
	}))
	s.hello()
	s.host(1, hosttest.CallMessage(hosttest.ToolCall("a", "wait", `{}`)))
	return s, began, signal
}
