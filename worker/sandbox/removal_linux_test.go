package sandbox

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/worker/sandbox/escape"
)

// The tests remove walls by these names. No program of Mews knows the names.
const (
	wallRoot         = "root"         // the worker's own root, initially empty
	wallProcesses    = "processes"    // a process namespace
	wallNetwork      = "network"      // a network namespace
	wallUsers        = "users"        // a user namespace
	wallCapabilities = "capabilities" // lack of all capabilities
	wallPrivileges   = "no_new_privs" // the flag without which only root may use Landlock and a filter
	wallLimits       = "limits"
	wallLandlock     = "landlock"
	wallFilter       = "filter"      // filter of system calls
	wallInotify      = "inotify"     // the user namespace's own inotify limits
	wallDescriptors  = "descriptors" // closing of inherited descriptors
	wallEnvironment  = "environment" // a new environment, without the spawner's variables

	// The worker's own walls.
	wallSocket  = "socket"  // the protocol is a socket; a pipe could be opened again
	wallMoved   = "moved"   // the protocol is on a descriptor that no child has
	wallPrivate = "private" // no process of the same account can read the worker
	wallInput   = "input"   // children get none of the worker's descriptors
	wallClosed  = "closed"  // the descriptor of the file history is closed on execve
	wallProgram = "program" // the second layer of walls, around programs alone
)

// actionOf maps walls to the names of stage one's actions.
var actionOf = map[string]string{
	wallRoot: "build the root", wallCapabilities: "drop capabilities", wallPrivileges: "give up set-uid programs",
	wallLimits: "set limits", wallLandlock: "restrict files", wallFilter: "filter system calls",
	wallInotify:     "bound what is watched",
	wallDescriptors: "close descriptors", wallEnvironment: "execute the worker",
}

// removeWalls makes stage one skip the actions that its environment names.
func removeWalls() {
	if len(os.Args) != 2 || os.Args[1] != StageOneArgument {
		return
	}
	without, secret := strings.Split(takeVariable(wallsVariable), ","), takeVariable(secretVariable)
	instead := map[string]func(Plan) error{
		wallEnvironment: func(p Plan) error { return executeWith(p, "MEWS_SECRET="+secret) },
	}
	for i, s := range stageOneActions {
		for wall, what := range actionOf {
			if s.what == what && slices.Contains(without, wall) {
				stageOneActions[i].do = instead[wall]
			}
		}
		if s.what == actionOf[wallInotify] && slices.Contains(without, wallUsers) {
			stageOneActions[i].do = nil
		}
		if s.what == actionOf[wallLandlock] && slices.Contains(without, wallRoot) && !slices.Contains(without, wallLandlock) {
			stageOneActions[i].do = landlockOnHost
		}
		if stageOneActions[i].do == nil {
			stageOneActions[i].do = func(Plan) error { return nil }
		}
	}
}

// landlockOnHost is Landlock for a worker without its own root: the same rules, with the home at
// its path on the host. In the landlock tier it changes nothing.
func landlockOnHost(p Plan) error {
	if p.Tier == TierLandlock {
		return restrictFiles(p)
	}
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	return restrict(version, append(rulesOnHost(), historyRule))
}

// rulesOnHost are the rules of both layers of walls for a worker without its own root. The first
// layer also allows the history.
func rulesOnHost() []rule {
	return []rule{
		{path: "/", rights: rightsRead}, {path: ".", rights: rightsWrite}, {path: "/dev", rights: rightsDevice},
	}
}

// executeWith is execWorker with one more variable in the environment.
func executeWith(p Plan, more string) error {
	return syscall.Exec(fmt.Sprint("/proc/self/fd/", workerFD), []string{workerName}, append(environment(p), more))
}

// flagsOf maps walls to namespaces.
var flagsOf = map[string]uintptr{
	wallProcesses: unix.CLONE_NEWPID, wallNetwork: unix.CLONE_NEWNET, wallUsers: unix.CLONE_NEWUSER,
}

// removeNamespaces removes namespaces from a launch, which then keeps all capabilities.
func removeNamespaces(attr *syscall.SysProcAttr, without []string) {
	for wall, flag := range flagsOf {
		if slices.Contains(without, wall) {
			attr.Cloneflags &^= flag
		}
	}
	if slices.Contains(without, wallUsers) {
		attr.UidMappings, attr.GidMappings, attr.GidMappingsEnableSetgroups = nil, nil, false
		// other capabilities would need a new namespace, and root may lack them
		attr.AmbientCaps = stageOneCapabilities
	}
	if slices.Contains(without, wallCapabilities) && attr.Cloneflags&unix.CLONE_NEWUSER != 0 {
		attr.AmbientCaps = nil
		for c := range uintptr(unix.CAP_LAST_CAP + 1) {
			attr.AmbientCaps = append(attr.AmbientCaps, c)
		}
	}
}

// walls are a set of walls. Each wall of the set stops an escape by itself.
type walls []string

// behindNamespaces lists, for each escape, the walls that stop it if people share an account. The
// other user's home and the state folder then belong to the worker's own account, and only walls
// protect them.
func behindNamespaces() map[string][]walls {
	byFilter := []walls{{wallFilter}}
	byRoot := []walls{{wallRoot}}
	writing := []walls{{wallRoot, wallLandlock}}
	looking := []walls{{wallRoot, wallUsers, wallLandlock}, {wallProcesses, wallUsers, wallLandlock}}
	tracing := []walls{{wallProcesses, wallUsers, wallLandlock, wallFilter}}
	// In a user namespace without a process namespace, a new /proc is impossible, and therefore an
	// own root.
	signalling := []walls{{wallProcesses, wallRoot, wallLandlock}, {wallProcesses, wallUsers, wallLandlock}}
	changing := []walls{{wallProcesses, wallRoot, wallFilter}, {wallProcesses, wallUsers, wallFilter}}
	privileged := []walls{{wallCapabilities, wallFilter}}
	limited := []walls{{wallLimits}}
	keeping := []walls{{wallRoot, wallProgram}, {wallClosed, wallProgram}}
	hiding := []walls{{wallRoot}, {wallClosed}}
	return map[string][]walls{
		"H1": {{wallRoot}, {wallClosed, wallProgram}}, "H2": keeping, "H3": hiding, "H4": hiding, "H5": keeping,
		"F2": byRoot, "F3": byRoot, "F4": looking, "F5": looking, "F6": byRoot, "F8": writing, "F9": byRoot, "F10": writing,
		"F11": byRoot, "F12": writing, "F13": looking, "F14": byRoot, "F15": byRoot, "F19": byRoot,
		"P1": signalling, "P2": signalling, "P3": tracing, "P4": tracing, "P5": changing, "P6": tracing, "P7": changing,
		"P8": changing, "P9": changing,
		"N1": byFilter, "N2": byFilter, "N3": byFilter, "N4": privileged, "N5": byFilter, "N7": privileged,
		"N8": {{wallFilter, wallNetwork, wallLandlock}}, "N9": {{wallFilter, wallNetwork, wallLandlock}},
		"N10": {{wallFilter, wallRoot}},
		"N11": {{wallFilter, wallNetwork}},
		"K1":  {{wallCapabilities, wallFilter, wallLandlock}}, "K2": privileged, "K3": byFilter, "K4": byFilter, "K5": byFilter,
		"K6": byFilter, "K8": byFilter, "K9": byFilter, "K10": byFilter, "K11": byFilter, "K12": privileged, "K13": byFilter,
		"K14": byFilter, "K15": byFilter, "K18": {{wallCapabilities}}, "K19": {{wallPrivileges, wallLandlock, wallFilter}},
		"S2": {{wallRoot, wallUsers, wallPrivileges, wallLandlock, wallFilter}},
		"D1": {{wallDescriptors}}, "D2": {{wallMoved, wallInput}}, "D3": {{wallSocket, wallMoved, wallPrivate}},
		"E1": {{wallEnvironment}}, "X1": {{wallProcesses, wallRoot}, {wallProcesses, wallUsers}},
		"R1": limited, "R2": limited, "R3": limited, "R4": limited, "R5": {{wallRoot, wallLimits, wallLandlock}},
		"R6": {{wallRoot, wallLimits, wallLandlock}},
		"Q1": byFilter, "Q2": byFilter, "Q3": byFilter, "Q4": byFilter, "Q5": byRoot, "Q6": {{wallInotify}}, "Q7": limited,
		"Q8": limited, "Q9": {{wallLimits, wallLandlock}}, "Q10": byFilter,
	}
}

// behindLandlock lists, for each escape, the walls that stop it in the landlock tier. Escapes that
// are known to succeed there have no walls.
func behindLandlock() map[string][]walls {
	byFilter := []walls{{wallFilter}}
	byFiles := []walls{{wallLandlock}}
	both := []walls{{wallLandlock, wallFilter}}
	limited := []walls{{wallLimits}}
	space := []walls{{wallLandlock, wallLimits}}
	exec := []walls{{wallPrivileges, wallLandlock, wallFilter}}
	byRules := []walls{{wallProgram}}
	return map[string][]walls{
		"H1": byRules, "H2": byRules, "H5": byRules,
		"F2": byFiles, "F3": byFiles, "F4": byFiles, "F5": byFiles, "F8": byFiles, "F9": byFiles, "F10": byFiles, "F11": byFiles,
		"F12": byFiles, "F13": byFiles, "F15": byFiles, "F19": byFiles,
		"P1": byFiles, "P2": byFiles, "P3": both, "P4": both, "P5": byFilter, "P6": both, "P7": byFilter, "P8": byFilter,
		"P9": byFilter,
		"N1": byFilter, "N2": byFilter, "N3": byFilter, "N5": byFilter, "N8": both, "N9": both, "N10": byFilter, "N11": byFilter,
		"K3": byFilter, "K4": byFilter, "K5": byFilter, "K6": byFilter, "K8": byFilter, "K9": byFilter, "K10": byFilter,
		"K11": byFilter, "K13": byFilter, "K14": byFilter, "K15": byFilter, "K19": exec, "S2": exec,
		"D1": {{wallDescriptors}}, "D2": {{wallMoved, wallInput}}, "D3": {{wallSocket, wallMoved, wallPrivate}},
		"E1": {{wallEnvironment}}, "R1": limited, "R2": limited, "R3": limited, "R4": limited, "R5": space, "R6": space,
		"Q1": byFilter, "Q2": byFilter, "Q3": byFilter, "Q4": byFilter, "Q6": byFilter, "Q7": limited, "Q8": limited,
		"Q9": {{wallLimits, wallLandlock, wallFilter}}, "Q10": byFilter,
	}
}

// kernelAlone are the escapes that the kernel refuses to all accounts except root, with or without
// walls, each with the reason. In TestRootWithoutWalls_KernelProbes_Escape of package escape, most
// of them succeed as root.
var kernelAlone = map[string]string{
	"F1":  "the file is root's, and so is every mode of it",
	"F7":  "the folder is root's",
	"F17": "the settings are root's; a user namespace does not change whose they are",
	"F18": "CAP_SYS_RESOURCE is asked for outside of every user namespace",
	"F20": "the devices are root's and the group disk's",
	"F21": "CAP_MKNOD is asked for outside of every user namespace",
	"N6":  "it was measured without AF_ALG; the filter refuses it where there is one",
	"K7":  "kernel.unprivileged_bpf_disabled; CAP_BPF is asked for outside of every user namespace",
	"K16": "CONFIG_X86_X32 is off in what distributions build",
	"K17": "CAP_SYS_MODULE is asked for outside of every user namespace",
	"Q11": "it was measured without any (vm.nr_hugepages is 0); the filter refuses them where there are",
	"S1":  "it takes a password that nobody has",
	"D4":  "a worker leads a session without a terminal; dev.tty.legacy_tiocsti is off since Linux 6.2",
	"C1":  "the control groups are root's",
	"C2":  "the control groups are root's",
}

// ofMachine are errors by escape. They mean that the kernel lacks the resource of the escape, or
// gives it to no process.
var ofMachine = map[string][]string{
	"N2": {"EAFNOSUPPORT"}, "N5": {"EAFNOSUPPORT"}, "N11": {"ENETUNREACH"}, "F19": {"ENOENT"},
	"K3": {"ENOSPC", "EPERM"}, "K4": {"ENOSPC", "EPERM"}, "K5": {"ENOSPC", "EPERM"},
	"K6": {"ENOSYS"}, "K14": {"ENOSYS"}, "K8": {"ENOSYS", "EPERM"}, "K9": {"ENOSYS", "EPERM"}, "K10": {"ENOSYS", "EACCES"},
	"K11": {"EPERM"}, "P3": {"EPERM"}, "P4": {"EPERM"}, "P6": {"EPERM"}, "F13": {"EACCES"}, // the kernel's Yama refuses
	"R4": {"ENOSPC"}, "R5": {"ENOSPC"}, "R6": {"ENOSPC", "ENOENT", "signal: killed"},
	"R2": {"EAGAIN"}, "R3": {"ENOMEM", "signal 9"},
	// the limits of a small or an old machine are low
	"Q1": {"ENOSYS"}, "Q7": {"EAGAIN"}, "Q8": {"ENOMEM", "EPERM"},
}

// removals are the tiers from which walls are removed, and their tables.
var removals = []struct {
	tier  Tier
	table func() map[string][]walls
	known []string
}{
	{TierNamespaces, behindNamespaces, knownBehindNamespaces},
	{TierLandlock, behindLandlock, knownBehindLandlock},
}

// TestWallsRemoved_EachProbe_Escapes shows that the tests of escapes can fail. Without its walls
// each escape succeeds. With any one of its walls, the escape is stopped. MEWS_WALLS=1 tries all
// escapes; otherwise the test tries every fifth escape.
func TestWallsRemoved_EachProbe_Escapes(t *testing.T) {
	program := plainBinary(t)
	privilege, people := PrivilegeRoot, sharedAccount(personUID)
	if os.Getuid() != 0 {
		privilege, people = PrivilegeNone, sharedAccount(os.Getuid())
	}
	for _, taking := range removals {
		t.Run(string(taking.tier), func(t *testing.T) {
			d := &removalTest{t: t, host: newTestHost(t, program, people), setup: workerSetup{privilege: privilege, tier: taking.tier},
				found: map[string]map[string]escape.Report{}}
			table := taking.table()
			if os.Getenv("MEWS_WALLS") == "" {
				table = everyFifth(table)
			}
			d.tryAll(table)
			for _, p := range escape.AllProbes() {
				if held := d.removable(table[p.Row]); len(held) > 0 && d.canTry(p.Row) {
					t.Run(p.Row, func(t *testing.T) { d.compare(t, p.Row, held) })
				}
			}
			d.host.nothingLeft()
		})
	}
}

// everyFifth selects every fifth escape of a table, and the escapes to the file history.
func everyFifth(table map[string][]walls) map[string][]walls {
	few := map[string][]walls{}
	for i, row := range slices.Sorted(maps.Keys(table)) {
		if i%5 == 0 || row[0] == 'H' {
			few[row] = table[row]
		}
	}
	return few
}

// TestWalls_EachProbe_NamesItsWalls: the tables list the walls of each escape.
func TestWalls_EachProbe_NamesItsWalls(t *testing.T) {
	for _, taking := range removals {
		table := taking.table()
		for _, p := range escape.AllProbes() {
			_, kernel := kernelAlone[p.Row]
			known := slices.Contains(taking.known, p.Row)
			byPrivilege := taking.tier == TierLandlock && slices.Contains(unprivileged, p.Row)
			if n := count(kernel, known, byPrivilege, p.Watched, table[p.Row] != nil); n != 1 {
				t.Errorf("%s, %s: %d of: the kernel alone, known, without privilege, a watchdog, walls", taking.tier, p.Row, n)
			}
			if kernel && !p.Kernel {
				t.Errorf("%s is said to be the kernel's, and escapes without walls", p.Row)
			}
		}
	}
}

// unprivileged escapes need a capability that a process only has in a user namespace. The landlock
// tier has no user namespace.
var unprivileged = []string{"N4", "N7", "K1", "K2", "K12", "K18"}

func count(facts ...bool) (n int) {
	for _, fact := range facts {
		if fact {
			n++
		}
	}
	return n
}

// removalTest is a testHost that removes its worker's walls, set by set.
type removalTest struct {
	t     *testing.T
	host  *testHost
	setup workerSetup
	found map[string]map[string]escape.Report // results by set of walls and escape
}

func (set walls) key() string {
	return strings.Join(slices.Sorted(slices.Values(set)), ",")
}

// without returns the set without one wall, which is put back.
func (set walls) without(i int) walls { return slices.Delete(slices.Clone(set), i, i+1) }

// removable returns the sets that can be removed here: without privilege, other namespaces need a
// user namespace.
func (d *removalTest) removable(held []walls) []walls {
	return slices.DeleteFunc(slices.Clone(held), func(set walls) bool {
		return d.setup.privilege == PrivilegeNone && slices.Contains(set, wallUsers)
	})
}

// withEachBack lists the sets to try: the set itself, and the set with each of its walls put back.
func (set walls) withEachBack() []walls {
	list := []walls{set}
	for i := range set {
		list = append(list, set.without(i))
	}
	return list
}

// tryAll makes one worker for each set, which tries the escapes of the set.
func (d *removalTest) tryAll(table map[string][]walls) {
	rows := map[string][]string{}
	for _, p := range escape.AllProbes() {
		for _, held := range d.removable(table[p.Row]) {
			for _, set := range held.withEachBack() {
				if d.canTry(p.Row) && !slices.Contains(rows[set.key()], p.Row) {
					rows[set.key()] = append(rows[set.key()], p.Row)
				}
			}
		}
	}
	for key, list := range rows {
		d.found[key] = d.try(walls(strings.Split(key, ",")), list)
	}
}

// try makes a worker without the set's walls try escapes. If such a worker is impossible, all
// escapes count as stopped. An own root needs a process namespace for /proc, and Landlock needs
// no_new_privs.
func (d *removalTest) try(set walls, rows []string) map[string]escape.Report {
	s := d.setup
	s.without = set
	findings, err := d.host.try(s, set.key(), rows)
	if err != nil && !slices.Contains(set, wallProcesses) && !slices.Contains(set, wallPrivileges) {
		d.t.Errorf("without %q there is no worker: %v", set, err)
	}
	found := map[string]escape.Report{}
	for _, row := range rows {
		found[row] = escape.Report{Row: row, Outcome: escape.OutcomeStopped, Detail: fmt.Sprintf("no worker: %v", err)}
	}
	for _, f := range findings {
		found[f.Row] = f
	}
	return found
}

// compare checks that an escape succeeds without its walls, and that each single wall stops the
// escape.
func (d *removalTest) compare(t *testing.T, row string, held []walls) {
	for _, set := range held {
		for i, part := range set.withEachBack() {
			f := d.found[part.key()][row]
			switch {
			case i > 0 && f.Outcome != escape.OutcomeStopped:
				t.Errorf("without %q: %s (%s), want it stopped", part, f.Outcome, f.Detail)
			case i == 0 && f.Outcome != escape.OutcomeEscaped && !excused(f):
				t.Errorf("without %q: %s (%s), want an escape", part, f.Outcome, f.Detail)
			}
			t.Logf("without %q: %s %s", part, f.Outcome, f.Detail)
		}
	}
}

func excused(f escape.Report) bool {
	return slices.ContainsFunc(ofMachine[f.Row], func(name string) bool { return strings.Contains(f.Detail, name) })
}

// canTry reports whether an escape can be tried here: bombs need memory, a set-uid program needs
// root, x32 needs amd64.
func (d *removalTest) canTry(row string) bool {
	room := map[string]func() int64{
		"R3": freeMemory, "R6": func() int64 { return min(freeMemory(), freeSpace("/dev/shm")) },
		"R4": func() int64 { return freeSpace(d.host.home) }, "R5": func() int64 { return freeSpace("/tmp") },
	}
	switch {
	case room[row] != nil:
		return room[row]() > 6<<30
	case row == "S2":
		return os.Getuid() == 0
	case row == "K16":
		return runtime.GOARCH == "amd64"
	}
	return true
}

func freeSpace(path string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0
	}
	return int64(st.Bavail) * st.Bsize
}

// freeMemory returns MemAvailable, or 0 if that cannot be read.
func freeMemory() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := strings.Cut(string(text), "MemAvailable:")
	amount, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(amount, 10, 64)
	return n << 10
}
