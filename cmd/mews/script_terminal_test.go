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

// scriptTerminal is a person at a terminal in which a program runs.
type scriptTerminal struct {
	master *os.File
	exited chan error
	pid    int

	mu   sync.Mutex // guards what follows
	seen string     // all that came
	past int        // bytes of it, as shown has it, that earlier sees have taken
}

// terminalCommand makes a command of what a person at the terminal does.
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
	// the terminal is its descriptor 0
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		ts.Check(errors.Join(err, master.Close()))
	}
	s.terminal = &scriptTerminal{master: master, exited: make(chan error, 1), pid: cmd.Process.Pid}
	go s.terminal.watch(cmd) // ends with the program, and that at the script's end at the latest
}

func (t *scriptTerminal) watch(cmd *exec.Cmd) {
	buffer := make([]byte, 4096)
	for {
		n, err := t.master.Read(buffer)
		t.mu.Lock()
		t.seen += string(buffer[:n])
		t.mu.Unlock()
		if err != nil { // EIO: nobody has the other side open any more
			t.exited <- cmd.Wait()
			return
		}
	}
}

// escapes are what moves the cursor and gives colours.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// awaitShown waits until the terminal shows something that it did not show at the last see.
func (t *scriptTerminal) awaitShown(ts *testscript.TestScript, args []string) {
	pattern, err := regexp.Compile(`(?m)` + args[0])
	ts.Check(err)
	waitUntil(ts, apptest.Patience, strconv.Quote(args[0])+" in the terminal", func() bool {
		text := t.shown()
		at := pattern.FindStringIndex(text)
		if at != nil {
			t.past += len(text[:at[1]])
		}
		return at != nil
	})
}

// shown is what the terminal has shown since, without colours and the cursor's ways; what takes the
// place of a prompt is on a line of its own.
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

// awaitExit waits for the program to end, as it does when the person has left.
func (t *scriptTerminal) awaitExit(ts *testscript.TestScript, _ []string) {
	select {
	case err := <-t.exited:
		ts.Check(err)
	case <-time.After(apptest.Patience):
		ts.Fatalf("the program in the terminal did not end")
	}
	ts.Check(t.master.Close())
	scriptEnvOf(ts).terminal = nil
}

// hangUp ends what runs in the terminal, if anything does.
func (t *scriptTerminal) hangUp() error {
	// it is reaped by watch alone, below, so the number is still its own
	_ = syscall.Kill(t.pid, syscall.SIGKILL)
	<-t.exited
	return t.master.Close()
}
