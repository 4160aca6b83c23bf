package cgroup

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrGroupInUse is in MakeGroup's error if the group exists and has processes: another process made
// it under this name.
var ErrGroupInUse = errors.New("there are processes in it")

// Group is a control group for the processes of a user.
type Group struct {
	tree *Tree
	name string     // name of the group's folder
	dirs []groupDir // folders of the group, made so far
}

// groupDir is a group's folder in one hierarchy.
type groupDir struct {
	*hierarchy
	folder *os.File
}

// groupPrefix begins the name of every group's folder. "main" and other programs' folders lack it.
const groupPrefix = "user-"

// MakeGroup makes a group, with every limit for which there is a controller. If an old group of
// that name has no processes, it is removed and made again, so that it counts from zero. The caller
// removes the group.
func (t *Tree) MakeGroup(name string, l Limits) (*Group, error) {
	g, err := t.group(name)
	if err == nil {
		err = l.check()
	}
	if err == nil && !t.enabled {
		err = fmt.Errorf("make group %s: MakeRoom has not made room for groups", name)
	}
	if err != nil {
		return nil, err
	}
	for _, h := range t.hierarchies {
		if err := g.makeDir(h, l); err != nil {
			return nil, errors.Join(err, g.Remove())
		}
	}
	return g, nil
}

func (t *Tree) group(name string) (*Group, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if len(t.hierarchies) == 0 {
		return nil, fmt.Errorf("group %s: there are no control groups here, or they were closed", name)
	}
	return &Group{tree: t, name: groupPrefix + name}, nil
}

// makeDir makes the group's folder in one hierarchy.
func (g *Group) makeDir(h *hierarchy, l Limits) error {
	k, path := g.tree.kernel, h.groups.Name()+"/"+g.name
	err := k.mkdir(h.groups, g.name)
	if err == unix.EEXIST {
		if err = k.rmdir(h.groups, g.name); err == unix.EBUSY {
			return fmt.Errorf("take over group %s: %w", path, ErrGroupInUse)
		} else if err == nil || err == unix.ENOENT {
			err = k.mkdir(h.groups, g.name)
		}
	}
	if err != nil {
		return fmt.Errorf("make group %s: %w", path, err)
	}
	folder, err := openFolder(h.groups, g.name)
	if err != nil {
		return errors.Join(err, k.rmdir(h.groups, g.name))
	}
	d := groupDir{h, folder}
	g.dirs = append(g.dirs, d)
	return g.writeLimits(d, l)
}

func (g *Group) writeLimits(d groupDir, l Limits) error {
	for _, s := range settings[g.tree.kind] {
		text := s.text(l)
		if text == "" || !d.hasController(s.controller) {
			continue
		}
		err := g.tree.kernel.write(d.folder, s.file, text)
		if err != nil && !(s.optional && isMissing(err)) {
			return fmt.Errorf("set limit %s of %s to %s: %w", s.file, d.folder.Name(), text, err)
		}
	}
	return nil
}

// Dir returns the open folder for clone3's CLONE_INTO_CGROUP (SysProcAttr.UseCgroupFD). It belongs
// to the group, and is valid until Remove. With v1 it is nil: then call AddProcess before the
// process runs any code.
func (g *Group) Dir() *os.File {
	if g.tree.kind != KindV2 || len(g.dirs) == 0 {
		return nil
	}
	return g.dirs[0].folder
}

// AddProcess adds a process with all its threads to the group. Children that the process already
// has stay in their groups.
func (g *Group) AddProcess(pid int) error {
	if pid <= 0 {
		return fmt.Errorf("put process %d into group %s: want a pid", pid, g.name)
	}
	for _, d := range g.dirs {
		if err := g.tree.moveProcess(d.folder, pid); err != nil {
			return err
		}
	}
	return nil
}

// retryDelays are the waits between checks whether a group is empty, half a second in all. A
// process that survives SIGKILL for half a second, such as one that waits for a broken disk, may
// never end.
var retryDelays = []time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 16 * time.Millisecond,
	32 * time.Millisecond, 64 * time.Millisecond, 128 * time.Millisecond, 256 * time.Millisecond, 0,
}

// Remove removes the group, which must be empty or about to be. The kernel keeps it until the last
// process is gone. A missing group is no error. After an error Remove may be called again.
func (g *Group) Remove() error {
	for _, delay := range retryDelays {
		err := g.removeDirs()
		if err == nil || !errors.Is(err, unix.EBUSY) || delay == 0 {
			return err
		}
		time.Sleep(delay)
	}
	return nil
}

// removeDirs removes the empty folders of the group and keeps the other folders.
func (g *Group) removeDirs() error {
	var errs []error
	var kept []groupDir
	for _, d := range g.dirs {
		err := g.tree.kernel.rmdir(d.groups, g.name)
		if err == nil || err == unix.ENOENT {
			errs = append(errs, d.folder.Close())
			continue
		}
		kept = append(kept, d)
		errs = append(errs, fmt.Errorf("remove group %s: %w", d.folder.Name(), err))
	}
	g.dirs = kept
	return errors.Join(errs...)
}
