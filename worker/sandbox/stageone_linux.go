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

// StageOneArgument has mews-spawner be stage one. It is executed by mews-spawner alone.
const StageOneArgument = "stage-one"

// workerFD is the descriptor on which stage one finds the worker's program, opened before there were walls: the program
// has no name within.
const workerFD = 3

// StageOne reads the plan from the environment, builds its walls around this process and becomes the worker. The caller has
// just been executed, in the namespaces of the plan's tier, with descriptors 0 to 2 of the worker's, and the home as its
// working directory. Stage returns only what went wrong; the process must then end.
func StageOne() error {
	runtime.LockOSThread()
	p, err := readPlan(os.Environ())
	if err != nil {
		return err
	}
	for _, s := range stageOneActions {
		if !p.Tier.AtLeast(s.from) {
			continue
		}
		if err := s.do(p); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	return nil
}

// stageOneActions are stage one, in this order: mounts need capabilities, Landlock and the filter need that they are gone for good,
// and after the filter nothing more can be done but to limit oneself and to execute.
var stageOneActions = []struct {
	from Tier // the least tier that has it
	what string
	do   func(Plan) error
}{
	{TierOff, "close descriptors", closeDescriptors},
	{TierNamespaces, "name the machine", func(Plan) error { return unix.Sethostname([]byte("mews")) }},
	{TierNamespaces, "raise the loopback", raiseLoopback},
	{TierNamespaces, "build the root", buildRoot},
	{TierOff, "change the account", func(p Plan) error { return setAccount(p.UID, p.GID) }},
	{TierOff, "drop capabilities", func(Plan) error { return dropCapabilities() }},
	{TierOff, "be ended first", raiseOOMScore},
	{TierOff, "give up set-uid programs", func(Plan) error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
	{TierLandlock, "set limits", func(p Plan) error { return setLimits(p.Limits.withDefaults()) }},
	{TierLandlock, "restrict files", restrictFiles},
	{TierOff, "stay with the spawner", func(Plan) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) }},
	{TierLandlock, "filter system calls", func(p Plan) error { return loadFilter(p.Profile, p.Tier) }},
	{TierLandlock, "limit memory", func(p Plan) error { return limitMemory(p.Limits.withDefaults()) }},
	{TierOff, "execute the worker", execWorker},
}

// oomScore is what a worker and its programs are ahead of others when the machine's memory runs out (proc_pid_oom_score_adj(5)).
const oomScore = 500

// raiseOOMScore has the kernel end a worker before the service. It is no wall: where /proc can't be written it is left.
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

// raiseLoopback has an engine's network namespace, in which there is nothing else, pass on what it says to itself.
func raiseLoopback(p Plan) error {
	if p.Profile != ProfileEngine {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

func restrictFiles(p Plan) error {
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	rules := ownRootRules()
	if p.Tier == TierLandlock {
		if version < landlockMinVersion {
			return fmt.Errorf("the kernel has version %d of Landlock, and without namespaces %d is needed (Linux 6.12)",
				version, landlockMinVersion)
		}
		if rules, err = hostRules(p); err != nil {
			return err
		}
	}
	rules = append(rules, rule{path: fmt.Sprint("/proc/self/fd/", workerFD), rights: rightsRead, optional: p.Probe})
	return restrict(version, p.Profile, rules)
}

// ownRootRules are those of a worker with a root of its own, which holds nothing else: a second wall around the same.
func ownRootRules() []rule {
	return []rule{
		{path: "/", rights: rightsRead},
		{path: HomeInside, rights: rightsWrite},
		{path: WorkspacesInside, rights: rightsWrite},
		{path: "/tmp", rights: rightsWrite},
		{path: "/dev", rights: rightsDevice},
		{path: "/dev/shm", rights: rightsWrite},
	}
}

// systemRules are what programs need of the host, for reading.
func systemRules() []rule {
	rules := []rule{{path: "/proc", rights: rightsRead}}
	for _, path := range systemDirs {
		rules = append(rules, rule{path: path, rights: rightsRead, optional: true})
	}
	for _, name := range append([]string{"passwd", "group", "nsswitch.conf", "hosts"}, etcFromHost...) {
		rules = append(rules, rule{path: "/etc/" + name, rights: rightsRead, optional: true})
	}
	for _, name := range append([]string{"ptmx", "pts"}, devices...) {
		rules = append(rules, rule{path: "/dev/" + name, rights: rightsDevice, optional: true})
	}
	return rules
}

// hostRules are the only walls around the host's files in the landlock tier.
func hostRules(p Plan) ([]rule, error) {
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

// execWorker becomes the worker, by its descriptor. (syscall.Exec sees to it that no thread is being made meanwhile.)
func execWorker(p Plan) error {
	if p.Probe {
		syscall.Exit(0)
	}
	return syscall.Exec(fmt.Sprint("/proc/self/fd/", workerFD), []string{"mews-worker"}, environment(p))
}
