package shell

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminalState is where a terminal is in its life.
type terminalState string

const (
	stateRunning terminalState = "running"
	stateEnded   terminalState = "ended"  // its program has; what it shows can still be read
	stateClosed  terminalState = "closed" // by the model, or with the worker
	stateIdle    terminalState = "closed because nobody used it"
)

// nextStates are the states that may follow one.
var nextStates = map[terminalState][]terminalState{
	stateRunning: {stateEnded, stateClosed, stateIdle},
	stateEnded:   {stateClosed, stateIdle},
}

// terminal is a program with a pseudo-terminal of its own. It goes on until it is closed or its program ends; attend is
// its one goroutine.
type terminal struct {
	id     int
	title  string
	limits Limits
	child  *child
	master *os.File
	idle   *time.Timer   // closes it
	done   chan struct{} // closed when the program and all that it left are gone

	mu      sync.Mutex // guards what follows
	state   terminalState
	ending  string // how the program ended
	screen  *screen
	output  time.Time     // the newest
	changed chan struct{} // closed at the next output
}

// openPseudoTerminal makes a pseudo-terminal of a size. The caller closes both ends.
func openPseudoTerminal(rows, cols int) (master, tty *os.File, err error) {
	opened, tty, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pseudo-terminal: %w", err)
	}
	defer opened.Close()
	// The package leaves its end in a mode in which a read cannot be broken off.
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

// setSize tells the kernel, which tells the program.
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

// run shows what the program writes until nothing can write any more, and waits for its end then.
func (t *terminal) run() {
	defer close(t.done)
	t.readOutput()
	_ = t.child.wait() // what there is to say is in the state
	t.child.killLeftovers()
	t.mu.Lock()
	t.ending = statusOf(t.child.cmd.ProcessState)
	t.mu.Unlock()
	t.transition(stateEnded)
	_ = t.master.Close()
}

// The shortest and the longest pause before a terminal that nothing has open is looked at again.
const (
	minPollPause = time.Millisecond
	maxPollPause = 200 * time.Millisecond
)

// readOutput takes what is written until the terminal is closed or its program ends. That nothing has the terminal open is no end
// while the program lives: it may open it again.
func (t *terminal) readOutput() {
	buf := make([]byte, 32<<10)
	for pause := minPollPause; ; {
		n, err := t.master.Read(buf)
		if t.take(buf[:n]); err == nil {
			pause = minPollPause
			continue
		}
		if p, ok := readProcess(t.child.pid); !errors.Is(err, syscall.EIO) || !ok || p.dead {
			return
		}
		time.Sleep(pause)
		pause = min(2*pause, maxPollPause)
	}
}

// take shows what the program wrote, and answers what it asked.
func (t *terminal) take(p []byte) {
	if len(p) == 0 {
		return
	}
	t.mu.Lock()
	_, _ = t.screen.Write(p)
	answer := t.screen.out.answer
	t.screen.out.answer = nil
	t.output = time.Now()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
	if len(answer) > 0 {
		// A program that does not read its answers does without them: this goroutine must not wait for it.
		_ = t.master.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		_, _ = t.master.Write(answer)
	}
}

// typeText sends to the program what a person would type.
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

// resize changes what the program and the screen take for the size.
func (t *terminal) resize(rows, cols int) error {
	if err := setSize(t.master, rows, cols); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.resizeTo(rows, cols)
	return nil
}

func (t *terminal) now() terminalState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// transition takes a step in the terminal's life, and reports whether there was one to take.
func (t *terminal) transition(to terminalState) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range nextStates[t.state] {
		if s == to {
			t.state = to
			return true
		}
	}
	return false
}

// close ends the program and waits until it is gone: it is hung up on first, and then killed. A second caller waits too.
func (t *terminal) close(why terminalState) {
	within := t.limits.Grace
	if t.transition(why) {
		t.idle.Stop()
		t.child.signal(syscall.SIGHUP)
		_ = t.master.Close() // the kernel hangs up on all the others
	}
	for range 2 {
		select {
		case <-t.done:
			return
		case <-time.After(within):
		}
		t.child.signal(syscall.SIGKILL)
		within = killTimeout
	}
}
