package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol"
	"mews/worker/host/hosttest"
	"mews/worker/serve"
)

// keptHome is a home with a file history, and a worker in it. Programs really run.
type keptHome struct {
	t      *testing.T
	s      *supervisor
	dir    string // path of the home
	folder string // path of the folder of the file history
	kept   bool   // the worker has the history
	off    bool   // no new versions are kept
	ids    int64  // newest id of a turn or operation
}

// newKeptHome makes a home with some files, and starts a worker in it. kept means that it has a
// file history.
func newKeptHome(t *testing.T, files map[string]string, kept bool) *keptHome {
	t.Helper()
	k := &keptHome{t: t, dir: t.TempDir(), folder: t.TempDir(), kept: kept}
	for name, text := range files {
		k.write(name, text)
	}
	k.start()
	return k
}

// start starts a worker in this process.
func (k *keptHome) start() {
	k.t.Helper()
	o := serve.Options{Start: (*exec.Cmd).Start}
	if k.kept {
		folder, err := os.Open(k.folder)
		if err != nil {
			k.t.Fatal(err)
		}
		o.History = folder
	}
	k.s = startWorker(k.t, context.Background(), o)
	k.greet()
}

func (k *keptHome) greet() {
	k.t.Helper()
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: k.dir, Timezone: "Europe/Madrid"}
	if k.kept && !k.off {
		hello.History = &protocol.FileHistoryLimits{Room: 1 << 30, Exclude: []string{"*.iso"}}
	}
	if err := k.s.conn.Call(k.t.Context(), protocol.MethodHello, hello, nil); err != nil {
		k.t.Fatal(err)
	}
}

func (k *keptHome) write(name, text string) {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

// content describes everything in the home outside of the trash: kind, permissions and bytes.
func (k *keptHome) content() map[string]string {
	k.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(k.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(k.dir, path)
		info, err := d.Info()
		if err != nil || name == "." {
			return err
		}
		switch {
		case name == ".trash":
			return fs.SkipDir
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			all[name] = info.Mode().String() + " " + string(text)
			return err
		case info.Mode().Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			all[name] = "link to " + target
			return err
		}
		all[name] = info.Mode().String()
		return nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

// call is one use of a tool.
type call struct {
	tool      string
	arguments map[string]any
}

// bash is a call that runs a command.
func bash(command string) call { return call{"run_command", map[string]any{"command": command}} }

// turn runs a turn that makes calls, one after the other, and returns their results.
func (k *keptHome) turn(calls ...call) []protocol.ToolResult {
	k.t.Helper()
	return k.runTurn(k.t.Context(), calls...)
}

func (k *keptHome) runTurn(ctx context.Context, calls ...call) (results []protocol.ToolResult) {
	k.t.Helper()
	h, id := k.prepareTurn(calls...)
	if _, err := k.s.turn(ctx, id); err != nil {
		k.t.Fatal(err)
	}
	for i := range calls {
		result, done := h.CallResult(fmt.Sprint("call", i))
		if !done {
			k.t.Fatalf("call %d has no result", i)
		}
		results = append(results, result)
	}
	return results
}

// prepareTurn adds the supervisor's side of a turn that makes calls.
func (k *keptHome) prepareTurn(calls ...call) (*hosttest.Host, int64) {
	k.t.Helper()
	var script []protocol.Message
	for i, c := range calls {
		arguments, err := json.Marshal(c.arguments)
		if err != nil {
			k.t.Fatal(err)
		}
		script = append(script, hosttest.CallMessage(hosttest.ToolCall(fmt.Sprint("call", i), c.tool,
			string(arguments))))
	}
	k.ids++
	return k.s.host(k.ids, script...), k.ids
}

// undos lists the changes of results that can be undone, newest first, as the supervisor does.
func undos(results ...protocol.ToolResult) (list []protocol.Undo) {
	for _, result := range slices.Backward(results) {
		for _, c := range slices.Backward(result.Changes) {
			if c.Undo != nil && c.Undo.Obstacle == "" {
				list = append(list, *c.Undo)
			}
		}
	}
	return list
}

// undo runs an undo operation, and checks that its result is valid.
func (k *keptHome) undo(action protocol.UndoAction, changes []protocol.Undo) (r protocol.UndoResult) {
	k.t.Helper()
	k.ids++
	p := protocol.UndoParameters{Action: action, Changes: changes}
	k.operate(k.ids, protocol.OperationKindUndo, p, &r)
	if err := r.Validate(p); err != nil {
		k.t.Fatal(err)
	}
	return r
}

// fileHistory runs a file history operation, and checks that its result is valid.
func (k *keptHome) fileHistory(p protocol.FileHistoryParameters) (r protocol.FileHistoryResult) {
	k.t.Helper()
	k.ids++
	k.operate(k.ids, protocol.OperationKindFileHistory, p, &r)
	if err := r.Validate(p); err != nil {
		k.t.Fatal(err)
	}
	return r
}

func (k *keptHome) operate(id int64, kind protocol.OperationKind, p, result any) {
	k.t.Helper()
	parameters, err := json.Marshal(p)
	if err != nil {
		k.t.Fatal(err)
	}
	end, err := k.s.operation(k.t.Context(), id, kind, string(parameters))
	if err == nil {
		err = protocol.DecodeStrict(end.Result, result)
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// inverse lists the changes that undo an undo, newest first.
func inverse(changes []protocol.Undo, r protocol.UndoResult) (list []protocol.Undo) {
	for i, u := range changes {
		switch c := r.Changes[i]; {
		case c.Span != nil && c.Span.Span != nil:
			list = append(list, protocol.Undo{Path: ".", Span: c.Span.Span})
		case c.Span == nil && c.Outcome == protocol.UndoOutcomeDone:
			list = append(list, u.Inverse())
		}
	}
	slices.Reverse(list)
	return list
}

// outcomes joins the outcomes of an undo.
func outcomes(r protocol.UndoResult) string {
	var all []string
	for _, c := range r.Changes {
		all = append(all, string(c.Outcome))
	}
	return strings.Join(all, " ")
}

// newPipe makes a named pipe outside of the home.
func newPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
