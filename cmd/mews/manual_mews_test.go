package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"mews/cmd/mews/chat/chattest"
	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/sqlite/sqlitetest"
)

// ownMews is a Mews without a configuration, in its own folder. One goroutine uses it. Its service
// starts when it is first needed, and ends with the test.
type ownMews struct {
	t        testing.TB
	dir      string
	more     []string // further environment variables of the programs
	service  bool     // whether the service runs
	terminal *ownTerminal
	kept     string // number of the newest answered line
}

// newMews makes the folders. Their path is short, because a socket's path must be short.
func newMews(t testing.TB, more ...string) *ownMews {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews-own-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m := &ownMews{t: t, dir: dir, more: more, kept: "0"}
	for _, name := range []string{"", "bin", "home", "work"} {
		if err := errors.Join(os.MkdirAll(m.path(name), 0o755), os.Chmod(m.path(name), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"mews", "mews-spawner", "mews-worker"} {
		if err := os.Link(filepath.Join(apptest.BuildPrograms(t), name), m.path("bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *ownMews) path(names ...string) string {
	return filepath.Join(m.dir, filepath.Join(names...))
}

// command returns a program that runs in the folder work. Its PATH begins with mews; the rest of
// its environment does not depend on this machine.
func (m *ownMews) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = m.path("work")
	cmd.Env = append([]string{
		"PATH=" + m.path("bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + m.path("home"),
		"XDG_STATE_HOME=" + m.path("state"), "XDG_CONFIG_HOME=" + m.path("config"), "LANG=C.UTF-8", "TERM=xterm",
		"TZ=UTC", "GORACE=atexit_sleep_ms=0",
	}, m.more...)
	return cmd
}

// serve starts `mews run` if it does not run, and returns when it answers.
func (m *ownMews) serve() {
	m.t.Helper()
	if m.service {
		return
	}
	log, err := os.Create(m.path("log"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	cmd := m.command(m.path("bin", "mews"), "run")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.service = true
	m.t.Cleanup(func() {
		if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
			text, _ := os.ReadFile(m.path("log"))
			m.t.Errorf("mews run ended with %v\n%s", err, text)
		}
	})
	socket := m.path("state", "mews", "control.sock")
	m.await("the service to answer", func() bool {
		var status api.Status
		return control.CallOnce(m.t.Context(), socket, api.MethodStatus, nil, &status) == nil
	})
}

// await waits until another process fulfils a condition.
func (m *ownMews) await(what string, there func() bool) {
	m.t.Helper()
	deadline := time.After(apptest.DefaultTestTimeout)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-deadline:
			shown := ""
			if m.terminal != nil {
				shown = m.terminal.everything()
			}
			m.t.Fatalf("waited %s for %s; the terminal shows\n%s", apptest.DefaultTestTimeout, what, shown)
		case <-tick.C:
		}
	}
}

// ownTerminal is a terminal in which a program runs.
type ownTerminal struct {
	keys *os.File

	mu     sync.Mutex // guards the fields below
	screen *chattest.Screen
	came   int // number of bytes read from the terminal
}

func (t *ownTerminal) bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.came
}

func (t *ownTerminal) everything() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.AllText()
}

// open starts mews in a terminal of this size. It must end without an error when the test ends.
func (m *ownMews) open(cols, rows int, args ...string) {
	m.t.Helper()
	cmd := m.command(m.path("bin", "mews"), args...)
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		m.t.Fatal(err)
	}
	t := &ownTerminal{keys: keys, screen: chattest.NewScreen(m.t, cols, rows)}
	var watching sync.WaitGroup
	watching.Go(func() {
		buffer := make([]byte, 4096)
		for {
			n, err := keys.Read(buffer)
			t.mu.Lock()
			t.screen.Write(buffer[:n])
			t.came += n
			t.mu.Unlock()
			if err != nil { // the read fails if no process has the terminal open
				return
			}
		}
	})
	m.terminal = t
	m.t.Cleanup(func() {
		_, typed := keys.WriteString("\x03\x04") // Ctrl-C clears the line, and Ctrl-D leaves
		err := errors.Join(typed, cmd.Wait())
		watching.Wait()
		if err := errors.Join(err, keys.Close()); err != nil {
			m.t.Errorf("mews %s ended with %v", strings.Join(args, " "), err)
		}
	})
	m.await("a prompt", func() bool { return strings.HasSuffix(t.everything(), "\n>") })
}

// say types a line, waits for its answer, and returns the lines that the terminal has shown since
// then. The answer may be a question.
func (m *ownMews) say(line string) []string {
	m.t.Helper()
	before := len(m.lines())
	if _, err := m.terminal.keys.WriteString(line + "\r"); err != nil {
		m.t.Fatal(err)
	}
	if words := strings.Fields(line); words[0] != "/attach" || len(words) > 2 { // /attach alone sends nothing
		m.await("an answer to "+line, m.newlySettled())
	}
	shown := m.lines()
	return shown[min(before, len(shown)):]
}

// newlySettled returns a function that reports whether the typed line is answered. The returned
// function copies the database. So it first waits until the terminal has been quiet for some calls.
func (m *ownMews) newlySettled() func() bool {
	came, quiet := m.terminal.bytes(), 0
	return func() bool {
		if now := m.terminal.bytes(); now != came {
			came, quiet = now, 0
		}
		if quiet++; quiet%16 != 4 {
			return false
		}
		kept, settled, _ := strings.Cut(m.look(), " ")
		if kept == m.kept || settled != "1" {
			return false
		}
		m.kept = kept
		return true
	}
}

// marker is typed and deleted again. If the marker is on the screen, all earlier output is on the
// screen too.
const marker = "§"

// lines returns the lines of the terminal above the line that is being typed.
func (m *ownMews) lines() (lines []string) {
	m.t.Helper()
	if _, err := m.terminal.keys.WriteString(marker); err != nil {
		m.t.Fatal(err)
	}
	m.await("a prompt", func() (prompted bool) {
		lines = strings.Split(m.terminal.everything(), "\n")
		return lines[len(lines)-1] == "> "+marker
	})
	if _, err := m.terminal.keys.WriteString("\x7f"); err != nil {
		m.t.Fatal(err)
	}
	return lines[:len(lines)-1]
}

// settled selects the number of the newest inbound, a space, and 1 or 0. The last number is 1 if no
// delivery is left in the outbox, and each inbound is answered or waits for the answer to a
// question.
const settled = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'inbox'), 0) || ' ' || " +
	"((SELECT count(*) FROM inbox WHERE state IN ('new', 'running')) <= " +
	"(SELECT count(DISTINCT turn) FROM question WHERE why IS NULL) AND " +
	"NOT EXISTS (SELECT 1 FROM outbox WHERE delivered_at IS NULL))"

func (m *ownMews) look() string {
	m.t.Helper()
	return sqlitetest.QueryColumnInCopy(m.t, m.path("state", "mews", "private", "mews.db"), settled)[0]
}
