package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/app/apptest"
)

// scriptTerminal is a terminal in which a program runs, and the user there.
type scriptTerminal struct {
	master *os.File
	exited chan error
	pid    int

	mu   sync.Mutex // guards the fields below
	seen string     // the whole output of the terminal
	past int        // bytes of shown() that earlier `see` commands have matched
}

// terminalCommand makes a script command of the user at the terminal.
func terminalCommand(usage string, do func(*scriptTerminal, *testscript.TestScript, []string)) scriptCommand {
	return command(usage, func(s *scriptEnv, ts *testscript.TestScript, args []string) {
		if s.terminal == nil {
			ts.Fatalf("there is no terminal")
		}
		do(s.terminal, ts, args)
	})
}

// openTerminal starts a program in a terminal of 100 columns and 40 lines.
func (s *scriptEnv) openTerminal(ts *testscript.TestScript, args []string) {
	if s.terminal != nil {
		ts.Fatalf("there is a terminal already")
	}
	s.giveHomes()
	master, slave, err := newTerminal()
	ts.Check(err)
	defer slave.Close()
	cmd := exec.Command(filepath.Join(s.dir, "bin", args[0]), args[1:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), s.environment(ts)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	// descriptor 0 is the terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		ts.Check(errors.Join(err, master.Close()))
	}
	s.terminal = &scriptTerminal{master: master, exited: make(chan error, 1), pid: cmd.Process.Pid}
	go s.terminal.watch(cmd) // this goroutine ends with the program, at the latest at the script's end
}

func (t *scriptTerminal) watch(cmd *exec.Cmd) {
	buffer := make([]byte, 4096)
	for {
		n, err := t.master.Read(buffer)
		t.mu.Lock()
		t.seen += string(buffer[:n])
		t.mu.Unlock()
		if err != nil { // EIO means that no process has the terminal open
			t.exited <- cmd.Wait()
			return
		}
	}
}

// escapes matches sequences that move the cursor or set colours.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// awaitShown waits until the terminal shows something new.
func (t *scriptTerminal) awaitShown(ts *testscript.TestScript, args []string) {
	pattern, err := regexp.Compile(`(?m)` + args[0])
	ts.Check(err)
	waitUntil(ts, apptest.DefaultTestTimeout, strconv.Quote(args[0])+" in the terminal", func() bool {
		text := t.shown()
		at := pattern.FindStringIndex(text)
		if at != nil {
			t.past += len(text[:at[1]])
		}
		return at != nil
	})
}

// shown returns the output without colours and cursor movements. Output that replaces a prompt is
// on its own line.
func (t *scriptTerminal) shown() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ReplaceAll(t.seen, "\r\x1b[J", "\n")
	return strings.ReplaceAll(escapes.ReplaceAllString(text, ""), "\r", "")[t.past:]
}

func (t *scriptTerminal) typeKeys(ts *testscript.TestScript, args []string) {
	keys, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	_, err = t.master.WriteString(keys)
	ts.Check(err)
}

// awaitExit waits until the program ends, after the user has left.
func (t *scriptTerminal) awaitExit(ts *testscript.TestScript, _ []string) {
	select {
	case err := <-t.exited:
		ts.Check(err)
	case <-time.After(apptest.DefaultTestTimeout):
		ts.Fatalf("the program in the terminal did not end")
	}
	ts.Check(t.master.Close())
	scriptEnvOf(ts).terminal = nil
}

// hangUp kills the program in the terminal, if it runs.
func (t *scriptTerminal) hangUp() error {
	// only watch reaps the program, so no other process can have its pid yet
	_ = syscall.Kill(t.pid, syscall.SIGKILL)
	<-t.exited
	return t.master.Close()
}
