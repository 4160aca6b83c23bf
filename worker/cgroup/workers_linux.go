package cgroup

import (
	"errors"
	"fmt"
	"path"

	"golang.org/x/sys/unix"
)

// workersGroup is the group around the groups of all users, if Options.Workers limits them
// together.
const workersGroup = "workers"

// mainMemoryMin is the memory of the main group that the kernel never takes for the workers.
const mainMemoryMin = 64 << 20

// parentFolder returns the folder above this process's groups. An earlier process of Mews may have
// put this process into the main group.
func parentFolder(own string) string {
	if path.Base(own) == mainGroup {
		return path.Dir(own)
	}
	return own
}

// makeWorkersGroup makes the group around all users' groups, with the limits of Options.Workers.
// Without such limits the users' groups stay beside the main group.
func (t *Tree) makeWorkersGroup(base *hierarchy) error {
	if t.workers == (Limits{}) || base.groups != base.dir {
		return nil
	}
	if err := t.workers.check(); err != nil {
		return err
	}
	if err := t.kernel.mkdir(base.dir, workersGroup); err != nil && err != unix.EEXIST {
		return fmt.Errorf("make group %s/%s: %w", base.dir.Name(), workersGroup, err)
	}
	folder, err := openFolder(base.dir, workersGroup)
	if err != nil {
		return err
	}
	g := &Group{tree: t, name: workersGroup}
	err = g.writeLimits(groupDir{base, folder}, t.workers)
	if err == nil {
		err = t.enable(base, folder)
	}
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	base.groups = folder
	t.protectMain(base)
	return nil
}

// protectMain keeps some memory for the main group. It is no error if the kernel refuses that.
func (t *Tree) protectMain(base *hierarchy) {
	main, err := openFolder(base.dir, mainGroup)
	if err != nil {
		return
	}
	defer main.Close()
	_ = t.kernel.write(main, "memory.min", fmt.Sprint(mainMemoryMin))
}
