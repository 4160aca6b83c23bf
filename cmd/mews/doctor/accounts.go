package doctor

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// account is an account of this machine, with all its groups.
type account struct {
	name string
	uid  uint32
	gids []uint32
}

// readAccounts reads the files passwd and group in the folder etc. It does not use package os/user,
// which can list neither all accounts nor the members of a group.
func readAccounts(etc string) ([]account, error) {
	people, err := readFields(filepath.Join(etc, "passwd"), 4)
	if err != nil {
		return nil, err
	}
	groups, err := readFields(filepath.Join(etc, "group"), 4)
	if err != nil {
		return nil, err
	}
	var all []account
	for _, p := range people {
		a := account{name: p[0], uid: parseID(p[2]), gids: []uint32{parseID(p[3])}}
		for _, g := range groups {
			if slices.Contains(strings.Split(g[3], ","), a.name) {
				a.gids = append(a.gids, parseID(g[2]))
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// readFields returns the fields of each line of a file. It leaves out lines with fewer fields than
// least.
func readFields(path string, least int) (lines [][]string, err error) {
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(strings.TrimSpace(line), ":"); len(fields) >= least && !strings.HasPrefix(line, "#") {
			lines = append(lines, fields)
		}
	}
	return lines, err
}

// parseID parses an id. For any other text it returns -2, the id of the account nobody on real
// systems.
func parseID(text string) uint32 {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return ^uint32(1)
	}
	return uint32(n)
}

// groupName returns the name of a group, or its number.
func groupName(gid uint32) string {
	if found, err := user.LookupGroupId(fmt.Sprint(gid)); err == nil {
		return found.Name
	}
	return fmt.Sprint(gid)
}
