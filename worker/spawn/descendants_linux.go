package spawn

import (
	"syscall"

	"mews/worker/cgroup"
	"mews/worker/sandbox"
)

// killDescendants kills all that descends from the roots and not from a child that is spared, and says how many processes those were.
//
// A program that makes processes without end has many, each of which has as much right to a processor as this one: it may
// make them faster than they can be stopped one by one. So where workers have an account that nobody else here has, all of the
// account is stopped in one moment, and let go on when all are killed.
func (s *spawner) killDescendants(roots ...int) (killed int, err error) {
	if s.power != sandbox.PrivilegeNone && !s.tier.AtLeast(sandbox.TierNamespaces) && s.Account.UID != 0 && s.Account != s.own {
		defer stopAccount(s.Account)()
	}
	return cgroup.KillDescendants(roots, s.survivors())
}

// stopAccount stops the workers' account, where that can be done, and returns what lets it go on. What cannot be stopped so is
// stopped by KillDescendants. The supervisor has this process's account, which is left alone.
func stopAccount(a Account) (thaw func()) {
	signal := func(sig syscall.Signal) { _ = sandbox.SignalAccount(int(a.UID), int(a.GID), sig) }
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}
