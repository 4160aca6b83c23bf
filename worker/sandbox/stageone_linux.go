package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// StageOneArgument is the argument with which mews-spawner runs RunStageOne. Only mews-spawner
// executes itself with this argument.
const StageOneArgument = "stage-one"

// workerFD is the descriptor of the worker's program. The spawner opened the program before there
// were walls, and the program has no path inside them.
const workerFD = 3

// RunStageOne builds the plan's walls around this process and becomes the worker. It reads the plan
// from the environment. The process has just been executed, in the namespaces of the plan's tier.
// It has the worker's descriptors 0 to 2, and the home as its working directory. RunStageOne
// returns only after an error; the process must then end.
func RunStageOne() error {
	runtime.LockOSThread()
	p, err := readPlan(os.Environ())
	if err != nil {
		return err
	}
	for _, a := range stageOneActions {
		if !p.Tier.AtLeast(a.from) {
			continue
		}
		if err := a.do(p); err != nil {
			return fmt.Errorf("%s: %w", a.what, err)
		}
	}
	return nil
}

// stageOneActions run in this order. Mounts need capabilities. Landlock and the filter come after
// all capabilities are gone for good. After the filter a process can only limit itself and execute.
var stageOneActions = []struct {
	from Tier // lowest tier that has the action
	what string
	do   func(Plan) error
}{
	{TierOff, "close descriptors", closeDescriptors},
	{TierNamespaces, "name the machine", func(Plan) error { return unix.Sethostname([]byte("mews")) }},
	{TierLandlock, "open the history", openHistory},
	{TierNamespaces, "build the root", buildRoot},
	{TierNamespaces, "bound what is watched", boundInotify},
	{TierOff, "change the account", func(p Plan) error { return setAccount(p.UID, p.GID) }},
	{TierOff, "drop capabilities", func(Plan) error { return dropCapabilities() }},
	{TierOff, "be ended first", raiseOOMScore},
	{TierOff, "give up set-uid programs", func(Plan) error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
	{TierLandlock, "set limits", func(p Plan) error { return setLimits(p.Limits.withDefaults()) }},
	{TierLandlock, "restrict files", restrictFiles},
	{TierOff, "stay with the spawner", func(Plan) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) }},
	{TierLandlock, "filter system calls", func(p Plan) error { return loadFilter(p.Profile, p.Tier) }},
	{TierLandlock, "limit memory", func(p Plan) error { return limitMemory(p.Limits.withDefaults()) }},
	{TierOff, "watch something", tryWatch},
	{TierOff, "execute the worker", execWorker},
}

// tryWatch makes an epoll watch, as the worker's runtime does at its start. The runtime can't
// report an error: it would crash.
func tryWatch(Plan) error {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(epoll)
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(event)
	return unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, event, &unix.EpollEvent{Events: unix.EPOLLIN})
}

// oomScore makes the kernel end a worker and its programs before other processes when memory runs
// out (proc_pid_oom_score_adj(5)).
const oomScore = 500

// raiseOOMScore makes the kernel end a worker before the service. It is no wall: if /proc cannot be
// written, raiseOOMScore changes nothing.
func raiseOOMScore(Plan) error {
	const score = "/proc/self/oom_score_adj"
	text := readFile(unix.AT_FDCWD, score, make([]byte, 16))
	if now, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && now < oomScore {
		_ = writeFile(score, strconv.Itoa(oomScore))
	}
	return nil
}

func closeDescriptors(Plan) error {
	return unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
}

func restrictFiles(p Plan) error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	rules := ownRootRules(p)
	if p.Tier == TierLandlock {
		if version < landlockMinVersion {
			return fmt.Errorf(textLandlockTooOld, version, landlockMinVersion)
		}
		if rules, err = hostRules(p); err != nil {
			return err
		}
	}
	rules = append(rules, rule{path: fdPath(workerFD), rights: rightsRead, optional: p.Probe})
	if p.History == (BindMount{}) {
		return restrict(version, rules)
	}
	if p.Tier == TierLandlock {
		if err := leaveToolRules(version, rules); err != nil {
			return err
		}
	}
	return restrict(version, append(rules, historyRule))
}

// nullRule allows the worker to open /dev/null in place of standard input and output.
var nullRule = rule{path: "/dev/null", rights: rightsDevice &^ unix.LANDLOCK_ACCESS_FS_EXECUTE}

// ownRootRules returns the rules for a worker with its own root. The root has no other folders, so
// the rules are a second wall around the same folders.
func ownRootRules(p Plan) []rule {
	if p.hasNoFolders() {
		return []rule{{path: "/", rights: rightsRead &^ unix.LANDLOCK_ACCESS_FS_EXECUTE}, nullRule}
	}
	return []rule{
		{path: "/", rights: rightsRead},
		{path: InnerHomePath, rights: rightsWrite},
		{path: InnerWorkspacesPath, rights: rightsWrite},
		{path: "/tmp", rights: rightsWrite},
		{path: "/dev", rights: rightsDevice},
		{path: "/dev/shm", rights: rightsWrite},
	}
}

// systemRules returns rules that allow to read the host's folders that programs need.
func systemRules() []rule {
	rules := append([]rule{{path: "/proc", rights: rightsRead}}, programRules()...)
	for _, name := range []string{"passwd", "group", "nsswitch.conf", "hosts"} {
		rules = append(rules, rule{path: "/etc/" + name, rights: rightsRead, optional: true})
	}
	for _, name := range append([]string{"ptmx", "pts"}, devices...) {
		rules = append(rules, rule{path: "/dev/" + name, rights: rightsDevice, optional: true})
	}
	return rules
}

// programRules returns rules that allow to read the programs of the system, and what they need.
func programRules() (rules []rule) {
	for _, path := range systemDirs {
		rules = append(rules, rule{path: path, rights: rightsRead, optional: true})
	}
	for _, name := range etcFromHost {
		rules = append(rules, rule{path: "/etc/" + name, rights: rightsRead, optional: true})
	}
	return rules
}

// hostRules returns the rules for the landlock tier, in which only Landlock keeps a worker from the
// host's files.
func hostRules(p Plan) ([]rule, error) {
	if p.hasNoFolders() {
		return []rule{nullRule}, nil
	}
	home, err := openHome(p)
	if err != nil {
		return nil, err
	}
	if err := unix.Close(home); err != nil {
		return nil, err
	}
	if err := os.Mkdir(homeTmp, 0o700); err != nil && !os.IsExist(err) {
		return nil, err
	}
	rules := append(systemRules(), rule{path: ".", rights: rightsWrite})
	for _, b := range p.Binds {
		rights := uint64(rightsRead)
		if b.Writable {
			rights = rightsWrite
		}
		rules = append(rules, rule{path: b.path(), rights: rights, bind: &b})
	}
	return rules, nil
}

// execWorker executes the worker by its descriptor. (syscall.Exec waits for threads that are just
// being made.)
func execWorker(p Plan) error {
	if p.Probe {
		syscall.Exit(0)
	}
	return syscall.Exec(fdPath(workerFD), []string{"mews-worker"}, environment(p))
}
