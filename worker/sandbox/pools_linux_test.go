package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/worker/sandbox/escape"
)

// pool is a resource that a whole machine or account shares, and the limit that keeps one worker
// from taking all of it.
type pool struct {
	setting, whose, bound string
	// rows of the escapes that use the pool; none means that no action of a worker uses the pool
	rows []string
}

// pools are all pools with a bound in /proc/sys that several users share.
var pools = []pool{
	{"fs.aio-max-nr", "machine", "refused: io_setup", []string{"Q1"}},
	{"fs.epoll.max_user_watches", "account", "a 64th part; the watchdog ends who has more", []string{"Q12"}},
	{"fs.fanotify.max_user_groups, max_user_marks; user.max_fanotify_*", "account", "refused: fanotify_init", nil},
	{"fs.file-max", "machine", "256 descriptors a process, and the worker's processes", []string{"R1", "R2"}},
	{"fs.inotify.max_user_instances, max_user_watches; user.max_inotify_*", "account",
		"an eighth in the worker's user namespace; refused in landlock", []string{"Q6"}},
	{"fs.mount-max", "mount namespace", "refused: mount, fsmount, open_tree, move_mount", []string{"K1", "K2"}},
	{"fs.mqueue.queues_max, msg_max", "IPC namespace; the account's bytes", "no bytes (RLIMIT_MSGQUEUE); refused in landlock", []string{"Q9"}},
	{"fs.pipe-user-pages-soft, fs.pipe-user-pages-hard, fs.pipe-max-size", "account",
		"a fourth part; the watchdog ends who has more; larger pipes are refused", []string{"Q10", "Q13"}},
	{"kernel.keys.maxkeys, maxbytes", "account", "refused: add_key, request_key, keyctl", []string{"K6", "K14"}},
	{"kernel.msgmni, msgmnb, msgmax", "IPC namespace", "refused: msgget", []string{"Q2"}},
	{"kernel.perf_event_mlock_kb", "account", "refused: perf_event_open", []string{"K10"}},
	{"kernel.pid_max, kernel.threads-max, user.max_pid_namespaces", "machine, account",
		"the worker's processes: its control group, RLIMIT_NPROC in its user namespace, or the watchdog", []string{"R2"}},
	{"kernel.pty.max, kernel.pty.reserve", "machine", "64 in a devpts of the worker's own; in landlock the watchdog ends who has more",
		[]string{"Q5"}},
	{"kernel.sem", "IPC namespace", "refused: semget", []string{"Q3"}},
	{"kernel.shmmni, shmall, shmmax", "IPC namespace", "refused: shmget", []string{"Q4"}},
	{"net.core.bpf_jit_limit", "machine", "32,768 instructions of filters a process (seccomp(2)); bpf is refused", []string{"K7"}},
	{"net.core, net.ipv4, net.netfilter, net.nf_conntrack_max", "network namespace", "refused: socket", []string{"N1", "N2", "N3"}},
	{"net.unix: descriptors under way between sockets", "account", "256 (RLIMIT_NOFILE); each counts as a 32nd of the watches", []string{"Q12"}},
	{"user.max_cgroup_namespaces, ipc, mnt, net, pid, time, user, uts", "account", "refused: unshare, clone with their flags, clone3",
		[]string{"K3", "K4", "K5"}},
	{"vm.max_map_count", "process", "nothing is shared", nil},
	{"vm.nr_hugepages, nr_overcommit_hugepages", "machine", "refused: mmap with MAP_HUGETLB", []string{"Q11"}},
	{"vm.overcommit_memory, min_free_kbytes", "machine", "the worker's memory: its control group, RLIMIT_DATA, or the watchdog", []string{"R3"}},
	{"(RLIMIT_SIGPENDING) pending signals, timers", "account", "4,096 in its user namespace; in landlock all workers share these", []string{"Q7"}},
	{"(RLIMIT_MEMLOCK) locked memory", "account", "64 KiB", []string{"Q8"}},
}

// poolFolders are the folders where the kernel shows the bounds of shared pools.
var poolFolders = []string{"fs", "fs/epoll", "fs/inotify", "fs/mqueue", "fs/fanotify", "kernel", "kernel/pty", "kernel/keys", "user", "vm", "net"}

// poolNames are parts of the names of settings that bound a pool.
var poolNames = []string{"max_user", "max-nr", "file-max", "mount-max", "queues_max", "user-pages", "maxkeys", "maxbytes", "mni", "shmall",
	"threads-max", "pid_max", "nr_hugepages", "nr_overcommit_hugepages", "max_map_count", "mlock_kb", "conntrack_max"}

// otherSettings are settings that look like bounds of a pool, but are not.
var otherSettings = []string{"root_maxkeys", "root_maxbytes", "nr_hugepages_mempolicy", "max_user_freq", "msg_next_id", "auto_msgmni"}

// TestKernelPools_EachSetting_IsInTable: every setting that looks like a pool by its name is in a
// table. The escapes of each pool must exist.
func TestKernelPools_EachSetting_IsInTable(t *testing.T) {
	var table strings.Builder
	for _, p := range pools {
		table.WriteString(p.setting + " ")
		for _, row := range p.rows {
			if _, ok := escape.FindProbe(row); !ok {
				t.Errorf("%s: there is no row %s", p.setting, row)
			}
		}
	}
	for _, folder := range poolFolders {
		entries, _ := os.ReadDir(filepath.Join("/proc/sys", folder)) // older kernels lack some of the folders
		for _, e := range entries {
			name := e.Name()
			looks := folder == "user" || slices.ContainsFunc(poolNames, func(word string) bool { return strings.Contains(name, word) })
			short := strings.TrimSuffix(strings.TrimPrefix(name, "max_"), "_namespaces")
			known := strings.Contains(table.String(), name) || folder == "user" && strings.Contains(table.String(), strings.Split(short, "_")[0])
			if looks && !e.IsDir() && !known && !slices.Contains(otherSettings, name) {
				t.Errorf("%s/%s bounds something, and nothing says what keeps one worker from taking it all", folder, name)
			}
		}
	}
}
