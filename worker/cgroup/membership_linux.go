package cgroup

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// membership is a line of /proc/PID/cgroup (cgroups(7)): the group of a process in one hierarchy.
type membership struct {
	id          int      // id of the hierarchy; 0 means v2
	controllers []string // controllers of the hierarchy: none in v2; "name=..." if it has only a name
	path        string   // path of the group from the mount's top; it begins with "/"
}

func (m membership) isV2() bool { return m.id == 0 && len(m.controllers) == 0 }

// parseMemberships reads /proc/PID/cgroup. The file has at most one line of v2.
func parseMemberships(text string) ([]membership, error) {
	var all []membership
	seen := false
	for line := range strings.Lines(text) {
		m, err := parseMembership(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		if m.isV2() && seen {
			return nil, fmt.Errorf("line %q: a second one of cgroup v2", line)
		}
		seen = seen || m.isV2()
		all = append(all, m)
	}
	return all, nil
}

func parseMembership(line string) (membership, error) {
	fields := strings.SplitN(line, ":", 3) // a path may contain colons
	if len(fields) != 3 || !strings.HasPrefix(fields[2], "/") {
		return membership{}, fmt.Errorf("line %q: want number:controllers:/path", line)
	}
	id, err := strconv.ParseUint(fields[0], 10, 31)
	if err != nil {
		return membership{}, fmt.Errorf("line %q: hierarchy %q is no number", line, fields[0])
	}
	m := membership{id: int(id), path: path.Clean(fields[2])}
	if strings.HasPrefix(fields[2], "/..") {
		// the path is outside of this process's cgroup namespace; Clean would make it look inside
		m.path = fields[2]
	}
	if fields[1] != "" {
		m.controllers = strings.Split(fields[1], ",")
	}
	return m, nil
}
