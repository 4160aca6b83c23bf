// Package cgroup limits all the processes of a user together. A limit of setrlimit(2) holds for one
// process, and a user's worker may start hundreds. A control group counts the total of all its
// processes and their descendants, even in other sessions. If the system gives us no control
// groups, a Meter measures processes for a watchdog.
//
// The package uses the groups that the system gives to this process. With v2 that is the folder
// delegated to this process (systemd's Delegate=yes). With v1, as root, that is a folder in each
// hierarchy below this process's own. The package never leaves its own folder, so limits on the
// folders above stay in force.
//
// No function follows a symbolic link or waits longer than about half a second. A Tree and its
// Groups belong to one goroutine.
package cgroup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Kind is the kind of control groups.
type Kind string

const (
	KindV2   Kind = "v2"   // one hierarchy for all controllers; a child starts in its group
	KindV1   Kind = "v1"   // a hierarchy for each controller; a process is added to each
	KindNone Kind = "none" // no groups that this process may use: MakeGroup refuses
)

// Options tell where the hierarchies are.
type Options struct {
	Root string // mount point of the hierarchies; "" means /sys/fs/cgroup
	Self string // the file with this process's groups; "" means /proc/self/cgroup
	// Workers limits the groups of all users together, only with v2. Zero means no common limits.
	Workers Limits

	kernel kernel // makes changes of the hierarchies; nil means the real kernel
}

// Tree is the part of the hierarchies in which this process may make groups.
type Tree struct {
	kind        Kind
	why         string
	hierarchies []*hierarchy // with v2 the only hierarchy; with v1 each hierarchy with a useful controller
	kernel      kernel
	workers     Limits // limits of all groups together; see Options
	enabled     bool   // whether groups that are made from now on have the controllers
}

// hierarchy is a mounted hierarchy with this process's folder in it.
type hierarchy struct {
	dir         *os.File
	groups      *os.File // the folder for users' groups: dir, or the group around them
	controllers []string
}

// usefulControllers are the controllers of Limits. If memory and pids are missing, no groups are
// made.
var usefulControllers = map[Kind][]string{
	KindV2: {"memory", "pids", "cpu", "io"},
	KindV1: {"memory", "pids", "cpu", "blkio"},
}

// filterUseful returns the useful controllers among the given controllers. limits reports whether
// they can limit memory or processes.
func filterUseful(kind Kind, given []string) (have []string, limits bool) {
	have = slices.DeleteFunc(slices.Clone(usefulControllers[kind]), func(c string) bool { return !slices.Contains(given, c) })
	return have, slices.Contains(have, "memory") || slices.Contains(have, "pids")
}

// unusableError explains to people why a kind of control groups cannot be used. Open does not
// count it as a failure.
type unusableError struct{ reason string }

func (e unusableError) Error() string { return e.reason }

func unusable(format string, args ...any) error { return unusableError{fmt.Sprintf(format, args...)} }

// Open finds the groups that this process may use. It is no error if there are no groups.
// Unreadable or impossible data is an error.
func Open(o Options) (*Tree, error) {
	o.Root, o.Self = cmp.Or(o.Root, "/sys/fs/cgroup"), cmp.Or(o.Self, "/proc/self/cgroup")
	o.kernel = cmp.Or(o.kernel, kernel(realKernel{}))
	text, err := os.ReadFile(o.Self)
	if errors.Is(err, fs.ErrNotExist) {
		return unavailable(textNoCgroups), nil
	} else if err != nil {
		return nil, fmt.Errorf("find control groups: %w", err)
	}
	own, err := parseMemberships(string(text))
	if err != nil {
		return nil, fmt.Errorf("find control groups: %s: %w", o.Self, err)
	}
	root, err := os.Open(o.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return unavailable(fmt.Sprintf(textNotMounted, o.Root)), nil
	} else if err != nil {
		return nil, fmt.Errorf("find control groups: %w", err)
	}
	defer root.Close()
	t, err := findHierarchies(root, own, o.kernel)
	if err != nil {
		return nil, err
	}
	t.workers = o.Workers
	for _, h := range t.hierarchies {
		h.groups = h.dir
	}
	return t, nil
}

// findHierarchies returns a Tree of the first usable kind of control groups.
func findHierarchies(root *os.File, own []membership, k kernel) (*Tree, error) {
	var reasons []string
	for _, try := range []struct {
		kind Kind
		find func(*os.File, []membership, kernel) ([]*hierarchy, error)
	}{{KindV2, findV2}, {KindV1, findV1}} {
		found, err := try.find(root, own, k)
		var reason unusableError
		switch {
		case err == nil:
			t := &Tree{kind: try.kind, hierarchies: found, kernel: k, enabled: try.kind == KindV1}
			t.describe()
			return t, nil
		case errors.As(err, &reason):
			reasons = append(reasons, reason.reason)
		default:
			return nil, fmt.Errorf("find control groups: %w", err)
		}
	}
	return unavailable(strings.Join(reasons, "; ")), nil
}

func unavailable(reason string) *Tree {
	return &Tree{kind: KindNone, kernel: realKernel{}, why: fmt.Sprintf(textUnlimited, reason)}
}

// Kind returns the kind of the control groups.
func (t *Tree) Kind() Kind { return t.kind }

// Explanation tells people what is limited and what is not. If nothing is limited, it tells why and
// what to do.
func (t *Tree) Explanation() string { return t.why }

// Close closes the descriptors. The groups stay.
func (t *Tree) Close() error {
	err := closeAll(t.hierarchies)
	t.hierarchies = nil
	return err
}

func closeAll(hierarchies []*hierarchy) error {
	var errs []error
	for _, h := range hierarchies {
		if h.groups != nil && h.groups != h.dir {
			errs = append(errs, h.groups.Close())
		}
		errs = append(errs, h.dir.Close())
	}
	return errors.Join(errs...)
}

// describe sets the text for Explanation from the hierarchies that were found.
func (t *Tree) describe() {
	var have, lack []string
	for _, c := range usefulControllers[t.kind] {
		if t.hasController(c) {
			have = append(have, c)
		} else {
			lack = append(lack, c)
		}
	}
	t.why = fmt.Sprintf(textLimited, t.kind, strings.Join(have, ", "))
	if len(lack) > 0 {
		t.why += fmt.Sprintf(textLacking, strings.Join(lack, ", "))
	}
}

func (t *Tree) hasController(controller string) bool {
	return slices.ContainsFunc(t.hierarchies, func(h *hierarchy) bool { return h.hasController(controller) })
}

func (h *hierarchy) hasController(name string) bool { return slices.Contains(h.controllers, name) }

// HasControllerEnabled reports whether new groups have a controller, such as memory or pids.
func (t *Tree) HasControllerEnabled(controller string) bool {
	return t.enabled && t.hasController(controller)
}

// RemoveStaleGroups removes empty groups that an ended process has made. isStale gets the name of
// each group, as given to MakeGroup, and reports whether its maker has ended.
func (t *Tree) RemoveStaleGroups(isStale func(name string) bool) error {
	var errs []error
	for _, h := range t.hierarchies {
		entries, err := os.ReadDir(h.groups.Name())
		if err != nil {
			errs = append(errs, fmt.Errorf("list groups: %w", err))
			continue
		}
		for _, e := range entries {
			name, is := strings.CutPrefix(e.Name(), groupPrefix)
			if !is || !isStale(name) {
				continue
			}
			if err := t.kernel.rmdir(h.groups, e.Name()); err != nil && err != unix.EBUSY && err != unix.ENOENT {
				errs = append(errs, fmt.Errorf("remove group %s/%s: %w", h.groups.Name(), e.Name(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// probeFolder makes a folder and removes it. That fails if permissions, a read-only mount or a
// limit above us forbid groups.
func probeFolder(dir *os.File, k kernel) error {
	name := fmt.Sprintf("mews-probe-%d", os.Getpid())
	if err := k.mkdir(dir, name); err != nil && err != unix.EEXIST {
		return unusable(textNotMakeable, dir.Name(), err)
	}
	if err := k.rmdir(dir, name); err != nil {
		return fmt.Errorf("remove the trial group %s/%s: %w", dir.Name(), name, err)
	}
	return nil
}
