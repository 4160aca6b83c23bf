package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mews/protocol"
	"mews/protocol/protocoltest"
	"mews/worker/host/hosttest"
)

// binary is the path of the worker's program, built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mews-worker")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "mews-worker")
	build := exec.Command("go", "build", "-ldflags", "-X main.version=v1.2.3", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the worker: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// process is a worker's process and the supervisor's end of its socket.
type process struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	conn   *protocol.Conn
	host   *hosttest.Host
}

// start starts a worker as the spawner does: with the socket on descriptors 0 and 1, standard error
// on 2, and no other descriptor.
func start(t *testing.T) *process {
	t.Helper()
	ours, theirs := protocoltest.NewSocketPair(t)
	file, err := theirs.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(binary)}
	p.cmd.Dir, p.cmd.Env = t.TempDir(), []string{"PATH=/usr/bin:/bin"}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = file, file, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []interface{ Close() error }{file, theirs} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("the worker ended with %v and said %q", err, &p.stderr)
			}
		}
	})
	p.host = &hosttest.Host{TB: t, Limits: protocol.TurnLimits{Steps: 20, Seconds: 60}}
	p.conn = protocol.NewConn(ours, protocoltest.HandlerFuncs{CallFunc: p.answer}, protocol.Options{})
	protocoltest.RunConn(t, p.conn)
	return p
}

// answer answers a turn's calls as the supervisor.
func (p *process) answer(ctx context.Context, req *protocol.Request) (any, error) {
	if req.Method == protocol.MethodPromptFileReport {
		return protocol.PromptFileReportResult{}, nil
	}
	var ask protocol.ModelStreamParams
	if req.Method == protocol.MethodModelStream && req.DecodeParams(&ask) == nil {
		return p.host.NextModelMessage(ctx, ask.After, "", nil)
	}
	var step protocol.StepCommitParams
	if err := req.DecodeParams(&step); err != nil {
		return nil, err
	}
	if step.State == protocol.CallStateBegun {
		return protocol.StepCommitResult{}, p.host.CommitCallBegin(ctx, protocol.ToolCall{ID: step.Call})
	}
	id, err := p.host.CommitCallResult(ctx, *step.Result)
	return protocol.StepCommitResult{Message: id}, err
}

func (p *process) hello(t *testing.T) protocol.HelloResult {
	t.Helper()
	var result protocol.HelloResult
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: ".", Timezone: "Asia/Tokyo"}
	if err := p.conn.Call(t.Context(), protocol.MethodHello, hello, &result); err != nil {
		t.Fatalf("%v\n%s", err, &p.stderr)
	}
	return result
}

// proc reads a file of the process below /proc.
func (p *process) proc(name string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), name)
}

func TestVersionFlag_PrintsVersion(t *testing.T) {
	out, err := exec.Command(binary, "--version").Output()
	if err != nil || string(out) != "mews-worker v1.2.3\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestStart_WithoutSpawner_ExplainsUse(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}} {
		out, err := exec.Command(binary, args...).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "mews-worker: ") {
			t.Errorf("with %q: got %q, %v", args, out, err)
		}
	}
}

func TestStopCall_EndsWorkerWithStatusZero(t *testing.T) {
	for name, end := range map[string]func(*process) error{
		"when the supervisor goes": func(p *process) error { p.conn.Close(nil); return nil },
		"on SIGTERM":               func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"when it is told to":       func(p *process) error { return p.conn.Call(context.Background(), protocol.MethodStop, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			if got := p.hello(t).Build; got != "v1.2.3" {
				t.Errorf("its build is %q", got)
			}
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			if err := p.cmd.Wait(); err != nil || p.stderr.Len() > 0 {
				t.Errorf("it ended with %v and said %q", err, &p.stderr)
			}
		})
	}
}

func TestChildProcesses_InheritNoSocket(t *testing.T) {
	p := start(t)
	p.hello(t)
	fds, err := os.ReadDir(p.proc("fd"))
	if os.Getuid() != 0 {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("its own account may look into it: %v", err)
		}
		t.Skip("only root may list the descriptors of a process that is not dumpable")
	}
	if err != nil {
		t.Fatal(err)
	}
	sockets := 0
	for _, fd := range fds {
		to, err := os.Readlink(p.proc("fd/" + fd.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if n := fd.Name(); (n == "0" || n == "1") && to != os.DevNull {
			t.Errorf("descriptor %s is %q", n, to)
		}
		if strings.HasPrefix(to, "socket:") {
			sockets++
			p.checkCloseOnExec(t, fd.Name())
		}
	}
	if sockets != 1 {
		t.Errorf("it holds %d sockets, want 1", sockets)
	}
}

func (p *process) checkCloseOnExec(t *testing.T, fd string) {
	t.Helper()
	state, err := os.ReadFile(p.proc("fdinfo/" + fd))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(state), "flags:")
	flags, err := strconv.ParseInt(strings.Fields(after)[0], 8, 64)
	if err != nil || flags&syscall.O_CLOEXEC == 0 {
		t.Errorf("descriptor %s is left to children (flags %o, %v)", fd, flags, err)
	}
}

// Limits for an idle worker's private memory, in kB. The tables of the libraries for pages and
// calendars take 0.3 MB of it. On a busy machine the collector of garbage runs later: 3,340 to
// 3,680 kB were measured.
const (
	idleAtFirst = 3900
	idleLater   = 8 << 10
)

// TestIdleWorker_Memory_IsSmall measures one of two workers, because workers share the program's
// pages.
func TestIdleWorker_Memory_IsSmall(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may read the memory map of a process that is not dumpable")
	}
	start(t).hello(t)
	p := start(t)
	p.hello(t)
	p.checkPrivate(t, "before its first turn", idleAtFirst)

	var script []protocol.Message
	for i := range 9 {
		text := strings.Repeat("some words ", 1000)
		script = append(script, hosttest.CallMessage(
			hosttest.ToolCall(fmt.Sprint("w", i), "write_file", fmt.Sprintf(`{"path":"%d.md","content":%q}`, i, text)),
			hosttest.ToolCall(fmt.Sprint("r", i), "read_file", fmt.Sprintf(`{"path":"%d.md"}`, i)),
			hosttest.ToolCall(fmt.Sprint("s", i), "search_files",
				fmt.Sprintf(`{"query":"w.rds","regexp":true,"limit":%d}`, i+1))))
	}
	p.host.Answer = hosttest.ScriptMessages(script...)
	var end protocol.TurnEnd
	if err := p.conn.Call(t.Context(), protocol.MethodTurnStart, p.host.TurnStart(), &end); err != nil ||
		end.Steps != 10 {
		t.Fatalf("the turn ended with %+v, %v", end, err)
	}
	p.checkPrivate(t, "at the end of a turn of ten steps", idleLater)
}

// checkPrivate reports the private memory of the process, and compares it with a goal in kB.
func (p *process) checkPrivate(t *testing.T, when string, goal int) {
	t.Helper()
	rollup, err := os.ReadFile(p.proc("smaps_rollup"))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for line := range strings.Lines(string(rollup)) {
		var kind string
		var kb int
		if _, err := fmt.Sscanf(line, "%s %d kB", &kind, &kb); err == nil && strings.HasPrefix(kind, "Private_") {
			sum += kb
		}
	}
	t.Logf("%s: %d kB private", when, sum)
	if sum == 0 || sum > goal {
		t.Errorf("%s it has %d kB of its own, want at most %d", when, sum, goal)
	}
}
