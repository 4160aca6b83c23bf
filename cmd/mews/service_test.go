package main_test

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

	_ "github.com/ncruces/go-sqlite3/driver"

	"mews/supervisor/control"
)

// house is a running service of its own: the real programs over a state folder that goes with the test.
type house struct {
	t      testing.TB
	bin    string // the programs
	dir    string
	config string
	socket string
	env    []string
	cmd    *exec.Cmd
	exited chan error
}

// newHouse lays out a service; start starts it. people get a folder each, and an id on Telegram each; model is the base URL
// of an endpoint, "" for none. It is spoken to in both ways that there are: every second person in Anthropic's.
func newHouse(t testing.TB, model string, people ...string) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t, bin: ownPrograms(t, programs(t)), dir: dir, config: filepath.Join(dir, "mews.yaml"),
		socket: filepath.Join(dir, "state", "control.sock")}
	var b strings.Builder
	fmt.Fprintf(&b, "state: %s/state\nlog: {level: info, format: text}\naccess: {rate: {burst: 1000, second: 100}}\n", dir)
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
		fmt.Fprintf(&b, "  - {name: %s, role: %s, home: %s, telegram: %d%s}\n", name, role, h.home(name), firstID+i, answers)
		if err := os.MkdirAll(h.home(name), 0o700); err != nil {
			t.Fatal(err)
		}
		giveToWorkers(t, h.home(name))
	}
	h.configure(b.String())
	t.Cleanup(h.end)
	return h
}

// firstID is the first person's id on Telegram; the others follow.
const firstID = 101

// configure adds lines to the configuration.
func (h *house) configure(lines string) {
	h.t.Helper()
	f, err := os.OpenFile(h.config, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := f.WriteString(lines); err != nil {
		h.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		h.t.Fatal(err)
	}
}

// ownPrograms is a folder with programs that no other test runs, so that its processes can be told apart.
func ownPrograms(t testing.TB, programs string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"mews", "mews-spawner", "mews-worker"} {
		if err := os.Link(filepath.Join(programs, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (h *house) home(name string) string { return filepath.Join(h.dir, "homes", name) }

// start starts the supervisor, and returns when it answers.
func (h *house) start() {
	h.t.Helper()
	log, err := os.OpenFile(filepath.Join(h.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	defer log.Close()
	h.cmd = exec.Command(filepath.Join(h.bin, "mews"), "run", "--config", h.config)
	h.cmd.Stdout, h.cmd.Stderr, h.cmd.Env = log, log, append(os.Environ(), h.env...)
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	exited := make(chan error, 1)
	h.exited = exited
	go func(cmd *exec.Cmd) { exited <- cmd.Wait() }(h.cmd)
	h.until(30*time.Second, "the service to answer", func() bool {
		var s control.Status
		return control.Ask(h.t.Context(), h.socket, control.MethodStatus, nil, &s) == nil
	})
}

// kill ends the supervisor at once, and returns when every process of the house is gone; it fails when one is left after
// two seconds.
func (h *house) kill() {
	h.t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	<-h.exited
	h.cmd = nil
	h.until(2*time.Second, "every process to be gone", func() bool { return len(h.processes("")) == 0 })
}

// stop ends the supervisor as a service manager would.
func (h *house) stop() {
	h.t.Helper()
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		h.t.Fatal(err)
	}
	select {
	case err := <-h.exited:
		if err != nil {
			h.t.Errorf("stopped with %v\n%s", err, h.log())
		}
	case <-time.After(30 * time.Second):
		h.t.Errorf("did not stop within 30 s\n%s", h.log())
		return
	}
	h.cmd = nil
	h.until(2*time.Second, "every process to be gone", func() bool { return len(h.processes("")) == 0 })
}

func (h *house) end() {
	if h.cmd != nil {
		h.kill()
	}
	if h.t.Failed() {
		h.t.Logf("the end of the service's log:\n%s", h.log())
	}
}

// log is the end of what the service has logged.
func (h *house) log() string {
	text, err := os.ReadFile(filepath.Join(h.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-8000):])
}

// until waits for something that comes from outside this process.
func (h *house) until(most time.Duration, what string, there func() bool) {
	h.t.Helper()
	deadline := time.After(most)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-deadline:
			h.t.Fatalf("waited %s for %s; left: %v\n%s", most, what, h.processes(""), h.log())
		case <-tick.C:
		}
	}
}

// processes lists the living processes that run this house's program of that name; "" lists those of all three.
func (h *house) processes(name string) []int {
	var found []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || filepath.Dir(exe) != h.bin {
			continue // it has gone, or is not ours
		}
		if name == "" || filepath.Base(exe) == name {
			found = append(found, pid)
		}
	}
	return found
}

// workers are the processes of people's workers, as the service tells of them: behind their walls they look alike.
func (h *house) workers() map[string]int {
	found := map[string]int{}
	var s control.Status
	if err := control.Ask(h.t.Context(), h.socket, control.MethodStatus, nil, &s); err != nil {
		return found // it is just ending
	}
	alive := h.processes("mews-worker")
	for _, u := range s.Users {
		if slices.Contains(alive, u.PID) {
			found[u.Name] = u.PID
		}
	}
	return found
}

// database opens the database for reading, beside the service or without it.
func (h *house) database() *sql.DB {
	h.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(h.dir, "state", "private", "mews.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		h.t.Fatal(err)
	}
	return db
}

// whole fails unless the database passes SQLite's integrity_check.
func (h *house) whole() {
	h.t.Helper()
	db := h.database()
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(h.t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		h.t.Fatalf("integrity_check: %q, %v", verdict, err)
	}
}

// count is the number that a query gives.
func (h *house) count(query string, args ...any) (n int) {
	h.t.Helper()
	db := h.database()
	defer db.Close()
	if err := db.QueryRowContext(h.t.Context(), query, args...).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}
