package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock's rights over files (landlock(7)). Every right that the kernel's version knows is
// handled, so a right without a rule is refused. No process may make devices.
const (
	rightsRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsWrite = rightsRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	rightsDevice = rightsRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	rightsOfFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockMinVersion is the version of Landlock that the landlock tier needs. From this version on,
// Landlock keeps signals and abstract sockets inside. In the higher tiers namespaces do that, and
// Landlock of any version is a second wall.
const landlockMinVersion = 6

// versionRights are the rights over files in each version.
var versionRights = []uint64{
	1: 1<<13 - 1,
	2: 1<<14 - 1,
	3: 1<<15 - 1,
	4: 1<<15 - 1,
	5: 1<<16 - 1,
}

// landlockVersion asks the kernel for its version.
func landlockVersion() (int, error) {
	n, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0, fmt.Errorf("ask for Landlock: %w ("+textNoLandlock+")", e)
	}
	return int(n), nil
}

// rule allows rights beneath a path. A missing path is an error unless the rule is optional.
type rule struct {
	path     string
	rights   uint64
	optional bool
	// the folder that was checked; set if a user can replace the file at the path
	bind *BindMount
}

func (r rule) open() (int, error) {
	if r.bind != nil {
		return r.bind.openChecked()
	}
	return unix.Open(r.path, unix.O_PATH|unix.O_CLOEXEC, 0)
}

// rightsOf returns the rule's rights that are handled and that the kind of file has.
func (r rule) rightsOf(mode uint32, handled uint64) uint64 {
	if mode&unix.S_IFMT != unix.S_IFDIR {
		handled &= rightsOfFile
	}
	return r.rights & handled
}

// rulesetAttr returns the accesses that a version refuses unless a rule allows them. These are all
// access to files, TCP, and signals and abstract sockets to processes outside.
func rulesetAttr(version int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: versionRights[min(version, len(versionRights)-1)]}
	if version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// restrict enforces the rules on the calling thread and all that it starts.
func restrict(version int, rules []rule) error {
	set, err := newRuleset(version, rules)
	if err != nil {
		return err
	}
	defer unix.Close(set)
	return restrictSelf(set)
}

// newRuleset makes a ruleset. The caller closes the descriptor.
func newRuleset(version int, rules []rule) (int, error) {
	attr := rulesetAttr(version)
	set, err := createRuleset(attr)
	if err != nil {
		return -1, fmt.Errorf("version %d: %w", version, err)
	}
	for _, r := range rules {
		if err := addRule(set, r, attr.Handled_access_fs); err != nil {
			return -1, errors.Join(fmt.Errorf("landlock: allow %s: %w", r.path, err), unix.Close(set))
		}
	}
	return set, nil
}

func restrictSelf(set int) error {
	if _, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); e != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", e)
	}
	return nil
}

func createRuleset(attr unix.LandlockRulesetAttr) (int, error) {
	set, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return -1, fmt.Errorf("landlock_create_ruleset: %w", e)
	}
	return int(set), nil
}

func addRule(set int, r rule, handled uint64) error {
	fd, err := r.open()
	if r.optional && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: r.rightsOf(st.Mode, handled), Parent_fd: int32(fd)}
	_, _, e := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
