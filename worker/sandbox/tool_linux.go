package sandbox

import (
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// Inside is a worker's knowledge of the walls that it is in. It may be used by any goroutine.
type Inside struct {
	tier Tier
	home string // where the worker finds its person's folder

	mu     sync.Mutex // guards what follows
	second *layer     // nil: it was not needed yet
}

// NewInside is for a worker in a tier that finds its person's folder at home.
func NewInside(tier Tier, home string) *Inside { return &Inside{tier: tier, home: home} }

// layer is a second layer of walls that any thread can take on. What it names are the files of the moment in which it was
// made, as those of the first layer are, which was made before: it could not allow others anyhow. It is kept for as long
// as the process lives.
type layer struct {
	rules  int // Landlock's descriptor, closed on execve(2)
	filter []unix.SockFilter
}

// Start starts a child of a worker behind a second layer of walls, which are those around the worker, without sockets.
// The child is a descendant of the worker's Landlock domain, and so can be signalled by it. cmd must not ask for a signal
// at the death of its parent: the thread that starts it ends.
func (in *Inside) Start(cmd *exec.Cmd) error {
	if !in.tier.AtLeast(TierLandlock) {
		return cmd.Start()
	}
	second, err := in.layer()
	if err != nil {
		return err
	}
	started := make(chan error, 1)
	go func() { // ends with the start, and its thread with it: that is never unlocked, because it stays restricted
		runtime.LockOSThread()
		if err := second.hold(); err != nil {
			started <- err
			return
		}
		started <- cmd.Start()
	}()
	return <-started
}

// layer is the second one, made for the first child.
func (in *Inside) layer() (*layer, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.second != nil {
		return in.second, nil
	}
	version, err := landlockVersion()
	if err != nil {
		return nil, err
	}
	rules, err := newRuleset(version, ProfileTool, in.rules())
	if err != nil {
		return nil, err
	}
	in.second = &layer{rules: rules, filter: assemble(filter(ProfileTool, in.tier))}
	return in.second, nil
}

// hold has the layer hold for the calling thread, and for all that it starts.
func (l *layer) hold() error {
	if err := restrictSelf(l.rules); err != nil {
		return err
	}
	return install(l.filter, 0)
}

// rules are those of the first layer or narrower: what that refuses cannot even be opened to be named here.
func (in *Inside) rules() []rule {
	if in.tier.AtLeast(TierNamespaces) {
		return rulesWithin()
	}
	return append(rulesOfHost(), rule{path: in.home, rights: rightsWrite})
}
