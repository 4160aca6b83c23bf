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
	// Landlock rules of the layer for programs; nil means that the layer allows all that the first
	// layer does
	ruleset *os.File

	mu           sync.Mutex // held while a program is started
	layer        *toolLayer // second layer of walls; nil until the first start of a program
	parserLayer  *toolLayer // second layer of a parser; nil until the first start of a parser
	readerLayer  *toolLayer // second layer of a reader; nil until the first start of a reader
	probeLayer   *toolLayer // second layer of an escape attempt; nil until the first attempt
	spareThreads int        // number of threads that were made and not used yet
	wasFull      bool       // the process limit was reached at the last start
}

// NewToolStarter returns a starter for a worker in a tier. It owns rules, which are those of
// Inherited.
func NewToolStarter(tier Tier, rules *os.File) *ToolStarter {
	return &ToolStarter{tier: tier, ruleset: rules}
}

// toolLayer is a second layer of walls that any thread can apply. Its rules name the files that
// existed when the layer was made. The first layer is older and allows no other files. The second
// layer lives as long as the process.
type toolLayer struct {
	rules  int // descriptor of the layer's Landlock rules, closed on execve(2)
	filter []unix.SockFilter
}

// Start starts a worker's program behind a second layer of the worker's own walls. The program is
// in the worker's Landlock domain, so the worker can signal it. The command must not ask for a
// signal at its parent's death, because the thread that starts the program ends at once. That
// thread must end: it is in the program's domain, and the program may signal that domain.
func (s *ToolStarter) Start(cmd *exec.Cmd) error { return s.start(cmd, &s.layer, s.toolRuleset) }

// StartProbe is like Start, for the worker's own program as an attempt to escape. The second layer
// allows that program too.
func (s *ToolStarter) StartProbe(cmd *exec.Cmd) error {
	return s.start(cmd, &s.probeLayer, func(version int) (int, error) {
		if s.ruleset != nil { // these rules allow the worker's program
			return s.toolRuleset(version)
		}
		return newRuleset(version, append(s.toolRules(), ownProgramRule))
	})
}

// ownProgramRule allows to execute the worker's own program.
var ownProgramRule = rule{path: "/proc/self/exe", rights: rightsRead}

// StartParser is like Start, for the worker's own program as a parser. The second layer allows no
// file except that program and /dev/null. The parser calls LimitParser before it reads anything.
func (s *ToolStarter) StartParser(cmd *exec.Cmd) error {
	return s.start(cmd, &s.parserLayer, func(version int) (int, error) {
		return newRuleset(version, []rule{ownProgramRule, nullRule})
	})
}

// StartReader is like Start, for a program that reads a file of others from standard input. The
// program is one of the system. The second layer allows to read the system's folders, and no file
// of the user.
func (s *ToolStarter) StartReader(cmd *exec.Cmd) error {
	return s.start(cmd, &s.readerLayer, func(version int) (int, error) {
		return newRuleset(version, append(programRules(), nullRule))
	})
}

// start starts a program behind a layer. The first start makes the layer with this ruleset.
func (s *ToolStarter) start(cmd *exec.Cmd, kept **toolLayer, ruleset func(version int) (int, error)) error {
	if !s.tier.AtLeast(TierLandlock) {
		return cmd.Start()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	layer, err := s.makeLayer(kept, ruleset)
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

// start starts a program on a thread that is restricted for the program, and that ends with the
// start.
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
	maxSpareThreads = 16 // number of spare threads to make in advance
	minSpareThreads = 12 // with this many spare threads, no further threads are made
	runtimeThreads  = 8  // number of threads that the runtime itself needs
)

// prepareThreads ensures that there are threads for a start and for later work. Go crashes if it
// cannot make a thread, and a user's programs may have reached the process limit. So threads are
// made in advance, while no child lives. After a shortage, or with few threads left, prepareThreads
// first checks the limit. The error EAGAIN means that the limit is reached, or was reached a moment
// ago.
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

// makeThreads makes the runtime keep maxSpareThreads idle threads. It starts as many goroutines,
// and each locks a thread for a moment.
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

// processLimitReached reports whether no further process can be started. It tries to execute a
// program that does not exist.
func processLimitReached() bool {
	_, err := syscall.ForkExec("/nowhere/nothing", nil, nil)
	return errors.Is(err, unix.EAGAIN)
}

// hasNoChildren reports whether this process has no child, not even an ended one that was not
// reaped.
func hasNoChildren() bool {
	const children = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT
	return errors.Is(unix.Waitid(unix.P_ALL, 0, nil, children, nil), unix.ECHILD)
}

// toolRuleset returns the ruleset of the second layer for programs.
func (s *ToolStarter) toolRuleset(version int) (int, error) {
	if s.ruleset != nil {
		return unix.FcntlInt(s.ruleset.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	}
	return newRuleset(version, s.toolRules())
}

// toolRules returns the rules of the second layer for programs, if stage one has made none.
func (s *ToolStarter) toolRules() []rule {
	if !s.tier.AtLeast(TierNamespaces) {
		// Only the first layer knows which folders of the host the worker may use. Its refusals
		// still hold.
		return []rule{{path: "/", rights: rightsWrite | rightsDevice}}
	}
	return ownRootRules(Plan{})
}

// makeLayer returns a second layer, which is made at its first use and then kept. The caller holds
// the mutex.
func (s *ToolStarter) makeLayer(kept **toolLayer, ruleset func(version int) (int, error)) (*toolLayer, error) {
	if *kept != nil {
		return *kept, nil
	}
	version, err := landlockVersion()
	if err != nil {
		return nil, err
	}
	set, err := ruleset(version)
	if err != nil {
		return nil, err
	}
	*kept = &toolLayer{rules: set, filter: assemble(filter(ProfileTool, s.tier))}
	return *kept, nil
}
