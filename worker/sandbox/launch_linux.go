package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Launch says how a spawner executes stage one: which program, with what, and in which namespaces.
type Launch struct {
	Argv []string
	Env  []string
	Attr syscall.SysProcAttr

	viaStageZero bool   // it is executed by StageZero
	self         string // the program of this process, which becomes stage one
}

// selfExe is this process's program, wherever it lies.
const selfExe = "/proc/self/exe"

// Privilege is what a spawner may do, and with that how a worker gets its account and its namespaces.
type Privilege string

const (
	PrivilegeNone  Privilege = "none"   // workers have the spawner's own account, and user namespaces of their own
	PrivilegeRoot  Privilege = "root"   // any account; the kernel gives it a user namespace
	PrivilegeSetID Privilege = "switch" // CAP_SETUID, CAP_SETGID, CAP_KILL: the account first, and then its own user namespace
	PrivilegeMount Privilege = "mount"  // and CAP_SYS_ADMIN: namespaces without a user namespace, where those are switched off
)

// namespaces are those of a worker but the user namespace.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
	unix.CLONE_NEWCGROUP

// route is how a plan becomes a process for a power.
type route func(p *Plan) syscall.SysProcAttr

var launchAttrs = map[Privilege]route{
	PrivilegeNone:  ownUserNamespace,
	PrivilegeRoot:  accountUserNamespace,
	PrivilegeSetID: accountFirst,
	PrivilegeMount: namespacesThenAccount,
}

// Launch says how stage one of a plan is executed by a spawner of that power. For PrivilegeSetID it is the first of two
// processes: see StageZero.
func (p Plan) Launch(power Privilege) (Launch, error) {
	if err := p.check(); err != nil {
		return Launch{}, err
	}
	if power == PrivilegeNone && p.UID >= 0 && p.UID != os.Getuid() {
		return Launch{}, fmt.Errorf("become uid %d: this spawner cannot change accounts", p.UID)
	}
	if p.UID < 0 && os.Getuid() == 0 {
		return Launch{}, errors.New("a worker is never root: the plan names no account")
	}
	if p.UID < 0 {
		p.UID, p.GID = os.Getuid(), os.Getgid()
	}
	way, argument := accountOnly, StageOneArgument
	if p.Tier.AtLeast(TierNamespaces) {
		way = launchAttrs[power]
	}
	viaZero := p.Tier.AtLeast(TierNamespaces) && power == PrivilegeSetID
	if viaZero {
		argument = StageZeroArgument
	}
	attr := way(&p)
	attr.Setsid = true // no terminal, and a group that can be signalled as one
	attr.Pdeathsig = syscall.SIGKILL
	return Launch{Argv: []string{"mews-spawner", argument}, Env: p.Environ(), Attr: attr, viaStageZero: viaZero, self: selfExe}, nil
}

// Start executes it in the folder home, an open descriptor, with files as its descriptors 0 to 3: the worker's three, and
// its program, opened. It gives the pid of a new child of this process, which becomes the worker, or says on its
// descriptor 2 why not. The calling goroutine must hold its thread, which must live for as long as the child shall, and
// nobody else in this process may depend on the working directory.
func (l Launch) Start(home int, files ...uintptr) (pid int, err error) {
	attr := syscall.ProcAttr{Env: l.Env, Sys: &l.Attr, Files: files}
	if l.viaStageZero {
		return l.startViaStageZero(home, attr)
	}
	if l.Attr.Cloneflags&unix.CLONE_NEWNS == 0 {
		attr.Dir = fdPath(home)
		return syscall.ForkExec(l.self, l.Argv, &attr)
	}
	err = inDirectory(home, func() (err error) {
		pid, err = syscall.ForkExec(l.self, l.Argv, &attr)
		return err
	})
	if err != nil {
		return 0, withNamespaceAdvice(err)
	}
	return pid, nil
}

// inDirectory calls start with the folder as the process's working directory. What is executed in a mount namespace of its own
// can find a folder of the old one in no other way, and so neither the folder's path nor the way to it matters.
func inDirectory(dir int, start func() error) error {
	if err := unix.Fchdir(dir); err != nil {
		return fmt.Errorf("enter the home: fchdir: %w", err)
	}
	return errors.Join(start(), unix.Chdir("/"))
}

// fdPath is a path to an open folder for a child, which has a copy of the descriptor until it executes.
func fdPath(dir int) string { return fmt.Sprint("/proc/self/fd/", dir) }

// accountOnly changes the account, with no namespaces.
func accountOnly(p *Plan) syscall.SysProcAttr {
	if p.UID == os.Getuid() {
		p.UID, p.GID = -1, -1
		return syscall.SysProcAttr{}
	}
	return accountFirst(p)
}

// ownUserNamespace has the spawner's own account mapped to itself in a new user namespace.
func ownUserNamespace(p *Plan) syscall.SysProcAttr {
	attr := inUserNamespace(p.Profile, os.Getuid(), os.Getgid())
	p.UID, p.GID = -1, -1
	return attr
}

// accountUserNamespace has another account mapped to itself, and to no other; nothing in that namespace is root's.
func accountUserNamespace(p *Plan) syscall.SysProcAttr {
	attr := inUserNamespace(p.Profile, p.UID, p.GID)
	attr.GidMappingsEnableSetgroups = true
	attr.Credential = &syscall.Credential{Uid: uint32(p.UID), Gid: uint32(p.GID)}
	p.UID, p.GID = -1, -1
	return attr
}

// accountFirst changes the account. Whoever owns a user namespace may do anything in it: so it is made by the person's account
// and not by the service's.
func accountFirst(p *Plan) syscall.SysProcAttr {
	attr := syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.UID), Gid: uint32(p.GID)}}
	p.UID, p.GID = -1, -1
	return attr
}

// namespacesThenAccount makes the namespaces as whoever may do that; stage one changes the account when they are built.
func namespacesThenAccount(p *Plan) syscall.SysProcAttr {
	return syscall.SysProcAttr{Cloneflags: namespaces, AmbientCaps: append(stageCapabilities(p.Profile),
		unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_DAC_READ_SEARCH)}
}

func inUserNamespace(p Profile, uid, gid int) syscall.SysProcAttr {
	return syscall.SysProcAttr{
		Cloneflags:  namespaces | unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: stageCapabilities(p),
	}
}

// withNamespaceAdvice puts what to do before an error of making namespaces.
func withNamespaceAdvice(err error) error {
	for _, cause := range namespaceErrors {
		if strings.Contains(err.Error(), cause.words) {
			return fmt.Errorf("%s (%w)", cause.remedy, err)
		}
	}
	return err
}

// namespaceErrors are why systems let nobody have namespaces, and what helps.
var namespaceErrors = []struct{ words, remedy string }{
	{"no space left", "user namespaces are switched off: sysctl user.max_user_namespaces=15000, or run Mews as a service with " +
		"deploy/systemd/mews.service.d/no-user-namespaces.conf"},
	{"operation not permitted", "user namespaces are switched off for accounts that are not root: " +
		"sysctl kernel.unprivileged_userns_clone=1, or in a container allow them in its seccomp profile, or run Mews as a service " +
		"with deploy/systemd/mews.service.d/no-user-namespaces.conf"},
	{"permission denied", "on Ubuntu an AppArmor profile must allow user namespaces: install deploy/apparmor/mews-spawner"},
	{"invalid argument", "the kernel has no user namespaces (CONFIG_USER_NS)"},
}
