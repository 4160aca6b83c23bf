// Package cgroup limits all the processes of a person together. A limit of setrlimit(2) holds for
// one process, and a person's worker may start hundreds. A control group counts what they take in
// total, with their descendants, wherever those have gone. Where the system gives us no control
// groups, MeasureAll finds out what a watchdog needs to know.
//
// The package uses what it is given: with v2 the folder that was delegated to this process
// (systemd's Delegate=yes), with v1, as root, a folder in each hierarchy below the one that this
// process is in. It never leaves its own folder, so limits that somebody else has set around it
// stay in force.
//
// Nothing here follows a symbolic link, and nothing waits longer than about half a second. A Tree
// and its Groups belong to one goroutine.
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

// Kind names which control groups there are.
type Kind string

const (
	V2   Kind = "v2"   // one hierarchy for all controllers; a child is born in its group
	V1   Kind = "v1"   // a hierarchy for each controller; a process is put into each
	None Kind = "none" // none that this process may use: Make refuses
)

// Options say where to look.
type Options struct {
	Root string // where the hierarchies are mounted; "" is /sys/fs/cgroup
	Self string // the file that says which groups this process is in; "" is /proc/self/cgroup

	kernel kernel // what changes the hierarchies; nil is the real kernel, tests have another
}

// Tree is the part of the hierarchies that is ours.
type Tree struct {
	kind        Kind
	why         string
	hierarchies []*hierarchy // v2: one; v1: each that has a useful controller
	kernel      kernel
	enabled     bool // new groups have the controllers
}

// hierarchy is a mounted hierarchy, with the folder in it that is ours.
type hierarchy struct {
	dir         *os.File
	controllers []string
}

// usefulControllers are those that Limits are written to. Without memory and pids the others are no
// reason to make groups.
var usefulControllers = map[Kind][]string{
	V2: {"memory", "pids", "cpu", "io"},
	V1: {"memory", "pids", "cpu", "blkio"},
}

// usefulOf are the useful controllers among those given. limits says whether they can limit memory
// or processes.
func usefulOf(kind Kind, given []string) (have []string, limits bool) {
	have = slices.DeleteFunc(slices.Clone(usefulControllers[kind]), func(c string) bool { return !slices.Contains(given, c) })
	return have, slices.Contains(have, "memory") || slices.Contains(have, "pids")
}

// errUnusable is why a kind of control groups cannot be used. It is no failure; people read it.
type errUnusable struct{ reason string }

func (e errUnusable) Error() string { return e.reason }

func unusable(format string, args ...any) error { return errUnusable{fmt.Sprintf(format, args...)} }

// Open finds what this process may use. It is no error if that is nothing. It is an error if what
// it reads makes no sense.
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
	return findHierarchies(root, own, o.kernel)
}

// findHierarchies takes the first kind that can be used.
func findHierarchies(root *os.File, own []membership, k kernel) (*Tree, error) {
	var reasons []string
	for _, try := range []struct {
		kind Kind
		find func(*os.File, []membership, kernel) ([]*hierarchy, error)
	}{{V2, findV2}, {V1, findV1}} {
		found, err := try.find(root, own, k)
		var reason errUnusable
		switch {
		case err == nil:
			t := &Tree{kind: try.kind, hierarchies: found, kernel: k, enabled: try.kind == V1}
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
	return &Tree{kind: None, kernel: realKernel{}, why: fmt.Sprintf(textUnlimited, reason)}
}

// Kind is which control groups there are.
func (t *Tree) Kind() Kind { return t.kind }

// Why is a sentence or two for people: what is limited and what is not, or why nothing is and what
// to do.
func (t *Tree) Why() string { return t.why }

// Close closes the descriptors. The groups stay.
func (t *Tree) Close() error {
	err := closeAll(t.hierarchies)
	t.hierarchies = nil
	return err
}

func closeAll(hierarchies []*hierarchy) error {
	var errs []error
	for _, h := range hierarchies {
		errs = append(errs, h.dir.Close())
	}
	return errors.Join(errs...)
}

// describe sets what Why says of the hierarchies that were found.
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

// Enabled says whether new groups have a controller: memory, pids.
func (t *Tree) Enabled(controller string) bool { return t.enabled && t.hasController(controller) }

// Sweep removes the empty groups whose makers are gone. It asks isStale about each by the name that
// it was made with.
func (t *Tree) Sweep(isStale func(name string) bool) error {
	var errs []error
	for _, h := range t.hierarchies {
		entries, err := os.ReadDir(h.dir.Name())
		if err != nil {
			errs = append(errs, fmt.Errorf("list groups: %w", err))
			continue
		}
		for _, e := range entries {
			name, is := strings.CutPrefix(e.Name(), groupPrefix)
			if !is || !isStale(name) {
				continue
			}
			if err := t.kernel.rmdir(h.dir, e.Name()); err != nil && err != unix.EBUSY && err != unix.ENOENT {
				errs = append(errs, fmt.Errorf("remove group %s/%s: %w", h.dir.Name(), e.Name(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// probeFolder makes a folder and removes it. That fails where permissions, a read-only mount or a
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
