package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Launch tells a spawner how to execute stage one. It has the program, its environment, and its
// namespaces.
type Launch struct {
	Argv []string
	Env  []string
	Attr syscall.SysProcAttr

	// an open folder, or its mount, that becomes stage one's descriptor 4; 0 means that stage one
	// gets none
	History uintptr

	viaStageZero bool
	self         string // path of this process's program, which becomes stage one
}

// selfExe is this process's program at any path.
const selfExe = "/proc/self/exe"

// Privilege is the power of a spawner. It decides how a worker gets its account and its namespaces.
type Privilege string

const (
	// workers have the spawner's own account; each worker makes its own user namespace
	PrivilegeNone Privilege = "none"
	PrivilegeRoot Privilege = "root" // a worker may get any account, and its own user namespace from the kernel
	// the spawner has CAP_SETUID, CAP_SETGID and CAP_KILL: a worker first gets its account, then
	// its own user namespace
	PrivilegeSetID Privilege = "switch"
	// the spawner has the capabilities of PrivilegeSetID and CAP_SYS_ADMIN: workers get no user
	// namespace, for systems that switch user namespaces off
	PrivilegeMount Privilege = "mount"
)

// namespaces are the namespaces of a worker, without the user namespace.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
	unix.CLONE_NEWCGROUP

// launchAttrs set stage one's account and namespaces for each privilege. A function that changes
// the account removes it from the plan, so that stage one does not change it again.
var launchAttrs = map[Privilege]func(*Plan) syscall.SysProcAttr{
	PrivilegeNone:  ownUserNamespace,
	PrivilegeRoot:  accountUserNamespace,
	PrivilegeSetID: accountFirst,
	PrivilegeMount: namespacesThenAccount,
}

// NewLaunch returns how a spawner of that privilege executes stage one of a plan. With
// PrivilegeSetID it executes RunStageZero, which executes stage one.
func (p Plan) NewLaunch(privilege Privilege) (Launch, error) {
	switch err := p.check(); {
	case err != nil:
		return Launch{}, err
	case privilege == PrivilegeNone && p.UID >= 0 && p.UID != os.Getuid():
		return Launch{}, fmt.Errorf("become uid %d: this spawner cannot change accounts", p.UID)
	case p.UID < 0 && os.Getuid() == 0:
		return Launch{}, errors.New("a worker is never root: the plan names no account")
	case p.UID < 0:
		p.UID, p.GID = os.Getuid(), os.Getgid()
	}
	attrOf, argument, viaZero := accountOnly, StageOneArgument, false
	if p.Tier.AtLeast(TierNamespaces) {
		attrOf, viaZero = launchAttrs[privilege], privilege == PrivilegeSetID
	}
	if viaZero {
		argument = StageZeroArgument
	}
	attr := attrOf(&p)
	attr.Setsid = true // no terminal, and its own process group
	attr.Pdeathsig = syscall.SIGKILL
	return Launch{Argv: []string{"mews-spawner", argument}, Env: p.Environ(), Attr: attr, viaStageZero: viaZero, self: selfExe}, nil
}

// StartStageOne executes stage one in the folder home, an open descriptor. files become its
// descriptors: 0 to 3 are the worker's three and the open file of the worker's program, and from 6
// on follow mounts. Descriptors 4 and 5 are never free, so that stage one's runtime cannot take the
// numbers of the history and of the tool layer's rules. StartStageOne returns the pid of a new
// child of this process. The child becomes the worker, or writes the reason why not to its
// descriptor 2.
//
// The calling goroutine must be locked to its thread: the child is killed when the thread ends. No
// other code in this process may depend on the working directory.
func (l Launch) StartStageOne(home int, files ...uintptr) (pid int, err error) {
	program := files[workerFD]
	files = slices.Insert(slices.Clone(files), historyFD, cmp.Or(l.History, program), program)
	attr := syscall.ProcAttr{Env: l.Env, Sys: &l.Attr, Files: files}
	if l.viaStageZero {
		return l.startViaStageZero(home, attr)
	}
	if l.Attr.Cloneflags&unix.CLONE_NEWNS == 0 {
		attr.Dir = fdPath(home)
		return syscall.ForkExec(l.self, l.Argv, &attr)
	}
	// A child in a new mount namespace finds a folder of the old namespace only as its working
	// directory. So the folder's path does not matter.
	if err := unix.Fchdir(home); err != nil {
		return 0, fmt.Errorf("enter the home: fchdir: %w", err)
	}
	pid, err = syscall.ForkExec(l.self, l.Argv, &attr)
	if err = errors.Join(err, unix.Chdir("/")); err != nil {
		return 0, withNamespaceAdvice(err)
	}
	return pid, nil
}

// fdPath returns a path to an open folder for a child, which has a copy of the descriptor until it
// executes.
func fdPath(dir int) string { return fmt.Sprint("/proc/self/fd/", dir) }

// accountOnly changes the account, without namespaces.
func accountOnly(p *Plan) syscall.SysProcAttr {
	if p.UID == os.Getuid() {
		p.UID, p.GID = -1, -1
		return syscall.SysProcAttr{}
	}
	return accountFirst(p)
}

// ownUserNamespace maps the spawner's own account to itself in a new user namespace.
func ownUserNamespace(p *Plan) syscall.SysProcAttr {
	p.UID, p.GID = -1, -1
	return inUserNamespace(os.Getuid(), os.Getgid())
}

// accountUserNamespace maps only the worker's account, to itself: root owns nothing in that
// namespace.
func accountUserNamespace(p *Plan) syscall.SysProcAttr {
	attr := inUserNamespace(p.UID, p.GID)
	attr.GidMappingsEnableSetgroups = true
	attr.Credential = accountFirst(p).Credential
	return attr
}

// accountFirst changes the account first. The owner of a user namespace may do anything in it, so
// the user's account must make the namespace, not the service's account.
func accountFirst(p *Plan) syscall.SysProcAttr {
	attr := syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.UID), Gid: uint32(p.GID)}}
	p.UID, p.GID = -1, -1
	return attr
}

// namespacesThenAccount makes the namespaces with the spawner's own capabilities. Stage one changes
// the account once the namespaces are built.
func namespacesThenAccount(*Plan) syscall.SysProcAttr {
	return syscall.SysProcAttr{Cloneflags: namespaces,
		AmbientCaps: append([]uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_DAC_READ_SEARCH}, stageOneCapabilities...)}
}

func inUserNamespace(uid, gid int) syscall.SysProcAttr {
	return syscall.SysProcAttr{
		Cloneflags:  namespaces | unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		// CAP_SYS_RESOURCE is needed to lower the namespace's own bounds
		AmbientCaps: append([]uintptr{unix.CAP_SYS_RESOURCE}, stageOneCapabilities...),
	}
}

// withNamespaceAdvice puts advice before the error of a process that may not make namespaces.
func withNamespaceAdvice(err error) error {
	for _, known := range namespaceAdvice {
		if strings.Contains(err.Error(), known.err) {
			return fmt.Errorf("%s (%w)", known.advice, err)
		}
	}
	return err
}
