package cgroup

import (
	"errors"
	"os"
	"strings"
)

// findV1 finds this process's folder in each hierarchy with a useful controller. It leaves out
// hierarchies that are not mounted, or in which this process may make no groups.
func findV1(root *os.File, own []membership, k kernel) (found []*hierarchy, err error) {
	var reasons []string
	anyLimits := false
	for _, m := range own {
		have, limits := filterUseful(KindV1, m.controllers)
		if len(have) == 0 {
			continue
		}
		dir, err := openV1(root, m, k)
		var reason unusableError
		switch {
		case errors.As(err, &reason):
			reasons = append(reasons, reason.reason)
		case err != nil:
			return nil, errors.Join(err, closeAll(found))
		default:
			found = append(found, &hierarchy{dir: dir, controllers: have})
			anyLimits = anyLimits || limits
		}
	}
	if anyLimits {
		return found, nil
	}
	if err := closeAll(found); err != nil {
		return nil, err
	}
	if len(reasons) > 0 {
		return nil, unusable("cgroup v1: %s", strings.Join(reasons, ", "))
	}
	return nil, unusable("there is no controller of cgroup v1 for memory or pids")
}

// openV1 opens this process's folder in a hierarchy, if groups can be made there.
func openV1(root *os.File, m membership, k kernel) (*os.File, error) {
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
	return dir, nil
}

// isOwnV1Group reports whether groups may be made in a group of v1, which has no delegation. That
// is allowed in the top of the hierarchy, and in the group that systemd makes for a unit.
func isOwnV1Group(path string) bool {
	return path == "/" || strings.HasSuffix(path, ".service") || strings.HasSuffix(path, ".scope")
}

// mountV1 opens a hierarchy's mount. Its folder is named after all its controllers ("cpu,cpuacct";
// each single name is then a symbolic link, which is not followed), or after one controller.
func mountV1(root *os.File, controllers []string) (*os.File, error) {
	all := strings.Join(controllers, ",")
	if dir := openMount(root, "cgroup.procs", append([]string{all}, controllers...)...); dir != nil {
		return dir, nil
	}
	return nil, unusable("%s is not mounted at %s", all, root.Name())
}

// openMount opens the first of the folders that has a certain file; nil if no folder has it.
func openMount(root *os.File, file string, names ...string) *os.File {
	for _, name := range names {
		dir, err := openFolder(root, name)
		if err != nil {
			continue
		}
		if _, err := read(dir, file); err == nil {
			return dir
		}
		dir.Close()
	}
	return nil
}
