package cgroup

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mainGroup is the group of Mews itself, beside the groups of the users.
const mainGroup = "main"

// findV2 finds this process's folder. If that is already the group "main" of Mews, it returns the
// folder above. An earlier process of Mews, or systemd with DelegateSubgroup=main, may have put
// this process there.
func findV2(root *os.File, own []membership, k kernel) ([]*hierarchy, error) {
	i := slices.IndexFunc(own, membership.isV2)
	if i < 0 {
		return nil, unusable("this process is in no group of cgroup v2")
	}
	// "unified": the folder of v2 if most controllers belong to v1
	top := openMount(root, "cgroup.controllers", ".", "unified")
	if top == nil {
		return nil, unusable("cgroup v2 is not mounted at %s", root.Name())
	}
	defer top.Close()
	parent := parentFolder(own[i].path)
	dir, err := openFolder(top, parent)
	if err != nil {
		return nil, unusable("the group %s of this process is not to be seen in %s (%v)", parent, top.Name(), err)
	}
	controllers, err := delegatedControllers(dir, k)
	if err != nil {
		dir.Close()
		return nil, err
	}
	return []*hierarchy{{dir: dir, controllers: controllers}}, nil
}

// delegatedControllers returns the useful controllers of a folder that is delegated to this
// process.
func delegatedControllers(dir *os.File, k kernel) ([]string, error) {
	text, err := read(dir, "cgroup.controllers")
	if err != nil {
		return nil, err
	}
	given := strings.Fields(text)
	have, limits := filterUseful(KindV2, given)
	if !limits {
		return nil, unusable("cgroup v2 has no controller for memory or pids in %s, only %q", dir.Name(), given)
	}
	for _, name := range []string{"cgroup.procs", "cgroup.subtree_control"} {
		if err := unix.Faccessat(int(dir.Fd()), name, unix.W_OK, unix.AT_EACCESS); err != nil {
			return nil, unusable("%s was not delegated to this process (%s: %v)", dir.Name(), name, err)
		}
	}
	return have, probeFolder(dir, k)
}

// PrepareGroups prepares for groups. With v2 a folder whose groups have controllers may not contain
// processes itself. So this process and pid (the supervisor; 0 means none) move to a group named
// "main", and then the controllers are enabled. After an error nothing has changed. With v1 it does
// nothing. PrepareGroups may be called again.
func (t *Tree) PrepareGroups(pid int) error {
	if t.kind != KindV2 {
		return nil
	}
	base := t.hierarchies[0]
	movers := []int{os.Getpid()}
	if pid > 0 && pid != movers[0] {
		movers = append(movers, pid)
	}
	if err := base.checkOnly(movers); err != nil {
		return err
	}
	if err := t.moveToMain(base, movers); err != nil {
		return err
	}
	if err := t.enable(base, base.dir); err != nil {
		return errors.Join(err, t.moveBack(base, movers))
	}
	if err := t.makeWorkersGroup(base); err != nil {
		return err
	}
	t.enabled = true
	t.describe()
	return nil
}

// checkOnly returns an error if processes other than pids are in the folder itself. The top of the
// hierarchy may keep its processes; only the top has no file cgroup.type.
func (h *hierarchy) checkOnly(pids []int) error {
	if _, err := read(h.dir, "cgroup.type"); isMissing(err) {
		return nil
	}
	there, err := processes(h.dir)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(there, func(pid int) bool { return slices.Contains(pids, pid) })
	if len(others) > 0 {
		return fmt.Errorf(textNotAlone, h.dir.Name(), others)
	}
	return nil
}

func (t *Tree) moveToMain(base *hierarchy, pids []int) error {
	if err := t.kernel.mkdir(base.dir, mainGroup); err != nil && err != unix.EEXIST {
		return fmt.Errorf("make group %s/%s: %w", base.dir.Name(), mainGroup, err)
	}
	group, err := openFolder(base.dir, mainGroup)
	if err != nil {
		return err
	}
	defer group.Close()
	for i, pid := range pids {
		if err := t.moveProcess(group, pid); err != nil {
			return errors.Join(err, t.moveBack(base, pids[:i]))
		}
	}
	return nil
}

// moveBack moves the processes pids out of the main group again. The main group stays if it has
// other processes.
func (t *Tree) moveBack(base *hierarchy, pids []int) error {
	var errs []error
	for _, pid := range pids {
		errs = append(errs, t.moveProcess(base.dir, pid))
	}
	if err := t.kernel.rmdir(base.dir, mainGroup); err != nil && err != unix.EBUSY {
		errs = append(errs, fmt.Errorf("remove group %s/%s: %w", base.dir.Name(), mainGroup, err))
	}
	return errors.Join(errs...)
}

func (t *Tree) moveProcess(dir *os.File, pid int) error {
	if err := t.kernel.write(dir, "cgroup.procs", fmt.Sprint(pid)); err != nil {
		return fmt.Errorf("put process %d into group %s: %w", pid, dir.Name(), err)
	}
	return nil
}

// enable enables the controllers for the groups in dir, one by one: the kernel accepts a whole line
// or nothing. It is no error if cpu or io is missing, because the kernel refuses cpu while there
// are real-time processes. It is an error if memory or pids is missing.
func (t *Tree) enable(h *hierarchy, dir *os.File) error {
	var on []string
	for _, c := range h.controllers {
		err := t.kernel.write(dir, "cgroup.subtree_control", "+"+c)
		switch {
		case err == nil:
			on = append(on, c)
		case c == "memory" || c == "pids":
			return fmt.Errorf("switch controller %s on in %s: %w", c, dir.Name(), err)
		}
	}
	h.controllers = on
	return nil
}
