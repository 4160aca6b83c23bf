package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"mews/worker/sandbox/escape"
)

// These escapes are not in package escape. They matter if people share an account and there are no
// namespaces.

// extraRows are the extra escapes by name. An escape's input follows its name and a colon.
var extraRows = map[string]func(what string, v escape.Victims) error{
	"shm":      attachShared,
	"datagram": sendDatagram,
	"renice":   func(string, escape.Victims) error { return unix.Setpriority(unix.PRIO_USER, 0, 15) },
	"watch":    func(_ string, v escape.Victims) error { return watch(filepath.Dir(v.OtherHome)) },
	"chmod":    func(_ string, v escape.Victims) error { return unix.Chmod(v.OtherHome, 0o640) },
}

// tryExtra tries an escape if it is in extraRows. No error means that it succeeded, as far as a
// process behind the walls can know.
func tryExtra(row string, v escape.Victims) (escape.Report, bool) {
	name, what, _ := strings.Cut(row, ":")
	run, ok := extraRows[name]
	if !ok {
		return escape.Report{}, false
	}
	if err := run(what, v); err != nil {
		return escape.Report{Row: row, Outcome: escape.OutcomeStopped, Detail: err.Error()}, true
	}
	return escape.Report{Row: row, Outcome: escape.OutcomeEscaped}, true
}

// attachShared reads a shared memory segment of the same account by its number, which can be
// guessed.
func attachShared(what string, v escape.Victims) error {
	id, err := strconv.Atoi(what)
	if err != nil {
		return err
	}
	memory, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(memory), v.Secret) {
		return errors.New("it is another one")
	}
	return nil
}

// sendDatagram sends to a socket by its path, without socket(2).
func sendDatagram(path string, _ escape.Victims) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(pair[0], []byte("READY=1"), 0, &unix.SockaddrUnix{Name: path})
}

func watch(dir string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, dir, unix.IN_CREATE)
	return err
}

// sharedMemory makes a segment of the user's account that holds the secret.
func (y *testHost) sharedMemory() int {
	y.t.Helper()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	y.must(err)
	y.t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	memory, err := unix.SysvShmAttach(id, 0, 0)
	y.must(err)
	copy(memory, y.victims.Secret)
	y.must(unix.SysvShmDetach(memory))
	var desc unix.SysvShmDesc
	_, err = unix.SysvShmCtl(id, unix.IPC_STAT, &desc)
	y.must(err)
	desc.Perm.Uid, desc.Perm.Gid = uint32(y.people.person), uint32(y.people.person)
	_, err = unix.SysvShmCtl(id, unix.IPC_SET, &desc)
	y.must(err)
	return id
}

// datagrams makes a socket that accepts datagrams from all accounts, like the socket of a logger.
func (y *testHost) datagrams() string {
	y.t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	y.must(err)
	y.t.Cleanup(func() { _ = unix.Close(fd) })
	path := filepath.Join(y.dir, "log")
	y.must(unix.Bind(fd, &unix.SockaddrUnix{Name: path}))
	y.must(os.Chmod(path, 0o777))
	return path
}

// extraCases lists where the extra escapes are tried, and which of them succeed. Neither Landlock
// (landlock(7)) nor a filter protects a file's mode, because a filter sees no paths. Only accounts
// protect it.
var extraCases = []struct {
	name    string
	stand   workerSetup
	apart   bool // whether each user has an account
	escapes []string
}{
	{"namespaces", workerSetup{privilege: PrivilegeNone, tier: TierNamespaces}, false, nil},
	{"landlock", workerSetup{privilege: PrivilegeNone, tier: TierLandlock}, false, []string{"chmod"}},
	{"landlock without the filter", workerSetup{privilege: PrivilegeNone, tier: TierLandlock, without: []string{wallFilter}}, false,
		[]string{"chmod", "datagram", "renice", "shm", "watch"}},
	{"landlock with accounts", workerSetup{privilege: PrivilegeRoot, tier: TierLandlock}, true, nil},
}

// TestEscapes_LandlockTier_StopsExtraProbes: without namespaces, the landlock tier's filter must
// refuse the extra escapes. The test needs root: with other accounts the escapes would change
// processes outside the test.
func TestEscapes_LandlockTier_StopsExtraProbes(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give the processes an account that has no others")
	}
	program := plainBinary(t)
	for _, a := range extraCases {
		t.Run(a.name, func(t *testing.T) {
			people := sharedAccount(sharedUID)
			if a.apart {
				people = ownAccounts()
			}
			y := newTestHost(t, program, people)
			rows := []string{fmt.Sprint("shm:", y.sharedMemory()), "datagram:" + y.datagrams(), "renice", "watch", "chmod"}
			findings, err := y.try(a.stand, "", rows)
			y.must(err)
			y.judgeExtra(findings, a.escapes)
		})
	}
}

func (y *testHost) judgeExtra(findings []escape.Report, want []string) {
	y.t.Helper()
	var escaped []string
	for _, f := range findings {
		name, _, _ := strings.Cut(f.Row, ":")
		if f.Outcome == escape.OutcomeEscaped {
			escaped = append(escaped, name)
		}
		y.t.Logf("%s: %s %s", name, f.Outcome, f.Detail)
	}
	slices.Sort(escaped)
	if diff := cmp.Diff(want, escaped); diff != "" {
		y.t.Error(diff)
	}
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, y.victims.VictimPID)
	y.must(err)
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // the victim began with the priority of this test
	y.must(err)
	if changed := nice != own; changed != slices.Contains(want, "renice") {
		y.t.Errorf("the victim's priority is %d", nice)
	}
}
