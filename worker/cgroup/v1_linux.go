package cgroup

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// findV1 finds, in each hierarchy with a controller of use, the folder that this process is in. Hierarchies that are not
// mounted or not ours are left out.
func findV1(root *os.File, own []membership, k kernel) (found []*hierarchy, err error) {
	var reasons []string
	limits := false
	for _, m := range own {
		h, err := openV1Hierarchy(root, m, k)
		var reason errUnusable
		switch {
		case errors.As(err, &reason):
			reasons = append(reasons, reason.reason)
		case err != nil:
			closeAll(found)
			return nil, err
		case h != nil:
			found = append(found, h)
			limits = limits || slices.Contains(h.controllers, "memory") || slices.Contains(h.controllers, "pids")
		}
	}
	if limits {
		return found, nil
	}
	closeAll(found)
	if len(reasons) > 0 {
		return nil, unusable("cgroup v1: %s", strings.Join(reasons, ", "))
	}
	return nil, unusable("there is no controller of cgroup v1 for memory or pids")
}

// openV1Hierarchy is nil for a hierarchy of no use.
func openV1Hierarchy(root *os.File, m membership, k kernel) (*hierarchy, error) {
	have := slices.DeleteFunc(slices.Clone(usefulControllers[V1]), func(c string) bool { return !slices.Contains(m.controllers, c) })
	if len(have) == 0 {
		return nil, nil
	}
	if !isOwnV1Group(m.path) {
		return nil, unusable("the group %s of this process was made by somebody who may expect no groups in it", m.path)
	}
	top, err := mountV1(root, m.controllers)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	dir, err := openFolder(top, m.path)
	if err != nil {
		return nil, unusable("the group %s of this process is not to be seen in %s", m.path, top.Name())
	}
	if err := probeFolder(dir, k); err != nil {
		dir.Close()
		return nil, err
	}
	return &hierarchy{dir: dir, controllers: have}, nil
}

// isOwnV1Group says whether a group of v1 is one to make groups in: there nobody delegates. The hierarchy's top is everybody's, and
// what systemd makes for a unit is the unit's.
func isOwnV1Group(path string) bool {
	return path == "/" || strings.HasSuffix(path, ".service") || strings.HasSuffix(path, ".scope")
}

// mountV1 opens a hierarchy's mount. It bears all its controllers' names ("cpu,cpuacct"; each of them alone is then a
// symbolic link, which is not followed), or the name of one.
func mountV1(root *os.File, controllers []string) (*os.File, error) {
	for _, name := range append([]string{strings.Join(controllers, ",")}, controllers...) {
		dir, err := openFolder(root, name)
		if err != nil {
			continue
		}
		if _, err := read(dir, "cgroup.procs"); err == nil {
			return dir, nil
		}
		dir.Close()
	}
	return nil, unusable("%s is not mounted at %s", strings.Join(controllers, ","), root.Name())
}

func closeAll(hierarchies []*hierarchy) {
	for _, h := range hierarchies {
		h.dir.Close()
	}
}
