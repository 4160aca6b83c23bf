package shell

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// terminals are the terminals of one worker, in all states.
type terminals struct {
	*environment

	mu     sync.Mutex
	closed bool
	known  map[int]*terminal
	newest int // highest id of a terminal so far
	// seen is the state at the end of the last call; nil if no program has run since
	seen *seenState
}

// seenState is the state of the workspace with which the end of a call is compared.
type seenState struct {
	snapshot
	kept keptProgram // the programs of the terminals from then on
	// the terminal of the last call, for the file history
	turn  int64
	title string
}

// close closes all terminals. The error names the terminals that were open.
func (m *terminals) close() error {
	m.mu.Lock()
	m.closed = true
	all := m.sorted()
	if m.seen != nil {
		m.seen.mews.Stop()
		m.seen.kept.drop()
		m.seen = nil
	}
	m.mu.Unlock()
	var errs []error
	var wg sync.WaitGroup
	for _, t := range onlyRunning(all) {
		errs = append(errs, fmt.Errorf("close the shell: %s was still open", t.name()))
	}
	for _, t := range all {
		wg.Go(func() { t.close(stateClosed) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// endTurn closes the terminals that a turn has opened, and waits for their programs to end.
func (m *terminals) endTurn(turn int64) {
	m.mu.Lock()
	opened := slices.DeleteFunc(m.sorted(), func(t *terminal) bool { return t.turn != turn })
	m.mu.Unlock()
	var closing sync.WaitGroup
	for _, t := range onlyRunning(opened) {
		closing.Go(func() { t.close(stateStopped) })
	}
	closing.Wait()
}

// takeSeen returns the state with which the files are compared at the end of a call.
func (m *terminals) takeSeen(ctx context.Context) seenState {
	m.mu.Lock()
	seen := m.seen
	m.seen = nil
	m.mu.Unlock()
	if seen != nil {
		return *seen
	}
	before := m.takeSnapshot(ctx)
	before.settle()
	return seenState{snapshot: before, kept: m.keepBefore(ctx, before)}
}

// changesSinceSeen returns the changes since a state of takeSeen. turn and title are those of the
// call's terminal. If programs still run, the next call compares with the present files, so that no
// change between two calls is missed.
func (m *terminals) changesSinceSeen(ctx context.Context, before seenState, turn int64, title string) fileChanges {
	after := m.takeSnapshot(ctx)
	after.settle()
	found := m.changesBetween(before.snapshot, after)
	found.kept = before.kept.end(ctx, after, programAuthor(turn, title))
	next := &seenState{snapshot: after, turn: turn, title: title}
	if len(m.running()) > 0 {
		next.kept = m.keepBefore(ctx, after)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	unused := next
	if !m.closed && len(onlyRunning(m.sorted())) > 0 {
		m.seen, unused = next, m.seen
	}
	if unused != nil {
		unused.mews.Stop()
		unused.kept.drop()
	}
	return found
}

// sorted returns the terminals in the order of opening. The caller holds the mutex.
func (m *terminals) sorted() []*terminal {
	return slices.SortedFunc(maps.Values(m.known), func(a, b *terminal) int { return a.id - b.id })
}

// onlyRunning returns the terminals whose programs run.
func onlyRunning(all []*terminal) []*terminal {
	return slices.DeleteFunc(slices.Clone(all), func(t *terminal) bool { return t.currentState() != stateRunning })
}

// joinNames joins the names of terminals in one line.
func joinNames(all []*terminal) string {
	var names []string
	for _, t := range all {
		names = append(names, t.name())
	}
	return strings.Join(names, ", ")
}

// add starts a terminal with the next id, and forgets old terminals that have ended.
func (m *terminals) add(args terminalArgs) (*terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	if open := onlyRunning(m.sorted()); len(open) >= m.options.limits.terminals {
		return nil, fmt.Errorf("open a terminal: %d are open, and that is the most: %s; close one", len(open), joinNames(open))
	}
	t, err := m.start(m.newest+1, args)
	if err != nil {
		return nil, err
	}
	m.newest++
	m.known[t.id] = t
	m.dropEnded()
	go t.run()
	return t, nil
}

// maxKnown bounds the remembered terminals, including ended terminals.
const maxKnown = 8

// dropEnded forgets the oldest terminals that have ended, if there are too many. The caller holds
// the mutex.
func (m *terminals) dropEnded() {
	for _, t := range m.sorted() {
		if len(m.known) > maxKnown && t.currentState() != stateRunning {
			t.close(stateClosed)
			delete(m.known, t.id)
		}
	}
}

// running lists the terminals whose programs run.
func (m *terminals) running() []*terminal {
	m.mu.Lock()
	defer m.mu.Unlock()
	return onlyRunning(m.sorted())
}

// start starts the program of a new terminal. The caller must call its run.
func (m *terminals) start(id int, a terminalArgs) (*terminal, error) {
	shell, err := m.shell()
	if err != nil {
		return nil, err
	}
	args, named := []string{"-i"}, filepath.Base(shell)
	if a.Command != "" {
		args, named = []string{"-c", a.Command}, oneLine(a.Command)
	}
	master, tty, err := openPseudoTerminal(a.Rows, a.Cols)
	if err != nil {
		return nil, err
	}
	// Without HISTFILE, commands that are typed here do not go into the user's own history.
	cmd := m.newCommand(m.Home, m.variables("TERM=xterm", "HISTFILE="), shell, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setctty: true} // the controlling terminal is descriptor 0
	c, err := m.options.Programs.Start(cmd)
	_ = tty.Close() // the program has its own copy of the descriptor
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", shell, errors.Join(err, master.Close()))
	}
	t := &terminal{
		id: id, title: named, turn: a.turn, opened: m.options.Now(), limits: m.options.limits, child: c, master: master, done: make(chan struct{}),
		state: stateRunning, screen: newScreen(a.Rows, a.Cols), output: time.Now(), changed: make(chan struct{}),
	}
	t.idle = time.AfterFunc(t.limits.idle, func() { t.close(stateIdle) })
	return t, nil
}

// find finds a terminal. Without an id it returns the only running terminal. If no terminal runs,
// it returns the newest.
func (m *terminals) find(id int) (*terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := onlyRunning(m.sorted())
	switch {
	case id == 0 && len(open) == 1:
		return open[0], nil
	case id == 0 && len(open) == 0:
		id = m.newest
	}
	if t := m.known[id]; t != nil {
		return t, nil
	}
	if len(open) == 0 {
		return nil, errors.New("no terminal is open; they end with the worker, after a while without use")
	}
	if id == 0 {
		return nil, fmt.Errorf("name a terminal by its id; open are: %s", joinNames(open))
	}
	return nil, fmt.Errorf("there is no terminal %d; open are: %s", id, joinNames(open))
}

// findRunning finds a terminal whose program runs.
func (m *terminals) findRunning(id int) (*terminal, error) {
	t, err := m.find(id)
	if err != nil {
		return nil, err
	}
	if now := t.currentState(); now != stateRunning {
		return nil, fmt.Errorf("%s: it is %s; open another one", t.name(), now)
	}
	return t, nil
}
