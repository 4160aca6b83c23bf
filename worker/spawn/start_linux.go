package spawn

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// start starts a new worker with socket as its descriptors 0 and 1, and stderr as 2. Its only other
// descriptors are those of sandbox.Inherited. historyFault is for spawnwire.StartedMessage.
func (s *spawner) start(m spawnwire.SpawnRequest, socket, stderr int) (w *worker, historyFault string, err error) {
	account, err := s.workerAccount(Account{m.UID, m.GID}, s.own)
	if err != nil {
		return nil, "", err
	}
	w = &worker{id: m.ID, workerGroup: workerGroup{limits: workerLimits(m, s.Policy)}}
	plan, home, lent, err := s.plan(m, w, account)
	if err != nil {
		return nil, "", err
	}
	defer unix.Close(home)
	defer lent.close()
	history, historyFault, err := s.openHistory(m, &plan)
	if err != nil {
		return nil, "", err
	}
	if history >= 0 {
		defer unix.Close(history)
	}
	if s.programFault != nil {
		return nil, "", fmt.Errorf("execute %s: %w", s.Worker, s.programFault)
	}
	launch, err := plan.NewLaunch(s.privilege)
	if err != nil {
		return nil, "", err
	}
	launch.History = uintptr(max(history, 0))
	if err := s.makeGroup(w, &launch.Attr); err != nil {
		return nil, "", err
	}
	files := []uintptr{uintptr(socket), uintptr(socket), uintptr(stderr), uintptr(s.program)}
	for _, mount := range lent.mounts {
		files = append(files, uintptr(mount))
	}
	inside := home
	if plan.Home.Mount > 0 { // through the shared mount the worker's account may enter only this folder
		inside = lent.mounts[0]
	}
	w.pid, err = launch.StartStageOne(inside, files...)
	if err == nil {
		err = s.checkNewPID(w.pid)
	}
	if err == nil {
		err = w.joinGroup()
	}
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("start worker %d: %w", m.ID, err), w.discard())
	}
	return w, historyFault, nil
}

// plan makes the plan for stage one. The home and the shared mounts are open; the caller closes
// them.
func (s *spawner) plan(m spawnwire.SpawnRequest, w *worker, a Account) (p sandbox.Plan, home int, lent sharedMounts,
	err error) {
	p = sandbox.Plan{
		Tier: s.tier, Profile: sandbox.Profile(m.Profile), Worker: s.Worker,
		Limits: sandbox.Limits{Memory: w.limits.Memory, PIDs: w.limits.PIDs},
	}
	if s.grouped {
		// the group's limit must be hit first, because the group counts refusals
		p.Limits.PIDs *= 2
	}
	if p.Profile == sandbox.ProfileReview {
		p.UID, p.GID, p.Limits.Shared = int(a.UID), int(a.GID), s.sharesProcessCount(a)
		home, err = openNoHome(m)
		return p, home, lent, err
	}
	if p.Binds, err = s.openBinds(m.Binds); err != nil {
		return p, -1, lent, err
	}
	if err := s.makeHome(m, a); err != nil {
		return p, -1, lent, err
	}
	if p.Home, home, err = s.open(m.Root, m.Path); err != nil {
		return p, -1, lent, fmt.Errorf("open home %q: %w", m.Path, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(home, &st); err == nil && s.mayLend(a) && (st.Uid == s.Account.UID || slices.ContainsFunc(p.Binds, isWritable)) {
		if lent, err = s.lendFolders(&p, home, st.Uid, a); err != nil && st.Uid == s.Account.UID {
			a, err = s.Account, nil // sharing is not supported: the worker gets the shared account instead
		}
	}
	if err == nil && st.Uid != a.UID && p.Home.Mount == 0 {
		err = fmt.Errorf("it belongs to uid %d and not to the worker's uid %d", st.Uid, a.UID)
	}
	if err != nil {
		return p, -1, lent, errors.Join(fmt.Errorf("home %s: %w", filepath.Join(m.Root, m.Path), err), unix.Close(home), lent.close())
	}
	p.UID, p.GID, p.Limits.Shared = int(a.UID), int(a.GID), s.sharesProcessCount(a)
	return p, home, lent, nil
}

// openNoHome opens the first folder of a worker without a home. The worker sees no file of that
// folder.
func openNoHome(m spawnwire.SpawnRequest) (int, error) {
	if m.Root != "" || m.Path != "" || m.HistoryRoot != "" || m.HistoryPath != "" || len(m.Binds) > 0 {
		const format = "home %q, history %q and %d folders: a worker that only reads has none"
		return -1, fmt.Errorf(format, m.Path, m.HistoryPath, len(m.Binds))
	}
	return unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

func isWritable(b sandbox.BindMount) bool { return b.Writable }

// mayLend reports whether a worker's account is a user's own uid, and the user's folders may belong
// to the shared account. Only root can make the mounts for that.
func (s *spawner) mayLend(a Account) bool {
	return s.privilege == sandbox.PrivilegeRoot && s.tier == sandbox.TierAccounts && s.Account.UID != 0 &&
		s.People.Contains(a.UID)
}

// sharesProcessCount reports whether the kernel counts the processes of an account together with
// those of other users' workers. The kernel does so if these workers share the account, unless each
// worker has its own user namespace.
func (s *spawner) sharesProcessCount(a Account) bool {
	ownNamespace := s.tier.AtLeast(sandbox.TierNamespaces) && s.privilege != sandbox.PrivilegeMount
	return !ownNamespace && (a == s.own || a == s.Account)
}

// openBinds opens the folders besides the home.
func (p Policy) openBinds(asked []spawnwire.BindMount) ([]sandbox.BindMount, error) {
	var list []sandbox.BindMount
	for _, b := range asked {
		if err := checkBind(b, list); err != nil {
			return nil, err
		}
		bind, fd, err := p.open(b.Root, b.Path)
		if err != nil {
			return nil, fmt.Errorf("open workspace %q: %w", b.Name, err)
		}
		_ = unix.Close(fd)
		bind.Name, bind.Writable = b.Name, b.Writable
		list = append(list, bind)
	}
	return list, nil
}

// open opens a folder beneath an allowed root.
func (p Policy) open(root, path string) (sandbox.BindMount, int, error) {
	if err := p.checkRoot(root); err != nil {
		return sandbox.BindMount{}, -1, err
	}
	return sandbox.OpenBindMount(root, path)
}

// ownFolders are the worker's own folders. No folder of the host is mounted over or into them.
var ownFolders = []string{"home", "workspaces", "tmp", "dev", "proc", "etc", ""}

// checkBind refuses binds that a plan refuses too: a folder of the host within the worker's own
// folders, and a name that occurs twice. It also refuses a host folder that is not read-only,
// before the plan would.
func checkBind(b spawnwire.BindMount, others []sandbox.BindMount) error {
	at := filepath.Join(b.Root, b.Path)
	top, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	switch {
	case b.Name == "" && b.Writable:
		return fmt.Errorf("folder %s: without a name among the workspaces it is for reading", at)
	case b.Name == "" && (slices.Contains(ownFolders, top) || strings.Contains(b.Path, "..") || filepath.Clean(b.Root) != b.Root):
		return fmt.Errorf("folder %s: a worker has another of its own there; give it a name among the workspaces", at)
	case b.Name != "" && slices.ContainsFunc(others, func(o sandbox.BindMount) bool { return o.Name == b.Name }):
		return fmt.Errorf("workspace %q: it is there twice", b.Name)
	}
	return nil
}
