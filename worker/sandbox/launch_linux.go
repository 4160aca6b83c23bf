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

	steps bool   // it is executed by Step
	self  string // the program of this process, which becomes stage one
}

// self is this process's program, wherever it lies.
const self = "/proc/self/exe"

// Power is what a spawner may do, and with that how a worker gets its account and its namespaces.
type Power string

const (
	PowerNone   Power = "none"   // workers have the spawner's own account, and user namespaces of their own
	PowerRoot   Power = "root"   // any account; the kernel gives it a user namespace
	PowerSwitch Power = "switch" // CAP_SETUID, CAP_SETGID, CAP_KILL: the account first, and then its own user namespace
	PowerMount  Power = "mount"  // and CAP_SYS_ADMIN: namespaces without a user namespace, where those are switched off
)

// namespaces are those of a worker but the user namespace.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS |
	unix.CLONE_NEWCGROUP

// route is how a plan becomes a process for a power.
type route func(p *Plan) syscall.SysProcAttr

var routes = map[Power]route{
	PowerNone:   own,
	PowerRoot:   asRoot,
	PowerSwitch: first,
	PowerMount:  mount,
}

// Launch says how stage one of a plan is executed by a spawner of that power. For PowerSwitch it is the first of two
// steps: see Step.
func (p Plan) Launch(power Power) (Launch, error) {
	if err := p.check(); err != nil {
		return Launch{}, err
	}
	if power == PowerNone && p.UID >= 0 && p.UID != os.Getuid() {
		return Launch{}, fmt.Errorf("become uid %d: this spawner cannot change accounts", p.UID)
	}
	if p.UID < 0 && os.Getuid() == 0 {
		return Launch{}, errors.New("a worker is never root: the plan names no account")
	}
	if p.UID < 0 {
		p.UID, p.GID = os.Getuid(), os.Getgid()
	}
	way, argument := plain, StageArgument
	if p.Tier.AtLeast(TierNamespaces) {
		way = routes[power]
	}
	steps := p.Tier.AtLeast(TierNamespaces) && power == PowerSwitch
	if steps {
		argument = StepArgument
	}
	attr := way(&p)
	attr.Setsid = true // no terminal, and a group that can be signalled as one
	attr.Pdeathsig = syscall.SIGKILL
	return Launch{Argv: []string{"mews-spawner", argument}, Env: p.Environ(), Attr: attr, steps: steps, self: self}, nil
}

// Start executes it in the folder home, an open descriptor, with files as its descriptors 0 to 3: the worker's three, and
// its program, opened. It gives the pid of a new child of this process, which becomes the worker, or says on its
// descriptor 2 why not. The calling goroutine must hold its thread, which must live for as long as the child shall, and
// nobody else in this process may depend on the working directory.
func (l Launch) Start(home int, files ...uintptr) (pid int, err error) {
	attr := syscall.ProcAttr{Env: l.Env, Sys: &l.Attr, Files: files}
	if l.steps {
		return l.startStep(home, attr)
	}
	if l.Attr.Cloneflags&unix.CLONE_NEWNS == 0 {
		attr.Dir = byDescriptor(home)
		return syscall.ForkExec(l.self, l.Argv, &attr)
	}
	err = within(home, func() (err error) {
		pid, err = syscall.ForkExec(l.self, l.Argv, &attr)
		return err
	})
	if err != nil {
		return 0, explain(err)
	}
	return pid, nil
}

// within calls start with the folder as the process's working directory. What is executed in a mount namespace of its own
// can find a folder of the old one in no other way, and so neither the folder's path nor the way to it matters.
func within(dir int, start func() error) error {
	if err := unix.Fchdir(dir); err != nil {
		return fmt.Errorf("enter the home: fchdir: %w", err)
	}
	return errors.Join(start(), unix.Chdir("/"))
}

// byDescriptor is a path to an open folder for a child, which has a copy of the descriptor until it executes.
func byDescriptor(dir int) string { return fmt.Sprint("/proc/self/fd/", dir) }

// plain changes the account, with no namespaces.
func plain(p *Plan) syscall.SysProcAttr {
	if p.UID == os.Getuid() {
		p.UID, p.GID = -1, -1
		return syscall.SysProcAttr{}
	}
	return first(p)
}

// own has the spawner's own account mapped to itself in a new user namespace.
func own(p *Plan) syscall.SysProcAttr {
	attr := inUserNamespace(p.Profile, os.Getuid(), os.Getgid())
	p.UID, p.GID = -1, -1
	return attr
}

// asRoot has another account mapped to itself, and to no other; nothing in that namespace is root's.
func asRoot(p *Plan) syscall.SysProcAttr {
	attr := inUserNamespace(p.Profile, p.UID, p.GID)
	attr.GidMappingsEnableSetgroups = true
	attr.Credential = &syscall.Credential{Uid: uint32(p.UID), Gid: uint32(p.GID)}
	p.UID, p.GID = -1, -1
	return attr
}

// first changes the account. Whoever owns a user namespace may do anything in it: so it is made by the person's account
// and not by the service's.
func first(p *Plan) syscall.SysProcAttr {
	attr := syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.UID), Gid: uint32(p.GID)}}
	p.UID, p.GID = -1, -1
	return attr
}

// mount makes the namespaces as whoever may do that; stage one changes the account when they are built.
func mount(p *Plan) syscall.SysProcAttr {
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

// explain puts what to do before an error of making namespaces.
func explain(err error) error {
	for _, cause := range causes {
		if strings.Contains(err.Error(), cause.words) {
			return fmt.Errorf("%s (%w)", cause.remedy, err)
		}
	}
	return err
}

// causes are why systems let nobody have namespaces, and what helps.
var causes = []struct{ words, remedy string }{
	{"no space left", "user namespaces are switched off: sysctl user.max_user_namespaces=15000, or run Mews as a service with " +
		"deploy/systemd/mews.service.d/no-user-namespaces.conf"},
	{"operation not permitted", "user namespaces are switched off for accounts that are not root: " +
		"sysctl kernel.unprivileged_userns_clone=1, or in a container allow them in its seccomp profile, or run Mews as a service " +
		"with deploy/systemd/mews.service.d/no-user-namespaces.conf"},
	{"permission denied", "on Ubuntu an AppArmor profile must allow user namespaces: install deploy/apparmor/mews-spawner"},
	{"invalid argument", "the kernel has no user namespaces (CONFIG_USER_NS)"},
}
