package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// DetectOptions is which tiers a spawner may use.
type DetectOptions struct {
	Tier      Tier      // what is asked for; "" is the best that holds
	MinTier   Tier      // what is too little
	Privilege Privilege // ofPath this spawner
	UID, GID  int       // an account to try with; -1: its own
	Dir       string    // a folder of that account, to be the home of the trial
}

// Detect tries the tiers that are wished for, from the best, each by building all of its walls around a process that
// then ends. It gives the first that holds, and for people a sentence about it, with what kept the better ones away. None
// that is enough is an error.
func Detect(w DetectOptions) (Tier, string, error) {
	var kept tierFailures
	for _, t := range candidates(w) {
		err := tryTier(w, t)
		if err == nil {
			return t, describe(t, kept), nil
		}
		kept.add(t, err)
	}
	if kept == nil {
		kept = tierFailures{{text: fmt.Sprintf("sandbox %q is less than sandbox_min %q", w.Tier, w.MinTier)}}
	}
	return TierOff, "", fmt.Errorf("there are no walls that are good enough (%q or better is asked for):\n%s", w.MinTier,
		strings.Join(kept.lines(), "\n"))
}

// tierFailure is what keeps some tiers away.
type tierFailure struct {
	tiers []string
	text  string
}

// tierFailures are what keeps tiers away, each once.
type tierFailures []tierFailure

func (f *tierFailures) add(t Tier, err error) {
	for i := range *f {
		if (*f)[i].text == err.Error() {
			(*f)[i].tiers = append((*f)[i].tiers, string(t))
			return
		}
	}
	*f = append(*f, tierFailure{[]string{string(t)}, err.Error()})
}

// lines are a line for each.
func (f tierFailures) lines() []string {
	var list []string
	for _, one := range f {
		line := strings.ReplaceAll(one.text, "\n", "; ")
		if len(one.tiers) > 0 {
			line = strings.Join(one.tiers, " and ") + ": " + line
		}
		list = append(list, line)
	}
	return list
}

// candidates are the tiers to try, from the best. Nobody gets none without having written it out.
func candidates(w DetectOptions) []Tier {
	var list []Tier
	for _, t := range []Tier{TierAccounts, TierNamespaces, TierLandlock, TierOff} {
		wished := w.Tier == t || w.Tier == "" && t != TierOff
		if wished && t.AtLeast(w.MinTier) && (t != TierAccounts || w.Privilege != PrivilegeNone || w.Tier == t) {
			list = append(list, t)
		}
	}
	return list
}

// sentences say what a tier means.
var sentences = map[Tier]string{
	TierAccounts: "Each person's worker has files, processes and no network of its own, and the OS account that the configuration " +
		"gives its person; those to whom it gives none share the service's.",
	TierNamespaces: "Each person's worker has files, processes and no network of its own. All share one account, " +
		"as far as the configuration gives them none.",
	TierLandlock: "Workers read and write their person's files alone and reach no network, but see the names of other " +
		"processes, can change the permissions of any file of their account, and what they leave running is ended only by Mews.",
	TierOff: "There are no walls around workers: a worker, and any program that it runs, can do whatever its account can.",
}

func describe(t Tier, kept tierFailures) string {
	s := sentences[t]
	if kept != nil {
		s += " Better walls do not hold here: " + strings.Join(kept.lines(), "; ") + "."
	}
	return s
}

// withKernelAdvice is an error with what to do where it is that the system refuses what walls are made of, and says no more itself.
func withKernelAdvice(err error) error {
	if err == nil || !strings.HasSuffix(err.Error(), unix.ENOSYS.Error()) && !strings.HasSuffix(err.Error(), unix.EPERM.Error()) {
		return err
	}
	return fmt.Errorf("%w (it needs Linux 5.13 or later, and in a container a seccomp profile that allows this call: with Docker "+
		"--security-opt seccomp=unconfined)", err)
}

// tryTier builds a tier around a process that does nothing.
func tryTier(w DetectOptions, t Tier) error { return withKernelAdvice(startProbe(w, t)) }

func startProbe(w DetectOptions, t Tier) error {
	if t == TierAccounts && w.Privilege == PrivilegeNone {
		return errors.New("this spawner may not change accounts; it needs CAP_SETUID, CAP_SETGID and CAP_KILL")
	}
	if t == TierOff {
		return nil
	}
	home, fd, err := Open(filepath.Split(w.Dir))
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	p := Plan{Tier: t, Profile: ProfileWorker, Home: home, UID: w.UID, GID: w.GID, Probe: true}
	launch, err := p.Launch(w.Privilege)
	if err != nil {
		return err
	}
	return launch.probe(fd)
}

// probe executes stage one of a plan that executes nothing.
func (l Launch) probe(home int) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	hear, say, err := os.Pipe()
	if err != nil {
		return err
	}
	defer hear.Close()
	pid, err := l.Start(home, null.Fd(), null.Fd(), say.Fd(), null.Fd())
	err = errors.Join(err, say.Close())
	said, _ := io.ReadAll(io.LimitReader(hear, maxProbeOutput))
	if err == nil {
		err = waitExit(pid)
	}
	if text := bytes.TrimSpace(said); err != nil && len(text) > 0 {
		return errors.New(string(bytes.TrimPrefix(text, []byte("mews-spawner: "))))
	}
	return err
}

const maxProbeOutput = 4 << 10 // bytes of what a stage that failed has to say

// waitExit waits for a process's good end.
func waitExit(pid int) error {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("wait for process %d: %w", pid, err)
		case status != 0:
			return fmt.Errorf("it ended with status %d, signal %d", status.ExitStatus(), status.Signal())
		}
		return nil
	}
}

// Open opens a folder beneath root, and says which it is, so that no other is bound later.
func Open(root, path string) (Bind, int, error) {
	b := Bind{Root: root, Path: path}
	fd, err := openBeneath(root, path)
	if err != nil {
		return b, -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = unix.ENOTDIR
	}
	if err != nil {
		return b, -1, errors.Join(fmt.Errorf("%s: %w", b.path(), err), unix.Close(fd))
	}
	b.Device, b.Inode = uint64(st.Dev), st.Ino
	return b, fd, nil
}

// OwnPrivilege says what this process may do.
func OwnPrivilege() (Privilege, error) {
	if os.Geteuid() == 0 {
		return PrivilegeRoot, nil
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return PrivilegeNone, fmt.Errorf("read the capabilities: capget: %w", err)
	}
	has := func(c uint) bool { return have[c/32].Effective>>(c%32)&1 == 1 }
	switches := has(unix.CAP_SETUID) && has(unix.CAP_SETGID) && has(unix.CAP_KILL) // who can't end a worker starts none
	switch {
	case switches && has(unix.CAP_SYS_ADMIN) && has(unix.CAP_SETPCAP) && has(unix.CAP_DAC_READ_SEARCH):
		return PrivilegeMount, nil
	case switches:
		return PrivilegeSetID, nil
	}
	return PrivilegeNone, nil
}
