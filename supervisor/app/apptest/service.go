package apptest

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/supervisor/api"
	"mews/supervisor/control"
	"mews/supervisor/sqlite/sqlitetest"
)

// Service is a service of the real programs, with a state folder that the test removes.
type Service struct {
	T      testing.TB
	Bin    string // the folder with the three programs
	Dir    string
	Config string
	Socket string
	Env    []string
	// Command returns the command that runs the service; nil means `mews run`.
	Command func() *exec.Cmd

	cmd    *exec.Cmd
	exited chan error
}

// NewService configures a service; Start starts it. Each name in people gets a home and an id on
// Telegram. model is the base URL of a model endpoint; "" means no model. The models of every
// second user use Anthropic's API, the models of the other users OpenAI's.
func NewService(t testing.TB, model string, people ...string) *Service {
	t.Helper()
	dir := t.TempDir()
	h := &Service{T: t, Bin: LinkProgramsInTestFolder(t, BuildPrograms(t)), Dir: dir, Config: filepath.Join(dir,
		"mews.yaml"),
		Socket: filepath.Join(dir, "state", "control.sock")}
	var b strings.Builder
	fmt.Fprintf(&b, "state: %s/state\nlisten: \"\"\nlog: {level: info, format: text}\naccess: {rate: {burst: 1000, second: 100}}\n", dir)
	if model != "" {
		fmt.Fprintf(&b, "models:\n  default: test/test\n  providers:\n    test: {kind: openai, base_url: %q}\n"+
			"    claude: {kind: anthropic, base_url: %q, api_key: any}\n", model, strings.TrimSuffix(model, "/v1"))
	}
	fmt.Fprint(&b, "users:\n")
	for i, name := range people {
		role := "user"
		if i == 0 {
			role = "admin"
		}
		answers := ""
		if model != "" && i%2 == 1 {
			answers = ", model: claude/test"
		}
		fmt.Fprintf(&b, "  - {name: %s, role: %s, home: %s, telegram: %d%s}\n", name, role, h.UserHome(name),
			FirstTelegramID+i, answers)
		if err := os.MkdirAll(h.UserHome(name), 0o700); err != nil {
			t.Fatal(err)
		}
		ChownToWorkers(t, h.UserHome(name))
	}
	h.AppendConfig(b.String())
	t.Cleanup(h.end)
	return h
}

// FirstTelegramID is the first user's id on Telegram; the ids of the other users follow it.
const FirstTelegramID = 101

// AppendConfig appends lines to the configuration.
func (h *Service) AppendConfig(lines string) {
	h.T.Helper()
	f, err := os.OpenFile(h.Config, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.T.Fatal(err)
	}
	if _, err := f.WriteString(lines); err != nil {
		h.T.Fatal(err)
	}
	if err := f.Close(); err != nil {
		h.T.Fatal(err)
	}
}

// LinkProgramsInTestFolder links the programs into a folder of the test. The paths then identify
// the test's processes.
func LinkProgramsInTestFolder(t testing.TB, programs string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"mews", "mews-spawner", "mews-worker"} {
		if err := os.Link(filepath.Join(programs, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// UserHome returns the home of a user.
func (h *Service) UserHome(name string) string { return filepath.Join(h.Dir, "homes", name) }

// Start starts the supervisor, and returns when it answers.
func (h *Service) Start() {
	h.T.Helper()
	log, err := os.OpenFile(filepath.Join(h.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.T.Fatal(err)
	}
	defer log.Close()
	h.cmd = exec.Command(filepath.Join(h.Bin, "mews"), "run", "--config", h.Config)
	if h.Command != nil {
		h.cmd = h.Command()
	}
	h.cmd.Stdout, h.cmd.Stderr, h.cmd.Env = log, log, append(os.Environ(), h.Env...)
	if err := h.cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	exited := make(chan error, 1)
	h.exited = exited
	go func(cmd *exec.Cmd) { exited <- cmd.Wait() }(h.cmd)
	h.WaitUntilTrue(DefaultTestTimeout, "the service to answer", func() bool {
		var s api.Status
		return control.CallOnce(h.T.Context(), h.Socket, api.MethodStatus, nil, &s) == nil
	})
}

// Kill kills the supervisor and waits for the end of all its processes. It fails if a process is
// left after two seconds.
func (h *Service) Kill() {
	h.T.Helper()
	h.endWith(os.Kill)
}

// KillWithStackDump kills the supervisor and makes it log the stacks of its goroutines.
func (h *Service) KillWithStackDump() {
	h.T.Helper()
	h.endWith(syscall.SIGQUIT)
}

// endWith sends a signal to the supervisor and waits for the end of all its processes.
func (h *Service) endWith(signal os.Signal) {
	h.T.Helper()
	if err := h.cmd.Process.Signal(signal); err != nil {
		h.T.Fatal(err)
	}
	<-h.exited
	h.cmd = nil
	h.WaitUntilTrue(2*time.Second, "every process to be gone", func() bool { return len(h.ProcessIDs("")) == 0 })
}

// Stop stops the supervisor as a service manager would.
func (h *Service) Stop() {
	h.T.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		h.T.Fatal(err)
	}
	select {
	case err := <-h.exited:
		if err != nil {
			h.T.Errorf("stopped with %v\n%s", err, h.LogTail())
		}
	case <-time.After(30 * time.Second):
		h.T.Errorf("did not stop within 30 s\n%s", h.LogTail())
		return
	}
	h.cmd = nil
	h.WaitUntilTrue(2*time.Second, "every process to be gone", func() bool { return len(h.ProcessIDs("")) == 0 })
}

// end kills the service if it runs. If the test failed, it shows the last lines of the service's
// log.
func (h *Service) end() {
	if h.cmd != nil {
		h.Kill()
	}
	if h.T.Failed() {
		h.T.Logf("the end of the service's log:\n%s", h.LogTail())
	}
}

// LogTail returns the end of the service's log.
func (h *Service) LogTail() string {
	text, err := os.ReadFile(filepath.Join(h.Dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-8000):])
}

// WaitUntilTrue waits until the function there returns true. If that takes longer than most, or the
// service ends meanwhile, the test fails. The failure names the awaited condition, which the parameter
// what describes.
func (h *Service) WaitUntilTrue(most time.Duration, what string, there func() bool) {
	h.T.Helper()
	deadline := time.After(most)
	for pause := minPause; !there(); pause = min(pause+minPause, maxPause) {
		select {
		case err := <-h.exited:
			h.cmd = nil
			h.T.Fatalf("the service ended with %v, before %s\n%s", err, what, h.LogTail())
		case <-deadline:
			h.T.Fatalf("waited %s for %s; left: %v\n%s", most, what, h.ProcessIDs(""), h.LogTail())
		case <-time.After(pause):
		}
	}
}

// Pauses between two checks of a condition. A check may read the whole database.
const minPause, maxPause = 2 * time.Millisecond, 20 * time.Millisecond

// ProcessIDs lists the running processes of one of the programs. "" means all programs.
func (h *Service) ProcessIDs(name string) []int {
	var found []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		h.T.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || filepath.Dir(exe) != h.Bin {
			continue // the process has ended, or belongs to another account
		}
		if name == "" || filepath.Base(exe) == name {
			found = append(found, pid)
		}
	}
	return found
}

// WorkerPIDs returns the process id of each user's worker. The service reports them, because
// workers look alike from outside.
func (h *Service) WorkerPIDs() map[string]int {
	found := map[string]int{}
	var s api.Status
	if err := control.CallOnce(h.T.Context(), h.Socket, api.MethodStatus, nil, &s); err != nil {
		return found // the service is stopping
	}
	alive := h.ProcessIDs("mews-worker")
	for _, u := range s.Users {
		if slices.Contains(alive, u.PID) {
			found[u.Name] = u.PID
		}
	}
	return found
}

// OpenDatabaseCopy opens a copy of the current database. The service may be running.
func (h *Service) OpenDatabaseCopy() *sql.DB {
	h.T.Helper()
	return sqlitetest.OpenCopy(h.T, filepath.Join(h.Dir, "state", "private", "mews.db"))
}

// CheckIntegrity fails unless the database passes SQLite's integrity_check.
func (h *Service) CheckIntegrity() {
	h.T.Helper()
	if verdict := h.query("PRAGMA integrity_check"); verdict != "ok" {
		h.T.Fatalf("integrity_check: %q", verdict)
	}
}

// query returns the first column of a query's result, from a copy of the current database.
func (h *Service) query(query string, args ...any) string {
	h.T.Helper()
	return strings.Join(sqlitetest.QueryColumnInCopy(h.T, filepath.Join(h.Dir, "state", "private", "mews.db"), query,
		args...), "\n")
}

// QueryCount returns the number that a query gives.
func (h *Service) QueryCount(query string, args ...any) (n int) {
	h.T.Helper()
	n, err := strconv.Atoi(h.query(query, args...))
	if err != nil {
		h.T.Fatal(err)
	}
	return n
}

// DefaultTestTimeout is how long a test waits for something that is not itself measured. On a busy
// machine, work of a second may take half a minute.
const DefaultTestTimeout = 2 * time.Minute
