package sandbox

import (
	"os/exec"
	"runtime"
)

// Inside says in which tier this process, a worker, is.
type Inside struct {
	Tier Tier
	Home string // where it finds its person's folder
}

// Start starts a child of a worker behind a second layer of walls, which are those around the worker, without sockets.
// The child is a descendant of the worker's Landlock domain, and so can be signalled by it. cmd must not ask for a signal
// at the death of its parent: the thread that starts it ends.
func (in Inside) Start(cmd *exec.Cmd) error {
	if !in.Tier.AtLeast(TierLandlock) {
		return cmd.Start()
	}
	started := make(chan error, 1)
	go func() { // ends with the start, and its thread with it: that is never unlocked, because it stays restricted
		runtime.LockOSThread()
		if err := in.restrict(); err != nil {
			started <- err
			return
		}
		started <- cmd.Start()
	}()
	return <-started
}

// restrict has the second layer hold for the calling thread.
func (in Inside) restrict() error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	if err := restrict(version, ProfileTool, in.rules()); err != nil {
		return err
	}
	return loadFilter(ProfileTool, in.Tier)
}

// rules are those of the first layer or narrower: what that refuses cannot even be opened to be named here.
func (in Inside) rules() []rule {
	if in.Tier.AtLeast(TierNamespaces) {
		return rulesWithin()
	}
	return append(rulesOfHost(), rule{path: in.Home, rights: rightsWrite})
}
