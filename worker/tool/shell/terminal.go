package shell

import (
	"errors"
	"fmt"
	"mews/worker/program"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminalState is a state in a terminal's life.
type terminalState string

const (
	stateRunning terminalState = "running"
	stateEnded   terminalState = "ended"  // the program has ended; the screen can still be read
	stateClosed  terminalState = "closed" // the model has closed the terminal, or the worker has ended
	stateStopped terminalState = "closed because the person stopped the turn that opened it"
	stateIdle    terminalState = "closed because nobody used it"
)

// nextStates are the states that may follow each state.
var nextStates = map[terminalState][]terminalState{
	stateRunning: {stateEnded, stateClosed, stateStopped, stateIdle},
	stateEnded:   {stateClosed, stateStopped, stateIdle},
}

// terminal is a program with its own pseudo-terminal. It lives until it is closed or its program
// ends. run is its only goroutine.
type terminal struct {
	id     int
	title  string
	turn   int64 // id of the turn that opened the terminal
	opened time.Time
	limits *limits
	child  *program.Child
	master *os.File
	idle   *time.Timer   // timer that closes the unused terminal
	done   chan struct{} // closed when the program and its leftover processes are gone

	mu      sync.Mutex // guards the fields below
	state   terminalState
	ending  string // text about the program's end
	screen  *screen
	output  time.Time     // time of the newest output
	changed chan struct{} // closed when the program writes its next output
}

// openPseudoTerminal makes a pseudo-terminal with a size. The caller closes both ends.
func openPseudoTerminal(rows, cols int) (master, tty *os.File, err error) {
	opened, tty, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pseudo-terminal: %w", err)
	}
	defer opened.Close()
	// pty leaves its end in a mode in which a deadline cannot end a read.
	fd, err := unix.FcntlInt(opened.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make a pseudo-terminal: %w", err), tty.Close())
	}
	master = os.NewFile(uintptr(fd), opened.Name())
	if err := setSize(master, rows, cols); err != nil {
		return nil, nil, errors.Join(err, master.Close(), tty.Close())
	}
	return master, tty, nil
}

// setSize tells the kernel the size. The kernel tells the program.
func setSize(master *os.File, rows, cols int) error {
	raw, err := master.SyscallConn()
	if err != nil {
		return fmt.Errorf("resize the terminal: %w", err)
	}
	outer := raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
	if err := errors.Join(outer, err); err != nil {
		return fmt.Errorf("resize the terminal: %w", err)
	}
	return nil
}

// run shows the program's output until no process can write any longer. Then it waits for the
// program's end.
func (t *terminal) run() {
	defer close(t.done)
	t.readOutput()
	_ = t.child.Wait() // ProcessState tells how the program ended
	t.child.KillLeftovers()
	t.mu.Lock()
	t.ending = program.DescribeExit(t.child.Cmd.ProcessState)
	t.mu.Unlock()
	t.transition(stateEnded)
	_ = t.master.Close()
}

// The shortest and the longest pause before the next read, while no process has the terminal open.
const (
	minPollPause = time.Millisecond
	maxPollPause = 200 * time.Millisecond
)

// readOutput reads the output until the terminal is closed or its program ends. A living program
// may close the terminal and open it again.
func (t *terminal) readOutput() {
	buf := make([]byte, 32<<10)
	for pause := minPollPause; ; {
		n, err := t.master.Read(buf)
		if t.display(buf[:n]); err == nil {
			pause = minPollPause
			continue
		}
		if !errors.Is(err, syscall.EIO) || !program.IsProcessAlive(t.child.PID) {
			return
		}
		time.Sleep(pause)
		pause = min(2*pause, maxPollPause)
	}
}

// display shows output on the screen, and sends the program the answers that it has asked for.
func (t *terminal) display(p []byte) {
	if len(p) == 0 {
		return
	}
	t.mu.Lock()
	_, _ = t.screen.Write(p)
	answer := t.screen.answer
	t.screen.answer = nil
	t.output = time.Now()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
	if len(answer) > 0 {
		// This goroutine must not wait for a program that does not read its answers.
		_ = t.master.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		_, _ = t.master.Write(answer)
	}
}

// typeText sends text to the program as if it was typed.
func (t *terminal) typeText(text string) error {
	if err := t.master.SetWriteDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return fmt.Errorf("type into terminal %d: %w", t.id, err)
	}
	n, err := t.master.Write([]byte(text))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("type into terminal %d: its program took %d of %d bytes and reads no more now", t.id, n, len(text))
	}
	if err != nil {
		return fmt.Errorf("type into terminal %d: %w", t.id, err)
	}
	return nil
}

// resize changes the size of the pseudo-terminal and of the screen.
func (t *terminal) resize(rows, cols int) error {
	if err := setSize(t.master, rows, cols); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.resizeTo(rows, cols)
	return nil
}

func (t *terminal) currentState() terminalState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// transition moves to the next state and reports true, if that state may follow the present state.
func (t *terminal) transition(to terminalState) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(nextStates[t.state], to) {
		return false
	}
	t.state = to
	return true
}

// close hangs up on the program, waits for its end, and kills the program if it goes on. A second
// caller waits for the same end.
func (t *terminal) close(why terminalState) {
	within := t.limits.grace
	if t.transition(why) {
		t.idle.Stop()
		t.child.Signal(syscall.SIGHUP)
		_ = t.master.Close() // the kernel hangs up on all other processes of the terminal
	}
	for range 2 {
		select {
		case <-t.done:
			return
		case <-time.After(within):
		}
		t.child.Signal(syscall.SIGKILL)
		within = program.KillTimeout
	}
}
