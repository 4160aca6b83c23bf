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

// ToolStarter is a worker's knowledge of the walls that it is in. It may be used by any goroutine.
type ToolStarter struct {
	tier Tier

	mu           sync.Mutex // held over a start
	layer        *toolLayer // nil: it was not needed yet
	spareThreads int        // threads that were made before they are needed
	wasFull      bool       // there was no room for the last child
}

// NewToolStarter is for a worker in a tier.
func NewToolStarter(tier Tier) *ToolStarter { return &ToolStarter{tier: tier} }

// toolLayer is a second layer of walls that any thread can take on. What it names are the files of the moment in which it was
// made, as those of the first layer are, which was made before: it could not allow others anyhow. It is kept for as long
// as the process lives.
type toolLayer struct {
	rules  int // Landlock's descriptor, closed on execve(2)
	filter []unix.SockFilter
}

// Start starts a child of a worker behind a second layer of walls, which are those around the worker, without sockets.
// The child is a descendant of the worker's Landlock domain, and so can be signalled by it. cmd must not ask for a signal
// at the death of its parent: the thread that starts it ends. (It must: it is in the child's domain, which may signal it.)
func (in *ToolStarter) Start(cmd *exec.Cmd) error {
	if !in.tier.AtLeast(TierLandlock) {
		return cmd.Start()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	second, err := in.toolLayer()
	if err != nil {
		return err
	}
	if err := in.prepareThreads(); err != nil {
		return err
	}
	started := make(chan error, 1)
	go func() { started <- second.start(cmd) }() // ends with the start, and its thread with it
	err = <-started
	in.spareThreads--
	in.wasFull = errors.Is(err, unix.EAGAIN)
	return err
}

// start starts a child on the calling goroutine's thread, which is never unlocked, because it stays restricted: the goroutine
// must end, and the thread then ends too. The main thread would not (runtime.LockOSThread), and so would be within the reach of
// that child for good: it is only held, so that another thread is taken.
func (l *toolLayer) start(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		defer runtime.UnlockOSThread()
		started := make(chan error, 1)
		go func() { started <- l.start(cmd) }()
		return <-started
	}
	if err := l.apply(); err != nil {
		return err
	}
	return cmd.Start()
}

// How many spare threads are made; with how many they are not made again yet; and how many the runtime needs for itself.
const (
	maxSpareThreads = 16
	minSpareThreads = 12
	runtimeThreads  = 8
)

// prepareThreads sees to it that threads are there for a start and for what follows. Go ends a process that may have no thread more,
// and there may be none when a person's programs have taken all the room for processes. So they are made while no child
// lives, when there is room. Else, where there was no room or few are left, it is looked for first: EAGAIN is that there is
// none, or was none a moment ago and the last threads are not to be risked.
func (in *ToolStarter) prepareThreads() error {
	if in.spareThreads < minSpareThreads && hasNoChildren() {
		in.makeThreads()
		return nil
	}
	few, was := in.spareThreads < runtimeThreads, in.wasFull
	if !few && !was {
		return nil
	}
	if in.wasFull = processLimitReached(); in.wasFull || few && was {
		return os.NewSyscallError("fork", unix.EAGAIN)
	}
	if few {
		in.makeThreads()
	}
	return nil
}

// makeThreads has the runtime have so many threads more than are at work, which it keeps: that many goroutines are each on one
// of their own for a moment.
func (in *ToolStarter) makeThreads() {
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
	in.spareThreads = maxSpareThreads
}

// processLimitReached tells whether there is no room for a process more. What it starts is nothing.
func processLimitReached() bool {
	_, err := syscall.ForkExec("/nowhere/nothing", nil, nil)
	return errors.Is(err, unix.EAGAIN)
}

// hasNoChildren tells whether this process has no child, not even one that has ended and was not waited for.
func hasNoChildren() bool {
	const children = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT
	return errors.Is(unix.Waitid(unix.P_ALL, 0, nil, children, nil), unix.ECHILD)
}

// toolLayer is the second one, made for the first child. The caller holds the mutex.
func (in *ToolStarter) toolLayer() (*toolLayer, error) {
	if in.layer != nil {
		return in.layer, nil
	}
	version, err := landlockVersion()
	if err != nil {
		return nil, err
	}
	rules, err := newRuleset(version, ProfileTool, in.rules())
	if err != nil {
		return nil, err
	}
	in.layer = &toolLayer{rules: rules, filter: assemble(filter(ProfileTool, in.tier))}
	return in.layer, nil
}

// apply has the layer hold for the calling thread, and for all that it starts.
func (l *toolLayer) apply() error {
	if err := restrictSelf(l.rules); err != nil {
		return err
	}
	return install(l.filter, 0)
}

// rules are those of the first layer or wider: what that refuses stays refused. Without mounts of its own only it knows which
// folders of the host are the worker's.
func (in *ToolStarter) rules() []rule {
	if in.tier.AtLeast(TierNamespaces) {
		return ownRootRules()
	}
	return []rule{{path: "/", rights: rightsWrite | rightsDevice}}
}
