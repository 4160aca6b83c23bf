// Package cgroup limits all the processes of a person together. A limit of setrlimit(2) holds for one process, and a
// person's worker may start hundreds; a control group counts what they take in total, their descendants' too, wherever
// those have gone. Where this system gives us no control groups, MeasureAll says what a watchdog needs to know.
//
// It uses what it is given: with v2 the folder that was delegated to this process (systemd's Delegate=yes), with v1, as
// root, a folder in each hierarchy below the one that this process is in. It never leaves its own folder, so limits that
// somebody else has set around it go on to hold.
//
// Nothing here follows a symbolic link, and nothing waits longer than about half a second. A Tree and its Groups belong
// to one goroutine.
package cgroup

import (
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
	None Kind = "none" // unavailable that this process may use: Make refuses
)

// Options say where to look.
type Options struct {
	Root string // where the hierarchies are mounted; "" is /sys/fs/cgroup
	Self string // the file that says which groups this process is in; "" is /proc/self/cgroup

	kernel kernel // what acts on the hierarchies; a test's, or nil for the real one
}

// Tree is the part of the hierarchies that is ours.
type Tree struct {
	kind        Kind
	why         string
	hierarchies []*hierarchy // isV2: one; v1: each that has a controller of use
	kernel      kernel
	enabled     bool // the groups to be made have the controllers
}

// hierarchy is a mounted hierarchy with the folder in it that is ours.
type hierarchy struct {
	dir         *os.File
	controllers []string
}

// usefulControllers are the controllers of use for each kind. With neither memory nor pids there is no point in the others.
var usefulControllers = map[Kind][]string{
	V2: {"memory", "pids", "cpu", "io"},
	V1: {"memory", "pids", "cpu", "blkio"},
}

// advice is what to do where there is nothing to use.
const advice = "Have systemd run Mews from a unit with Delegate=yes, on a system with cgroup v2, or run mews-spawner as " +
	"root with the cgroup hierarchies mounted writable. Until then a watchdog looks at the memory every few seconds."

// errUnusable is why a kind of control groups cannot be used. It is for people, and no failure.
type errUnusable struct{ reason string }

func (e errUnusable) Error() string { return e.reason }

func unusable(format string, args ...any) error { return errUnusable{fmt.Sprintf(format, args...)} }

// Open finds what this process may use. It is no error if that is nothing. It is one if what it read makes no sense.
func Open(o Options) (*Tree, error) {
	if o.Root == "" {
		o.Root = "/sys/fs/cgroup"
	}
	if o.Self == "" {
		o.Self = "/proc/self/cgroup"
	}
	if o.kernel == nil {
		o.kernel = realKernel{}
	}
	text, err := os.ReadFile(o.Self)
	if errors.Is(err, fs.ErrNotExist) {
		return unavailable("this kernel has no control groups, or /proc is not mounted"), nil
	} else if err != nil {
		return nil, fmt.Errorf("find control groups: %w", err)
	}
	own, err := parseMemberships(string(text))
	if err != nil {
		return nil, fmt.Errorf("find control groups: %s: %w", o.Self, err)
	}
	root, err := os.Open(o.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return unavailable("no control groups are mounted at " + o.Root), nil
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
	return &Tree{kind: None, kernel: realKernel{}, why: "A person's processes are limited one by one and not all together: " +
		reason + ". " + advice}
}

// Kind is which control groups there are.
func (t *Tree) Kind() Kind { return t.kind }

// Why is a sentence or two for people: what holds and what does not, or why there is nothing and what to do.
func (t *Tree) Why() string { return t.why }

// Close gives the descriptors back. The groups stay.
func (t *Tree) Close() error {
	var errs []error
	for _, h := range t.hierarchies {
		errs = append(errs, h.dir.Close())
	}
	t.hierarchies = nil
	return errors.Join(errs...)
}

// describe writes Why for what was found.
func (t *Tree) describe() {
	var have, lack []string
	for _, c := range usefulControllers[t.kind] {
		if t.hasController(c) {
			have = append(have, c)
		} else {
			lack = append(lack, c)
		}
	}
	t.why = fmt.Sprintf("A person's processes are limited all together by cgroup %s: %s.", t.kind, strings.Join(have, ", "))
	if len(lack) > 0 {
		t.why += fmt.Sprintf(" There is no controller for: %s.", strings.Join(lack, ", "))
	}
}

func (t *Tree) hasController(controller string) bool {
	return slices.ContainsFunc(t.hierarchies, func(h *hierarchy) bool { return h.hasController(controller) })
}

// Enabled says whether groups have a controller: memory, pids.
func (t *Tree) Enabled(controller string) bool { return t.enabled && t.hasController(controller) }

// Sweep removes the groups that were made by processes which are gone, where nothing is in them; isLeft is asked about
// each by the name that it was made with.
func (t *Tree) Sweep(isLeft func(name string) bool) error {
	var errs []error
	for _, h := range t.hierarchies {
		entries, err := os.ReadDir(h.dir.Name())
		if err != nil {
			errs = append(errs, fmt.Errorf("list groups: %w", err))
			continue
		}
		for _, e := range entries {
			name, is := strings.CutPrefix(e.Name(), groupPrefix)
			if !is || !isLeft(name) {
				continue
			}
			if err := t.kernel.rmdir(h.dir, e.Name()); err != nil && err != unix.EBUSY && err != unix.ENOENT {
				errs = append(errs, fmt.Errorf("remove group %s/%s: %w", h.dir.Name(), e.Name(), err))
			}
		}
	}
	return errors.Join(errs...)
}

func (h *hierarchy) hasController(name string) bool { return slices.Contains(h.controllers, name) }

// probeFolder makes a folder and removes it: permissions, a read-only mount and the limits of those above us have all had
// their say then.
func probeFolder(dir *os.File, k kernel) error {
	name := fmt.Sprintf("mews-probe-%d", os.Getpid())
	if err := k.mkdir(dir, name); err != nil && err != unix.EEXIST {
		return unusable("no group can be made in %s (%v)", dir.Name(), err)
	}
	if err := k.rmdir(dir, name); err != nil {
		return fmt.Errorf("remove the trial group %s/%s: %w", dir.Name(), name, err)
	}
	return nil
}
