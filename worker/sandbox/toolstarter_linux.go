package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ToolStarter starts a worker's programs behind a second layer of walls. Any goroutine may use it.
type ToolStarter struct {
	tier Tier

	mu           sync.Mutex // held over a start
	layer        *toolLayer // nil until the first start
	spareThreads int        // threads that were made and are not used yet
	wasFull      bool       // there was no room for the last process
}

// NewToolStarter is for a worker in a tier.
func NewToolStarter(tier Tier) *ToolStarter { return &ToolStarter{tier: tier} }

// toolLayer is a second layer of walls that any thread can apply. Its rules name the files that
// were there when it was made; the first layer was made earlier and allows no others anyway. It is
// kept for as long as the process lives.
type toolLayer struct {
	rules  int // Landlock's descriptor, closed on execve(2)
	filter []unix.SockFilter
}

// Start starts a program of a worker behind a second layer of walls, which are the worker's own
// once more. The program is a descendant of the worker's Landlock domain, so the worker can signal
// it. cmd must not ask for a signal at the death of its parent: the thread that starts it ends. (It
// must end: it is in the program's domain, which may signal it.)
func (s *ToolStarter) Start(cmd *exec.Cmd) error {
	if !s.tier.AtLeast(TierLandlock) {
		return cmd.Start()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	layer, err := s.toolLayer()
	if err != nil {
		return err
	}
	if err := s.prepareThreads(); err != nil {
		return err
	}
	err = layer.start(cmd)
	s.spareThreads--
	s.wasFull = errors.Is(err, unix.EAGAIN)
	return err
}

// start starts a program on a thread that is restricted for it, and ends with the start.
func (l *toolLayer) start(cmd *exec.Cmd) error {
	return onSpareThread(func() error {
		if err := restrictSelf(l.rules); err != nil {
			return err
		}
		if err := installFilter(l.filter, 0); err != nil {
			return err
		}
		return cmd.Start()
	})
}

const (
	maxSpareThreads = 16 // so many are made
	minSpareThreads = 12 // with so many, no more are made yet
	runtimeThreads  = 8  // so many the runtime needs for itself
)

// prepareThreads makes sure that there are threads for a start and for what follows. Go ends a
// process that cannot make a thread, and a person's programs may have taken all the room for
// processes. So the threads are made while no child lives, when there is room. Otherwise, where
// there was no room or few threads are left, it looks for room first. EAGAIN: there is none, or
// there was none a moment ago and the last threads are not to be risked.
func (s *ToolStarter) prepareThreads() error {
	if s.spareThreads < minSpareThreads && hasNoChildren() {
		s.makeThreads()
		return nil
	}
	few, was := s.spareThreads < runtimeThreads, s.wasFull
	if !few && !was {
		return nil
	}
	if s.wasFull = processLimitReached(); s.wasFull || few && was {
		return os.NewSyscallError("fork", unix.EAGAIN)
	}
	if few {
		s.makeThreads()
	}
	return nil
}

// makeThreads makes the runtime have maxSpareThreads more threads than are at work, which it keeps:
// that many goroutines each hold a thread for a moment.
func (s *ToolStarter) makeThreads() {
	var here, done sync.WaitGroup
	here.Add(maxSpareThreads)
	for range maxSpareThreads {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			here.Done()
			here.Wait()
		})
	}
	done.Wait()
	s.spareThreads = maxSpareThreads
}

// processLimitReached says whether there is no room for another process. The one that it starts
// executes nothing.
func processLimitReached() bool {
	_, err := syscall.ForkExec("/nowhere/nothing", nil, nil)
	return errors.Is(err, unix.EAGAIN)
}

// hasNoChildren says whether this process has no child, not even one that has ended and was not
// reaped.
func hasNoChildren() bool {
	const children = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT
	return errors.Is(unix.Waitid(unix.P_ALL, 0, nil, children, nil), unix.ECHILD)
}

// toolLayer is the second layer, made at the first start. The caller holds the mutex.
func (s *ToolStarter) toolLayer() (*toolLayer, error) {
	if s.layer != nil {
		return s.layer, nil
	}
	version, err := landlockVersion()
	if err != nil {
		return nil, err
	}
	rules := ownRootRules(Plan{})
	if !s.tier.AtLeast(TierNamespaces) {
		// Only the first layer knows which folders of the host are the worker's. What it refuses
		// stays refused.
		rules = []rule{{path: "/", rights: rightsWrite | rightsDevice}}
	}
	set, err := newRuleset(version, rules)
	if err != nil {
		return nil, err
	}
	s.layer = &toolLayer{rules: set, filter: assemble(filter(ProfileTool, s.tier))}
	return s.layer, nil
}
