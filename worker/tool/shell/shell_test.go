package shell

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/program"
	"mews/worker/workspace"
)

// fixture is a folder with the family's tools over it.
type fixture struct {
	t     testing.TB
	dir   string
	shell *Shell
	tools map[string]worker.Tool

	mu    sync.Mutex
	lines []string      // lines of progress that the tools have shown
	said  chan struct{} // sends progress to awaitProgress
}

// newFixture opens the tools; change may be nil.
func newFixture(t testing.TB, change func(*Options)) *fixture {
	t.Helper()
	b := &fixture{t: t, dir: t.TempDir(), tools: map[string]worker.Tool{}, said: make(chan struct{}, 1)}
	ws, err := workspace.Open(b.dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	quick := defaultLimits
	quick.grace, quick.progress, quick.linger = 200*time.Millisecond, time.Millisecond, 200*time.Millisecond
	o := Options{
		Home: b.dir, User: "alice", Zone: "Europe/Madrid", Temp: t.TempDir(), Programs: program.NewChildren((*exec.Cmd).Start), Now: time.Now,
		limits: &quick,
	}
	if change != nil {
		change(&o)
	}
	b.shell = New(ws, o)
	for _, tool := range b.shell.Tools() {
		b.tools[tool.Name] = tool
	}
	t.Cleanup(func() {
		err := b.shell.Close()
		if err != nil && !strings.Contains(err.Error(), "still open") {
			t.Error(err)
		}
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// arguments makes a JSON object from alternating names and values.
func arguments(pairs ...any) json.RawMessage {
	fields := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return raw
}

func (b *fixture) call(ctx context.Context, tool string, pairs ...any) (worker.Result, error) {
	progress := func(text string) {
		b.mu.Lock()
		b.lines = append(b.lines, text)
		b.mu.Unlock()
		select {
		case b.said <- struct{}{}:
		default:
		}
	}
	return b.tools[tool].Run(ctx, worker.Call{ID: "1", Arguments: arguments(pairs...), Progress: progress})
}

// mustRun calls a tool that must succeed.
func (b *fixture) mustRun(tool string, pairs ...any) worker.Result {
	b.t.Helper()
	r, err := b.call(b.t.Context(), tool, pairs...)
	if err != nil {
		b.t.Fatalf("%s %v: %v", tool, pairs, err)
	}
	if r.Brief == "" || strings.Contains(r.Brief, "\n") {
		b.t.Fatalf("%s %v: brief %q", tool, pairs, r.Brief)
	}
	return r
}

// mustFail calls a tool that must fail, and checks parts of the error.
func (b *fixture) mustFail(tool string, says string, pairs ...any) {
	b.t.Helper()
	r, err := b.call(b.t.Context(), tool, pairs...)
	if err == nil {
		b.t.Fatalf("%s %v: worked, and said %q", tool, pairs, r.Text)
	}
	if !strings.Contains(err.Error(), says) {
		b.t.Fatalf("%s %v: error %q does not say %q", tool, pairs, err, says)
	}
}

// awaitProgress waits for a line of progress that begins with front, and returns the rest of it.
func (b *fixture) awaitProgress(front string) string {
	b.t.Helper()
	for {
		b.mu.Lock()
		for _, line := range b.lines {
			if rest, ok := strings.CutPrefix(line, front); ok {
				b.mu.Unlock()
				return rest
			}
		}
		b.mu.Unlock()
		select {
		case <-b.said:
		case <-time.After(time.Minute):
			b.t.Fatalf("no progress %q; there is %q", front, b.lines)
		}
	}
}

// output returns a command's output, without the lines above it.
func output(r worker.Result) string {
	_, text, _ := strings.Cut(r.Text, "\n")
	return text
}

func wantContains(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Fatalf("%q is missing in:\n%s", w, text)
		}
	}
}

// numbers returns the process numbers in a text.
func numbers(t testing.TB, text string) []int {
	t.Helper()
	var all []int
	for _, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		all = append(all, n)
	}
	return all
}

// wantEnded checks that processes have ended.
func wantEnded(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if program.IsProcessAlive(pid) {
			t.Errorf("process %d goes on", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func (b *fixture) write(name, content string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	untilLater(b.t, filepath.Join(b.dir, name))
}

// TestTools_Descriptions_StayShort: every request carries the descriptions.
func TestTools_Descriptions_StayShort(t *testing.T) {
	total := 0
	for _, tool := range newFixture(t, nil).tools {
		if !json.Valid(tool.Schema) {
			t.Errorf("%s: its schema is no JSON: %s", tool.Name, tool.Schema)
		}
		if tool.Effect != protocol.EffectOnce {
			t.Errorf("%s: effect %s", tool.Name, tool.Effect)
		}
		total += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	if total > 1600 {
		t.Errorf("the tools take %d bytes of every request", total)
	}
}

// TestClose_LaterCalls_FailAndNameTerminals: no tool works, no process is left, and the error names
// the open terminals.
func TestClose_LaterCalls_FailAndNameTerminals(t *testing.T) {
	b := newFixture(t, nil)
	b.mustRun("terminal", "action", "open", "command", "echo here; cat")
	ended := make(chan error)
	go func() {
		_, err := b.call(t.Context(), "run_command", "command", "echo on; sleep 1000")
		ended <- err
	}()
	b.awaitProgress("on")
	err := b.shell.Close()
	if err == nil || !strings.Contains(err.Error(), "terminal 1 (echo here; cat) was still open") {
		t.Errorf("closed: %v", err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the worker is ending") {
		t.Errorf("the command: %v", err)
	}
	b.mustFail("run_command", "the worker is ending", "command", "true")
	b.mustFail("terminal", "the worker is ending", "action", "open")
	if b.shell.environment.options.Programs.Len() > 0 {
		t.Error("children are left")
	}
	if files, err := os.ReadDir(b.shell.environment.options.Temp); err != nil || len(files) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", files, err)
	}
}

// TestTools_EachChild_UsesGivenStarter: children of every tool start behind the walls.
func TestTools_EachChild_UsesGivenStarter(t *testing.T) {
	var started []string
	b := newFixture(t, func(o *Options) {
		o.Programs = program.NewChildren(func(cmd *exec.Cmd) error {
			started = append(started, filepath.Base(cmd.Path))
			return cmd.Start()
		})
	})
	b.mustRun("run_command", "command", "true")
	b.mustRun("run_python", "code", "pass")
	b.mustRun("terminal", "action", "open", "command", "true")
	if want := []string{"bash", "python3", "bash"}; !slices.Equal(started, want) {
		t.Errorf("started %q, want %q", started, want)
	}
}

// BenchmarkTrue runs a command that does nothing, and compares it with the shell alone.
func BenchmarkTrue(b *testing.B) {
	bench := newFixture(b, nil)
	b.Run("run_command", func(b *testing.B) {
		for b.Loop() {
			if _, err := bench.call(context.Background(), "run_command", "command", "true"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bash", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/bash", "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScreen measures how fast a terminal processes output.
func BenchmarkScreen(b *testing.B) {
	text := []byte(strings.Repeat("\x1b[1mA line of text\x1b[0m with some colour, and a word in Cyrillic: слово.\r\n", 100))
	s := newScreen(defaultRows, defaultCols)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = s.Write(text)
	}
}

// TestRun_ProcessLimitHit_AdvisesModel: the error tells the model what to do instead of the
// kernel's words.
func TestRun_ProcessLimitHit_AdvisesModel(t *testing.T) {
	b := newFixture(t, func(o *Options) {
		o.Programs = program.NewChildren(func(cmd *exec.Cmd) error {
			return &os.PathError{Op: "fork/exec", Path: cmd.Path, Err: syscall.EAGAIN}
		})
	})
	b.mustFail("run_command", "as many programs run as there may be", "command", "true")
	b.mustFail("terminal", "as many programs run as there may be", "action", "open", "command", "true")
}
