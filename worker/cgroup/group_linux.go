package cgroup

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrInUse is in Make's error when the group is there and has processes: somebody else made it under this name.
var ErrInUse = errors.New("there are processes in it")

// Group is the processes of a person.
type Group struct {
	tree *Tree
	name string
	dirs []groupDir
}

// groupDir is a group's folder in one hierarchy.
type groupDir struct {
	*hierarchy
	folder *os.File
}

// groupName is the folder's name of a person's group; "main" and those of others are never one.
const groupPrefix = "user-"

func groupName(name string) string { return groupPrefix + name }

// Make makes a group, with every limit for which there is a controller. An old group of that name is taken over if there
// are no processes in it: it is removed and made anew, so that it counts from zero. Whoever makes a group removes it.
func (t *Tree) Make(name string, l Limits) (*Group, error) {
	g, err := t.group(name)
	if err == nil {
		err = l.check()
	}
	if err != nil {
		return nil, err
	}
	if !t.enabled {
		return nil, fmt.Errorf("make group %s: Main has not made room for groups", name)
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
	return &Group{tree: t, name: groupName(name)}, nil
}

// makeDir adds the part in one hierarchy.
func (g *Group) makeDir(h *hierarchy, l Limits) error {
	k, place := g.tree.kernel, h.dir.Name()+"/"+g.name
	err := k.mkdir(h.dir, g.name)
	if err == unix.EEXIST {
		if err = k.rmdir(h.dir, g.name); err == unix.EBUSY {
			return fmt.Errorf("take over group %s: %w", place, ErrInUse)
		} else if err == nil || err == unix.ENOENT {
			err = k.mkdir(h.dir, g.name)
		}
	}
	if err != nil {
		return fmt.Errorf("make group %s: %w", place, err)
	}
	folder, err := openFolder(h.dir, g.name)
	if err != nil {
		return errors.Join(err, k.rmdir(h.dir, g.name))
	}
	p := groupDir{h, folder}
	g.dirs = append(g.dirs, p)
	return g.writeLimits(p, l)
}

func (g *Group) writeLimits(p groupDir, l Limits) error {
	for _, s := range settings[g.tree.kind] {
		text := s.text(l)
		if text == "" || !p.hasController(s.controller) {
			continue
		}
		err := g.tree.kernel.write(p.folder, s.file, text)
		if err != nil && !(s.optional && isMissing(err)) {
			return fmt.Errorf("set limit %s of %s to %s: %w", s.file, p.folder.Name(), text, err)
		}
	}
	return nil
}

// Dir is the open folder for clone3's CLONE_INTO_CGROUP (SysProcAttr.UseCgroupFD). It belongs to the group, and is good
// until Close or Remove. In v1 it is nil: Add the process before it does anything.
func (g *Group) Dir() *os.File {
	if g.tree.kind != V2 || len(g.dirs) == 0 {
		return nil
	}
	return g.dirs[0].folder
}

// Add puts a process with all its threads into the group. Children that it has already stay where they are.
func (g *Group) Add(pid int) error {
	if pid <= 0 {
		return fmt.Errorf("put process %d into group %s: want a pid", pid, g.name)
	}
	for _, p := range g.dirs {
		if err := g.tree.moveProcess(p.folder, pid); err != nil {
			return err
		}
	}
	return nil
}

// retryDelays are what is waited between looks at a group that is to become empty: half a second in all. What SIGKILL does
// not end within that (a dead disk) it may not end at all.
var retryDelays = []time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 16 * time.Millisecond,
	32 * time.Millisecond, 64 * time.Millisecond, 128 * time.Millisecond, 256 * time.Millisecond, 0,
}

// Remove removes the group, which is empty or about to be: the kernel holds on to it until the last process is gone. A
// group that is not there any more is no error. After an error it may be tried again.
func (g *Group) Remove() error {
	for _, pause := range retryDelays {
		err := g.removeDirs()
		if err == nil || !errors.Is(err, unix.EBUSY) || pause == 0 {
			return err
		}
		time.Sleep(pause)
	}
	return nil
}

// removeDirs removes what can be removed and keeps the rest.
func (g *Group) removeDirs() error {
	var errs []error
	var kept []groupDir
	for _, p := range g.dirs {
		err := g.tree.kernel.rmdir(p.dir, g.name)
		if err == nil || err == unix.ENOENT {
			errs = append(errs, p.folder.Close())
			continue
		}
		kept = append(kept, p)
		errs = append(errs, fmt.Errorf("remove group %s: %w", p.folder.Name(), err))
	}
	g.dirs = kept
	return errors.Join(errs...)
}
