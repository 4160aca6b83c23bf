package sandbox

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// lastKnownCall is the last number of the table of 2026, on both architectures.
const lastKnownCall = 471

// mustRefuse are calls that no process inside may make, grouped by the resource that they reach.
// The list repeats the filter's own table, so that no call can vanish from that table unnoticed.
var mustRefuse = map[string][]uint32{
	"mounts": {unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN,
		unix.SYS_FSCONFIG,
		unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
		unix.SYS_MOUNT_SETATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT},
	"namespaces": {unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_LISTNS, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME},
	"the kernel": {unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
		unix.SYS_KEXEC_FILE_LOAD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_REBOOT,
		unix.SYS_SYSLOG, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL, unix.SYS_MEMFD_SECRET, unix.SYS_LSM_SET_SELF_ATTR},
	"keys":  {unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY},
	"files": {unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK},
	"other processes": {unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
		unix.SYS_PROCESS_MRELEASE, unix.SYS_KCMP, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES},
	"the machine": {unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
		unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_VHANGUP},
}

// missingCalls are calls that must seem to be missing, so that libraries use other calls.
var missingCalls = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_MEMFD_CREATE, unix.SYS_SHMGET,
	unix.SYS_IO_SETUP, unix.SYS_MSGGET, unix.SYS_SEMGET}

// sharedObjectCalls are the calls by which processes communicate over System V and POSIX objects,
// or watch each other's folders.
var sharedObjectCalls = []uint32{unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT, unix.SYS_MSGSND,
	unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_MQ_NOTIFY, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_INIT1}

// expected returns the filter's answer to each call that it refuses with all arguments 0.
func expected(p Profile, t Tier) map[uint32]uint32 {
	// with all arguments 0, the family of the socket is AF_UNSPEC
	want := map[uint32]uint32{unix.SYS_SOCKET: retEAFNOSUPPORT, unix.SYS_SOCKETPAIR: retEAFNOSUPPORT}
	for _, list := range mustRefuse {
		for _, n := range list {
			want[n] = retEPERM
		}
	}
	for _, n := range archRefused {
		want[n] = retEPERM
	}
	for _, n := range missingCalls {
		want[n] = retENOSYS
	}
	if t == TierLandlock {
		for _, n := range slices.Concat(sharedObjectCalls, archInotify) {
			want[n] = retENOSYS
		}
	}
	if p == ProfileReview {
		for _, n := range append([]uint32{unix.SYS_CLONE}, archForks...) {
			want[n] = retEPERM
		}
	}
	return want
}

// inEachFilter runs a test on the filter of each profile, in each tier with filters.
func inEachFilter(t *testing.T, test func(t *testing.T, p Profile, tier Tier, f []instruction)) {
	for _, p := range profiles {
		for _, tier := range []Tier{TierLandlock, TierNamespaces, TierAccounts} {
			t.Run(string(p)+" "+string(tier), func(t *testing.T) { test(t, p, tier, filter(p, tier)) })
		}
	}
}

func TestFilter_EachCall_HasExpectedAnswer(t *testing.T) {
	inEachFilter(t, func(t *testing.T, p Profile, tier Tier, f []instruction) {
		want := expected(p, tier)
		for n := uint32(0); n <= 600; n++ {
			say, refused := want[n]
			switch {
			case n > lastKnownCall:
				say = retENOSYS
			case !refused:
				say = retAllow
			}
			got, err := evaluate(f, call{number: n, arch: auditArch})
			if err != nil || got != say {
				t.Errorf("call %d: %#x, %v; want %#x", n, got, err, say)
			}
		}
	})
}

// TestFilter_ForeignCalls_AreKilled: calls by another architecture's numbers end the process,
// because the numbers mean other calls.
func TestFilter_ForeignCalls_AreKilled(t *testing.T) {
	inEachFilter(t, func(t *testing.T, _ Profile, _ Tier, f []instruction) {
		for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64,
			unix.AUDIT_ARCH_RISCV64, 0} {
			if got, err := evaluate(f, call{number: unix.SYS_READ, arch: arch}); arch != auditArch && got != retKill {
				t.Errorf("architecture %#x: %#x, %v", arch, got, err)
			}
		}
		for n := uint32(0); n <= 600; n++ {
			for _, bit := range []uint32{0x40000000, 0x80000000} { // x32's bit, and a bit that no architecture uses
				if got, err := evaluate(f, call{number: n | bit, arch: auditArch}); got != retENOSYS {
					t.Errorf("call %#x: %#x, %v", n|bit, got, err)
				}
			}
		}
		if got, err := evaluate(f, call{number: ^uint32(0), arch: auditArch}); got != retENOSYS {
			t.Errorf("call -1: %#x, %v", got, err)
		}
	})
}

// TestFilter_Jumps_AreValid: every jump lands inside the program, every path ends, and every rule
// can be reached.
func TestFilter_Jumps_AreValid(t *testing.T) {
	inEachFilter(t, func(t *testing.T, _ Profile, _ Tier, f []instruction) {
		if err := checkJumps(f); err != nil {
			t.Error(err)
		}
		const most = 4096 // the kernel's maximum, BPF_MAXINSNS
		if len(f) > most {
			t.Errorf("%d instructions", len(f))
		}
	})
}

// TestFilterTables_NameNoCallTwice: if a call had two rows, only the first row would apply.
func TestFilterTables_NameNoCallTwice(t *testing.T) {
	inEachFilter(t, func(t *testing.T, p Profile, tier Tier, _ []instruction) {
		rows := slices.Concat(refusedCalls, archRefusedCalls, hiddenIn(tier))
		for _, g := range argChecks(p) {
			rows = append(rows, g.number)
		}
		slices.Sort(rows)
		for i, n := range rows {
			if n > newestCall || i > 0 && rows[i-1] == n {
				t.Errorf("call %d stands twice, or is newer than the newest", n)
			}
		}
	})
	if newestCall != lastKnownCall {
		t.Errorf("the newest call is %d", newestCall)
	}
}

// TestFilter_UncheckedCall_IgnoresArguments: only calls with an argCheck depend on their arguments.
// The filter answers for any arguments.
func TestFilter_UncheckedCall_IgnoresArguments(t *testing.T) {
	filters := map[Profile][]instruction{}
	for _, p := range profiles {
		filters[p] = filter(p, TierNamespaces)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(profiles).Draw(t, "profile")
		c := call{number: rapid.Uint32Range(0, 600).Draw(t, "number"), arch: auditArch}
		for i := range c.args {
			c.args[i] = rapid.Uint64().Draw(t, "argument")
		}
		got, err := evaluate(filters[p], c)
		if err != nil {
			t.Fatal(err)
		}
		guarded := slices.ContainsFunc(argChecks(p), func(g argCheck) bool { return g.number == c.number })
		plain, _ := evaluate(filters[p], call{number: c.number, arch: auditArch})
		if !guarded && got != plain {
			t.Fatalf("call %d: %#x, and without arguments %#x", c.number, got, plain)
		}
	})
}

// accountArguments are the numbers of accounts that calls name.
var accountArguments = map[uint32]int{unix.SYS_SETUID: 1, unix.SYS_SETGID: 1,
	unix.SYS_SETREUID: 2, unix.SYS_SETREGID: 2,
	unix.SYS_SETRESUID: 3, unix.SYS_SETRESGID: 3, unix.SYS_SETFSUID: 1, unix.SYS_SETFSGID: 1}

// TestRestrictSetID_OtherAccount_IsRefused: a spawner cannot change to another account, with any
// call.
func TestRestrictSetID_OtherAccount_IsRefused(t *testing.T) {
	f := accountFilter([]IDRange{{1000, 1010}, {2000, 2000}, {3000, 3000}})
	if err := checkJumps(f); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom(slices.Sorted(maps.Keys(accountArguments))).Draw(t, "call")
		id := rapid.OneOf(rapid.Uint32(), rapid.SampledFrom([]uint32{0, 999, 1000, 1005, 1010, 1011, 1999, 2000, 2001, 3000, 3001, 1<<32 - 1}))
		c := call{number: number, arch: auditArch}
		want := uint32(retAllow)
		for arg := range accountArguments[number] {
			n := id.Draw(t, "id")
			c.args[arg] = uint64(n) | uint64(rapid.Uint32().Draw(t, "what the kernel ignores"))<<32
			if !(n >= 1000 && n <= 1010 || n == 2000 || n == 3000 || n == 1<<32-1) {
				want = retEPERM
			}
		}
		if got, err := evaluate(f, c); err != nil || got != want {
			t.Fatalf("%+v: %#x, %v; want %#x", c, got, err, want)
		}
	})
	for groups, want := range map[uint64]uint32{0: retAllow, 1: retEPERM} {
		if got, _ := evaluate(f, call{unix.SYS_SETGROUPS, auditArch, [6]uint64{groups}}); got != want {
			t.Errorf("setgroups of %d: %#x", groups, got)
		}
	}
}

// TestFilter_Kernel_AgreesWithInterpreter: the kernel gives the same answers as the interpreter.
func TestFilter_Kernel_AgreesWithInterpreter(t *testing.T) {
	inEachFilter(t, func(t *testing.T, p Profile, tier Tier, f []instruction) {
		cmd := exec.Command("/proc/self/exe", "filtered")
		cmd.Env = []string{"PROFILE=" + string(p), "TIER=" + string(tier), "GORACE=atexit_sleep_ms=0"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(err, string(out))
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != len(checkedCalls) {
			t.Fatalf("it tried %d calls of %d: %s", len(lines), len(checkedCalls), out)
		}
		for i, g := range checkedCalls {
			say, err := evaluate(f, g.call())
			if err != nil {
				t.Fatal(err)
			}
			got, allowed := lines[i], say == retAllow
			if want := fmt.Sprint(int(say & 0xffff)); !allowed && got != want || allowed && (got == "1" || got == "38" || got == "97") {
				t.Errorf("%s: the kernel says %s, the interpreter %#x", g.what, got, say)
			}
		}
	})
}

// callFiltered makes the checked calls behind a filter, and prints the kernel's answers.
func callFiltered() error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	answers := make([]unix.Errno, len(checkedCalls))
	if err := loadFilter(Profile(os.Getenv("PROFILE")), Tier(os.Getenv("TIER"))); err != nil {
		return err
	}
	for i, g := range checkedCalls {
		_, _, answers[i] = unix.RawSyscall6(uintptr(g.number), uintptr(g.args[0]), uintptr(g.args[1]), uintptr(g.args[2]),
			uintptr(g.args[3]), uintptr(g.args[4]), uintptr(g.args[5]))
	}
	for _, answer := range answers {
		fmt.Println(int(answer))
	}
	return nil
}
