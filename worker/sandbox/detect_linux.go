package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// DetectOptions tell which tiers a spawner may use, and how to try them.
type DetectOptions struct {
	Tier      Tier      // the requested tier; "" means the best that works
	MinTier   Tier      // the lowest tier that the spawner may use
	Privilege Privilege // privilege of this spawner
	UID, GID  int       // account for the trials; -1 means the spawner's own
	Dir       string    // folder of that account, used as the home of the trial
}

// DetectTier builds the allowed tiers, the best first, and returns the first that works. It builds
// all walls of a tier around a process that then ends. The returned sentence for people is about
// that tier and the failures of better tiers. It is an error if no tier works.
func DetectTier(o DetectOptions) (Tier, string, error) {
	var failures tierFailures
	for _, t := range candidates(o) {
		err := tryTier(o, t)
		if err == nil {
			return t, describe(t, failures), nil
		}
		failures.add(t, err)
	}
	if failures == nil {
		failures = tierFailures{{text: fmt.Sprintf(textLessThanMin, o.Tier, o.MinTier)}}
	}
	return TierOff, "", fmt.Errorf(textNoGoodWalls, o.MinTier, strings.Join(failures.lines(), "\n"))
}

// tierFailure is the reason why some tiers do not work.
type tierFailure struct {
	tiers []string
	text  string
}

// tierFailures are the failures of several tiers, each reason once.
type tierFailures []tierFailure

func (f *tierFailures) add(t Tier, err error) {
	i := slices.IndexFunc(*f, func(known tierFailure) bool { return known.text == err.Error() })
	if i < 0 {
		i, *f = len(*f), append(*f, tierFailure{text: err.Error()})
	}
	(*f)[i].tiers = append((*f)[i].tiers, string(t))
}

// lines returns one line for each reason.
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

// candidates returns the tiers to try, the best first. The tier off is only tried if it is
// requested by name.
func candidates(o DetectOptions) []Tier {
	var list []Tier
	for _, t := range slices.Backward(tierOrder) {
		wanted := o.Tier == t || o.Tier == "" && t != TierOff
		if wanted && t.AtLeast(o.MinTier) && (t != TierAccounts || o.Privilege != PrivilegeNone || o.Tier == t) {
			list = append(list, t)
		}
	}
	return list
}

func describe(t Tier, failures tierFailures) string {
	s := tierTexts[t]
	if failures != nil {
		s += fmt.Sprintf(textBetterWalls, strings.Join(failures.lines(), "; "))
	}
	return s
}

// withKernelAdvice adds advice to the error of a refused system call for walls, unless the error
// already has advice.
func withKernelAdvice(err error) error {
	if err == nil || !strings.HasSuffix(err.Error(), unix.ENOSYS.Error()) &&
		!strings.HasSuffix(err.Error(), unix.EPERM.Error()) {
		return err
	}
	return fmt.Errorf("%w ("+textOldKernel+")", err)
}

// tryTier builds a tier around a process that does nothing.
func tryTier(o DetectOptions, t Tier) error {
	switch {
	case t == TierAccounts && o.Privilege == PrivilegeNone:
		return errors.New(textNoAccountChange)
	case t == TierOff:
		return nil
	}
	home, fd, err := OpenBindMount(filepath.Split(o.Dir))
	if err != nil {
		return withKernelAdvice(err)
	}
	defer unix.Close(fd)
	p := Plan{Tier: t, Profile: ProfileWorker, Home: home, UID: o.UID, GID: o.GID, Probe: true}
	launch, err := p.NewLaunch(o.Privilege)
	if err == nil {
		err = launch.probe(fd)
	}
	return withKernelAdvice(err)
}

// maxProbeOutput bounds the output of a failed stage, in bytes.
const maxProbeOutput = 4 << 10

// probe executes stage one of a plan that builds the walls and executes no worker.
func (l Launch) probe(home int) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	output, stderr, err := os.Pipe()
	if err != nil {
		return err
	}
	defer output.Close()
	pid, err := l.StartStageOne(home, null.Fd(), null.Fd(), stderr.Fd(), null.Fd())
	err = errors.Join(err, stderr.Close())
	said, _ := io.ReadAll(io.LimitReader(output, maxProbeOutput))
	if err == nil {
		err = waitExit(pid)
	}
	if text := bytes.TrimSpace(said); err != nil && len(text) > 0 {
		return errors.New(string(bytes.TrimPrefix(text, []byte("mews-spawner: "))))
	}
	return err
}

// waitExit waits for the end of a process. A status other than 0 is an error.
func waitExit(pid int) error {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("wait for process %d: %w", pid, err)
		case status.ExitStatus() == shortageStatus:
			return fmt.Errorf("the machine had no room for it: %w", unix.EAGAIN)
		case status != 0:
			return fmt.Errorf("it ended with status %d, signal %d", status.ExitStatus(), status.Signal())
		}
		return nil
	}
}

// OpenBindMount opens a folder beneath root. The BindMount identifies the opened folder, so that no
// other folder is mounted later. The caller closes the descriptor.
func OpenBindMount(root, path string) (BindMount, int, error) { return openBind(root, path, 0) }

// openBind is OpenBindMount with more flags of openat2(2) for the path.
func openBind(root, path string, resolve uint64) (BindMount, int, error) {
	b := BindMount{Root: root, Path: path}
	fd, err := openBeneath(root, path, resolve)
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

// OwnPrivilege returns the privilege of this process.
func OwnPrivilege() (Privilege, error) {
	if os.Geteuid() == 0 {
		return PrivilegeRoot, nil
	}
	caps, err := effectiveCapabilities()
	if err != nil {
		return PrivilegeNone, err
	}
	has := func(c uint) bool { return caps>>c&1 == 1 }
	switch {
	case !has(unix.CAP_SETUID) || !has(unix.CAP_SETGID) || !has(unix.CAP_KILL): // a spawner must be able to end its processes
		return PrivilegeNone, nil
	case has(unix.CAP_SYS_ADMIN) && has(unix.CAP_SETPCAP) && has(unix.CAP_DAC_READ_SEARCH):
		return PrivilegeMount, nil
	}
	return PrivilegeSetID, nil
}
